import { type IsSecret, secretNames, type XmlElement } from '../../../cib/index.ts'
import { describeHold, holdsIn } from '../../../holds/index.ts'
import type { ClusterState } from '../../../rpc/index.ts'
import { declaredGates, declaredServices } from '../../../services/index.ts'
import { type ClusterStatus, printClusterStatus, remarksOn } from '../../../status/index.ts'
import { type Call, type Command, done, type Outcome } from '../../call/command.ts'
import { stoppedTogether } from '../../change/left-stopped.ts'
import {
  nodeFacts,
  publicAttributes,
  resourceFacts,
  type StatusFacts,
  type StoppedTogether,
} from '../../facts/status-facts.ts'
import { select, statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { describeAttempts, unresolved } from '../stonith/history.ts'
import { attentionIn } from './attention.ts'
import { daemonStatus, oldLayout, pcsLayout } from './pcs-layout.ts'
import { failureLines, type Members, notHeard, switchedOff, unheard } from './sentences.ts'

export const status: Command = {
  path: ['status'],
  aliases: [['status', 'status']],
  usage: '[--full] [--hide-inactive]',
  summary: 'Show nodes, resources, failures, fencing and the current activity of the cluster',
  details: 'Without quorum, the last known state is shown, and the first lines say so.',
  flags: [
    { name: 'full', summary: 'Also node attributes and fail counts' },
    { name: 'hide-inactive', summary: 'Do not show inactive resources' },
  ],
  run: (call) => showStatus(call),
}

async function showStatus(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'status [--full] [--hide-inactive]' })
  const state = await call.cluster.live?.getState({})
  if (state && !state.configured)
    return done(unconfigured, { configured: false, nodes: [], resources: [], quorum: null, fencing: [] })
  const { cib } = await call.cluster.readCib()
  const all = statusOf(call, cib)
  const read = call.flags.has('hide-inactive') ? select(all, { ids: [], hideInactive: true, keep: () => true }) : all
  const stopped = stoppedThere(call, { cib, read, state })
  return done(await textOf(call, { cib, read, state, stopped }), factsOf({ cib, read, state, stopped }))
}

function factsOf({ cib, read, state, stopped }: Told): StatusFacts {
  return {
    configured: true,
    cluster: state?.clusterName ?? null,
    answeredBy: state?.localNode ?? null,
    started: state?.started ?? null,
    store: state?.store ?? null,
    version: state?.configVersion ?? null,
    quorum: {
      quorate: state?.quorate ?? read.haveQuorum,
      votes: state?.votes ?? null,
      notHeard: state && !state.quorate ? notHeard(state.members) : [],
    },
    dc: state?.dc ?? null,
    members: state?.members ?? [],
    witness: state?.witness ?? null,
    attention: attentionIn({ cib, read, state, stopped }),
    nodes: read.nodes.map((node) => nodeFacts(node, state, secretNames(cib))),
    resources: resourceFacts(read.resources),
    failures: read.failures,
    notRunning: stopped,
    remarks: read.resources.flatMap(remarksOn),
    services: { mistakes: serviceMistakes(read) },
    holds: holdsIn(cib),
    fencing: state?.fencing ?? [],
    transition: state?.transition ?? null,
    notes: state?.notes ?? [],
  }
}

interface Seen {
  readonly cib: XmlElement
  readonly read: ClusterStatus
  readonly state: ClusterState | undefined
}

interface Told extends Seen {
  readonly stopped: readonly StoppedTogether[]
}

/** While the cluster is at it, what is stopped may be about to start. */
function stoppedThere(call: Call, { cib, read, state }: Seen): readonly StoppedTogether[] {
  const isBusy = state !== undefined && ['computing', 'running'].includes(state.transition.state)
  const allRun = [...read.primitivesById.values()].every((one) => one.state.active.length > 0)
  return isBusy || allRun ? [] : stoppedTogether(cib, call.terminal.now())
}

async function textOf(call: Call, { cib, read, state, stopped }: Told): Promise<string> {
  const { program, dialect } = call.speech
  if (program === 'pcs' && dialect !== '0.9')
    return await pcsLayout(call, {
      cib,
      state,
      warnings: [...shortcomings(state), ...holdsIn(cib).map(describeHold), ...remarkLines(read), ...notesOf(state)],
    })
  const rest = [...problems(read, state), ...(call.flags.has('full') ? details(read, secretNames(cib)) : [])]
  const lines =
    program === 'pcs'
      ? [...shortcomings(state), ...oldLayout(call, read, state), '', ...rest, ...(await daemonStatus(state))]
      : [
          ...heading(state),
          ...switchedOffLines(read),
          printClusterStatus(read, { nodesAre: lastKnown(state) }),
          ...heldLines(cib),
          ...notRunning(stopped, read),
          ...rest,
        ]
  const text = lines.join('\n')
  return text.endsWith('\n') ? text : `${text}\n`
}

const unconfigured = `This host does not belong to a cluster yet.
Set one up with 'systole cluster setup', or join one with the command that setup printed on another node.
`

function heading(state: ClusterState | undefined): readonly string[] {
  if (!state) return []
  const { votes } = state
  const quorum = state.quorate ? 'quorate' : 'WITHOUT QUORUM'
  return [
    `Cluster ${state.clusterName}: ${quorum} (${votes.present} of ${votes.expected} votes), DC ${state.dc ?? 'none'}, configuration ${state.configVersion}`,
    ...shortcomings(state),
    doing(state),
    '',
  ]
}

function switchedOffLines(status: ClusterStatus): readonly string[] {
  const lines = switchedOff(status).flatMap(({ text, next }) => [text, `  > ${next}`])
  return lines.length === 0 ? [] : [...lines, '']
}

/** Who holds what, for how long it may be. */
function heldLines(cib: XmlElement): readonly string[] {
  const holds = holdsIn(cib)
  return holds.length === 0 ? [] : ['Held:', ...holds.map((hold) => `  * ${describeHold(hold)}`), '']
}

const mostNamed = 8

/** Whoever has failed is asked about below. */
function notRunning(stopped: readonly StoppedTogether[], { failures }: ClusterStatus): readonly string[] {
  if (stopped.length === 0) return []
  const lines = stopped.map(({ resources, cause }) => {
    const more = resources.length - mostNamed
    return `  * ${resources.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${cause}`
  })
  const failed = new Set(failures.map(({ configuredResource }) => String(configuredResource)))
  const first = stopped.flatMap(({ resources }) => resources.slice(0, 1)).filter((resource) => !failed.has(resource))
  return ['Not Running:', ...lines, ...askWhy('RESOURCE', first), '']
}

/** Why what follows may not be how things are. */
function shortcomings(state: ClusterState | undefined): readonly string[] {
  if (!state) return []
  return [
    ...(state.started ? [] : ['The cluster is not started on this node: systole cluster start']),
    ...(state.quorate ? [] : withoutQuorum(state.members)),
    ...(state.store.healthy ? [] : [`The store is not healthy: ${state.store.message ?? 'unknown reason'}`]),
  ]
}

/** Who is missing comes first: the list of nodes shows them as they were. */
export function withoutQuorum(members: Members): readonly string[] {
  const who = unheard(members)
  return [
    `This node has no quorum${who === '' ? '' : `; ${who}`}. The last known state follows.`,
    '  > systole quorum status',
  ]
}

/** For the title of the list of nodes, which is read by itself. */
export function lastKnown(state: Pick<ClusterState, 'quorate' | 'members'> | undefined): string {
  if (state === undefined || state.quorate) return ''
  return ['as last known', unheard(state.members)].filter((part) => part !== '').join('; ')
}

export function doing({ quorate, transition }: Pick<ClusterState, 'quorate' | 'transition'>): string {
  if (!quorate) return 'The activity of the cluster is unknown on this node.'
  switch (transition.state) {
    case 'idle':
      return 'The cluster is settled.'
    case 'computing':
      return transition.blockedBy.length > 0
        ? `Waiting: ${transition.blockedBy.join('; ')}`
        : 'Computing the next transition.'
    case 'running':
      return `Doing: ${transition.pending.join(', ')}`
    case 'blocked':
      return `Blocked: ${transition.blockedBy.join('; ')}`
  }
}

function problems(read: ClusterStatus, state: ClusterState | undefined): readonly string[] {
  const failures = failureLines(read.failures, read.now).map((line) => `  * ${line}`)
  const failed = [...new Set(read.failures.map(({ configuredResource }) => String(configuredResource)))]
  const remarks = remarkLines(read).map((line) => `  * ${line}`)
  const services = serviceMistakes(read).map((line) => `  * ${line}`)
  const open = unresolved(state?.fencing ?? [])
  const fencing = describeAttempts(open, read.now).map((line) => `  * ${line}`)
  const targets = [...new Set(open.flatMap(({ outcome, target }) => (outcome === 'failed' ? [target] : [])))]
  return [
    ...(failures.length > 0 ? ['Failed Resource Actions:', ...failures, ...askWhy('RESOURCE', failed), ''] : []),
    ...(remarks.length > 0 ? ['Remarks on Resources:', ...remarks, ''] : []),
    ...(services.length > 0 ? ['Mistakes in Services:', ...services, '  > systole service list', ''] : []),
    ...(fencing.length > 0 ? ['Failed or Pending Fencing:', ...fencing, ...askWhy('NODE', targets), ''] : []),
    ...notesOf(state).map((note) => `Note: ${note}`),
  ]
}

const serviceMistakes = ({ configuration }: ClusterStatus): readonly string[] => [
  ...declaredServices(configuration).mistakes,
  ...declaredGates(configuration).mistakes,
]

const remarkLines = ({ resources }: ClusterStatus): readonly string[] =>
  resources.flatMap(remarksOn).map(({ resource, node, text }) => `${resource} on ${node}: ${text}`)

const notesOf = (state: ClusterState | undefined): readonly string[] => state?.notes ?? []

function askWhy(kind: 'RESOURCE' | 'NODE', names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  return [`  > systole why ${names.length === 1 ? names[0] : `${kind} (${names.join(', ')})`}`]
}

function details(read: ClusterStatus, isSecret: IsSecret): readonly string[] {
  const attributes = read.nodes.flatMap((node) => {
    const { name } = node
    const own = publicAttributes(node, isSecret).filter(([attribute]) => !attribute.startsWith('#'))
    return own.length === 0
      ? []
      : [`  * ${name}: ${own.map(([attribute, value]) => `${attribute}=${value}`).join(' ')}`]
  })
  const counts = resourceFacts(read.resources).flatMap(({ id, failCounts }) =>
    Object.entries(failCounts).map(([node, count]) => `  * ${id} on ${node}: ${count}`),
  )
  return [
    ...(attributes.length > 0 ? ['Node Attributes:', ...attributes, ''] : []),
    ...(counts.length > 0 ? ['Fail Counts:', ...counts, ''] : []),
  ]
}
