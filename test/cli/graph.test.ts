/** `systole graph`: what waits for what when everything starts, beside what the scheduler plans for it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseXml, readConfiguration, type XmlElement } from '../../src/cib/index.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { startGraphOf } from '../../src/cli/facts/start-graph.ts'
import { md5 } from '../../src/cli/host/md5.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { schedule } from '../../src/scheduler/index.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const dummy = (id: string, type = 'Dummy'): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="${type}"/>`
const order = (first: string, then: string, rest = ''): string =>
  `<rsc_order id="${first}-${then}" first="${first}" then="${then}" ${rest}/>`

function cibOf(resources: string, constraints = '', tags = ''): XmlElement {
  const nodes = ['n1', 'n2']
  const parsed =
    parseXml(`<cib validate-with="pacemaker-3.9" crm_feature_set="3.19.0" have-quorum="1" epoch="1" num_updates="0" admin_epoch="0">
<configuration><crm_config><cluster_property_set id="o"><nvpair id="o-s" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes>${nodes.map((name) => `<node id="${name}" uname="${name}"/>`).join('')}</nodes><resources>${resources}</resources><constraints>${constraints}</constraints>${tags}</configuration>
<status>${nodes
      .map(
        (name) =>
          `<node_state id="${name}" uname="${name}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${name}"><lrm_resources/></lrm></node_state>`,
      )
      .join('')}</status></cib>`)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  return parsed.value
}

async function typed(
  cib: XmlElement,
  ...line: readonly string[]
): Promise<{ readonly said: string; readonly exitCode: number }> {
  const { standardOutput, standardError, exitCode } = await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal(),
    openCluster: () => ({
      live: undefined,
      close: () => undefined,
      readCib: () => Promise.resolve({ cib, version: 0 }),
      push: () => Promise.reject(new Error('nothing is changed here')),
    }),
  })
  return { said: `${standardOutput}${standardError}`, exitCode }
}

/** The waves in which the scheduler lets resources start: one more than the starts that lie before, by whatever lies between. */
function plannedWaves(cib: XmlElement): readonly (readonly string[])[] {
  const { graph } = schedule({ cib, now: Date.UTC(2026, 10, 20, 12) / 1000, md5, explain: false })
  const byId = new Map(graph.actions.map((action) => [action.id, action]))
  const depths = new Map<number, number>()
  const isStart = (id: number): boolean => {
    const action = byId.get(id)
    return action?.kind === 'resource' && action.operation === 'start'
  }
  const depthOf = (id: number): number => {
    const known = depths.get(id)
    if (known !== undefined) return known
    const before = Math.max(0, ...(byId.get(id)?.inputs ?? []).filter((input) => byId.has(input)).map(depthOf))
    const depth = before + (isStart(id) ? 1 : 0)
    depths.set(id, depth)
    return depth
  }
  const waves: string[][] = []
  for (const action of graph.actions) {
    if (action.kind !== 'resource' || action.operation !== 'start') continue
    const wave = depthOf(action.id) - 1
    const name = action.resource.replace(/:\d+$/, '')
    waves[wave] = [...new Set([...(waves[wave] ?? []), name])].toSorted()
  }
  return waves
}

const sorted = (waves: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  waves.map((ids) => ids.toSorted())

/**
 * How the roles of a cloud depend on each other (examples/cloud.yaml): everybody needs the registry; the leader of the monitors, the network and the load
 * balancer come next; the other monitors and the database need the leader, the disks the monitors, the API the database, and the pool of the load balancer
 * the API.
 */
const cloud = {
  arrows: [
    ['registry-clone', 'leader'],
    ['registry-clone', 'network'],
    ['registry-clone', 'balancer'],
    ['leader', 'monitors-clone'],
    ['leader', 'database'],
    ['monitors-clone', 'disks-clone'],
    ['database', 'api-clone'],
    ['api-clone', 'pool'],
  ] as const,
  waves: [
    ['registry-clone'],
    ['leader', 'network', 'balancer'],
    ['monitors-clone', 'database'],
    ['disks-clone', 'api-clone'],
    ['pool'],
  ],
}

async function cloudCib(): Promise<XmlElement> {
  const empty = cibOf('')
  let made = empty
  const { standardError } = await runLine({
    commands: allCommands,
    line: ['apply', join(import.meta.dirname, '../../examples/cloud.yaml')],
    terminal: scriptedTerminal(),
    openCluster: () => ({
      live: undefined,
      close: () => undefined,
      readCib: () => Promise.resolve({ cib: empty, version: 0 }),
      push: ({ cib }) => {
        made = cib
        return Promise.resolve({ kind: 'saved', version: 1 })
      },
    }),
  })
  expect(standardError).not.toContain('Error')
  return made
}

test('examples/cloud.yaml: the arrows are those drawn, as JSON and for Graphviz, and so are the waves', async () => {
  const cib = await cloudCib()
  const { said, exitCode } = await typed(cib, 'graph', '--json')
  const { waits, waves, loops } = JSON.parse(said) as {
    readonly waits: readonly { readonly first: string; readonly next: string }[]
    readonly waves: readonly (readonly string[])[]
    readonly loops: readonly unknown[]
  }
  expect(exitCode).toBe(0)
  expect(waits.map(({ first, next }) => `${first} ${next}`).toSorted()).toEqual(
    cloud.arrows.map((arrow) => arrow.join(' ')).toSorted(),
  )
  expect(sorted(waves)).toEqual(sorted(cloud.waves))
  expect(loops).toEqual([])
  const dot = (await typed(cib, 'graph', '--dot')).said
  const drawn = dot.matchAll(/^\s*"([^"]+)" -> "([^"]+)" \[(?!.*dir=none)/gm)
  expect([...drawn].map(([, first, next]) => `${first} ${next}`).toSorted()).toEqual(
    cloud.arrows.map((arrow) => arrow.join(' ')).toSorted(),
  )
  const text = (await typed(cib, 'graph')).said
  expect(text).toContain('   2  leader, network, balancer\n   3  monitors-clone, database\n')
})

test('examples/cloud.yaml: the scheduler starts the waves that are drawn, and the pool once two of the API are there', async () => {
  const cib = await cloudCib()
  const member = ([id]: readonly string[] = []): string => (id ?? '').replace('-clone', '')
  const beforePool = cloud.waves.slice(0, -1)
  expect(plannedWaves(cib)).toEqual(sorted(beforePool.map((ids) => ids.map((id) => member([id])))))
  const { said } = await typed(cib, 'simulate', '--follow')
  const [first = '', second = ''] = said.split('Transition 2:')
  expect(first).not.toContain('Start      pool')
  expect(first.match(/ \* Start /g)).toHaveLength(12)
  // What has been started stays as it is.
  expect(second.match(/ \* (?:Start|Restart|Stop|Move) .*/g)).toEqual([expect.stringMatching(/Start +pool /)])
  expect(second).toContain('Then the cluster is settled.')
})

test.each([
  {
    what: 'members of a group start one after the other, and an order on a group is one on its ends',
    resources: `${dummy('a')}<group id="g">${dummy('b')}${dummy('c')}</group>${dummy('d')}`,
    constraints: order('a', 'g') + order('g', 'd'),
    waves: [['a'], ['b'], ['c'], ['d']],
  },
  {
    what: 'a group that is not ordered',
    resources: `${dummy('a')}<group id="g"><meta_attributes id="m"><nvpair id="mo" name="ordered" value="false"/></meta_attributes>${dummy('b')}${dummy('c')}</group>${dummy('d')}`,
    constraints: order('a', 'g') + order('g', 'd'),
    waves: [['a'], ['b', 'c'], ['d']],
  },
  {
    what: 'what is in a clone stands for the clone',
    resources: `<clone id="a-clone">${dummy('a')}</clone>${dummy('b')}`,
    constraints: order('a-clone', 'b'),
    waves: [['a-clone'], ['b']],
  },
  {
    what: 'sets: in a sequential one each waits for the one before, in the other all start together',
    resources: ['a', 'b', 'c', 'd', 'e'].map((id) => dummy(id)).join(''),
    constraints:
      '<rsc_order id="o"><resource_set id="s1" sequential="true"><resource_ref id="a"/><resource_ref id="b"/></resource_set><resource_set id="s2" sequential="false"><resource_ref id="c"/><resource_ref id="d"/></resource_set><resource_set id="s3"><resource_ref id="e"/></resource_set></rsc_order>',
    waves: [['a'], ['b'], ['c', 'd'], ['e']],
  },
  {
    what: 'a set of which one is enough is waited for as a whole',
    resources: ['a', 'b', 'c', 'd'].map((id) => dummy(id)).join(''),
    constraints: `${order('a', 'b')}<rsc_order id="o"><resource_set id="s1" sequential="false" require-all="false"><resource_ref id="b"/><resource_ref id="c"/></resource_set><resource_set id="s2"><resource_ref id="d"/></resource_set></rsc_order>`,
    waves: [['a', 'c'], ['b'], ['d']],
  },
  {
    what: 'an optional order counts, one that only serializes or is about a stop does not',
    resources: ['a', 'b', 'c', 'd'].map((id) => dummy(id)).join(''),
    constraints:
      order('a', 'b', 'kind="Optional"') +
      order('c', 'd', 'kind="Serialize"') +
      order('a', 'd', 'first-action="stop" then-action="start" symmetrical="false"'),
    waves: [['a', 'c', 'd'], ['b']],
  },
  {
    what: 'a tag stands for its members',
    resources: ['a', 'b', 'c'].map((id) => dummy(id)).join(''),
    constraints: order('t', 'c'),
    tags: '<tags><tag id="t"><obj_ref id="a"/><obj_ref id="b"/></tag></tags>',
    waves: [['a', 'b'], ['c']],
  },
])('$what', ({ what, resources, constraints, tags, waves }) => {
  const cib = cibOf(resources, constraints, tags)
  expect(sorted(wavesOf(cib)), what).toEqual(sorted(waves))
  // Serialized starts come one after the other in a plan, in either order.
  if (!constraints.includes('Serialize'))
    expect(plannedWaves(cib)).toEqual(sorted(waves.map((ids) => ids.map((id) => id.replace('-clone', '')))))
})

function wavesOf(cib: XmlElement): readonly (readonly string[])[] {
  return startGraphOf(readConfiguration(cib)).waves
}

test('random orders: the waves are those of the scheduler', () => {
  let seed = 7
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let round = 0; round < 40; round++) {
    const ids = Array.from({ length: 9 }, (_, index) => `r${index}`)
    const inGroup = ids.slice(0, 2 + random(2))
    const resources = `<group id="g">${inGroup.map((id) => dummy(id)).join('')}</group>${ids
      .slice(inGroup.length)
      .map((id) => dummy(id))
      .join('')}`
    // From earlier to later ones, so that there is no loop.
    const names = ['g', ...ids.slice(inGroup.length)]
    const pairs = new Set(
      Array.from({ length: 8 }, () => {
        const first = random(names.length - 1)
        return `${names[first]} ${names[first + 1 + random(names.length - first - 1)]}`
      }),
    )
    const constraints = [...pairs].map((pair) => {
      const [first = '', then = ''] = pair.split(' ')
      return order(first, then, random(4) === 0 ? 'kind="Optional"' : '')
    })
    const cib = cibOf(resources, constraints.join(''))
    expect(sorted(wavesOf(cib)), constraints.join('\n')).toEqual(plannedWaves(cib))
  }
})

const promotable = `<clone id="db-clone"><meta_attributes id="m"><nvpair id="mp" name="promotable" value="true"/></meta_attributes>${dummy('db', 'Stateful')}</clone>`

test('a promotion is a start of its own, after that of its clone', async () => {
  const cib = cibOf(
    `${promotable}${dummy('app')}`,
    order('db-clone', 'app', 'first-action="promote" then-action="start"'),
  )
  const { said } = await typed(cib, 'graph')
  expect(said).toContain('   1  db-clone\n   2  db-clone promote\n   3  app\n')
})

test('resources in a loop are named, with exit code 1; what waits for them is in no wave', async () => {
  const cib = cibOf(
    ['a', 'b', 'c', 'd'].map((id) => dummy(id)).join(''),
    order('a', 'b') + order('b', 'c') + order('c', 'b') + order('c', 'd'),
  )
  const { said, exitCode } = await typed(cib, 'graph')
  expect(said).toContain('Start waves:\n   1  a\nOrder:\n')
  expect(said).toContain('Loops, in which each waits for the one before it:\n  c -> b -> c\n')
  expect(exitCode).toBe(1)
})

test('colocations are shown, and make nothing wait; orders without a start are named', async () => {
  const cib = cibOf(
    dummy('a') + dummy('b'),
    `<rsc_colocation id="together" rsc="b" with-rsc="a" score="INFINITY"/>${order('a', 'b', 'first-action="stop" then-action="start" symmetrical="false"')}`,
  )
  const { said } = await typed(cib, 'graph')
  expect(said).toBe(
    'Start waves:\n   1  a, b\nTogether:\n  b with a (INFINITY, together)\nOrder constraints that delay no start:\n  a-b\n',
  )
})

test('--dot prints arrows, frames of groups, and colocations as broken lines', async () => {
  const cib = cibOf(
    `${dummy('a')}<group id="g">${dummy('b')}${dummy('c')}</group>`,
    `${order('a', 'g')}<rsc_colocation id="t" rsc="g" with-rsc="a" score="5"/>`,
  )
  const { said } = await typed(cib, 'graph', '--dot')
  expect(said).toContain('"a" -> "b" [label="a-g"];')
  expect(said).toContain('subgraph "cluster_g"')
  expect(said).toContain('"b" -> "a" [label="5" style=dashed dir=none constraint=false];')
})

test('--svg draws one box each and one line for each arrow', async () => {
  const cib = cibOf(
    `${dummy('a')}<group id="g">${dummy('b')}${dummy('c')}</group>`,
    `${order('a', 'g')}<rsc_colocation id="t" rsc="g" with-rsc="a" score="5"/>`,
  )
  const { said } = await typed(cib, 'graph', '--svg')
  const parsed = parseXml(said)
  expect(parsed.ok).toBe(true)
  expect(said.match(/<rect/g)).toHaveLength(3)
  expect(said.match(/marker-end/g)).toHaveLength(2)
  expect(said.match(/stroke-dasharray/g)).toHaveLength(1)
  expect((await typed(cib, 'graph', '--svg', '--dot')).said).toContain('Specify one of --dot and --svg.')
})

test('fence devices are left out, but where an order names one', async () => {
  const device = '<primitive id="f" class="stonith" type="fence_dummy"/>'
  expect((await typed(cibOf(device), 'graph')).said).toBe('There is nothing to start.\n')
  expect(wavesOf(cibOf(device + dummy('a'), order('f', 'a')))).toEqual([['f'], ['a']])
})

test('--xml-file reads a CIB file', async () => {
  const file = join(import.meta.dirname, '../../examples/shop.xml')
  const { said } = await typed(cibOf(dummy('elsewhere')), 'graph', '--xml-file', file)
  expect(said).toContain('web')
  expect(said).not.toContain('elsewhere')
})
