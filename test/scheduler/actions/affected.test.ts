/**
 * Which resources planning looks at, and that it need look at no more: with everything looked at the transition of changed cases
 * of Pacemaker's suite is the same.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseXml, readConfiguration, type XmlElement } from '../../../src/cib/index.ts'
import { type SettingInput, settingOf } from '../../../src/scheduler/actions/draft/setting.ts'
import { type PlannedTransition, planFor, planTransition } from '../../../src/scheduler/actions/plan-transition.ts'
import { affectedTree } from '../../../src/scheduler/actions/unchanged/affected.ts'
import { assignResources } from '../../../src/scheduler/assign.ts'
import { simulate } from '../../../src/scheduler/simulate/simulate.ts'
import { readStatus } from '../../../src/status/index.ts'
import { printGraphXml } from '../../../src/transition/index.ts'
import { type Tree, toTree } from '../../fuzz/cib-tree.ts'
import { mutations } from '../../fuzz/fuzz.ts'
import { createRandom } from '../../fuzz/random.ts'
import { dummy, meta, place, type SmallCluster, utilizationOf } from '../assignment/small-cluster.ts'
import { away, clone, monitored, order, stopped } from './what-happens.ts'

/** The resources that are looked at. */
function affected(cluster: SmallCluster): readonly string[] {
  const { status, assignment } = place(cluster)
  const { top } = affectedTree(settingOf({ status, assignment, md5: () => '', isSanitized: false }))
  return top.map(({ id }) => id).sort()
}

const three = { nodes: ['n1', 'n2', 'n3'], dummies: ['db', 'web', 'mail'] }
const running = { db: 'n1', web: 'n2', mail: 'n3' }
/** With a device that does not run yet. */
const device = '<primitive id="fence" class="stonith" type="fence_ipmilan"/>'
const fencing = { resources: device, options: { 'stonith-enabled': 'true' } }
/** Instances with a history of their own, so that each can be said to be somewhere. */
const unique = { 'globally-unique': 'true', 'clone-max': '2' }
const twoClones = clone('as', dummy('a'), unique) + clone('bs', dummy('b'), { ...unique, interleave: 'true' })

const cases: readonly {
  readonly name: string
  readonly cluster: SmallCluster
  readonly affected: readonly string[]
}[] = [
  {
    name: 'where everything is in its place, nothing is looked at',
    cluster: { ...three, running, constraints: order('db', 'web') },
    affected: [],
  },
  {
    name: 'what moves wakes what is ordered with it, on both sides and along a chain',
    cluster: { ...three, running, constraints: order('db', 'web') + away('web', 'n2') + order('web', 'mail') },
    affected: ['db', 'mail', 'web'],
  },
  {
    name: 'what moves wakes what is colocated with it',
    cluster: {
      ...three,
      running,
      constraints: `${away('db', 'n1')}<rsc_colocation id="c" rsc="web" with-rsc="db" score="-10"/>`,
    },
    affected: ['db', 'web'],
  },
  {
    name: 'what shall be nowhere is looked at, since what waits for it has to know',
    cluster: {
      nodes: ['n1'],
      resources: stopped('db') + dummy('web') + dummy('mail'),
      running: { web: 'n1', mail: 'n1' },
    },
    affected: ['db'],
  },
  {
    name: 'a monitor that does not run yet is to be started',
    cluster: { nodes: ['n1'], resources: monitored('db') + dummy('web'), running: { db: 'n1', web: 'n1' } },
    affected: ['db'],
  },
  {
    name: 'a node of which nobody knows whether it runs something is asked',
    cluster: { ...three, running: { db: 'n1', web: 'n2' } },
    affected: ['mail'],
  },
  {
    name: 'a lost node concerns what was there, and what that is ordered with',
    cluster: { ...three, ...fencing, running, constraints: order('mail', 'web'), lost: ['n3'] },
    affected: ['fence', 'mail', 'web'],
  },
  {
    name: 'a guest that may have to be fenced concerns everything',
    cluster: {
      ...three,
      ...fencing,
      resources: device + dummy('vm', meta('vm', { 'remote-node': 'guest' })),
      running: { ...running, mail: 'n1', vm: 'n3' },
      lost: ['n3'],
    },
    affected: ['db', 'fence', 'guest', 'mail', 'vm', 'web'],
  },
  {
    name: 'a node that left cleanly concerns nothing that is elsewhere',
    cluster: { ...three, running: { db: 'n1', web: 'n2', mail: 'n1' }, offline: ['n3'] },
    affected: [],
  },
  {
    name: 'without quorum everything is looked at',
    cluster: { ...three, running, quorum: false },
    affected: ['db', 'mail', 'web'],
  },
  {
    name: 'what takes capacity is looked at where capacity counts',
    cluster: {
      nodes: ['n1'],
      resources: dummy('db', utilizationOf('db', { cpu: '1' })) + dummy('web'),
      running: { db: 'n1', web: 'n1' },
      utilization: { n1: { cpu: '4' } },
      options: { 'placement-strategy': 'utilization' },
    },
    affected: ['db'],
  },
  {
    name: 'an instance for which there is no node may stay nowhere',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('as', dummy('a'), { ...unique, 'clone-max': '3' }),
      running: { 'a:0': 'n1', 'a:1': 'n2', 'a:2': '-' },
    },
    affected: [],
  },
  {
    name: 'a clone of which nothing runs is looked at',
    cluster: { nodes: ['n1'], resources: clone('as', stopped('a')), running: {} },
    affected: ['as'],
  },
  {
    name: 'an order of which some resources are enough is looked at',
    cluster: { ...three, running, constraints: order('db', 'web', 'require-all="false"') },
    affected: ['db', 'web'],
  },
  {
    name: 'an order that waits for a promotion of what cannot be promoted is looked at',
    cluster: { ...three, running, constraints: order('db', 'web', 'first-action="promote" then-action="start"') },
    affected: ['db', 'web'],
  },
  {
    name: 'interleaved clones are unchanged where each instance has its partner',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: twoClones,
      constraints: order('as', 'bs'),
      running: { 'a:0': 'n1', 'a:1': 'n2', 'b:0': 'n1', 'b:1': 'n2' },
    },
    affected: [],
  },
  {
    name: 'an instance without a partner has to be looked at',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: twoClones,
      constraints: order('as', 'bs') + away('as', 'n2'),
      running: { 'a:0': 'n1', 'a:1': '-', 'b:0': 'n1', 'b:1': 'n2' },
    },
    affected: ['as', 'bs'],
  },
]

describe('looked at', () => {
  for (const { name, cluster, affected: expected } of cases)
    test(name, () => expect(affected(cluster)).toEqual(expected))
})

/** Nodes whose instances of two clones are looked at, `b` being ordered after `a`, once one of four nodes is lost. */
function nodesLookedAt({ a = {}, b = {}, between = '', more = '', first = order('as', 'bs') }: TwoClones): string {
  const interleave = { interleave: 'true' }
  const cluster: SmallCluster = {
    nodes: ['n1', 'n2', 'n3', 'n4'],
    resources:
      clone('as', dummy('a'), { ...interleave, ...a }) +
      clone('bs', dummy('b'), { ...interleave, ...b }) +
      device +
      more,
    constraints: first + between,
    running: { a: 'n1 n2 n3 n4', b: 'n1 n2 n3 n4', c: 'n1' },
    lost: ['n4'],
    options: fencing.options,
  }
  const { status, assignment } = place(cluster)
  const { primitives } = affectedTree(settingOf({ status, assignment, md5: () => '', isSanitized: false }))
  const nodes = primitives.flatMap(({ resource }) => resource.state.active.map(({ node }) => node))
  return [...new Set(nodes)].sort().join(' ')
}

interface TwoClones {
  readonly a?: Readonly<Record<string, string>>
  readonly b?: Readonly<Record<string, string>>
  readonly between?: string
  readonly first?: string
  readonly more?: string
}

const everywhere = 'n1 n2 n3 n4'
const apartFrom = '<rsc_colocation id="apart" rsc="bs" with-rsc="as" score="-5"/>'

describe('of clones that concern each other node by node', () => {
  const table: readonly (readonly [string, TwoClones, string])[] = [
    ['the lost node is looked at, and one of the others for all', {}, 'n1 n4'],
    ['colocated ones too', { between: '<rsc_colocation id="c" rsc="bs" with-rsc="as" score="INFINITY"/>' }, 'n1 n4'],
    ['an instance that is notified of the others is looked at', { a: { notify: 'true' } }, everywhere],
    ['instances that follow one another are looked at', { b: { ordered: 'true' } }, everywhere],
    ['one that may be promoted instead is looked at', { b: { promotable: 'true' } }, everywhere],
    ['where one waits for the whole of the other, all are looked at', { b: { interleave: 'false' } }, everywhere],
    ['where the one stops after the whole of the other, too', { a: { interleave: 'false' } }, everywhere],
    ['enough of them have to be up', { a: { 'clone-min': '2' } }, everywhere],
    ['one after the other, whatever they do', { first: order('as', 'bs', 'kind="Serialize"') }, everywhere],
    ['those that shall be apart', { between: apartFrom }, everywhere],
    ['what waits for a clone as a whole', { between: order('bs', 'c'), more: dummy('c') }, everywhere],
  ]
  for (const [name, clones, nodes] of table) test(name, () => expect(nodesLookedAt(clones)).toBe(nodes))
})

const suite = new URL('../../../../shared/pacemaker-scheduler/xml/', import.meta.url)
const now = 1_700_000_500
const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')

/** Where a cluster comes to when it is left alone for some transitions, with one change. */
function changedOnceStable(file: string, seed: number): XmlElement {
  const parsed = parseXml(readFileSync(new URL(file, suite), 'utf8'))
  if (!parsed.ok) throw new Error(`${file} is malformed.`)
  let cib = parsed.value
  for (let turn = 0; turn < 3; turn++) {
    const simulation = simulate({ cib, now, md5, showScores: false, keepsResult: true })
    if (simulation.played.length === 0) break
    cib = simulation.result()
  }
  const changed: Tree = toTree(cib)
  const random = createRandom(seed)
  random.pick(mutations)?.apply(changed, random)
  return changed as XmlElement
}

function inputFor(cib: XmlElement): SettingInput {
  const status = readStatus({ cib, configuration: readConfiguration(cib), now, md5 })
  const assignment = assignResources(status, { holds: status.ruleHolds, showScores: false, explain: false })
  return { status, assignment, md5, isSanitized: false }
}

/** Actions are numbered as they come about, so only their order can be compared. */
function planned({ graph, changes }: PlannedTransition): readonly unknown[] {
  const ids = [...graph.actions, ...(graph.absent ?? [])].map(({ id }) => id).sort((a, b) => a - b)
  const xml = printGraphXml(graph).replaceAll(
    /(<(?:rsc_op|pseudo_event|crm_event) id=")(\d+)/g,
    (_, before: string, id: string) => `${before}${ids.indexOf(Number(id))}`,
  )
  return [xml, changes]
}

describe.runIf(existsSync(suite))('what is left out changes nothing', () => {
  const files = existsSync(suite) ? readdirSync(suite).sort() : []
  const some = files.filter((_, index) => index % 16 === 0)
  test(`in ${some.length} cases, each with a change`, () => {
    let leftOut = 0
    for (const [seed, file] of some.entries()) {
      const input = inputFor(changedOnceStable(file, seed + 1))
      const whole = settingOf(input)
      expect(planned(planTransition(input)), file).toEqual(planned(planFor(whole)))
      if (affectedTree(whole) !== whole.tree) leftOut++
    }
    expect(leftOut).toBeGreaterThan(some.length / 4)
  })
})

test.runIf(!existsSync(suite))(`the cases in ${suite}`, ({ skip }) => skip(`${suite} is not there`))
