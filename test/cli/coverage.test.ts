/** When resources were last verified, by what and how deep, and what nobody checks. */
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

/** The clock of the terminal stands at noon. */
const noon = Date.UTC(2026, 10, 20, 12) / 1000

const primitive = (id: string, inside = '', agent = 'class="ocf" provider="heartbeat" type="Dummy"'): string =>
  `<primitive id="${id}" ${agent}>${inside}</primitive>`
const monitor = (id: string, interval: string, rest = '', inside = ''): string =>
  `<op id="${id}-m-${interval}" name="monitor" interval="${interval}" ${rest}>${inside}</op>`
const level = (id: string, value: number): string =>
  `<instance_attributes id="${id}-l"><nvpair id="${id}-lv" name="OCF_CHECK_LEVEL" value="${value}"/></instance_attributes>`

const entry = (
  id: string,
  operation: string,
  interval: number,
  { rc = 0, ago = 60, callId = 5, status = 0 } = {},
): string => {
  const name = interval === 0 ? `${id}_last_0` : `${id}_${operation}_${interval}`
  return `<lrm_rsc_op id="${name}" operation_key="${id}_${operation}_${interval}" operation="${operation}" interval="${interval}" call-id="${callId}" rc-code="${rc}" op-status="${status}" last-rc-change="${noon - ago}" transition-key="1:1:${rc}:x" transition-magic="${status}:${rc};1:1:${rc}:x"/>`
}
const ran = (id: string, entries: string): string =>
  `<lrm_resource id="${id}" class="ocf" provider="heartbeat" type="Dummy">${entries}</lrm_resource>`
const node = (name: string, inside: string, crmd = 'online'): string =>
  `<node_state id="${name}" uname="${name}" in_ccm="true" crmd="${crmd}" join="member" expected="member"><lrm id="${name}"><lrm_resources>${inside}</lrm_resources></lrm></node_state>`

function cibOf(resources: string, on: Readonly<Record<string, string>>, options = ''): string {
  const names = ['n1', 'n2']
  return `<cib validate-with="pacemaker-3.9" crm_feature_set="3.19.0" have-quorum="1" epoch="1" num_updates="0" admin_epoch="0"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-s" name="stonith-enabled" value="false"/>${options}</cluster_property_set></crm_config>
<nodes>${names.map((name) => `<node id="${name}" uname="${name}"/>`).join('')}</nodes><resources>${resources}</resources><constraints/></configuration>
<status>${names.map((name) => node(name, on[name] ?? '')).join('')}</status></cib>`
}

async function typed(
  cib: string,
  ...line: readonly string[]
): Promise<{ readonly said: string; readonly exitCode: number }> {
  const parsed = parseXml(cib)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  const { standardOutput, standardError, exitCode } = await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal(),
    openCluster: () => ({
      live: undefined,
      close: () => undefined,
      readCib: () => Promise.resolve({ cib: parsed.value, version: 0 }),
      push: () => Promise.reject(new Error('nothing is changed here')),
    }),
  })
  return { said: `${standardOutput}${standardError}`, exitCode }
}

const started = (id: string): string => entry(id, 'start', 0)

test.each([
  {
    what: 'a recurring monitor is as old as its interval at most',
    resources: primitive('web', `<operations>${monitor('web', '10s')}</operations>`),
    n1: ran('web', started('web') + entry('web', 'monitor', 10000)),
    says: 'web on n1: verified at most 10 s ago by its monitor, level 0\nAll 1 resources are checked.\n',
  },
  {
    what: 'two monitors look differently close, and a level stands in the parameters or in the operation itself',
    resources: primitive(
      'web',
      `<operations>${monitor('web', '10s')}${monitor('web', '60s', '', level('web', 20))}</operations>`,
    ),
    n1: ran('web', started('web') + entry('web', 'monitor', 60000) + entry('web', 'monitor', 10000)),
    says: 'by its monitor, level 0; verified at most 60 s ago by its monitor, level 20\n',
  },
  {
    what: 'a monitor that fails says so',
    resources: primitive('web', `<operations>${monitor('web', '10s', 'on-fail="ignore"')}</operations>`),
    n1: ran('web', started('web') + entry('web', 'monitor', 10000, { rc: 1 })),
    says: 'web on n1: found failed at most 10 s ago by its monitor, level 0\n',
  },
  {
    what: 'without a monitor the start was the last look',
    resources: primitive('web'),
    n1: ran('web', started('web')),
    says: 'web on n1: verified 60 s ago by its start, level 0; nobody checks it: it has no monitor operation\nNobody checks 1 of 1 resources: web.\n',
  },
  {
    what: 'found running by a probe',
    resources: primitive('web'),
    n1: ran('web', entry('web', 'monitor', 0, { ago: 5 })),
    says: 'web on n1: verified 5 s ago by a probe, level 0; nobody checks it: it has no monitor operation\n',
  },
  {
    what: 'a disabled monitor looks at nothing',
    resources: primitive('web', `<operations>${monitor('web', '10s', 'enabled="false"')}</operations>`),
    n1: ran('web', started('web')),
    says: 'nobody checks it: its monitor operation is disabled (enabled=false)\n',
  },
  {
    what: 'a monitor with the interval 0 is a probe',
    resources: primitive('web', `<operations>${monitor('web', '0')}</operations>`),
    n1: ran('web', started('web')),
    says: 'nobody checks it: the interval of its monitor operation is 0\n',
  },
  {
    what: 'in maintenance mode nobody looks',
    resources: primitive('web', `<operations>${monitor('web', '10s')}</operations>`),
    n1: ran('web', started('web')),
    options: '<nvpair id="o-m" name="maintenance-mode" value="true"/>',
    says: 'nobody checks it: maintenance mode has cancelled its monitor\n',
  },
  {
    what: 'a monitor that was cancelled, or has not answered yet, has seen nothing',
    resources: primitive('web', `<operations>${monitor('web', '10s')}</operations>`),
    n1: ran('web', started('web') + entry('web', 'monitor', 10000, { callId: -1, status: -1, rc: 193 })),
    says: 'nobody checks it: no monitor of it runs there, where it is Started\n',
  },
  {
    what: 'one that does not run is checked once it runs',
    resources: primitive('web', `<operations>${monitor('web', '10s')}</operations>`) + primitive('db'),
    says: 'web (not running): checked once it runs\ndb (not running): nobody checks it: it has no monitor operation\nNobody checks 1 of 2 resources: db.\n',
  },
  {
    what: 'the idle instances of a clone are told once, those that run each',
    resources: `<clone id="c">${primitive('ping', `<operations>${monitor('ping', '10s')}</operations>`)}</clone><clone id="d">${primitive('idle')}</clone>`,
    n1: ran('ping', started('ping') + entry('ping', 'monitor', 10000)),
    says: 'ping:0 on n1: verified at most 10 s ago by its monitor, level 0\nidle:0 (not running): nobody checks it: it has no monitor operation\n',
  },
  {
    what: 'the own check of a service looks as well',
    resources: primitive(
      'web',
      '<meta_attributes id="w"><nvpair id="w-s" name="systole-service-shop" value="port=80 check=tcp interval=10s"/></meta_attributes>',
    ),
    n1: ran('web', started('web')),
    says: 'web on n1: verified 60 s ago by its start, level 0; checked by the service shop\nAll 1 resources are checked.\n',
  },
])('$what', async ({ resources, n1 = '', options = '', says }) => {
  const { said, exitCode } = await typed(cibOf(resources, { n1 }, options), 'resource', 'coverage')
  expect(said).toContain(says)
  expect(exitCode).toBe(said.includes('Nobody checks ') ? 1 : 0)
})

const both = cibOf(primitive('web', `<operations>${monitor('web', '10s')}</operations>`) + primitive('db'), {
  n1: ran('web', started('web') + entry('web', 'monitor', 10000)) + ran('db', started('db')),
})

test('--unchecked lists only what nobody checks; JSON has the same facts', async () => {
  const { said } = await typed(both, 'resource', 'coverage', '--unchecked')
  expect(said.split('\n')).toHaveLength(3)
  expect(said).not.toContain('web')
  const facts = JSON.parse((await typed(both, 'resource', 'coverage', '--json')).said)
  expect(facts).toMatchObject({
    unchecked: ['db'],
    total: 2,
    resources: [
      { resource: 'web', node: 'n1', verified: [{ by: 'monitor', level: 0, passed: true, everyMs: 10_000 }] },
      {},
    ],
  })
})

test('resource status and status have it, too', async () => {
  const { said } = await typed(both, 'resource', 'status', '--verified')
  expect(said).toContain('Verified:\n  * web on n1: verified at most 10 s ago by its monitor, level 0\n')
  expect((await typed(both, 'resource', 'status')).said).not.toContain('Verified')
  const { resources } = JSON.parse((await typed(both, 'status', '--json')).said)
  expect(resources[0].verified).toEqual([
    { node: 'n1', by: 'monitor', level: 0, passed: true, everyMs: 10_000, since: '2026-11-20T11:59:00.000Z' },
  ])
})

test('a fence device is listed with its own', async () => {
  const cib = cibOf(
    primitive('f', `<operations>${monitor('f', '60s')}</operations>`, 'class="stonith" type="fence_ipmilan"'),
    {
      n2: `<lrm_resource id="f" class="stonith" type="fence_ipmilan">${started('f')}${entry('f', 'monitor', 60000)}</lrm_resource>`,
    },
  )
  const { said } = await typed(cib, 'stonith', 'status', '--verified')
  expect(said).toContain('f on n2: verified at most 60 s ago by its monitor, level 0')
})
