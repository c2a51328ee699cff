/**
 * Which links to the peers are up, where there is more than one: a peer whose pulses come on one link is here, whatever became of the
 * others, and nothing that matters to resources is decided from a link. What it decides is where the daemons talk and which
 * connections of the store are given up.
 *
 * A link is down after its silence, or when the peer says that it hears nothing on it: packets may get lost in one direction. The
 * silence is short, three intervals of the heartbeat and no longer than the token, because a link that is taken for down too
 * early costs nothing but new connections.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName, type Step } from '../base/index.ts'
import type { HeartbeatTimings } from './heartbeat.ts'

export interface PeerLink {
  readonly node: NodeName
  readonly link: number
}

/** A link as the list of nodes has it: with another address, of either end, it is to show anew that it works. */
export interface ListedLink extends PeerLink {
  /** This node's own address on it. */
  readonly from: string
  /** The peer's. */
  readonly host: string
}

export interface LinkView extends PeerLink {
  /** `unknown`: not heard yet since it is known, for less than the silence, or not reached. */
  readonly state: 'up' | 'down' | 'unknown'
}

export type LinksInput =
  /** Every link to every peer; those of peers with one link are not looked at. */
  | { readonly kind: 'links'; readonly links: readonly ListedLink[] }
  /**
   * `unheard`: the links on which the sender hears nothing of this node. `reached`: this node has a connection to the peer's address there; the
   * pulse itself may come from another one, where the peer has not taken the list yet.
   */
  | { readonly kind: 'pulse'; readonly from: PeerLink; readonly unheard: readonly number[]; readonly reached: boolean }
  /** The peer's host has broken the connection. */
  | { readonly kind: 'broken'; readonly at: PeerLink }
  | { readonly kind: 'timings'; readonly timings: HeartbeatTimings }
  /** This node stood still: the silence is counted anew. */
  | { readonly kind: 'paused' }
  | { readonly kind: 'tick' }

export interface LinksEffect {
  /** Ask `linkViews`, or `deadLinks`. */
  readonly kind: 'links-changed' | 'dead-changed'
}

interface Link {
  readonly from: string
  readonly host: string
  readonly lastHeard: MonotonicMs
  /** While it is up. */
  readonly upSince: MonotonicMs
  /** Since it is known, with a connection in the other direction. */
  readonly wasHeard: boolean
  readonly peerHearsNothing: boolean
  readonly broken: boolean
}

export interface LinksState {
  readonly silenceMs: number
  /** So long a link must have been up before another one to the same peer is given up. */
  readonly steadyMs: number
  readonly peers: ReadonlyMap<NodeName, ReadonlyMap<number, Link>>
  /** What was last told with `links-changed`. */
  readonly reported: string
  /** What was last told with `dead-changed`. */
  readonly reportedDead: string
}

export function initialLinks(timings: HeartbeatTimings): LinksState {
  return { ...patienceOf(timings), peers: new Map(), reported: '', reportedDead: '' }
}

/**
 * Of a peer that stood still, or that this node slept through, the first pulse comes on one link and finds the others silent. Within an
 * interval and a half each of them has had the time for a pulse of its own.
 */
const patienceOf = ({ tokenMs, heartbeatIntervalMs }: HeartbeatTimings) => ({
  silenceMs: Math.min(tokenMs, 3 * heartbeatIntervalMs),
  steadyMs: 1.5 * heartbeatIntervalMs,
})

export function linksStep(state: LinksState, input: LinksInput, now: MonotonicMs): Step<LinksState, LinksEffect> {
  const next = takeInput(state, input, now)
  const reported = linkViews(next, now)
    .map(({ node, link, state: kind }) => `${node}/${link}:${kind}`)
    .join(' ')
  const reportedDead = deadLinks(next, now)
    .map(({ node, link }) => `${node}/${link}`)
    .join(' ')
  const effects: LinksEffect[] = []
  if (reported !== state.reported) effects.push({ kind: 'links-changed' })
  if (reportedDead !== state.reportedDead) effects.push({ kind: 'dead-changed' })
  return { state: effects.length === 0 ? next : { ...next, reported, reportedDead }, effects }
}

/**
 * Those on which connections are to be given up: down, while another link to the same peer is up and has been for long enough. Where
 * there is no other, the peer is lost, or its daemon is.
 */
export function deadLinks(state: LinksState, now: MonotonicMs): readonly PeerLink[] {
  return [...state.peers].flatMap(([node, links]) => {
    const isSteady = [...links.values()].some(
      (link) => stateOf(state, link, now) === 'up' && now - link.upSince >= state.steadyMs,
    )
    if (!isSteady) return []
    return [...links].filter(([, link]) => stateOf(state, link, now) === 'down').map(([link]) => ({ node, link }))
  })
}

export function linkViews(state: LinksState, now: MonotonicMs): readonly LinkView[] {
  return [...state.peers].flatMap(([node, links]) =>
    [...links].map(([link, heard]): LinkView => ({ node, link, state: stateOf(state, heard, now) })),
  )
}

/** What this node's pulses say: on these links it does not hear the peers. */
export function silentLinks(state: LinksState, now: MonotonicMs): readonly PeerLink[] {
  if (state.peers.size === 0) return []
  return [...state.peers].flatMap(([node, links]) =>
    [...links].filter(([, link]) => isSilent(state, link, now)).map(([link]) => ({ node, link })),
  )
}

/** When the next tick is needed, at the latest: a link's silence begins, or it has been up for long enough. Undefined: no such moment. */
export function nextLinksAt(state: LinksState, now: MonotonicMs): MonotonicMs | undefined {
  const ends = [...state.peers.values()].flatMap((links) =>
    [...links.values()]
      .flatMap(({ lastHeard, upSince }) => [lastHeard + state.silenceMs, upSince + state.steadyMs])
      .filter((end) => end > now),
  )
  return ends.length === 0 ? undefined : monotonicMs(Math.min(...ends))
}

/**
 * Whether a connection that its host broke says something of the peer: only where no other link to it may be in use. A daemon that dies
 * breaks them all at once.
 */
export function isWhollyBroken({ peers, silenceMs }: LinksState, peer: NodeName, now: MonotonicMs): boolean {
  return [...(peers.get(peer)?.values() ?? [])].every(({ broken, lastHeard }) => broken || now - lastHeard >= silenceMs)
}

function takeInput(state: LinksState, input: LinksInput, now: MonotonicMs): LinksState {
  switch (input.kind) {
    case 'links':
      return { ...state, peers: withLinks(state, input.links, now) }
    case 'pulse':
      return withPulse(state, input, now)
    case 'broken':
      return changed(state, input.at.node, (link, number) =>
        number === input.at.link ? { ...link, broken: true } : link,
      )
    case 'timings':
      return { ...state, ...patienceOf(input.timings) }
    case 'paused': {
      const peers = [...state.peers].map(([node, links]) => {
        const allUp = [...links].map(([number, link]) => [number, { ...link, lastHeard: now, upSince: now }] as const)
        return [node, new Map(allUp)] as const
      })
      return { ...state, peers: new Map(peers) }
    }
    case 'tick':
      return state
    default:
      return assertNever(input)
  }
}

function withLinks(state: LinksState, links: readonly ListedLink[], now: MonotonicMs): LinksState['peers'] {
  const fresh = { lastHeard: now, upSince: now, wasHeard: false, peerHearsNothing: false, broken: false }
  const peers = new Map<NodeName, Map<number, Link>>()
  for (const { node, link, from, host } of links) {
    const known = peers.get(node) ?? new Map<number, Link>()
    const before = state.peers.get(node)?.get(link)
    const isSame = before?.from === from && before.host === host
    peers.set(node, known.set(link, isSame ? before : { ...fresh, from, host }))
  }
  return new Map([...peers].filter(([, known]) => known.size > 1))
}

/** Whether the peer hears this node it says of all its links at once, on whichever it is heard. */
function withPulse(
  state: LinksState,
  { from, unheard, reached }: Extract<LinksInput, { kind: 'pulse' }>,
  now: MonotonicMs,
): LinksState {
  return changed(state, from.node, (link, number) => {
    const heard =
      number === from.link ? { ...link, lastHeard: now, wasHeard: link.wasHeard || reached, broken: false } : link
    const next = { ...heard, peerHearsNothing: unheard.includes(number) }
    return stateOf(state, link, now) === 'up' ? next : { ...next, upSince: now }
  })
}

function changed(state: LinksState, node: NodeName, change: (link: Link, number: number) => Link): LinksState {
  const links = state.peers.get(node)
  if (!links) return state
  const next = new Map([...links].map(([number, link]) => [number, change(link, number)]))
  return { ...state, peers: new Map(state.peers).set(node, next) }
}

function stateOf(state: LinksState, link: Link, now: MonotonicMs): LinkView['state'] {
  if (isSilent(state, link, now) || link.peerHearsNothing) return 'down'
  return link.wasHeard ? 'up' : 'unknown'
}

const isSilent = ({ silenceMs }: LinksState, { lastHeard }: Link, now: MonotonicMs): boolean =>
  now - lastHeard >= silenceMs
