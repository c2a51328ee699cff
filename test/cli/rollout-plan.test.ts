import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type PlanInput, planRollout } from '../../src/cli/rollout/plan.ts'
import { parseRolloutText } from '../../src/cli/rollout/read-file.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const scratch = mkdtempSync(join(tmpdir(), 'systole-rollout-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const history = (id: string, operations: string): string =>
  `<lrm_resource id="${id}" class="ocf" provider="pacemaker" type="Dummy">${operations}</lrm_resource>`
const operation = (
  id: string,
  name: string,
  more: { readonly at: string; readonly ms: number; readonly code?: number },
): string =>
  `<lrm_rsc_op id="${id}_last_0" operation="${name}" operation_key="${id}_${name}_0" transition-key="1:1:0:aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee" transition-magic="0:${more.code ?? 0};1:1:0:aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee" call-id="${more.at}" rc-code="${more.code ?? 0}" op-status="0" interval="0" op-digest="f2317cad3d54cec5d7d7aa7d0bf35cf8" exec-time="${more.ms}" crm-debug-origin="x" crm_feature_set="3.19.0"/>`
const node = (id: number, resources: string): string =>
  `<node_state id="${id}" uname="n${id}" in_ccm="true" crmd="online" join="member" expected="member" crm-debug-origin="x"><lrm id="${id}"><lrm_resources>${resources}</lrm_resources></lrm></node_state>`

/** `web` runs on n1, and was started in 2 s and stopped in 0.5 s before; `db` may only run on n2. */
const cibText = `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-s" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"><instance_attributes id="n1-a"><nvpair id="n1-r" name="web-role" value="true"/></instance_attributes></node><node id="2" uname="n2"/><node id="3" uname="n3"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="db" class="ocf" provider="pacemaker" type="Dummy"/></resources>
<constraints><rsc_location id="l1" rsc="db" node="n1" score="-INFINITY"/><rsc_location id="l3" rsc="db" node="n3" score="-INFINITY"/><rsc_location id="l2" rsc="web" node="n3" score="-INFINITY"/></constraints></configuration><status>
${node(1, history('web', operation('web', 'start', { at: '5', ms: 2000 })) + history('db', operation('db', 'monitor', { at: '6', ms: 1, code: 7 })))}
${node(2, history('db', operation('db', 'start', { at: '5', ms: 700 })) + history('web', operation('web', 'stop', { at: '6', ms: 500 })))}
${node(3, history('db', operation('db', 'monitor', { at: '5', ms: 1, code: 7 })) + history('web', operation('web', 'monitor', { at: '6', ms: 1, code: 7 })))}
</status></cib>`

function plan(file: object, more: Partial<PlanInput> = {}): ReturnType<typeof planRollout> {
  const read = parseRolloutText(
    JSON.stringify({
      rollout: 'shop',
      version: '2',
      steps: { actions: [{ run: ['install'], undo: ['remove'] }] },
      ...file,
    }),
  )
  const cib = parseXml(cibText)
  if (read.kind !== 'read' || !cib.ok) throw new Error(JSON.stringify(read))
  return planRollout({
    definition: read.definition,
    cib: cib.value,
    now: new Date('2026-11-20T12:00:00Z'),
    versions: new Map(),
    taken: new Map(),
    quorumLostBy: () => undefined,
    ...more,
  })
}

test('the real scheduler says what moves where, and recorded times how long it is away', () => {
  const { waves, interruptions, refusals } = plan({ nodes: [{ name: 'n1' }] })
  expect(waves).toMatchObject([
    { groups: [{ nodes: ['n1'], held: [{ kind: 'move', resource: 'web', from: 'n1', node: 'n2' }] }] },
  ])
  expect(interruptions).toMatchObject([{ resource: 'web', ms: 2500, longestMs: 2500, isUnknown: false }])
  expect(refusals).toEqual([])
})

test('a resource that would run nowhere is a refusal, for the nodes that are held together', () => {
  expect(plan({ nodes: [{ name: 'n2' }] }).refusals).toEqual(['db would run nowhere while n2 is held.'])
  const both = { nodes: [{ name: ['n1', 'n3'] }], waves: { 'max-unavailable': 2 } }
  expect(plan(both).refusals).toEqual([])
  expect(plan({ nodes: [{ name: ['n1', 'n2'] }], waves: { 'max-unavailable': 2 } }).refusals).toContain(
    'web would run nowhere while n1, n2 are held.',
  )
})

test('without a hold nothing moves, unless the node leaves the cluster', () => {
  expect(plan({ nodes: 'all', steps: { hold: 'none', actions: [{ run: 'x' }] } }).waves[0]?.groups[0]?.held).toEqual([])
  const reboots = { nodes: [{ name: 'n1' }], steps: { hold: 'none', actions: [{ run: 'x', reboots: true }] } }
  expect(plan(reboots).waves[0]?.groups[0]?.held).toMatchObject([{ resource: 'web', node: 'n2' }])
})

test('quorum is asked about the nodes that leave together', () => {
  const quorumLostBy = (nodes: ReadonlySet<string>): string | undefined =>
    nodes.size > 1 ? `lost without ${[...nodes].join()}` : undefined
  const file = { nodes: [{ name: ['n1', 'n3'] }], steps: { actions: [{ run: 'x', reboots: true }] } }
  expect(plan(file, { quorumLostBy }).refusals).toEqual([])
  expect(plan({ ...file, waves: { 'max-unavailable': 2 } }, { quorumLostBy }).refusals).toEqual(['lost without n1,n3'])
})

test('waves follow the order of roles, nodes of the version are left out, and another rollout is met', () => {
  const file = { nodes: [{ name: ['n1', 'n3'] }], waves: { order: ['web'] } }
  expect(plan(file).waves).toMatchObject([
    { role: 'web', groups: [{ nodes: ['n1'] }] },
    { groups: [{ nodes: ['n3'] }] },
  ])
  expect(plan(file, { versions: new Map([['n3', '2']]) })).toMatchObject({ already: ['n3'], waves: [{ role: 'web' }] })
  expect(plan(file, { taken: new Map([['n3', 'r7']]) }).refusals).toEqual([
    'The rollout r7 concerns n3 and has not ended.',
  ])
})

test('a freeze is no refusal: the nodes wait, and the plan says why', () => {
  expect(plan({ nodes: [{ name: 'n1' }], waves: { 'max-unavailable': 0 } })).toMatchObject({
    waves: [{ groups: [], waiting: [{ node: 'n1', why: 'max-unavailable of all nodes is 0' }] }],
    refusals: [],
  })
})

test('the command prints the plan of a CIB file, and a mistake with its file, line and field', async () => {
  const cib = join(scratch, 'cib.xml')
  const file = join(scratch, 'upgrade.yaml')
  writeFileSync(cib, cibText)
  writeFileSync(file, 'rollout: shop\nversion: "2"\nnodes: [{name: n1}]\nsteps:\n  actions:\n    - run: install\n')
  const run = async (): Promise<Awaited<ReturnType<typeof runLine>>> =>
    await runLine({
      commands: allCommands,
      line: ['rollout', 'plan', file, `--xml-file=${cib}`],
      terminal: scriptedTerminal(),
      openCluster: (path) => fileAccess(path ?? cib),
    })
  const planned = await run()
  expect(planned.exitCode).toBe(0)
  for (const text of [
    'shop 2: 1 node in 1 wave.',
    'move web from n1 to n2',
    'web  once  longest 2.5 s',
    "Without 'undo'",
  ])
    expect(planned.standardOutput).toContain(text)
  writeFileSync(file, 'rollout: shop\nversion: 2\nnodes: all\nsteps:\n  actions:\n    - ran: install\n')
  const wrong = await run()
  expect(wrong.exitCode).toBe(1)
  expect(wrong.standardError).toContain(`${file}:2: version: 2 is not a version in quotes. Put it in quotes.`)
  expect(wrong.standardError).toContain(
    `${file}:6: steps.actions[0].ran: There is no field 'ran' here. Did you mean 'run'?`,
  )
})

test('the replicas of a bundle are refused, however they are selected: what is changed in a container is lost with it', () => {
  const bundle =
    '<bundle id="box"><docker image="box:1" replicas="1"/><network control-port="3121"/><primitive id="inside" class="ocf" provider="pacemaker" type="Dummy"/></bundle>'
  const cib = parseXml(cibText.replace('</resources>', `${bundle}</resources>`))
  if (!cib.ok) throw new Error(cib.reports.join())
  const sentence = /^box-0 is a replica of a bundle, .*`systole resource bundle update`\.$/
  const refused = (nodes: unknown): readonly string[] =>
    plan({ nodes }, { cib: cib.value }).refusals.filter((one) => sentence.test(one))
  expect(refused([{ name: 'box-0' }])).toHaveLength(1)
  expect(refused([{ where: 'not_defined web-role' }])).toHaveLength(1)
  expect(refused('all')).toEqual([])
})
