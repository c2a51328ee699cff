/**
 * The picture of resources and nodes: what stands in which row and cell. Pure. What a resource or node is like comes from `status`; here it is arranged,
 * and where a fold stands for several, its cell shows the worst of them.
 */
import type { NodeFacts, ResourceFacts, StatusFacts } from '../../cli/index.ts'
import { type Mark, wordOf } from '../base/marks.ts'

/** What has to be seen first comes first. */
const weight: readonly Mark[] = [
  'failed',
  'blocked',
  'pending',
  'unmanaged',
  'promoted',
  'started',
  'unpromoted',
  'stopped',
  'disabled',
  'standby',
  'offline',
]

export type RowKind = 'primitive' | 'group' | 'clone' | 'bundle'

export interface Row {
  /** Unlike any other row's. */
  readonly path: string
  /** As it is configured. */
  readonly name: string
  readonly kind: RowKind
  readonly agent: string
  readonly primitives: readonly ResourceFacts[]
  readonly rows: readonly Row[]
}

export interface Cell {
  readonly mark: Mark
  readonly active: number
  /** For people and for screen readers. */
  readonly text: string
}

interface Growing {
  readonly path: string
  readonly name: string
  readonly kind: RowKind
  readonly primitives: ResourceFacts[]
  readonly rows: Map<string, Growing>
}

export const isFenceDevice = ({ agent }: Pick<ResourceFacts, 'agent'>): boolean => agent.startsWith('stonith:')

/** One row for each thing in the configuration, however many instances it has. */
export function rowsOf(resources: readonly ResourceFacts[]): readonly Row[] {
  const top = new Map<string, Growing>()
  for (const resource of resources) {
    let rows = top
    let path = ''
    const around = resource.inside.map((id, at) => ({ name: withoutNumber(id), kind: resource.kinds[at] ?? 'group' }))
    for (const { name, kind } of [...around, { name: resource.configured, kind: 'primitive' as const }]) {
      path = `${path}/${name}`
      const row: Growing = rows.get(name) ?? { path, name, kind, primitives: [], rows: new Map() }
      rows.set(name, row)
      row.primitives.push(resource)
      rows = row.rows
    }
  }
  return grown(top)
}

const grown = (rows: ReadonlyMap<string, Growing>): readonly Row[] =>
  [...rows.values()].map((row) => ({
    ...row,
    agent: row.kind === 'primitive' ? (row.primitives[0]?.agent ?? '') : '',
    // A clone of one resource has nothing to unfold.
    rows: row.kind === 'clone' && row.rows.size === 1 && isLeaf(row.rows) ? [] : grown(row.rows),
  }))

const isLeaf = (rows: ReadonlyMap<string, Growing>): boolean =>
  [...rows.values()].every(({ kind }) => kind === 'primitive')

/** Instances of a group in a clone are `web:0`, `web:1`. */
const withoutNumber = (id: string): string => id.replace(/:\d+$/, '')

export function markOf(resource: ResourceFacts): Mark {
  if (resource.failed) return resource.blocked ? 'blocked' : 'failed'
  if (resource.blocked) return 'blocked'
  if (isChanging(resource)) return 'pending'
  if (resource.nodes.length === 0) return resource.targetRole === 'Stopped' ? 'disabled' : 'stopped'
  if (!resource.managed) return 'unmanaged'
  if (resource.role === 'Promoted') return 'promoted'
  return resource.role === 'Unpromoted' ? 'unpromoted' : 'started'
}

/** A monitor on its way changes nothing. */
const isChanging = ({ pending }: ResourceFacts): boolean => pending !== undefined && !/^monitor|^Monitor/.test(pending)

export const worstOf = (marks: readonly Mark[]): Mark =>
  marks.reduce<Mark>((worst, mark) => (weight.indexOf(mark) < weight.indexOf(worst) ? mark : worst), 'disabled')

/** Undefined: nothing of the row is there. */
export function cellOf({ primitives, kind }: Row, node: string): Cell | undefined {
  const there = primitives.filter((one) => one.nodes.includes(node))
  const coming = primitives.filter((one) => !one.nodes.includes(node) && isComingTo(one, node))
  const failures = primitives.filter((one) => !one.nodes.includes(node) && (one.failCounts[node] ?? 0) > 0)
  if (there.length + coming.length + failures.length === 0) return undefined
  const marks = [...there.map(markOf), ...coming.map((): Mark => 'pending'), ...failures.map((): Mark => 'failed')]
  const mark = worstOf(marks)
  const [only] = there.length === 1 && coming.length === 0 ? there : coming
  const what = only === undefined || mark === 'blocked' ? wordOf(mark) : (changeOf(only) ?? wordOf(mark))
  const text =
    there.length === 0 && coming.length === 0
      ? 'failed here'
      : kind === 'primitive' || primitives.length === 1 || there.length + coming.length === 1
        ? what
        : `${there.length} active${['started', 'promoted', 'unpromoted'].includes(mark) ? '' : `, ${wordOf(mark)}`}`
  return { mark, active: there.length, text }
}

const isComingTo = (resource: ResourceFacts, node: string): boolean =>
  isChanging(resource) && resource.pending?.endsWith(` on ${node}`) === true

/** "start", "stop" … as long as it is under way. */
const changeOf = (resource: ResourceFacts): string | undefined =>
  isChanging(resource) && !resource.failed ? `${(resource.pending ?? '').split(' on ')[0]} …` : undefined

/** Of all that the row has; for one that is active nowhere the word that stands beside its name. */
export function rowMark({ primitives, kind }: Row): Mark {
  const marks = primitives.map(markOf)
  // Instances of a clone that have no place are no trouble as long as one has.
  const active = marks.filter((mark) => mark !== 'stopped' && mark !== 'disabled')
  return kind === 'clone' && active.length > 0 ? worstOf(active) : worstOf(marks)
}

/** Where the trouble is: what a filter shows, and what a fold must not hide. */
export function needsAttention(row: Row, attention: StatusFacts['attention']): boolean {
  const mark = rowMark(row)
  if (mark === 'failed' || mark === 'blocked' || mark === 'stopped') return true
  const names = new Set([row.name, ...row.primitives.map(({ configured }) => configured)])
  return attention.some(({ resources, level }) => level !== 'note' && resources.some((name) => names.has(name)))
}

export interface NodeState {
  readonly mark: Mark
  readonly word: string
}

export function stateOfNode(
  node: NodeFacts,
  fencing: StatusFacts['fencing'],
  {
    quorum = { quorate: true, notHeard: [] },
    holds = [],
  }: {
    readonly quorum?: Pick<StatusFacts['quorum'], 'quorate' | 'notHeard'>
    readonly holds?: StatusFacts['holds']
  } = {},
): NodeState {
  // Without quorum what is known of others is old: nobody may read that a node is online which is not heard.
  if (!quorum.quorate && quorum.notHeard.includes(node.name)) return { mark: 'offline', word: 'not heard' }
  if (fencing.some(({ target, outcome }) => target === node.name && outcome === 'pending'))
    return { mark: 'pending', word: 'being fenced' }
  if (node.unclean) return { mark: 'failed', word: 'UNCLEAN' }
  if (node.pending) return { mark: 'pending', word: 'joining' }
  if (!node.online) return { mark: 'offline', word: 'offline' }
  if (node.shutdown) return { mark: 'pending', word: 'stopping' }
  if (node.maintenance) return { mark: 'unmanaged', word: 'maintenance' }
  if (holds.some((hold) => hold.kind === 'drain' && hold.node === node.name))
    return { mark: 'standby', word: 'drained' }
  if (node.standby || node.standbyOnFail) return { mark: 'standby', word: 'standby' }
  return { mark: 'started', word: 'online' }
}

const mostColumns = 16

/** Remote nodes are columns as long as there is room; more of them are a heat map. */
export function columnsOf(nodes: readonly NodeFacts[]): {
  readonly columns: readonly NodeFacts[]
  readonly heat: readonly NodeFacts[]
} {
  const members = nodes.filter(({ type }) => type === 'member')
  const others = nodes.filter(({ type }) => type !== 'member')
  return members.length + others.length <= mostColumns
    ? { columns: nodes, heat: [] }
    : { columns: members, heat: others }
}

/** The rows that are seen: what is unfolded, and what goes with the search. */
export interface Seen {
  readonly row: Row
  readonly depth: number
  readonly isOpen: boolean
}

export function seenRows(
  rows: readonly Row[],
  {
    isOpen,
    keep,
    depth = 0,
  }: { readonly isOpen: (row: Row) => boolean; readonly keep: (row: Row) => boolean; readonly depth?: number },
): readonly Seen[] {
  return rows.filter(keep).flatMap((row): readonly Seen[] => {
    const open = row.rows.length > 0 && isOpen(row)
    return [
      { row, depth, isOpen: open },
      ...(open ? seenRows(row.rows, { isOpen, keep: () => true, depth: depth + 1 }) : []),
    ]
  })
}

/** Side by side, so that one look holds them all. A fold is not cut where it can be avoided. */
export function blocksOf(rows: readonly Seen[], count: number): readonly (readonly Seen[])[] {
  const each = Math.ceil(rows.length / Math.max(1, count))
  const blocks: Seen[][] = [[]]
  for (const seen of rows) {
    const last = blocks.at(-1) ?? []
    if (last.length >= each && seen.depth === 0 && blocks.length < count) blocks.push([seen])
    else last.push(seen)
  }
  return blocks
}
