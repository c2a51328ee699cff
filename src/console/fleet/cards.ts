/** What stands on the card of a cluster: pure. */
import type { FleetClusterFacts, StatusFacts } from '../../cli/index.ts'
import { momentOf } from '../base/time.ts'

export interface Card {
  readonly title: string
  /** As it calls itself, where that is another name. */
  readonly called?: string
  readonly state: string
  readonly level: 'good' | 'warning' | 'critical'
  readonly sign: string
  readonly since?: string
  readonly seen?: string
  readonly sentences: readonly string[]
  /** Absent: it is this one. */
  readonly links?: readonly string[]
}

const signs = { good: '●', warning: '▲', critical: '■' } as const
const notThere = new Set(['unreachable', 'untrusted', 'refused', 'unreadable'])

export function cardOf(facts: FleetClusterFacts, now = Date.now()): Card {
  const { name, cluster, state, since, lastReached, why, nodes, quorate, worst, urgent, consoles } = facts
  const level = state === 'well' ? 'good' : state === 'critical' || notThere.has(state) ? 'critical' : 'warning'
  const more = urgent - worst.length
  return {
    title: name,
    ...(cluster !== null && cluster !== name && { called: cluster }),
    state,
    level,
    sign: signs[level],
    ...(since !== null && { since: momentOf(Date.parse(since), now) }),
    ...(nodes !== null && { seen: seenOf(nodes.online, nodes.all, quorate === true) }),
    sentences: [
      ...(why === null ? [] : [why]),
      ...(lastReached === null ? [] : [`It answered last at ${momentOf(Date.parse(lastReached), now)}.`]),
      ...worst.map(({ text }) => text),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
    links: consoles,
  }
}

export function ownCard(status: StatusFacts): Card {
  const urgent = status.attention.filter(({ level }) => level !== 'note')
  const level =
    !status.quorum.quorate || urgent[0]?.level === 'critical' ? 'critical' : urgent.length > 0 ? 'warning' : 'good'
  return {
    title: status.cluster ?? 'this cluster',
    called: 'this cluster',
    state: level === 'good' ? 'well' : level,
    level,
    sign: signs[level],
    seen: seenOf(status.nodes.filter(({ online }) => online).length, status.nodes.length, status.quorum.quorate),
    sentences: [
      ...urgent.slice(0, 3).map(({ text }) => text),
      ...(urgent.length > 3 ? [`and ${urgent.length - 3} more`] : []),
    ],
  }
}

const seenOf = (online: number, all: number, quorate: boolean): string =>
  `${online} of ${all} ${all === 1 ? 'node' : 'nodes'} online${quorate ? '' : ', no quorum'}`
