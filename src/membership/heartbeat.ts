/**
 * Who is heard, who is silent, and whose silence a majority confirms.
 *
 * A peer is silent once nothing was heard of it for the token. A connection that is refused or reset shows that its host
 * still answers: then only the daemon died, and it has the restart grace to come back, as has one that became a member a moment ago. One that has
 * announced that it restarts has a minute, for as long as its host goes on to answer: a host that falls silent meanwhile is excused by nothing. Silence that a majority of the
 * members known from the store finds as well is agreed: on it the DC acts, and so does whoever revokes a silent DC's lease.
 * Every pulse carries the list of nodes that its sender finds silent; those words are the votes.
 *
 * Contract at the edge: a tick at least every heartbeat interval, each input with the time at which it is fed (not
 * received). A step that comes far too late says that this node was paused: `doubt-own-lease` must reach the quorum core
 * before anything else is acted on, and the silence of the peers is counted anew, for their pulses wait in our sockets.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName, type Step } from '../base/index.ts'

export interface HeartbeatTimings {
  /** Silence after which a node is suspected. */
  readonly tokenMs: number
  readonly heartbeatIntervalMs: number
  /** How long a daemon that died on a host which still answers is given to come back, and one that has just become a member to be heard. */
  readonly restartGraceMs: number
}

/** What one daemon sends to every other, each interval and as soon as its list of silent nodes changes. */
export interface Pulse {
  readonly node: NodeName
  /** When the daemon started, in milliseconds since the epoch: a new incarnation has forgotten what it was told. */
  readonly incarnation: number
  readonly sequence: number
  readonly silent: readonly NodeName[]
}

export type HeartbeatInput =
  /** The other nodes of the cluster file, and which nodes the store knows as members: these are the voters. */
  | {
      readonly kind: 'nodes'
      readonly peers: readonly NodeName[]
      readonly members: readonly NodeName[]
      /** Those that have announced that their daemons restart. */
      readonly restarting?: readonly NodeName[]
    }
  | { readonly kind: 'pulse'; readonly pulse: Pulse }
  /** The times have changed while the nodes run. Whoever shortens the token sees to it that all peers send often enough before. */
  | { readonly kind: 'timings'; readonly timings: HeartbeatTimings }
  /** `refused` and `reset` show a host without a daemon; a time-out shows nothing and is not fed. */
  | { readonly kind: 'connection-failed'; readonly peer: NodeName; readonly how: 'refused' | 'reset' }
  /** With the calendar's time where it is known: a suspended virtual machine's monotonic clock may stand still, its calendar jumps. */
  | { readonly kind: 'tick'; readonly calendarMs?: number }

export type HeartbeatEffect =
  | { readonly kind: 'send-pulse'; readonly to: readonly NodeName[]; readonly pulse: Pulse }
  /** What this node finds has changed: ask `peerViews` and `agreedSilence`. */
  | { readonly kind: 'view-changed' }
  /** This node stood still: nothing may be done under its lease before the store has confirmed it again. */
  | { readonly kind: 'doubt-own-lease'; readonly pausedMs: number }

export interface PeerView {
  readonly node: NodeName
  readonly state: 'heard' | 'restarting' | 'silent'
  /** Since when it has been in this state. */
  readonly since: MonotonicMs
  readonly incarnation?: number
  /** Only with `silent`: whether a majority of the members finds the same. */
  readonly agreed: boolean
}

interface Peer {
  readonly lastHeard: MonotonicMs
  readonly incarnation?: number
  /** The nodes that it finds silent, by its last pulse. */
  readonly saysSilent: readonly NodeName[]
  /** Its host answered for it since it was last heard. */
  readonly hostAnswers: boolean
  /** It has become a member, and was not heard since. */
  readonly isAwaited: boolean
  /** When its announcement was seen: the restart is excused from then on, by this node's own clock. */
  readonly announcedAt?: MonotonicMs
  /** When its host answered last in place of its daemon. */
  readonly answeredAt?: MonotonicMs
}

/** For so long at most an announced restart is waited for. */
const announcedMs = 60_000

export interface HeartbeatState {
  readonly self: NodeName
  readonly incarnation: number
  readonly timings: HeartbeatTimings
  readonly sequence: number
  readonly peers: ReadonlyMap<NodeName, Peer>
  readonly members: readonly NodeName[]
  readonly lastStep: MonotonicMs
  readonly lastCalendarMs?: number
  readonly nextPulseAt: MonotonicMs
  /** What was last told with `view-changed`, and the silent nodes that were last sent. */
  readonly reported: string
  readonly sentSilent: readonly NodeName[]
}

type HeartbeatStep = Step<HeartbeatState, HeartbeatEffect>

export function initialHeartbeat(
  start: { readonly self: NodeName; readonly incarnation: number; readonly timings: HeartbeatTimings },
  now: MonotonicMs,
): HeartbeatState {
  return {
    ...start,
    sequence: 0,
    peers: new Map(),
    members: [],
    lastStep: now,
    nextPulseAt: now,
    reported: '',
    sentSilent: [],
  }
}

export function heartbeatStep(state: HeartbeatState, input: HeartbeatInput, now: MonotonicMs): HeartbeatStep {
  const routine = input.kind === 'pulse' ? routinePulse(state, input.pulse, now) : undefined
  if (routine) return { state: routine, effects: [] }
  const woken = noticePause(state, input, now)
  const next = takeInput(woken.state, input, now)
  const reported = reportView(next, now)
  const sent = sendPulse(reported.state, input, now)
  return { state: sent.state, effects: [...woken.effects, ...reported.effects, ...sent.effects] }
}

/**
 * Nearly all that ever happens: a peer that was heard is heard again, says the same, and nobody's silence has begun meanwhile.
 * The whole step comes to the same; an idle node does it several times a second.
 */
function routinePulse(state: HeartbeatState, pulse: Pulse, now: MonotonicMs): HeartbeatState | undefined {
  const { tokenMs, heartbeatIntervalMs } = state.timings
  const peer = state.peers.get(pulse.node)
  if (peer === undefined || peer.incarnation !== pulse.incarnation || peer.isAwaited) return undefined
  if (pulse.silent.length > 0 || peer.saysSilent.length > 0 || state.sentSilent.length > 0) return undefined
  if (isPulseDue(state, { kind: 'pulse' }, now) || now - state.lastStep > heartbeatIntervalMs + tokenMs / 2)
    return undefined
  for (const { lastHeard, hostAnswers } of state.peers.values())
    if (hostAnswers || now - lastHeard >= tokenMs) return undefined
  return { ...withPeer(state, pulse.node, { ...peer, lastHeard: now }), lastStep: now }
}

/**
 * A pulse that comes in takes this node's own along if it is due within half an interval: so all nodes of a cluster come to send at the
 * same moment, and an idle one wakes once for what it sends and what it hears.
 */
function isPulseDue(state: HeartbeatState, { kind }: Pick<HeartbeatInput, 'kind'>, now: MonotonicMs): boolean {
  return now >= state.nextPulseAt - (kind === 'pulse' ? state.timings.heartbeatIntervalMs / 2 : 0)
}

/** When the next tick is needed, at the latest: the next pulse is due, or a peer's silence begins. */
export function nextHeartbeatAt(state: HeartbeatState): MonotonicMs {
  const ends = [...state.peers.values()].map((peer) => silentFrom(state, peer))
  const future = ends.filter((end) => end > state.lastStep)
  return monotonicMs(Math.min(state.nextPulseAt, ...future))
}

export function peerViews(state: HeartbeatState, now: MonotonicMs): readonly PeerView[] {
  return [...state.peers].map(([node, peer]) => {
    const kind = stateOf(state, peer, now)
    const since = kind === 'silent' ? silentFrom(state, peer) : peer.lastHeard
    return {
      node,
      state: kind,
      since: monotonicMs(since),
      ...(peer.incarnation === undefined ? {} : { incarnation: peer.incarnation }),
      agreed: kind === 'silent' && isAgreed(state, node, now),
    }
  })
}

/** The silent nodes whose silence a majority of the members confirms, this node among it. */
export function agreedSilence(state: HeartbeatState, now: MonotonicMs): readonly NodeName[] {
  return silentPeers(state, now).filter((node) => isAgreed(state, node, now))
}

/** A pulse from a silent node, a node that is not heard itself, or an outsider does not count. The silent one has no vote but is counted. */
function isAgreed(state: HeartbeatState, suspect: NodeName, now: MonotonicMs): boolean {
  const voters = new Set([...state.members, state.self, suspect])
  const needed = Math.floor(voters.size / 2) + 1
  let votes = 0
  for (const voter of voters) {
    if (voter === suspect) continue
    const peer = state.peers.get(voter)
    if (voter === state.self) votes++
    else if (peer && stateOf(state, peer, now) === 'heard' && peer.saysSilent.includes(suspect)) votes++
  }
  return votes >= needed
}

function stateOf(state: HeartbeatState, peer: Peer, now: MonotonicMs): PeerView['state'] {
  if (now >= silentFrom(state, peer)) return 'silent'
  return now - peer.lastHeard >= state.timings.tokenMs || peer.hostAnswers ? 'restarting' : 'heard'
}

/** When its silence begins, unless it is heard before. */
function silentFrom(state: HeartbeatState, peer: Peer): number {
  const { lastHeard, announcedAt, answeredAt } = peer
  const usual = lastHeard + patienceMs(state, peer)
  if (announcedAt === undefined || answeredAt === undefined) return usual
  const answered = answeredAt + patienceMs(state, peer)
  return Math.max(usual, Math.min(answered, announcedAt + announcedMs))
}

function patienceMs(state: HeartbeatState, peer: Peer): number {
  const { tokenMs, restartGraceMs } = state.timings
  return peer.hostAnswers || peer.isAwaited ? Math.max(tokenMs, restartGraceMs) : tokenMs
}

function silentPeers(state: HeartbeatState, now: MonotonicMs): readonly NodeName[] {
  return [...state.peers].filter(([, peer]) => stateOf(state, peer, now) === 'silent').map(([node]) => node)
}

/** Longer than half the token without a step, and the peers' silence may be our own sleep. */
function noticePause(state: HeartbeatState, input: HeartbeatInput, now: MonotonicMs): HeartbeatStep {
  const calendarMs = input.kind === 'tick' ? input.calendarMs : undefined
  const passedMs = now - state.lastStep
  // A calendar that is set forward by its daemon looks the same; doubting the lease once too often costs one keep-alive.
  const calendarPassedMs =
    calendarMs === undefined || state.lastCalendarMs === undefined ? 0 : calendarMs - state.lastCalendarMs
  const pausedMs = Math.max(passedMs, calendarPassedMs)
  const next: HeartbeatState = {
    ...state,
    lastStep: now,
    ...(calendarMs === undefined ? {} : { lastCalendarMs: calendarMs }),
  }
  if (pausedMs <= state.timings.heartbeatIntervalMs + state.timings.tokenMs / 2) return { state: next, effects: [] }
  const peers = new Map([...state.peers].map(([node, peer]) => [node, { ...peer, lastHeard: now, saysSilent: [] }]))
  return { state: { ...next, peers }, effects: [{ kind: 'doubt-own-lease', pausedMs }] }
}

function takeInput(state: HeartbeatState, input: HeartbeatInput, now: MonotonicMs): HeartbeatState {
  switch (input.kind) {
    case 'nodes':
      return withNodes(state, input, now)
    case 'pulse':
      return withPulse(state, input.pulse, now)
    case 'timings':
      return withTimings(state, input.timings, now)
    case 'connection-failed': {
      const peer = state.peers.get(input.peer)
      // A host that answers after its silence has begun changes nothing: others have acted on it.
      if (!peer || stateOf(state, peer, now) === 'silent') return state
      return withPeer(state, input.peer, { ...peer, hostAnswers: true, answeredAt: now })
    }
    case 'tick':
      return state
    default:
      return assertNever(input)
  }
}

/**
 * A peer that is new here has one token to be heard. One that has just become a member has a lease since a moment ago: what was not heard before that was its
 * absence, and its first pulse may come later than the news that it is a member. It has the restart grace for that: on a busy machine the connections of a
 * daemon that has just begun take longer than a token, and of two nodes the one would have the other fenced for it. Once it was heard the token counts.
 */
function withNodes(
  state: HeartbeatState,
  { peers, members, restarting = [] }: Extract<HeartbeatInput, { kind: 'nodes' }>,
  now: MonotonicMs,
): HeartbeatState {
  const fresh: Peer = { lastHeard: now, saysSilent: [], hostAnswers: false, isAwaited: false }
  const others = peers.filter((node) => node !== state.self)
  const peerOf = (node: NodeName): Peer => {
    const known = state.peers.get(node)
    if (known === undefined) return fresh
    const isBack = members.includes(node) && !state.members.includes(node)
    const isAwaited = stateOf(state, known, now) !== 'heard'
    return isBack ? { ...known, lastHeard: now, hostAnswers: false, isAwaited } : known
  }
  const announced = (node: NodeName): Peer => {
    const { announcedAt = now, ...peer } = peerOf(node)
    // A word that comes after its silence has begun changes nothing: others have acted on it.
    const isHere = state.peers.get(node)?.announcedAt !== undefined || stateOf(state, peer, now) !== 'silent'
    return restarting.includes(node) && isHere ? { ...peer, announcedAt } : peer
  }
  return { ...state, members, peers: new Map(others.map((node) => [node, announced(node)])) }
}

/**
 * Whoever is not silent by the old times has a whole token of the new ones: its last pulse may be as old as the old interval allows, and so
 * may this node's last look at the calendar. Those that are silent stay so.
 */
function withTimings(state: HeartbeatState, timings: HeartbeatTimings, now: MonotonicMs): HeartbeatState {
  const { lastCalendarMs: _byTheOldInterval, ...rest } = state
  const next = { ...rest, timings }
  const peers = [...state.peers].map(([node, peer]): readonly [NodeName, Peer] => {
    const isSilent = stateOf(state, peer, now) === 'silent'
    const lastHeard = isSilent ? monotonicMs(Math.min(peer.lastHeard, now - patienceMs(next, peer))) : now
    return [node, { ...peer, lastHeard }]
  })
  const nextPulseAt = monotonicMs(Math.min(state.nextPulseAt, now + timings.heartbeatIntervalMs))
  return { ...next, peers: new Map(peers), nextPulseAt }
}

/**
 * While a later incarnation is there, pulses of one before it come late, from a daemon that is gone. Once its connection has broken, or nothing was
 * heard of it for the token, they come from the daemon that is there now, which was started after its machine's calendar had been set back.
 */
function withPulse(state: HeartbeatState, pulse: Pulse, now: MonotonicMs): HeartbeatState {
  const peer = state.peers.get(pulse.node)
  if (!peer) return state
  const isThere = !peer.hostAnswers && now - peer.lastHeard < state.timings.tokenMs
  if (isThere && pulse.incarnation < (peer.incarnation ?? 0)) return state
  const { announcedAt } = peer
  return withPeer(state, pulse.node, {
    ...(announcedAt !== undefined && { announcedAt }),
    lastHeard: now,
    incarnation: pulse.incarnation,
    saysSilent: pulse.silent,
    hostAnswers: false,
    isAwaited: false,
  })
}

function withPeer(state: HeartbeatState, node: NodeName, peer: Peer): HeartbeatState {
  return { ...state, peers: new Map(state.peers).set(node, peer) }
}

function reportView(state: HeartbeatState, now: MonotonicMs): HeartbeatStep {
  const reported = peerViews(state, now)
    .map(({ node, state: kind, agreed, incarnation }) => `${node}:${kind}:${agreed}:${incarnation ?? ''}`)
    .join(' ')
  if (reported === state.reported) return { state, effects: [] }
  return { state: { ...state, reported }, effects: [{ kind: 'view-changed' }] }
}

/** Due, or the list of silent nodes has changed: the others need this node's word at once. */
function sendPulse(state: HeartbeatState, input: HeartbeatInput, now: MonotonicMs): HeartbeatStep {
  const silent = silentPeers(state, now)
  const changed = silent.length !== state.sentSilent.length || silent.some((node) => !state.sentSilent.includes(node))
  if (!changed && !isPulseDue(state, input, now)) return { state, effects: [] }
  const { self, incarnation, sequence, timings } = state
  const pulse: Pulse = { node: self, incarnation, sequence: sequence + 1, silent }
  return {
    state: {
      ...state,
      sequence: sequence + 1,
      sentSilent: silent,
      nextPulseAt: monotonicMs(now + timings.heartbeatIntervalMs),
    },
    effects: [{ kind: 'send-pulse', to: [...state.peers.keys()], pulse }],
  }
}
