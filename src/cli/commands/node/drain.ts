/** `node drain` and `node undrain`: everything leaves a node for a while, without a change of the configuration. */
import { parseDurationMs } from '../../../base/index.ts'
import { describeEditReport, missingNodes, nodeNamesOf, type XmlElement } from '../../../cib/index.ts'
import { composeHolds, describeHold, type HoldRecord, holdsIn, howToEnd, parseHold } from '../../../holds/index.ts'
import { type Messages, refuseWhoMayNot } from '../../../rpc/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { consequences } from '../../change/change.ts'
import { type LeftStopped, printLeftStopped } from '../../change/left-stopped.ts'
import { type PlannedAction, printPlannedActions } from '../../change/planned-actions.ts'
import { checkWait, waitUntilSettled, withoutInstance } from '../../change/wait.ts'
import { expectWords } from '../../grammar/words.ts'

const waitFlag: Flag = {
  name: 'wait',
  value: '[seconds]',
  summary: 'Wait until the resources have moved (default 60 seconds)',
}
const previewFlag: Flag = { name: 'preview', summary: 'Show which resources would move, without changing anything' }

export const nodeDrain: Command = {
  path: ['node', 'drain'],
  usage: '<node>... [--reason=<text>] [--for=<duration>] [--wait[=<seconds>]]',
  summary: 'Move everything away from nodes until they are undrained',
  details:
    "A drained node stays a member and keeps its vote, and nothing runs on it. Unlike standby, a drain is not part of the configuration: it has an owner, a reason and, with --for, an end, and it leaves a node's own standby as it is. A drain that would leave a resource nowhere to run is refused without --force.",
  examples: ["systole node drain n2 --reason='kernel update' --for=2h --wait"],
  flags: [
    { name: 'reason', value: 'text', summary: 'Shown in status and why' },
    { name: 'for', value: 'duration', summary: 'When the drain ends by itself (default: with node undrain)' },
    { name: 'force', summary: 'Drain the nodes even if a resource has nowhere else to run' },
    previewFlag,
    waitFlag,
  ],
  completes: ['node'],
  run: drain,
}

export const nodeUndrain: Command = {
  path: ['node', 'undrain'],
  usage: '<node>... | --all [--wait[=<seconds>]]',
  summary: 'End the drain of nodes',
  details:
    'A node that was in standby before stays in standby. A drain of a rollout ends with the rollout; --force ends it now.',
  flags: [
    { name: 'all', summary: 'All drained nodes' },
    { name: 'force', summary: 'End drains of rollouts and jobs as well' },
    waitFlag,
  ],
  completes: ['node'],
  run: undrain,
}

async function drain(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 100, usage: 'node drain <node>...' })
  const live = liveCluster(call)
  checkWait(call)
  const nodes = [...new Set(call.words)]
  const time = timeOf(call)
  const { cib, version } = await call.cluster.readCib()
  refuseUnknown(cib, nodes)
  const { actions, leftStopped } = consequences(cib, drained(cib, nodes), call.terminal.now())
  const facts = { nodes, actions, leftStopped }
  const request = {
    holds: nodes.map((node) => ({ kind: 'drain', node })),
    user: call.terminal.user,
    ...reasonOf(call),
    ...time,
  }
  if (call.flags.has('preview')) {
    await refuseWhoMayNot(live, 'acquireHolds', request)
    return done(previewText(actions, leftStopped), { preview: true, ...facts })
  }
  if (leftStopped.length > 0 && !call.flags.has('force'))
    throw new Refusal(
      ...leftStopped.map(
        ({ resource, causes }) =>
          `${resource} would run nowhere${causes.length === 0 ? '' : `: ${causes.join('; ')}`}. Add --force to drain ${nodes.join(', ')} anyway.`,
      ),
    )
  if (actions.length > 0) call.terminal.progress(`This will:\n${printPlannedActions(actions)}`)
  const answer = await live.acquireHolds(request)
  if (answer.outcome === 'held') throw new Refusal(...answer.holds.map((one) => sentence(one)))
  const concerned = new Set(
    actions.flatMap(({ resource }) => (resource === undefined ? [] : [withoutInstance(resource)])),
  )
  const text = answer.holds.map((one) => `${sentence(one)}${endBefore(cib, one)}\n`).join('')
  return await settled(call, {
    text,
    facts: { ...facts, holds: answer.holds },
    version,
    revision: answer.revision,
    concerned,
  })
}

function refuseUnknown(cib: XmlElement, nodes: readonly string[]): void {
  const missing = missingNodes(cib, nodes)
  if (missing.length > 0) throw new Refusal(...missing.map(describeEditReport))
}

/** As it will be. */
function drained(cib: XmlElement, nodes: readonly string[]): XmlElement {
  const known = new Set(
    holdsIn(cib).flatMap(({ kind, node }) => (kind === 'drain' && node !== undefined ? [node] : [])),
  )
  const holds = nodes
    .filter((node) => !known.has(node as never))
    .flatMap((node): readonly HoldRecord[] => {
      const owner = { kind: 'user', name: 'x', user: 'x', node }
      const hold = parseHold({ id: `new-${node}`, kind: 'drain', node, owner, since: 'now' })
      return hold === undefined ? [] : [hold]
    })
  return composeHolds(cib, holds)
}

function previewText(actions: readonly PlannedAction[], leftStopped: readonly LeftStopped[]): string {
  const acts = actions.length === 0 ? 'Nothing would move.\n' : `It would:\n${printPlannedActions(actions)}`
  const stopped = leftStopped.length === 0 ? '' : `This would run nowhere:\n${printLeftStopped(leftStopped)}`
  return `Preview: nothing was changed.\n${acts}${stopped}`
}

const sentence = (hold: Messages['Hold']): string => {
  const note = parseHold(hold)
  return note === undefined ? `The hold ${hold.id} is in force.` : `${describeHold(note)}. ${howToEnd(note)}`
}

/** A second drain without a time takes the end of the first away, which nobody may miss. */
function endBefore(cib: XmlElement, { id, ttlMs }: Messages['Hold']): string {
  const until = ttlMs === undefined ? holdsIn(cib).find((one) => one.id === id) : undefined
  return until?.ttlMs === undefined ? '' : `. It no longer ends by itself`
}

const reasonOf = ({ flags }: Call): { readonly reason?: string } => {
  const reason = flags.get('reason')
  return typeof reason === 'string' && reason !== '' ? { reason } : {}
}

function timeOf({ flags }: Call): { readonly ttlMs?: number } {
  const written = flags.get('for')
  if (typeof written !== 'string') return {}
  const ttlMs = parseDurationMs(written)
  if (ttlMs === undefined || ttlMs <= 0) throw new Refusal(`'${written}' is not a duration. Examples: 30min, 2h.`)
  return { ttlMs }
}

async function undrain(call: Call): Promise<Outcome> {
  const live = liveCluster(call)
  if (call.flags.has('all') === call.words.length > 0) throw new Refusal('Specify the nodes to undrain, or --all.')
  checkWait(call)
  const { cib, version } = await call.cluster.readCib()
  refuseUnknown(cib, call.words)
  const nodes = call.flags.has('all') ? nodeNamesOf(cib) : call.words
  const { holds } = await live.listHolds({})
  const drains = holds.filter(({ kind, node = '' }) => kind === 'drain' && nodes.includes(node))
  const ids = drains.map(({ id }) => id)
  if (ids.length === 0)
    return done(
      `Nothing to change: ${call.flags.has('all') ? 'no node is' : `${nodes.join(', ')} ${nodes.length === 1 ? 'is' : 'are'} not`} drained.\n`,
      { nodes, released: [] },
    )
  const answer = await live.releaseHolds({ ids, force: call.flags.has('force'), user: call.terminal.user })
  if (answer.outcome === 'held')
    throw new Refusal(...answer.holds.map((hold) => `${sentence(hold)}, or add --force to end it now.`))
  const text = [...new Set(answer.holds.map(({ node }) => `${node} is no longer drained.\n`))].join('')
  const facts = { nodes, released: answer.holds }
  return await settled(call, { text, facts, version, revision: answer.revision, concerned: new Set() })
}

interface Made {
  readonly text: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly version: number
  readonly revision: number
  readonly concerned: ReadonlySet<string>
}

async function settled(call: Call, { text, facts, ...made }: Made): Promise<Outcome> {
  const wait = call.flags.get('wait')
  if (wait === undefined) return done(text, facts)
  const end = await waitUntilSettled(call, { wait, ...made })
  return done(
    `${text}${end.message}\n`,
    { ...facts, settled: end.settled, settledMessage: end.message },
    end.settled ? 0 : 1,
  )
}
