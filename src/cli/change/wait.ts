/**
 * `--wait`: ends when the cluster has settled, or says what keeps it from that. A resource that waits for an administrator since an
 * earlier failure keeps nothing else from being done: it fails a command only if the command is about it, and is named otherwise.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseDurationMs, timerMs } from '../../base/index.ts'
import { type ClusterState, type LocalClient, NoAnswerError, UnreachableError } from '../../rpc/index.ts'
import { type Call, Refusal } from '../call/command.ts'

const defaultWaitSeconds = 60
const askAgainMs = 500

export interface Settled {
  /** All was done that the command is about. */
  readonly settled: boolean
  readonly message: string
}

/** Refuses a `--wait` that cannot work, before anything is changed. */
export function checkWait(call: Call): void {
  const wait = call.flags.get('wait')
  if (wait === undefined) return
  if (call.speech.program === 'pcs' && wait !== '0') waitSeconds(wait)
  if (call.command.path[0] !== 'node') call.tell({ code: 'wait-is-old' })
  if (!call.cluster.live)
    throw new Refusal({
      own: '--wait needs a running cluster. Omit --wait or -f.',
      about: { code: 'wait-without-cluster' },
    })
  waitSeconds(wait)
}

function waitSeconds(wait: string | true): number {
  const given =
    wait === true ? undefined : /^\d+$/.test(wait) ? Number(wait) : (parseDurationMs(wait) ?? Number.NaN) / 1000
  const seconds = given ?? defaultWaitSeconds
  if (Number.isFinite(seconds) && seconds > 0) return seconds
  throw new Refusal({
    own: `'${String(wait)}' is not a number of seconds to wait.`,
    about: { code: 'bad-wait', value: String(wait) },
  })
}

/** Of all resources, for a command that is about the whole cluster. */
export type Concerned = ReadonlySet<string> | 'all'

/** Waits until a transition that has seen this version of the configuration is finished and nothing is left to do. */
export async function waitUntilSettled(
  call: Call,
  {
    wait,
    version,
    revision = 0,
    concerned,
    members = [],
  }: {
    readonly wait: string | true
    readonly version: number
    /** Of the store, in which holds have changed. */
    readonly revision?: number
    readonly concerned: Concerned
    /** Nodes that must take part before anything counts as settled. */
    readonly members?: readonly string[]
  },
): Promise<Settled> {
  const live = call.cluster.live
  if (!live) throw new Refusal('--wait needs a running cluster. Omit --wait or -f.')
  const waited: Waited = { seconds: waitSeconds(wait), members }
  let last: ClusterState | undefined
  const judge = (state: ClusterState): Settled | undefined => {
    if (last === undefined || last.transition.pending.join() !== state.transition.pending.join())
      reportProgress(call, state)
    last = state
    const { computedVersion, computedHolds = 0 } = state.transition
    const isSeen = computedVersion >= version && computedHolds >= revision && absentOf(state, members).length === 0
    // Without quorum and between two DCs the last word of the DC before still stands there.
    return isSeen && nobodyDecides(state) === undefined ? verdict(state.transition, concerned) : undefined
  }
  const watched = await watchUntil(live, judge, AbortSignal.timeout(timerMs(waited.seconds * 1000)))
  return watched.answer ?? { settled: false, message: unsettled(last, waited, watched.why) }
}

interface Watched {
  readonly answer?: Settled
  /** Of a daemon that does not answer when the time is over. */
  readonly why?: string
}

/** The change is saved by now, and the cluster goes on with it without this host's daemon: one that ends is asked again once it is back. */
async function watchUntil(
  live: LocalClient,
  judge: (state: ClusterState) => Settled | undefined,
  deadline: AbortSignal,
): Promise<Watched> {
  for (;;) {
    const finished = new AbortController()
    let answer: Settled | undefined
    const see = (state: ClusterState): void => {
      answer ??= judge(state)
      if (answer) finished.abort()
    }
    const why = await live
      .watchState({}, see, { signal: AbortSignal.any([deadline, finished.signal]) })
      .then(() => undefined, whyDown)
    if (answer) return { answer }
    if (!deadline.aborted) await delay(askAgainMs)
    if (deadline.aborted) return why === undefined ? {} : { why }
  }
}

function whyDown(error: unknown): string {
  if (error instanceof UnreachableError || error instanceof NoAnswerError) return error.message
  throw error
}

const absentOf = ({ members }: ClusterState, nodes: readonly string[]): readonly string[] =>
  nodes.filter((node) => !members.some((member) => member.node === node && member.state === 'member'))

/** Undefined while something is being done. */
export function verdict(transition: ClusterState['transition'], concerned: Concerned): Settled | undefined {
  if (transition.state === 'idle') return { settled: true, message: 'The cluster has settled.' }
  if (transition.state !== 'blocked') return undefined
  const { blockedBy, blockedResources } = transition
  const isConcerned = (id: string): boolean => concerned === 'all' || concerned.has(withoutInstance(id))
  const why = blockedBy.join('; ')
  if (blockedBy.length > blockedResources.length || blockedResources.some(isConcerned))
    return { settled: false, message: `The cluster cannot settle: ${why}.` }
  return { settled: true, message: `The cluster has settled. Unrelated and unchanged: ${why}.` }
}

/** Of a clone, all instances. */
export const withoutInstance = (id: string): string => id.replace(/:\d+$/, '')

interface Waited {
  readonly seconds: number
  readonly members: readonly string[]
}

function unsettled(state: ClusterState | undefined, { seconds, members }: Waited, why?: string): string {
  const saved = 'The change was saved.'
  if (why !== undefined) return `Whether the cluster settled within ${seconds} s is unknown: ${why} ${saved}`
  if (!state) return `The daemon sent no state within ${seconds} s.`
  const absent = absentOf(state, members)
  if (absent.length > 0) return `Not in the cluster after ${seconds} s: ${absent.join(', ')}.`
  return `The cluster did not settle within ${seconds} s: ${nobodyDecides(state) ?? underWay(state)}. ${saved}`
}

/** Undefined while a DC does. */
function nobodyDecides({ quorate, dc }: ClusterState): string | undefined {
  if (!quorate) return 'this node has no quorum'
  return dc === undefined ? 'the cluster has no DC' : undefined
}

const underWay = ({ transition: { pending, blockedBy } }: ClusterState): string =>
  blockedBy.length > 0 ? `blocked by ${blockedBy.join('; ')}` : `pending: ${pending.join(', ') || 'unknown'}`

function reportProgress(call: Call, state: ClusterState): void {
  if (state.transition.pending.length > 0) call.terminal.progress(`… ${state.transition.pending.join(', ')}`)
}
