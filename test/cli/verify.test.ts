import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { unreadDisks } from '../../src/cli/change/unread-disk.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { lint } from '../../src/cli/commands/cluster/lint.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

interface Parts {
  readonly nodes?: readonly string[]
  readonly options?: Readonly<Record<string, string>>
  readonly resources?: string
  readonly constraints?: string
  readonly topology?: string
  /** Left out where fencing is what the case is about. */
  readonly fencing?: string
}

const monitored = (id: string, meta = ''): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy">${meta}<operations>
    <op id="${id}-monitor" name="monitor" interval="10s"/><op id="${id}-stop" name="stop" interval="0" timeout="90s"/>
  </operations></primitive>`

const device = (id: string, parameters: Readonly<Record<string, string>>): string =>
  `<primitive id="${id}" class="stonith" type="fence_ipmilan"><instance_attributes id="${id}-a">${pairs(`${id}-a`, parameters)}</instance_attributes></primitive>`

const pairs = (id: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<nvpair id="${id}-${name}" name="${name}" value="${value}"/>`)
    .join('')

const clone = (id: string, inner: string, meta: Readonly<Record<string, string>> = {}): string =>
  `<clone id="${id}"><meta_attributes id="${id}-m">${pairs(`${id}-m`, meta)}</meta_attributes>${inner}</clone>`

function cibOf({ nodes = ['n1', 'n2', 'n3'], options = {}, ...parts }: Parts): string {
  const fencing = parts.fencing ?? device('fence-all', { pcmk_host_list: nodes.join(' ') })
  return `<cib crm_feature_set="3.20.1" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0"><configuration>
    <crm_config><cluster_property_set id="cib-bootstrap-options">${pairs('cib-bootstrap-options', options)}</cluster_property_set></crm_config>
    <nodes>${nodes.map((name, index) => `<node id="${index + 1}" uname="${name}"/>`).join('')}</nodes>
    <resources>${parts.resources ?? ''}${fencing}</resources>
    <constraints>${parts.constraints ?? ''}</constraints>${parts.topology ?? ''}
  </configuration><status/></cib>`
}

function adviceFor(parts: Parts, advisedStopMs?: number): readonly string[] {
  const parsed = parseXml(cibOf(parts))
  if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join())
  return lint({ cib: parsed.value, now: 1_795_000_000, advisedStopMs: () => advisedStopMs }).map(
    ({ code, subject }) => `${code} ${subject}`,
  )
}

const twoClones = (meta: Readonly<Record<string, string>>): string =>
  clone('disk-clone', monitored('disk')) + clone('web-clone', monitored('web'), meta)

const cases: readonly { readonly name: string; readonly parts: Parts; readonly advice: readonly string[] }[] = [
  { name: 'a monitored resource with fencing is fine', parts: { resources: monitored('web') }, advice: [] },
  {
    name: 'a clone that is ordered after another needs interleave',
    parts: {
      resources: twoClones({}),
      constraints: '<rsc_order id="disk-then-web" first="disk-clone" then="web-clone"/>',
    },
    advice: ['clones-without-interleave web-clone'],
  },
  {
    name: 'in a set as well',
    parts: {
      resources: twoClones({}),
      constraints:
        '<rsc_order id="o"><resource_set id="o-1"><resource_ref id="disk-clone"/><resource_ref id="web-clone"/></resource_set></rsc_order>',
    },
    advice: ['clones-without-interleave web-clone'],
  },
  {
    name: 'with interleave it is fine',
    parts: {
      resources: twoClones({ interleave: 'true' }),
      constraints: '<rsc_order id="disk-then-web" first="disk-clone" then="web-clone"/>',
    },
    advice: [],
  },
  {
    name: 'an optional order does no harm',
    parts: {
      resources: twoClones({}),
      constraints: '<rsc_order id="o" first="disk-clone" then="web-clone" kind="Optional"/>',
    },
    advice: [],
  },
  {
    name: 'a resource without a monitor is told',
    parts: { resources: '<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/>' },
    advice: ['no-monitor web'],
  },
  {
    name: 'a monitor that is disabled is none',
    parts: { resources: monitored('web').replace('interval="10s"', 'interval="10s" enabled="false"') },
    advice: ['no-monitor web'],
  },
  {
    name: 'a promotable clone needs a monitor for the promoted role',
    parts: { resources: clone('db-clone', monitored('db'), { promotable: 'true' }) },
    advice: ['no-promoted-monitor db'],
  },
  {
    name: 'fencing that is switched off',
    parts: { options: { 'fencing-enabled': 'false' } },
    advice: ['no-fencing fencing-enabled'],
  },
  { name: 'fencing without a device', parts: { fencing: '' }, advice: ['no-fencing fencing-enabled'] },
  {
    name: 'a node that no device fences',
    parts: { fencing: device('f', { pcmk_host_list: 'n1 n2' }) },
    advice: ['node-without-fencing n3'],
  },
  {
    name: 'a device that is asked may fence every node',
    parts: { fencing: device('f', {}) },
    advice: [],
  },
  {
    name: 'a level whose only device is for other nodes',
    parts: {
      fencing: device('f', { pcmk_host_list: 'n1 n2 n3' }) + device('g', { pcmk_host_list: 'n1' }),
      topology: '<fencing-topology><fencing-level id="l" target="n2" index="1" devices="g"/></fencing-topology>',
    },
    advice: ['node-without-fencing n2'],
  },
  {
    name: 'two nodes without a delay may fence each other',
    parts: { nodes: ['n1', 'n2'] },
    advice: ['mutual-fencing n1 n2'],
  },
  {
    name: 'the same delay for both is none',
    parts: {
      nodes: ['n1', 'n2'],
      fencing:
        device('f1', { pcmk_host_list: 'n1', pcmk_delay_base: '5s' }) +
        device('f2', { pcmk_host_list: 'n2', pcmk_delay_base: '5s' }),
    },
    advice: ['mutual-fencing n1 n2'],
  },
  {
    name: 'a delay for one of two is enough',
    parts: {
      nodes: ['n1', 'n2'],
      fencing: device('f1', { pcmk_host_list: 'n1', pcmk_delay_base: '5s' }) + device('f2', { pcmk_host_list: 'n2' }),
    },
    advice: [],
  },
  {
    name: 'so is one by node on a shared device',
    parts: { nodes: ['n1', 'n2'], fencing: device('f', { pcmk_host_list: 'n1 n2', pcmk_delay_base: 'n1:0;n2:5s' }) },
    advice: [],
  },
  {
    name: 'so is a random one',
    parts: { nodes: ['n1', 'n2'], fencing: device('f', { pcmk_host_list: 'n1 n2', pcmk_delay_max: '10s' }) },
    advice: [],
  },
  {
    name: 'so is priority-fencing-delay',
    parts: { nodes: ['n1', 'n2'], options: { 'priority-fencing-delay': '15s' } },
    advice: [],
  },
  {
    name: 'a colocation with a resource whose nodes are all forbidden',
    parts: {
      resources: monitored('db') + monitored('web'),
      constraints: `<rsc_colocation id="web-with-db" rsc="web" with-rsc="db" score="INFINITY"/>
        <rsc_location id="db-n1" rsc="db" node="n1" score="INFINITY"/>
        <rsc_location id="db-not-n2" rsc="db" node="n2" score="-INFINITY"/>
        <rsc_location id="db-not-n3" rsc="db" node="n3" score="-INFINITY"/>
        <rsc_location id="web-not-n1" rsc="web" node="n1" score="-INFINITY"/>`,
    },
    advice: ['unsatisfiable-colocation web-with-db'],
  },
  {
    name: 'a colocation and its opposite',
    parts: {
      resources: monitored('db') + monitored('web'),
      constraints: `<rsc_colocation id="together" rsc="web" with-rsc="db" score="INFINITY"/>
        <rsc_colocation id="apart" rsc="web" with-rsc="db" score="-INFINITY"/>`,
    },
    advice: ['unsatisfiable-colocation together', 'unsatisfiable-colocation apart'],
  },
  {
    name: 'more that keep apart than there are nodes',
    parts: {
      nodes: ['n1', 'n2'],
      options: { 'priority-fencing-delay': '15s' },
      resources: monitored('a') + monitored('b') + monitored('c'),
      constraints: `<rsc_colocation id="b-not-a" rsc="b" with-rsc="a" score="-INFINITY"/>
        <rsc_colocation id="c-not-a" rsc="c" with-rsc="a" score="-INFINITY"/>
        <rsc_colocation id="c-not-b" rsc="c" with-rsc="b" score="-INFINITY"/>`,
    },
    advice: ['unsatisfiable-colocation c-not-a', 'unsatisfiable-colocation c-not-b'],
  },
  {
    name: 'a colocation with a disabled resource is not to blame',
    parts: {
      resources:
        monitored('db', `<meta_attributes id="db-m">${pairs('db-m', { 'target-role': 'Stopped' })}</meta_attributes>`) +
        monitored('web'),
      constraints: '<rsc_colocation id="web-with-db" rsc="web" with-rsc="db" score="INFINITY"/>',
    },
    advice: [],
  },
]

describe('the advice of --strict', () => {
  for (const { name, parts, advice } of cases)
    test(name, () => expect([...adviceFor(parts)].sort()).toEqual([...advice].sort()))

  test('a stop time-out below what the agent advises is told, and one that is enough is not', () => {
    const parts = { resources: monitored('web') }
    expect(adviceFor(parts, 120_000)).toEqual(['short-stop-timeout web'])
    expect(adviceFor(parts, 90_000)).toEqual([])
  })

  test('where no time-out is written, the default of 20 seconds is compared', () => {
    const parts = { resources: monitored('web').replace(/<op [^>]*name="stop"[^>]*>/, '') }
    expect(adviceFor(parts, 30_000)).toEqual(['short-stop-timeout web'])
    expect(adviceFor(parts, 20_000)).toEqual([])
  })
})

describe('cluster verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'systole-verify-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  async function verify(line: string, cib: string): Promise<Printed> {
    const file = join(folder, 'cib.xml')
    writeFileSync(file, cib)
    return await runLine({
      commands: allCommands,
      line: line.split(' '),
      terminal: scriptedTerminal(),
      openCluster: () => fileAccess(file),
    })
  }
  const dangling = { constraints: '<rsc_location id="l" rsc="wbe" node="n1" score="1"/>', resources: monitored('web') }

  test('a valid configuration is called valid', async () => {
    expect(await verify('cluster verify', cibOf({}))).toEqual({
      standardOutput: 'The configuration is valid.\n',
      standardError: '',
      exitCode: 0,
    })
  })

  test('a reference that dangles is an error, with its place', async () => {
    const { standardOutput, exitCode } = await verify('verify', cibOf(dangling))
    expect(exitCode).toBe(1)
    expect(standardOutput).toMatch(/^Error: line \d+, column \d+: .*'wbe'.*Did you mean 'web'/)
    expect(standardOutput).toMatch(/not valid: 1 error, 0 warnings\.\n$/)
  })

  const sources: readonly { readonly name: string; readonly words: (cib: string) => readonly string[] }[] = [
    { name: 'a file named as crm_verify does', words: () => ['--xml-file', join(folder, 'cib.xml')] },
    { name: 'a file by its letter', words: () => ['-x', join(folder, 'cib.xml')] },
    { name: 'a CIB as text', words: (cib) => ['--xml-text', cib] },
    { name: 'a CIB as text by its letter', words: (cib) => ['-X', cib, '-V'] },
  ]
  for (const { name, words } of sources)
    test(`${name} is checked`, async () => {
      await verify('verify', cibOf(dangling))
      const { standardOutput, exitCode } = await runLine({
        commands: allCommands,
        line: ['verify', ...words(cibOf(dangling))],
        terminal: scriptedTerminal(),
        openCluster: () => fileAccess(join(folder, 'none.xml')),
      })
      expect(exitCode).toBe(1)
      expect(standardOutput).toContain("'wbe'")
    })

  test('--quiet says nothing, and --save-xml keeps what is valid', async () => {
    const copy = join(folder, 'copy.xml')
    expect(await verify(`verify --quiet --save-xml ${copy}`, cibOf(dangling))).toEqual({
      standardOutput: '',
      standardError: '',
      exitCode: 1,
    })
    expect(existsSync(copy)).toBe(false)
    await verify(`verify --quiet --save-xml ${copy}`, cibOf({}))
    expect(readFileSync(copy, 'utf8')).toContain('<configuration>')
  })

  test('two sources are one too many', async () => {
    const { standardError } = await verify('verify --xml-pipe --live-check', cibOf({}))
    expect(standardError).toContain('--xml-pipe and --live-check are too many sources. Specify one CIB.')
  })

  test('with --full the path of the element is told', async () => {
    const { standardOutput } = await verify('cluster verify --full', cibOf(dangling))
    expect(standardOutput).toContain("\n  /cib/configuration/constraints/rsc_location[@id='l']\n")
  })

  test('a warning fails only with --strict', async () => {
    const cib = cibOf({ options: { 'no-quorum-polcy': 'stop' } })
    const lenient = await verify('cluster verify', cib)
    expect(lenient.exitCode).toBe(0)
    expect(lenient.standardOutput).toMatch(/^Warning: .*no-quorum-polcy/)
    expect((await verify('cluster verify --strict', cib)).exitCode).toBe(1)
  })

  test('advice is given with --strict alone, and fails it', async () => {
    const cib = cibOf({ fencing: '' })
    expect((await verify('cluster verify', cib)).standardOutput).toBe('The configuration is valid.\n')
    const strict = await verify('cluster verify --strict', cib)
    expect(strict.exitCode).toBe(1)
    expect(strict.standardOutput).toBe(
      'Warning: No fence device is configured: the resources of a lost node are never recovered.\nThe configuration is valid, with 1 warning.\n',
    )
  })

  test('an agent that is not installed here is said not to have been checked', async () => {
    const cib = cibOf({ resources: monitored('web').replace('type="Dummy"', 'type="NoSuchAgent"') })
    const { standardOutput, exitCode } = await verify('cluster verify --strict', cib)
    expect(standardOutput).toContain('Note: ocf:pacemaker:NoSuchAgent is not installed on this node')
    expect(exitCode).toBe(0)
  })

  test('the same facts as JSON', async () => {
    const { standardOutput } = await verify('cluster verify --strict --json', cibOf({ fencing: '' }))
    expect(JSON.parse(standardOutput)).toMatchObject({ valid: true, advice: [{ code: 'no-fencing' }], notes: [] })
  })
})

const diskNodes =
  '<node id="1" uname="n1"/><node id="2" uname="n2"><instance_attributes id="i"><nvpair id="s" name="sbd-devices" value="none"/></instance_attributes></node>'

const diskOf = (id: string, value: string, rest = ''): string =>
  `<primitive id="${id}" class="stonith" type="fence_sbd"><instance_attributes id="${id}-i"><nvpair id="${id}-d" name="devices" value="${value}"/>${rest}</instance_attributes></primitive>`

const unread: readonly {
  readonly name: string
  readonly resources: string
  readonly disks?: string
  readonly told: readonly string[]
}[] = [
  {
    name: 'a device that writes to a disk which no node reads is told, in a template and a clone as well',
    resources:
      '<template id="t" class="stonith" type="fence_sbd"/><primitive id="a" template="t"/>' +
      '<clone id="c"><primitive id="b" class="stonith" type="external/sbd"/></clone>' +
      '<primitive id="scsi" class="stonith" type="fence_scsi"/>',
    told: ['a: n1, n2 would not read it', 'b: n1, n2 would not read it'],
  },
  {
    name: 'a node that reads none of the disks is told',
    resources: diskOf('disk', '/dev/a'),
    disks: '/dev/a',
    told: ['disk: n2 would not read /dev/a'],
  },
  {
    name: 'nothing is told where all nodes that it fences read its disks, in whatever order',
    resources: diskOf('disk', '/dev/b,/dev/a', '<nvpair id="h" name="pcmk_host_list" value="n1"/>'),
    disks: '/dev/a,/dev/b',
    told: [],
  },
  {
    name: 'of fewer disks than a node reads it might not read the one that was written to',
    resources: diskOf('disk', '/dev/a', '<nvpair id="h" name="pcmk_host_map" value="n1:one"/>'),
    disks: '/dev/a /dev/b /dev/c',
    told: ['disk: n1 would not read /dev/a'],
  },
]
for (const { name, resources, disks = '', told } of unread)
  test(name, () => {
    const options = { 'watchdog-device': '/dev/watchdog', 'sbd-devices': disks }
    const pairs = Object.entries(options).map(
      ([option, value]) => `<nvpair id="${option}" name="${option}" value="${value}"/>`,
    )
    const parsed = parseXml(
      `<cib><configuration><crm_config><cluster_property_set id="o">${pairs.join('')}</cluster_property_set></crm_config><nodes>${diskNodes}</nodes><resources>${resources}</resources><constraints/></configuration></cib>`,
    )
    const found = parsed.ok ? unreadDisks(parsed.value) : []
    expect(found.map(({ id, text }) => `${id}: ${/read, but (.*?): a node/.exec(text)?.[1]}`)).toEqual(told)
  })
