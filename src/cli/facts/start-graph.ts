/**
 * What waits for what when everything starts, as the configuration says it: groups, order constraints and their sets, promotions. No node and no
 * history counts here; `simulate` tells what really happens now. What a constraint means is as in "Specifying the Order in which Resources
 * Should Start/Stop" and "Ordering Sets of Resources" (Pacemaker Explained).
 */
import type { Configuration, OrderAction, OrderConstraint, OrderKind, ResourceSet } from '../../cib/index.ts'
import { declaredGates, declaredServices } from '../../services/index.ts'
import { resourceIndex, type Start, type StartTree, startTreeOf, type Wait } from './start-tree.ts'

export interface Together {
  readonly dependent: string
  readonly primary: string
  readonly score: number
  readonly constraint: string
}

export interface StartGraph {
  readonly starts: readonly Start[]
  readonly waits: readonly Wait[]
  readonly together: readonly Together[]
  /** The ids of what starts at the same time, in the order of the configuration. */
  readonly waves: readonly (readonly string[])[]
  /** Each as the ids along it; the first waits for the last. */
  readonly loops: readonly (readonly string[])[]
  /** Order constraints of which nothing concerns a start: about stops, or that only keep two actions apart. */
  readonly others: readonly string[]
}

export function startGraphOf(configuration: Configuration): StartGraph {
  const tree = startTreeOf(configuration)
  const waits: Wait[] = [...tree.waits]
  const promoted = new Set<string>()
  const others: string[] = []
  for (const constraint of configuration.constraints) {
    if (constraint.kind !== 'order') continue
    const found = pairsOf(constraint, tree).flatMap((pair) => waitsOf(pair, tree, constraint))
    if (found.length === 0) others.push(constraint.id)
    waits.push(...found)
  }
  const gates = gateWaits(configuration, tree)
  waits.push(...gates.waits)
  for (const { first, next } of waits) for (const id of [first, next]) if (id.endsWith(' promote')) promoted.add(id)
  const events = [...gates.external, ...tree.starts].flatMap((start): readonly Start[] => {
    const promotion = `${start.id} promote`
    if (!promoted.has(promotion)) return [start]
    waits.push({ first: start.id, next: promotion, because: 'promotion', optional: false })
    return [start, { ...start, id: promotion, action: 'promote' }]
  })
  const once = onceEach(waits)
  const named = new Set(once.flatMap(({ first, next }) => [first, next]))
  const shown = events.filter(({ id, resource }) => !tree.fenceDevices.has(resource) || named.has(id))
  const waveOf = wavesOf(shown, once)
  const starts = shown.map((start) => {
    const wave = waveOf.get(start.id)
    return wave === undefined ? start : { ...start, wave }
  })
  const last = Math.max(0, ...waveOf.values())
  return {
    starts,
    waits: once,
    together: colocations(configuration),
    waves: Array.from({ length: last }, (_, index) =>
      starts.filter(({ wave }) => wave === index + 1).map(({ id }) => id),
    ),
    loops: loopsIn(shown, once, waveOf),
    others,
  }
}

/** Of several between the same two, one that is not optional. */
function onceEach(waits: readonly Wait[]): readonly Wait[] {
  const found = new Map<string, Wait>()
  for (const wait of waits) {
    const key = `${wait.first}\n${wait.next}`
    if (!found.has(key) || !wait.optional) found.set(key, wait)
  }
  return [...found.values()]
}

/** From what offers the service, or from the name that DNS is asked for. */
function gateWaits(
  configuration: Configuration,
  tree: StartTree,
): { readonly waits: readonly Wait[]; readonly external: readonly Start[] } {
  const providers = new Map(declaredServices(configuration).services.map(({ name, ...one }) => [name, one]))
  const external = new Map<string, Start>()
  const waits = declaredGates(configuration).gates.flatMap(({ service, resource, min, dns }) => {
    if (dns !== undefined)
      external.set(dns.name, { id: dns.name, resource: dns.name, action: 'start', kind: 'external' })
    const provider = providers.get(service)
    const offered = provider === undefined ? [] : tree.lastOf(provider.resource)
    const promoted = provider?.role === 'Promoted' ? offered.map((id) => `${id} promote`) : offered
    const firsts = dns === undefined ? promoted : [dns.name]
    return firsts.flatMap((first) =>
      tree.firstOf(resource).map((next) => ({
        first,
        next,
        because: 'gate' as const,
        optional: false,
        needs: { service, min },
      })),
    )
  })
  return { waits, external: [...external.values()] }
}

interface Pair {
  readonly first: string
  readonly next: string
  readonly firstAction: OrderAction
  readonly thenAction: OrderAction
  readonly kind: OrderKind
  readonly any: boolean
}

function pairsOf(constraint: OrderConstraint, tree: StartTree): readonly Pair[] {
  const { between, orderKind: kind } = constraint
  const any = !constraint.requireAll
  if (between.by === 'pair') {
    const firstAction = between.firstAction ?? 'start'
    const thenAction = between.thenAction ?? firstAction
    return tree
      .expand(between.first)
      .flatMap((first) =>
        tree.expand(between.then).map((next) => ({ first, next, firstAction, thenAction, kind, any })),
      )
  }
  const sets = between.sets.map((set) => ({ ...set, members: set.members.flatMap(tree.expand) }))
  return sets.flatMap((set, index) => {
    const before = sets[index - 1]
    return [...withinSet(set, kind), ...(before === undefined ? [] : betweenSets(before, set, kind))]
  })
}

function withinSet(set: ResourceSet, ofConstraint: OrderKind): readonly Pair[] {
  if (!set.sequential) return []
  const action = set.action ?? 'start'
  const kind = set.orderKind ?? ofConstraint
  return set.members.flatMap((next, index) => {
    const first = set.members[index - 1]
    return first === undefined ? [] : [{ first, next, firstAction: action, thenAction: action, kind, any: false }]
  })
}

/** The end of a set that is written as sequential stands for all of it. */
function betweenSets(before: ResourceSet, set: ResourceSet, kind: OrderKind): readonly Pair[] {
  const any = !before.requireAll
  const firsts = before.sequentialWritten && !any ? before.members.slice(-1) : before.members
  const thens = set.sequentialWritten && !any ? set.members.slice(0, 1) : set.members
  return firsts.flatMap((first) =>
    thens.map((next) => ({
      first,
      next,
      firstAction: before.action ?? 'start',
      thenAction: set.action ?? 'start',
      kind,
      any,
    })),
  )
}

const isWayUp = (action: OrderAction): action is 'start' | 'promote' => action === 'start' || action === 'promote'

function waitsOf(pair: Pair, tree: StartTree, { id }: OrderConstraint): readonly Wait[] {
  const { firstAction, thenAction, kind, any } = pair
  if (!isWayUp(firstAction) || !isWayUp(thenAction) || kind === 'Serialize') return []
  const name = (start: string, action: 'start' | 'promote'): string => (action === 'start' ? start : `${start} promote`)
  return tree.lastOf(pair.first).flatMap((first) =>
    tree.firstOf(pair.next).map((next) => ({
      first: name(first, firstAction),
      next: name(next, thenAction),
      because: 'order' as const,
      optional: kind === 'Optional',
      ...(any ? { any: true as const } : {}),
      constraint: id,
    })),
  )
}

/** One more than the last of those that it waits for. What is in a loop, or waits for it, has none. */
function wavesOf(starts: readonly Start[], waits: readonly Wait[]): ReadonlyMap<string, number> {
  const open = new Map(starts.map(({ id }) => [id, 0]))
  const followers = new Map<string, string[]>(starts.map(({ id }) => [id, []]))
  for (const { first, next } of waits) {
    if (!open.has(first) || !open.has(next)) continue
    open.set(next, (open.get(next) ?? 0) + 1)
    followers.get(first)?.push(next)
  }
  const waves = new Map<string, number>()
  let ready = starts.filter(({ id }) => open.get(id) === 0).map(({ id }) => id)
  for (let wave = 1; ready.length > 0; wave++) {
    const next: string[] = []
    for (const id of ready) {
      waves.set(id, wave)
      for (const follower of followers.get(id) ?? []) {
        const left = (open.get(follower) ?? 1) - 1
        open.set(follower, left)
        if (left === 0) next.push(follower)
      }
    }
    ready = next
  }
  return waves
}

/** From each one without a wave back along those that it waits for, until one comes again. Each loop once. */
function loopsIn(
  starts: readonly Start[],
  waits: readonly Wait[],
  waves: ReadonlyMap<string, number>,
): readonly (readonly string[])[] {
  const before = new Map<string, string>()
  for (const { first, next } of waits)
    if (!waves.has(first) && !waves.has(next) && !before.has(next)) before.set(next, first)
  const seen = new Set<string>()
  const loops: (readonly string[])[] = []
  for (const { id } of starts) {
    const path: string[] = []
    let at: string | undefined = waves.has(id) ? undefined : id
    while (at !== undefined && !seen.has(at)) {
      seen.add(at)
      path.push(at)
      at = before.get(at)
    }
    const begin = at === undefined ? -1 : path.indexOf(at)
    if (begin >= 0) loops.push(path.slice(begin).toReversed())
  }
  return loops
}

function colocations(configuration: Configuration): readonly Together[] {
  const index = resourceIndex(configuration)
  return configuration.constraints.flatMap((constraint) => {
    if (constraint.kind !== 'colocation') return []
    const { between, score, id } = constraint
    if (between.by === 'pair')
      return [{ dependent: between.dependent, primary: between.primary, score, constraint: id }].filter(
        ({ dependent, primary }) => index.has(dependent) && index.has(primary),
      )
    // Each member of a sequential set goes with the one before it, and each set with the end of the one after it.
    return between.sets.flatMap((set, at) => {
      const next = between.sets[at + 1]
      const inside = set.sequential
        ? set.members.slice(1).flatMap((dependent, place) => {
            const primary = set.members[place]
            return primary === undefined ? [] : [{ dependent, primary, score: set.score ?? score, constraint: id }]
          })
        : []
      const across = (next?.members.slice(-1) ?? []).flatMap((primary) =>
        (set.sequential ? set.members.slice(0, 1) : set.members).map((dependent) => ({
          dependent,
          primary,
          score,
          constraint: id,
        })),
      )
      return [...inside, ...across]
    })
  })
}
