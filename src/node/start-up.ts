/**
 * How a node begins: it meets whom it must meet after a boot (`quorum/meeting.ts`), reads the store, puts right there what an earlier life has left, and has the
 * executor started. And its copy of the store: listed once, then followed, and listed again where it fell behind. Only the first listing may be an old one.
 */
import { assertNever, type MonotonicMs, monotonicMs } from '../base/index.ts'
import { keys } from '../controller/index.ts'
import { judgeMeeting, type MetPeer, meansBoot, meetsFirst, otherOfAll, otherOfTwo } from '../quorum/index.ts'
import { beginWatchdog, readsDisksFirst } from './own-watchdog.ts'
import type { StartUp, StartUpEffect, StartUpInput, StoreCopy, StoreCopyInput } from './start-up-state.ts'
import { andThen, isQuorate, log, type NodeState, type NodeTurn, turn } from './state.ts'

const askPeerAgainMs = 500
/** A node that is up answers within milliseconds; for one that is off nobody waits for long. */
const askOthersForMs = 1500
const firstListAgainMs = 100
const listAgainMs = 250
const prepareAgainMs = 100
/** Longer than a slot takes that is new. Disks that do not answer keep nobody from taking part. */
const readDisksForMs = 8000

export function takeStartUpInput(state: NodeState, input: StartUpInput, now: MonotonicMs): NodeTurn {
  const { startUp } = state
  switch (input.kind) {
    case 'start':
      return startUp.kind === 'not-started' ? meet(state, now) : turn(state)
    case 'peer-answered':
      return judge(state, input.answer, now)
    case 'peer-looked-up': {
      if (startUp.kind !== 'looks-up-peer') return turn(state)
      const { peer } = startUp
      if (input.neverJoined) return takePart(state, now)
      return turn(at(state, { kind: 'asks-peer-again', peer, at: monotonicMs(now + askPeerAgainMs) }))
    }
    case 'declared-off':
      return startUp.kind === 'declares-off' ? takePart(state, now) : turn(state)
    case 'others-answered':
      return startUp.kind === 'asks-others' ? takePart(state, now) : turn(state)
    case 'going-alone-ended':
      return startUp.kind === 'ends-going-alone' ? takePart(state, now) : turn(state)
    case 'prepared':
      if (startUp.kind !== 'prepares') return turn(state)
      return turn(at(beginWatchdog(state), { kind: 'reads-disks', until: monotonicMs(now + readDisksForMs) }))
    case 'not-prepared':
      if (startUp.kind !== 'prepares') return turn(state)
      return turn(at(state, { kind: 'prepares-again', at: monotonicMs(now + prepareAgainMs), why: input.why }))
    default:
      return assertNever(input)
  }
}

export function takeStoreCopyInput(state: NodeState, input: StoreCopyInput, now: MonotonicMs): NodeTurn {
  const { phase, listed } = state.storeCopy
  switch (input.kind) {
    case 'listed': {
      if (phase.kind !== 'listing') return turn(state)
      const follows = withCopy(state, { phase: { kind: 'follows' }, listed: true })
      return turn(follows, { kind: 'store-copy', effect: { kind: 'follow', after: input.revision } })
    }
    case 'not-listed': {
      if (phase.kind !== 'listing') return turn(state)
      const again = { kind: 'lists-again', at: monotonicMs(now + (listed ? listAgainMs : firstListAgainMs)) } as const
      const rests = withCopy(state, { phase: again, listed, trouble: input.why })
      return listed
        ? turn(rests, log('warn', 'the store could not be listed: trying again', { error: input.why }))
        : turn(rests)
    }
    case 'lost':
      if (phase.kind !== 'follows') return turn(state)
      return turn(
        withCopy(state, { phase: { kind: 'lists-again', at: now }, listed }),
        log('warn', 'the watch of the store fell behind: listing again'),
      )
    default:
      return assertNever(input)
  }
}

/** What is due, and what follows from what is known by now. */
export function advanceStartUp(state: NodeState, now: MonotonicMs): NodeTurn {
  return andThen(advanceCopy(state, now), (next) => advancePhase(next, now))
}

export function nextStartUpAt({ startUp, storeCopy: { phase } }: NodeState): MonotonicMs | undefined {
  const times = [phase.kind === 'lists-again' ? [phase.at] : [], dueOf(startUp)].flat()
  return times.length === 0 ? undefined : monotonicMs(Math.min(...times))
}

/** An administrator confirms that the other of two is off. */
export function peerIsOff(state: NodeState, now: MonotonicMs): NodeTurn {
  if (!waitsForPeer(state)) return turn(state)
  const other = otherOfAll(state.list, state.self)
  // One that votes is gone on without by the rules for two nodes, as soon as this node takes part.
  if (other === undefined || other.votes) return takePart(state, now)
  return asked(at(state, { kind: 'declares-off' }), { kind: 'declare-off', peer: other.name })
}

export const waitsForPeer = ({ startUp: { kind } }: Pick<NodeState, 'startUp'>): boolean =>
  kind === 'asks-peer' || kind === 'looks-up-peer' || kind === 'asks-peer-again'

/** Why this node has not begun; undefined: it has, or nothing is wrong. */
export const startUpTrouble = ({ startUp, storeCopy, began }: NodeState): string | undefined =>
  began ? undefined : (storeCopy.trouble ?? (startUp.kind === 'prepares-again' ? startUp.why : undefined))

/** Whether the copy of this node's own member of the store will do to begin with: it may be old. */
export function ownCopyWillDo(state: NodeState, now: MonotonicMs): boolean {
  if (!state.met || isQuorate(state, now)) return false
  return otherOfTwo(state.list, state.self) !== undefined || state.leaving || patienceMs(state, now) <= 0
}

export interface Listed {
  readonly key: string
  readonly modRevision: number
}

/** What leads from what was known to what was listed: also that a key is gone, of which nothing else tells. */
export function changesToListed<Entry extends Listed>(
  known: ReadonlyMap<string, Listed>,
  listed: readonly Entry[],
): readonly { readonly key: string; readonly entry?: Entry }[] {
  const kept = new Set(listed.map(({ key }) => key))
  return [
    ...listed
      .filter(({ key, modRevision }) => known.get(key)?.modRevision !== modRevision)
      .map((entry) => ({ key: entry.key, entry })),
    ...[...known.keys()].filter((key) => !kept.has(key)).map((key) => ({ key })),
  ]
}

/** How long this daemon may still wait for quorum before it acts without: as if its lease had been confirmed when it began. */
export function patienceMs({ startedAt, timings }: NodeState, now: MonotonicMs): number {
  return startedAt + timings.leaseTtlMs - timings.leaseMarginMs - now
}

function meet(state: NodeState, now: MonotonicMs): NodeTurn {
  const first = meetsFirst(state)
  switch (first?.kind) {
    case undefined:
      return takePart(state, now)
    case 'peer': {
      const { name: peer } = first.peer
      const waits = turn(
        state,
        log('warn', 'this node waits for the other of two, which may have gone on without it', { peer }),
      )
      return andThen(waits, (next) => askPeer(next, peer))
    }
    case 'others':
      return asked(at(state, { kind: 'asks-others', until: monotonicMs(now + askOthersForMs) }), { kind: 'ask-others' })
    case 'end-going-alone':
      return asked(at(state, { kind: 'ends-going-alone' }), { kind: 'end-going-alone' })
    default:
      return assertNever(first)
  }
}

const askPeer = (state: NodeState, peer: NodeState['self']): NodeTurn =>
  asked(at(state, { kind: 'asks-peer', peer }), { kind: 'ask-peer', peer })

function judge(state: NodeState, answer: MetPeer | undefined, now: MonotonicMs): NodeTurn {
  const { startUp } = state
  if (startUp.kind !== 'asks-peer') return turn(state)
  const { peer } = startUp
  const verdict = answer === undefined ? 'wait' : judgeMeeting(state, answer)
  switch (verdict) {
    case 'go-on':
      return takePart(state, now)
    case 'give-way':
      return asked(at(state, { kind: 'gives-way' }), { kind: 'give-way' })
    case 'wait':
      return asked(at(state, { kind: 'looks-up-peer', peer }), { kind: 'look-up-peer', peer })
    default:
      return assertNever(verdict)
  }
}

function takePart(state: NodeState, now: MonotonicMs): NodeTurn {
  const copy: StoreCopy = { phase: { kind: 'lists-again', at: now }, listed: false }
  return asked(withCopy(at(state, { kind: 'reads' }), copy), { kind: 'release' })
}

function advanceCopy(state: NodeState, now: MonotonicMs): NodeTurn {
  const { phase, listed } = state.storeCopy
  if (phase.kind !== 'lists-again' || now < phase.at) return turn(state)
  const mayBeOld = !listed && ownCopyWillDo(state, now)
  const lists = withCopy(state, { ...state.storeCopy, phase: { kind: 'listing' } })
  return turn(lists, { kind: 'store-copy', effect: { kind: 'list', mayBeOld } })
}

function advancePhase(state: NodeState, now: MonotonicMs): NodeTurn {
  const { startUp } = state
  switch (startUp.kind) {
    case 'reads':
      return state.storeCopy.listed ? prepare(state) : turn(state)
    case 'asks-peer-again':
      return now < startUp.at ? turn(state) : askPeer(state, startUp.peer)
    case 'asks-others':
      if (now < startUp.until) return turn(state)
      return andThen(turn(state, log('info', 'not all nodes have answered before this one begins')), (next) =>
        takePart(next, now),
      )
    case 'prepares-again':
      return now < startUp.at ? turn(state) : prepare(state)
    case 'reads-disks':
      if (readsDisksFirst(state) && now < startUp.until) return turn(state)
      return asked(at(state, { kind: 'starts-parts' }), { kind: 'start-parts' })
    default:
      return turn(state)
  }
}

function dueOf(startUp: StartUp): readonly MonotonicMs[] {
  switch (startUp.kind) {
    case 'asks-peer-again':
    case 'prepares-again':
      return [startUp.at]
    case 'asks-others':
    case 'reads-disks':
      return [startUp.until]
    default:
      return []
  }
}

function prepare(state: NodeState): NodeTurn {
  const configure = state.view.configuration === undefined
  return asked(at(state, { kind: 'prepares' }), { kind: 'prepare', stale: staleKeys(state), configure })
}

/**
 * What was asked of an earlier life: its request to leave, which nobody was there to see off, must not send this one away; nor must its own fencing. One that means
 * this boot is obeyed by a daemon that has only been started again.
 */
function staleKeys({ view, self, bootId, slotsOfBoot }: NodeState): readonly string[] {
  const shutdown = keys.attribute(self, '', 'shutdown')
  const throughDisks = view.diskFencing.get(self)
  // Another boot was meant, or what this boot has run has ended in order since.
  const isOver = throughDisks !== undefined && (!meansBoot(throughDisks.bootId, bootId) || slotsOfBoot === undefined)
  return [
    ...(view.attributes.has(shutdown) ? [shutdown] : []),
    ...(view.selfFencing.has(self) ? [keys.selfFencing(self)] : []),
    ...(isOver ? [keys.diskFencing(self)] : []),
  ]
}

const at = (state: NodeState, startUp: StartUp): NodeState => ({ ...state, startUp })
const withCopy = (state: NodeState, storeCopy: StoreCopy): NodeState => ({ ...state, storeCopy })
const asked = (state: NodeState, effect: StartUpEffect): NodeTurn => turn(state, { kind: 'start-up', effect })
