/** `rollout plan`: what a rollout would do, and what speaks against it. Nothing is changed. */
import type { XmlElement } from '../../../cib/index.ts'
import { hasEnded, type RolloutDefinition, type RolloutsKnown, versionRun } from '../../../rollout/index.ts'
import { cibSource, sourceFlags } from '../../access/cib-source.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'
import { knownNow } from '../../rollout/known.ts'
import { planRollout, type RolloutPlan } from '../../rollout/plan.ts'
import { type FleetPlan, type PlannedCluster, printFleetPlan, refusalsOf } from '../../rollout/print-fleet.ts'
import { printPlan } from '../../rollout/print-plan.ts'
import { type RolloutFile, readRolloutFile } from '../../rollout/read-file.ts'
import { quorumLostBy } from '../cluster/keeps-quorum.ts'

/** Eight addresses that do not answer, one after another, and more. */
const planWithinMs = 240_000

export const rolloutPlan: Command = {
  path: ['rollout', 'plan'],
  usage: '<rollout file> [--xml-file=<file>]',
  summary: 'Show the waves of a rollout, what moves where, and for how long services are interrupted',
  details:
    'The scheduler runs on a copy of the CIB, with the nodes of each wave held and released in turn; nothing is changed. ' +
    'Times are those that operations took when they were last recorded. ' +
    'Clusters of the fleet are asked for their own plans. ' +
    'The exit code is 1 if the rollout must not begin: a mistake in the file, quorum that would be lost, a resource that would run nowhere, or another rollout on the same nodes.',
  examples: ['systole rollout plan upgrade.yaml', 'systole rollout plan upgrade.yaml --xml-file=saved.xml'],
  flags: sourceFlags.filter(({ name }) => name === 'xml-file'),
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'rollout plan <rollout file>' })
    const file = await readRolloutFile(call.terminal, call.words[0] ?? '')
    const { definition } = file
    if (definition.clusters !== undefined) {
      if (call.flags.has('xml-file'))
        throw new Refusal('Clusters of the fleet plan for themselves, by what they are now. Omit --xml-file.')
      const fleetPlan = await fleetPlanOf(call, file)
      return done(printFleetPlan(fleetPlan), fleetPlan, fleetPlan.refusals.length > 0 ? 1 : 0)
    }
    const source = cibSource(call)
    const { cib } = await source.read()
    const plan = await planOf(call, definition, { cib, isLive: source.isLive })
    return done(printPlan(plan), plan, plan.refusals.length > 0 ? 1 : 0)
  },
}

/** What each of the clusters says that it would do. */
export async function fleetPlanOf(call: Call, { definition, value }: RolloutFile): Promise<FleetPlan> {
  const asked = { file: JSON.stringify(value), user: call.terminal.user }
  const { plans } = await liveCluster(call).planFleetRollout(asked, { timeoutMs: planWithinMs })
  const clusters = JSON.parse(plans) as readonly PlannedCluster[]
  return { definition, clusters, refusals: refusalsOf(clusters) }
}

/** The plan by the cluster as it is, with what is known of versions and other rollouts. */
export async function planOf(
  call: Call,
  definition: RolloutDefinition,
  { cib, isLive }: { readonly cib: XmlElement; readonly isLive: boolean },
): Promise<RolloutPlan> {
  const state = isLive ? await call.cluster.live?.getState({ askStore: true }) : undefined
  const known = isLive ? await knownNow(call) : undefined
  return planRollout({
    definition,
    cib,
    now: call.terminal.now(),
    versions: new Map(
      known?.versions.flatMap((one) => (versionRun(one) === undefined ? [] : [[one.node, versionRun(one) ?? '']])),
    ),
    taken: takenNodes(known),
    quorumLostBy: (nodes) => (state === undefined ? undefined : quorumLostBy(state, nodes)),
  })
}

/** Nodes of rollouts that have not ended. */
const takenNodes = (known: RolloutsKnown | undefined): ReadonlyMap<string, string> =>
  new Map(
    known?.rollouts.filter((one) => !hasEnded(one)).flatMap(({ id, nodes }) => nodes.map(({ node }) => [node, id])),
  )
