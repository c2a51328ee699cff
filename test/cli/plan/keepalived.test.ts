/** keepalived.conf as input of `plan` and `apply`: what becomes of it, what is named as left out, and what is refused with its line. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { empty, instance, Typing } from './keepalived-typing.ts'

const typing = new Typing()
const { cib } = typing
const at = (name: string): string => typing.at(name)
const type = async (...line: readonly string[]) => await typing.type(...line)

/** The file of one of two load balancers, as it differs between them. */
const balancer = (state: string, priority: number): string => `! two balancers
$VIP=10.0.0.100
global_defs {
   notification_email { ops@example.com }
   router_id lb          # of no use here
   script_user nobody
}
vrrp_script chk_haproxy {
   script "killall -0 haproxy"
   interval 2
   fall 2
   rise 3
}
vrrp_script chk_quiet
{
   script /usr/local/bin/quiet -q
   weight -30
   init_fail
}
vrrp_track_process sshd { process sshd
  weight 5 }
vrrp_instance VI_1 {
   state ${state}
   interface eth0
   virtual_router_id 51
   priority ${priority}
   advert_int 1
   nopreempt
   authentication { auth_type PASS
      auth_pass 1111 }
   virtual_ipaddress {
      \${VIP}/24 dev eth1 label eth1:vip
      10.0.0.101
   }
   virtual_ipaddress_excluded { 2001:db8::5/64 -nodad }
   virtual_routes { 0.0.0.0/0 via 10.0.0.1 dev eth0 }
   track_script {
      chk_haproxy
      chk_quiet
   }
   track_process { sshd }
   track_interface { eth2 weight 20 reverse }
   notify_master "/usr/local/bin/up.sh now"
}
virtual_server 10.0.0.100 80 {
   delay_loop 6
   lb_algo rr
   real_server 10.0.0.7 80 { TCP_CHECK { connect_timeout 3 } }
}
`

beforeEach(() => {
  typing.begin()
  writeFileSync(at('k1.conf'), balancer('BACKUP', 150))
  writeFileSync(at('k2.conf'), balancer('BACKUP', 100))
})
afterAll(() => typing.close())

const nodesFiles = (): readonly string[] => [`n1=${at('k1.conf')}`, `n2=${at('k2.conf')}`]

test('the files of two nodes become addresses, checks, scores and stickiness; applied twice is once', async () => {
  const planned = await type('plan', ...nodesFiles())
  expect(planned.standardError).toBe('')
  expect(planned.standardOutput).toContain('* start VI_1-10.0.0.100 on n1')
  expect((await type('apply', ...nodesFiles())).exitCode).toBe(0)
  const running = readFileSync(cib, 'utf8')
  for (const pair of [
    ...['name="resource-stickiness" value="INFINITY"', 'name="ip" value="10.0.0.100"', 'name="nic" value="eth1"'],
    ...['name="iflabel" value="vip"', 'name="cidr_netmask" value="32"', 'name="ip" value="2001:db8::5"'],
    ...['name="nodad" value="true"', 'name="command" value="killall -0 haproxy"', 'name="fall" value="2"'],
    ...['name="rise" value="3"', 'name="user" value="nobody"', 'name="destination" value="0.0.0.0/0"'],
    'name="gateway" value="10.0.0.1"',
  ])
    expect(running).toContain(pair)
  const { standardOutput } = await type('constraint', 'config')
  const rules = standardOutput.replaceAll(/\s+/g, ' ')
  expect(rules).toContain("resource 'VI_1' prefers node 'n1' with score 150")
  expect(rules).toContain("resource 'VI_1' prefers node 'n2' with score 100")
  expect(rules).toMatch(/score=-INFINITY Expression: track-chk_haproxy eq 1?0/)
  expect(rules).toMatch(/score=-30 Expression: not_defined track-chk_quiet Expression: track-chk_quiet ne 1/)
  expect(rules).toMatch(/score=5 Expression: track-sshd eq 1/)
  expect(rules).toMatch(/score=-20 Expression: link-eth2 eq 1/)
  expect(rules).toMatch(/score=-INFINITY Expression: link-eth0 eq 0/)
  expect((await type('apply', ...nodesFiles())).standardOutput).toMatch(/^Nothing to change/)
  expect(readFileSync(cib, 'utf8')).toBe(running)
})

test('what has no counterpart is named with its line, and what is not needed by its name, also as JSON', async () => {
  const { standardOutput } = await type('plan', ...nodesFiles())
  const line = (text: string): number =>
    balancer('', 1)
      .split('\n')
      .findIndex((one) => one.includes(text)) + 1
  expect(standardOutput).toContain(
    `k1.conf:${line('virtual_server ')}: virtual_server 10.0.0.100 80: The cluster sets up no IPVS`,
  )
  expect(standardOutput).toContain(
    `k1.conf:${line('notify_master')}: notify_master /usr/local/bin/up.sh now: The cluster runs`,
  )
  expect(standardOutput).toContain(`k2.conf:${line('notification_email')}: notification_email: Create an alert`)
  expect(standardOutput).toContain('Not needed here: advert_int, authentication, router_id, state, virtual_router_id')
  expect(standardOutput).not.toContain('1111')
  const facts = JSON.parse((await type('plan', ...nodesFiles(), '--json')).standardOutput) as {
    readonly leftOut: readonly { readonly place: string; readonly what: string; readonly why?: string }[]
  }
  expect(facts.leftOut.filter(({ why }) => why !== undefined)).toHaveLength(6)
  const applied = await type('apply', ...nodesFiles())
  expect(applied.standardOutput).toContain('Applied')
})

test('a single file has no scores, and says how to give them', async () => {
  const planned = await type('plan', at('k1.conf'))
  expect(planned.standardOutput).toContain(
    `priority 150: It is the score of one node. Specify whose file it is, such as n1=`,
  )
  expect(planned.standardOutput).not.toContain('score="150"')
})

test('without nopreempt it moves back; instances of a sync group are one group, whose checks have no weight', async () => {
  writeFileSync(
    at('sync.conf'),
    `vrrp_sync_group G1 {\n group {\n  A\n  B\n }\n}\nvrrp_script c { script true\n weight 5 }
${['A', 'B'].map((name, index) => `vrrp_instance ${name} {\n interface eth${index}\n priority ${100 - index}\n dont_track_primary\n virtual_ipaddress { 10.0.${index}.9/24 }\n track_script { c }\n}`).join('\n')}\n`,
  )
  const planned = await type('apply', `n1=${at('sync.conf')}`)
  expect(planned.exitCode).toBe(0)
  const running = readFileSync(cib, 'utf8')
  expect(running).toMatch(/<group id="G1">.*A-10\.0\.0\.9.*B-10\.0\.1\.9.*<\/group>/s)
  expect(running).toContain('name="resource-stickiness" value="0"')
  expect(running).not.toContain('link-eth')
  const rules = (await type('constraint', 'config')).standardOutput.replaceAll(/\s+/g, ' ')
  expect(rules).toMatch(/score=-INFINITY Expression: track-c eq 0/)
  expect(rules).toContain("resource 'G1' prefers node 'n1' with score 100")
})

test('a node whose file lacks an instance never gets it, and lines for one host are read for it', async () => {
  const both = `vrrp_instance A {\n interface eth0\n@n1 priority 90\n@^n1 priority 80\n virtual_ipaddress { 10.0.0.1 }\n}\n`
  writeFileSync(at('k1.conf'), `${both}vrrp_instance B {\n interface eth0\n virtual_ipaddress { 10.0.0.2 }\n}\n`)
  writeFileSync(at('part.conf'), both)
  writeFileSync(at('k2.conf'), 'include part.conf\n')
  const planned = await type('apply', ...nodesFiles())
  expect(planned.exitCode).toBe(0)
  const rules = (await type('constraint', 'config')).standardOutput.replaceAll(/\s+/g, ' ')
  expect(rules).toContain("resource 'A' prefers node 'n1' with score 90")
  expect(rules).toContain("resource 'A' prefers node 'n2' with score 80")
  expect(rules).toContain("resource 'B' avoids node 'n2' with score INFINITY")
})

test('a file that was applied before is compared with what it said: an address that it has no longer is removed', async () => {
  await type('apply', ...nodesFiles())
  for (const name of ['k1.conf', 'k2.conf'])
    writeFileSync(at(name), readFileSync(at(name), 'utf8').replace('      10.0.0.101\n', ''))
  const planned = await type('plan', ...nodesFiles(), '--prune')
  expect(planned.standardOutput).toContain('VI_1-10.0.0.101')
})

const mistakes: readonly (readonly [string, string])[] = [
  [instance(' nopremept'), ":4: 'nopremept' is not a known word of vrrp_instance. Did you mean 'nopreempt'"],
  [instance(' priority high'), ":4: 'high' is not a number from 1 to 255"],
  [instance(' priority 256'), ":4: '256' is not a number from 1 to 255"],
  [instance(' track_script { chk }'), ":4: There is no vrrp_script or vrrp_track_process 'chk'"],
  [instance(' track_interface { eth1 weight much }'), ":4: 'weight much' is not a weight"],
  [instance(' track_interface { eth1 wait 3 }'), ":4: 'wait' is not expected behind 'eth1'"],
  [instance(' track_interface { "eth1; reboot" }'), ":4: 'eth1; reboot' is not the name of an interface"],
  [instance(' virtual_routes { via 10.0.0.1 }'), ':4: A route needs a destination.'],
  ['vrrp_instance V {\n virtual_ipaddress {\n  10.0.0.300\n }\n}\n', ":3: '10.0.0.300' is not an IP address"],
  ['vrrp_instance V {\n virtual_ipaddress {\n  10.0.0.3/33\n }\n}\n', ":3: '/33' is not a prefix length from 0 to 32"],
  ['vrrp_instance V {\n virtual_ipaddress {\n  10.0.0.3/24 dev\n }\n}\n', ":3: 'dev' of 10.0.0.3 has no value"],
  ['vrrp_instance V {\n virtual_ipaddress {\n  10.0.0.3/24 devv eth0\n }\n}\n', ":3: 'devv' is not a known word"],
  ['vrrp_instance V {\n interface eth0\n}\n', ':1: vrrp_instance V has no virtual_ipaddress.'],
  ['vrrp_instance {\n interface eth0\n}\n', ':1: A vrrp_instance needs a name.'],
  [`${instance('')}${instance('')}`, ":6: There is another vrrp_instance 'V'."],
  [`${instance('')}vrrp_sync_group G {\n group {\n  W\n }\n}\n`, ":8: There is no vrrp_instance 'W'"],
  [`${instance('')}vrrp_sync_group G {\n}\n`, ':6: A vrrp_sync_group needs a name and instances.'],
  [`${instance('')}vrrp_script s {\n interval 2\n}\n`, ':6: vrrp_script s has no script.'],
  [`${instance('')}vrrp_script s {\n script x\n interval soon\n}\n`, ":8: 'soon' is not a number from 1"],
  [
    `${instance('')}vrrp_script s {\n script x\n intervall 2\n}\n`,
    ":8: 'intervall' is not a known word of vrrp_script",
  ],
  [`${instance('')}vrrp_script s { script x }\nvrrp_script s { script y }\n`, ":7: There is another check 's'."],
  [`${instance('')}vrrp_track_process p { quorum 2 }\n`, ':6: vrrp_track_process p has no process.'],
  [`${instance('')}vrp_instance W {\n}\n`, ":6: 'vrp_instance' is not a known word of keepalived.conf."],
  ['vrrp_instance V {\n interface eth0\n', ":1: The block 'vrrp_instance' has no '}'."],
  [`${instance('')}}\n`, ":6: There is no open block that '}' could end."],
  [`{\n${instance('')}}\n`, ':1: No block can begin here.'],
  [`${instance('')}include nothing.conf\n`, ":6: 'nothing.conf' cannot be read"],
  [`${instance('')}include wrong.conf\n`, ":6: 'wrong.conf' includes itself."],
  [`${instance('')}include *.d/a.conf\n`, ":6: Of the pattern '*.d/a.conf' only * and ? in the last part are read."],
  [`${instance(` priority \${P}`)}`, ":4: There is no parameter 'P'."],
  [`${instance('')}~SEQ(x, 1, 3) y\n`, ':6: Sequences'],
  [`${instance('')}$A=1 \\\n`, ':6: Parameters of several lines'],
  [instance('@n1 priority 5'), ":4: '@n1' is for one host only. Specify whose file it is, such as n1="],
]
test.each(mistakes)('%j is refused with its line, and nothing is changed', async (text, sentence) => {
  writeFileSync(at('wrong.conf'), text)
  const { exitCode, standardError } = await type('apply', at('wrong.conf'))
  expect(standardError).toContain(sentence)
  expect([exitCode, readFileSync(cib, 'utf8')]).toEqual([1, empty])
})

test('files of nodes must agree, be of nodes that there are, and be one for each', async () => {
  const refusal = async (...words: readonly string[]): Promise<string> => (await type('plan', ...words)).standardError
  writeFileSync(at('k2.conf'), balancer('BACKUP', 100).replace('10.0.0.101', '10.0.0.102'))
  expect(await refusal(...nodesFiles())).toMatch(/k2\.conf:22: VI_1 differs from .*k1\.conf:22\./)
  expect(await refusal(`n9=${at('k1.conf')}`)).toContain("There is no node 'n9'.")
  expect(await refusal(`n1=${at('k1.conf')}`, at('k2.conf'))).toContain('Specify whose file')
  expect(await refusal(`n1=${at('k1.conf')}`, `n1=${at('k2.conf')}`)).toContain("two files of the node 'n1'")
  expect(await refusal(at('k1.conf'), at('k2.conf'))).toContain('Unexpected argument')
  expect(await refusal(at('k1.conf'), '--var', 'a=b')).toContain('--var is for cluster files')
})

test('virtual servers are written as a configuration of HAProxy, which HAProxy accepts, and what it cannot is named', async () => {
  const server = (inner: string, real = ''): string =>
    `virtual_server 127.0.0.1 18999 {\n delay_loop 6\n lb_algo wlc\n lb_kind NAT\n persistence_timeout 50\n protocol TCP\n sorry_server 127.0.0.9 80\n${inner}\n real_server 127.0.0.7 80 {\n  weight 3\n  HTTP_GET {\n   url {\n    path /up\n    status_code 204\n   }\n   connect_port 8080\n   retry 2\n  }\n${real} }\n}\n`
  writeFileSync(at('vs.conf'), `${server(' quorum 2', '  notify_down /bin/x\n')}virtual_server fwmark 1 {\n}\n`)
  const planned = await type('plan', at('vs.conf'), `--haproxy=${at('haproxy.cfg')}`)
  expect(planned.exitCode).toBe(0)
  const text = readFileSync(at('haproxy.cfg'), 'utf8')
  for (const line of [
    ...['listen vs-127.0.0.1-18999', '  bind 127.0.0.1:18999 transparent', '  balance leastconn', '  stick on src'],
    ...['  option httpchk GET /up', '  http-check expect status 204', '  server sorry 127.0.0.9:80 backup'],
    '  server s2 127.0.0.7:80 weight 3 check inter 6s port 8080 fall 2',
  ])
    expect(text.split('\n')).toContain(line)
  for (const what of ['quorum 2', 'notify_down /bin/x', 'virtual_server fwmark 1'])
    expect(planned.standardOutput).toContain(`: ${what}: HAProxy`)
  expect(planned.standardOutput).not.toContain('IPVS')
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', at('haproxy.cfg')], { encoding: 'utf8' })
  expect([status, stderr.includes('ALERT')]).toEqual([0, false])
  writeFileSync(at('evil.conf'), server('').replace('/up', '"/up\\nlisten evil"'))
  await type('plan', at('evil.conf'), `--haproxy=${at('haproxy.cfg')}`)
  expect(readFileSync(at('haproxy.cfg'), 'utf8')).not.toContain('evil')
  // Datagrams, and what only the kernel knows: named, each with what to do.
  const udp = server('').replace('protocol TCP', 'protocol UDP')
  writeFileSync(at('udp.conf'), `${udp}virtual_server fwmark 1 {\n}\n`)
  const kernel = await type('plan', at('udp.conf'), `--haproxy=${at('haproxy.cfg')}`)
  expect([kernel.exitCode, existsSync(at('haproxy.cfg'))]).toEqual([1, true])
  expect(kernel.standardError).toContain('has no virtual_server that HAProxy could balance. Omit it.')
  expect(kernel.standardError).toContain(
    'udp.conf:1: virtual_server 127.0.0.1 18999: HAProxy balances TCP only. To keep it in the kernel, run keepalived',
  )
  expect(kernel.standardError).toMatch(
    /udp\.conf:\d+: virtual_server fwmark 1: HAProxy listens at an address and a port/,
  )
  expect(readFileSync(at('haproxy.cfg'), 'utf8')).toContain('listen vs-127.0.0.1-18999')
  writeFileSync(at('udp.conf'), `${server('')}${udp.replace('18999', '18998')}`)
  const both = await type('plan', at('udp.conf'), `--haproxy=${at('haproxy.cfg')}`)
  expect(both.standardOutput).toContain('virtual_server 127.0.0.1 18998: HAProxy balances TCP only.')
  expect(readFileSync(at('haproxy.cfg'), 'utf8')).not.toContain('18998')
  writeFileSync(at('none.conf'), instance(''))
  const none = await type('plan', at('none.conf'), `--haproxy=${at('haproxy.cfg')}`)
  expect(none.standardError).toContain('has no virtual_server that HAProxy could balance')
})

const samples = '/usr/share/doc/keepalived/samples'
test.skipIf(!existsSync(samples))(
  'the samples of Debian’s keepalived are planned and applied, each with what it is left without, and a second time nothing changes',
  async () => {
    for (const name of readdirSync(samples).filter((one) => /^keepalived\.conf/.test(one))) {
      // It is for two hosts, of which one is called high.
      const node = name.endsWith('conditional_conf') ? 'high' : 'n1'
      const file = `${node}=${join(samples, name)}`
      writeFileSync(cib, empty.replaceAll('"n1"', `"${node}"`))
      const planned = await type('plan', file)
      expect([name, planned.exitCode, planned.standardError]).toEqual([name, 0, ''])
      const applied = await type('apply', file)
      expect([name, applied.exitCode, applied.standardError]).toEqual([name, 0, ''])
      expect((await type('apply', file)).standardOutput).toMatch(/^Nothing to change/)
    }
  },
  120_000,
)

test.skipIf(!existsSync('/usr/sbin/keepalived'))('keepalived itself accepts the file of these tests', () => {
  const { stderr, status } = spawnSync('/usr/sbin/keepalived', ['-t', '-f', at('k1.conf')], { encoding: 'utf8' })
  expect([stderr.includes('Unknown keyword'), status === null]).toEqual([false, false])
})
