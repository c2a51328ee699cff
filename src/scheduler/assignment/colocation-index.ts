/**
 * Which colocations a resource must look at, in which order. Members take over what is said of the group, clone or bundle
 * around them: of a group the first member what the group depends on and the last what depends on the group, because the
 * members are a chain of colocations themselves; of a clone every instance; of a bundle its containers, and its member
 * once roles are chosen.
 */
import { compareText } from '../../base/index.ts'
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import { type BundleEntry, type Entry, type GroupEntry, isColocatedGroup, topBelowBundle } from '../resources/tree.ts'

export interface ColocationIndex {
  /** By entry index: what it depends on. */
  readonly ofDependent: Map<number, Colocation[]>
  /** By entry index: what depends on it. */
  readonly ofPrimary: Map<number, Colocation[]>
  readonly cache: {
    readonly depends: Map<number, readonly Colocation[]>
    readonly supports: Map<number, readonly Colocation[]>
  }
}

/** What the index must know of placement as it stands. */
export interface IndexContext {
  readonly colocations: ColocationIndex
  readonly standing: { readonly managed: Uint8Array }
  readonly placement: { readonly isAssigned: Uint8Array }
  readonly promotion: { readonly choosing: ReadonlySet<number>; readonly priority: readonly number[] }
}

export function indexColocations(colocations: readonly Colocation[]): ColocationIndex {
  const index: ColocationIndex = {
    ofDependent: new Map(),
    ofPrimary: new Map(),
    cache: { depends: new Map(), supports: new Map() },
  }
  for (const colocation of colocations) addColocation(index, colocation)
  return index
}

export function addColocation(index: ColocationIndex, colocation: Colocation): void {
  push(index.ofDependent, colocation.dependent.index, colocation)
  push(index.ofPrimary, colocation.primary.index, colocation)
  index.cache.depends.clear()
  index.cache.supports.clear()
}

/** Among equals the one that was configured last comes first. */
function push(map: Map<number, Colocation[]>, key: number, colocation: Colocation): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [colocation])
  else known.unshift(colocation)
}

const none: readonly Colocation[] = []

/** The colocations in which an entry is the dependent, most important primary first. */
export function dependsOn(context: IndexContext, entry: Entry): readonly Colocation[] {
  return lookUp(context, entry, depending)
}

/** The colocations in which an entry is the primary, most important dependent first. */
export function supports(context: IndexContext, entry: Entry): readonly Colocation[] {
  return lookUp(context, entry, supporting)
}

interface Direction {
  readonly cached: 'depends' | 'supports'
  readonly collect: (context: IndexContext, of: Entry, asked: Entry, found: Colocation[]) => void
  readonly other: 'primary' | 'dependent'
}

const depending: Direction = { cached: 'depends', collect: collectDepends, other: 'primary' }
const supporting: Direction = { cached: 'supports', collect: collectSupports, other: 'dependent' }

function lookUp(context: IndexContext, entry: Entry, { cached, collect, other }: Direction): readonly Colocation[] {
  const cache = context.colocations.cache[cached]
  const known = cache.get(entry.index)
  if (known !== undefined) return known
  const found: Colocation[] = []
  collect(context, entry, entry, found)
  const sorted = found.length === 0 ? none : sortByImportance(context, found, other)
  // Inside of a bundle the answer changes as the bundle is placed.
  if (!isInBundle(entry)) cache.set(entry.index, sorted)
  return sorted
}

const isInBundle = (entry: Entry): boolean =>
  entry.kind === 'bundle' || (entry.parent !== undefined && isInBundle(entry.parent))

function ownDepends({ colocations }: IndexContext, entry: Entry): readonly Colocation[] {
  return colocations.ofDependent.get(entry.index) ?? none
}

function ownSupports({ colocations }: IndexContext, entry: Entry): readonly Colocation[] {
  return colocations.ofPrimary.get(entry.index) ?? none
}

/** What is taken over one after the other comes before its equals; a whole list, where it is the first, keeps its order. */
function takeEach(found: Colocation[], more: readonly Colocation[]): void {
  found.unshift(...more.toReversed())
}

function takeAll(found: Colocation[], more: readonly Colocation[]): void {
  if (found.length === 0) found.push(...more)
  else takeEach(found, more)
}

function collectDepends(context: IndexContext, of: Entry, asked: Entry, found: Colocation[]): void {
  switch (of.kind) {
    case 'primitive':
      if (of !== asked) {
        takeEach(
          found,
          ownDepends(context, of).filter(({ explicit }) => explicit),
        )
        return
      }
      takeAll(found, ownDepends(context, of))
      if (of.parent !== undefined) collectDepends(context, of.parent, asked, found)
      return
    case 'group':
      collectGroupDepends(context, of, asked, found)
      return
    case 'clone':
      takeAll(found, ownDepends(context, of))
      if (of.parent !== undefined) collectDepends(context, of.parent, asked, found)
      return
    case 'bundle':
      if (bundleConcerns(context, of, asked)) takeAll(found, ownDepends(context, of))
      return
  }
}

function collectGroupDepends(context: IndexContext, group: GroupEntry, asked: Entry, found: Colocation[]): void {
  if (asked === group || asked === group.members[0]) {
    takeAll(found, ownDepends(context, group))
    if (group.parent !== undefined) collectDepends(context, group.parent, asked, found)
    for (const member of group.members) if (member !== asked) collectDepends(context, member, asked, found)
    return
  }
  // A member that is not managed breaks the chain, so those after it look at what the group requires themselves.
  for (const member of group.members) {
    if (member === asked) return
    if (context.standing.managed[member.index] === 1) continue
    takeEach(
      found,
      ownDepends(context, group).filter(({ score }) => score >= INFINITY_SCORE),
    )
    return
  }
}

function collectSupports(context: IndexContext, of: Entry, asked: Entry, found: Colocation[]): void {
  switch (of.kind) {
    case 'primitive':
      if (of !== asked) {
        takeEach(
          found,
          ownSupports(context, of).filter(({ explicit }) => explicit),
        )
        return
      }
      takeAll(found, ownSupports(context, of))
      if (of.parent !== undefined) collectSupports(context, of.parent, asked, found)
      return
    case 'group':
      if (asked !== of && asked !== of.members.at(-1)) return
      takeAll(found, ownSupports(context, of))
      if (of.parent !== undefined) collectSupports(context, of.parent, asked, found)
      if (!isColocatedGroup(of)) return
      for (const member of of.members) if (member !== asked) collectSupports(context, member, asked, found)
      return
    case 'clone':
      takeAll(found, ownSupports(context, of))
      if (of.parent !== undefined) collectSupports(context, of.parent, asked, found)
      return
    case 'bundle':
      if (bundleConcerns(context, of, asked)) takeAll(found, ownSupports(context, of))
      return
  }
}

/** The bundle and its containers always; its promotable member only when roles are chosen. */
function bundleConcerns({ placement, promotion }: IndexContext, bundle: BundleEntry, asked: Entry): boolean {
  const { replicas, clone } = bundle
  if (asked === bundle || replicas.some(({ container }) => container === asked)) return true
  if (clone === undefined || !clone.resource.promotable || topBelowBundle(asked) !== clone) return false
  return asked === clone ? promotion.choosing.has(clone.index) : placement.isAssigned[asked.index] === 1
}

/** By the other side's priority, then clones before groups before primitives, then by the other side's id. */
function sortByImportance(
  { promotion: { priority } }: IndexContext,
  colocations: readonly Colocation[],
  other: 'primary' | 'dependent',
): readonly Colocation[] {
  return colocations.toSorted((a, b) => {
    const [first, second] = [a[other], b[other]]
    return (
      (priority[second.index] ?? 0) - (priority[first.index] ?? 0) ||
      kindRank(second) - kindRank(first) ||
      compareText(first.id, second.id)
    )
  })
}

function kindRank(entry: Entry): number {
  switch (entry.kind) {
    case 'primitive':
      return 0
    case 'group':
      return 1
    case 'clone':
      return entry.resource.promotable ? 2.5 : 2
    case 'bundle':
      return 3
  }
}
