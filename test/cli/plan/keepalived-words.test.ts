/** Every word that keepalived.conf(5) documents: it becomes something, or the plan names it. None is passed over without a word. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { haproxyOf } from '../../../src/cli/keepalived/haproxy.ts'
import { mapped } from '../../../src/cli/keepalived/keywords.ts'
import { readBlocks } from '../../../src/cli/keepalived/read-blocks.ts'
import { instance, Typing } from './keepalived-typing.ts'

const typing = new Typing()
const at = (name: string): string => typing.at(name)
const type = async (...line: readonly string[]) => await typing.type(...line)
beforeEach(() => typing.begin())
afterAll(() => typing.close())

/** What stands for a word where a number does not. */
const phrases: Readonly<Record<string, string>> = {
  ...{ state: 'state BACKUP', interface: 'interface eth0', group: 'group {\n W\n}', script: 'script true' },
  ...{ process: 'process haproxy', user: 'user root', weight: 'weight 5', priority: 'priority 120' },
  ...{ virtual_ipaddress: 'virtual_ipaddress {\n10.0.0.7/24\n}', track_script: 'track_script {\nchk\n}' },
  ...{ virtual_ipaddress_excluded: 'virtual_ipaddress_excluded {\n10.0.0.8/24\n}' },
  ...{ virtual_routes: 'virtual_routes {\n10.9.0.0/16 via 10.0.0.254\n}', track_process: 'track_process {\nprc\n}' },
  ...{ track_interface: 'track_interface {\neth1\n}', authentication: 'authentication {\nauth_type PASS\n}' },
}
const documented = readFileSync(join(import.meta.dirname, 'keepalived-words.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' ') as [string, string])
const wordsOf = (block: string): readonly string[] => documented.flatMap(([of, word]) => (of === block ? word : []))
const phrase = (word: string): string => phrases[word] ?? `${word} 1`
const phrasesOf = (block: string): string => wordsOf(block).map(phrase).join('\n')

test('every word of keepalived.conf(5) becomes something, or is named: not needed, or with what to do instead', async () => {
  const blocks: readonly (readonly [string, string])[] = [
    [
      'global_defs',
      `global_defs {\n${phrasesOf('global_defs').replace('default_interface 1', 'default_interface eth0')}\n}`,
    ],
    ['vrrp_script', `vrrp_script chk {\n${phrasesOf('vrrp_script')}\n}`],
    ['vrrp_track_process', `vrrp_track_process prc {\n${phrasesOf('vrrp_track_process')}\n}`],
    ['vrrp_instance', `vrrp_instance W {\n${phrasesOf('vrrp_instance').replace('track_process {\nprc\n}', '')}\n}`],
    [
      'vrrp_sync_group',
      `vrrp_sync_group G {\n${phrasesOf('vrrp_sync_group').replace('track_process {\nprc\n}', '')}\n}`,
    ],
  ]
  const whole = blocks.map(([, text]) => text).join('\n')
  const apart = wordsOf('top').filter((word) => !/^include|^vrrp_|^global_defs$|^virtual_server$/.test(word))
  writeFileSync(at('all.conf'), `${whole}\n${apart.map((word) => `${word} x {\n}`).join('\n')}\n`)
  const { exitCode, standardError, standardOutput } = await type('plan', `n1=${at('all.conf')}`, '--json')
  expect([standardError, exitCode]).toEqual(['', 0])
  const { leftOut } = JSON.parse(standardOutput) as {
    readonly leftOut: readonly { readonly what: string; readonly why?: string }[]
  }
  const named = new Set(leftOut.map(({ what }) => what.split(' ')[0]))
  const dropped = blocks.flatMap(([block]) =>
    wordsOf(block).filter((word) => mapped[block]?.has(word) !== true && !named.has(word)),
  )
  expect([dropped, apart.filter((word) => !named.has(word))]).toEqual([[], []])
  expect(leftOut.filter(({ why }) => why?.includes('is not known here') === true)).toEqual([])
})

test('every word of a virtual server changes what HAProxy is told, or is named', async () => {
  const server = (more: { readonly [block: string]: string | undefined }): string => `virtual_server 127.0.0.1 80 {
${more.virtual_server ?? ''}
real_server 127.0.0.7 80 {
${more.real_server ?? ''}
${more.kind ?? 'HTTP_GET'} {
${more.check ?? ''}
url {
path /up
${more.url ?? ''}
}
}
}
}
`
  const made = async (text: string): Promise<{ readonly text: string; readonly named: readonly string[] }> => {
    const statements = await readBlocks({ file: 'k', node: undefined, readFile: async () => text })
    const { leftOut = [], text: written = '' } = haproxyOf(statements) ?? {}
    return { text: written, named: leftOut.map(({ what }) => what.split(' ')[0] ?? '') }
  }
  const usual = await made(server({}))
  const settled = new Set([
    'path',
    'real_server',
    'url',
    'enable_sni',
    'HTTP_GET',
    'TCP_CHECK',
    'SSL_GET',
    'CHECKER_TYPE',
  ])
  const values: Readonly<Record<string, string>> = {
    ...{ protocol: 'protocol SCTP', lvs_sched: 'lvs_sched lc', lb_algo: 'lb_algo lc', lb_kind: 'lb_kind DR' },
    ...{ lvs_method: 'lvs_method TUN', connect_ip: 'connect_ip 127.0.0.8', virtualhost: 'virtualhost www.example.com' },
    ...{ sorry_server: 'sorry_server 127.0.0.9 80', status_code: 'status_code 204', delay_loop: 'delay_loop 7' },
  }
  const dropped: string[] = []
  for (const [block, more] of [
    ['virtual_server', (line: string) => ({ virtual_server: line })],
    [
      'real_server',
      (line: string) => ({ real_server: /_CHECK$/.test(line.split(' ')[0] ?? '') ? `${line} {\n}` : line }),
    ],
    ['checker', (line: string) => ({ check: line })],
    ['HTTP_GET', (line: string) => ({ check: line })],
    ['SSL_GET', (line: string) => ({ kind: 'SSL_GET', check: line })],
    ['url', (line: string) => ({ url: line })],
  ] as const)
    for (const word of wordsOf(block).filter((one) => !settled.has(one))) {
      const { text, named } = await made(server(more(values[word] ?? `${word} 3`)))
      if (text === usual.text && !named.includes(word)) dropped.push(`${block} ${word}`)
    }
  expect(dropped).toEqual([])
})

test('a group of virtual servers is one section with an address for each, and DR says what the servers must lose', async () => {
  writeFileSync(
    at('vs.conf'),
    `virtual_server_group G {\n 127.0.0.1 18998\n 127.0.0.2 18998\n 127.0.0.3-9 80\n}\nvirtual_server group G {\n lb_kind DR\n real_server 127.0.0.7 80 {\n  SSL_GET {\n   url {\n    path /up\n    virtualhost www.example.com\n   }\n  }\n }\n}\n`,
  )
  const planned = await type('plan', at('vs.conf'), `--haproxy=${at('haproxy.cfg')}`)
  const text = readFileSync(at('haproxy.cfg'), 'utf8')
  for (const line of ['listen vs-G', '  bind 127.0.0.1:18998 transparent', '  bind 127.0.0.2:18998 transparent'])
    expect(text.split('\n')).toContain(line)
  expect(text).toContain('http-check send meth GET uri /up ver HTTP/1.1 hdr Host www.example.com')
  expect(planned.standardOutput).toContain('lb_kind DR: Servers answered the client by themselves.')
  expect(planned.standardOutput).toContain('127.0.0.3-9')
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', at('haproxy.cfg')], { encoding: 'utf8' })
  expect([status, stderr.includes('ALERT')]).toEqual([0, false])
})

test('files of a folder are included by a pattern, in the order of their names; what keepalived defines is known', async () => {
  mkdirSync(at('conf.d'))
  writeFileSync(at('conf.d/20-b.conf'), instance(` notify "/bin/x \${_HASH}1 \${_INSTANCE}"`).replace('V {', 'B {'))
  writeFileSync(at('conf.d/10-a.conf'), instance('').replace('V {', 'A {').replace('0.1/24', '0.2/24'))
  writeFileSync(at('conf.d/c.bak'), 'nonsense {')
  writeFileSync(at('k1.conf'), `include conf.d/*.conf\ninclude none.d/*\ninclude \${_PWD}/conf.d/?none\n`)
  const planned = await type('plan', `n1=${at('k1.conf')}`)
  expect([planned.standardError, planned.exitCode]).toEqual(['', 0])
  expect(planned.standardOutput).toMatch(/A-10\.0\.0\.2[\s\S]*B-10\.0\.0\.1/)
  expect(planned.standardOutput).toContain('conf.d/20-b.conf:4: notify /bin/x #1 n1')
  writeFileSync(at('k1.conf'), `include ${at('*')}/20-b.conf\n`)
  expect((await type('plan', `n1=${at('k1.conf')}`)).standardError).toContain('only * and ? in the last part are read')
})

test('a word of global_defs of another version is named with its line, and stops nobody', async () => {
  writeFileSync(at('k1.conf'), `global_defs {\n vrrp_min_garp true\n a_newer_word 7\n}\n${instance('')}`)
  const planned = await type('plan', `n1=${at('k1.conf')}`)
  expect(planned.exitCode).toBe(0)
  expect(planned.standardOutput).toContain('k1.conf:3: a_newer_word 7: This word of global_defs is not known here.')
})
