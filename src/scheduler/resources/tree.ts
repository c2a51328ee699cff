/**
 * The resources of a cluster as one numbered tree, so that phases can keep what they know in arrays instead of writing
 * into shared objects. Collectives (groups, clones, bundles) and their members are entries alike; an entry's index never
 * changes. Built once per run from the status.
 */
import { defined, type NodeName, type ResourceId } from '../../base/index.ts'
import type {
  BundleResource,
  CloneResource,
  ClusterStatus,
  GroupResource,
  NodeStatus,
  PrimitiveResource,
  Resource,
} from '../../status/index.ts'

interface EntryCommon {
  readonly index: number
  readonly id: ResourceId
  readonly parent?: CollectiveEntry
}

export interface PrimitiveEntry extends EntryCommon {
  readonly kind: 'primitive'
  readonly resource: PrimitiveResource
  readonly members: readonly []
}

export interface GroupEntry extends EntryCommon {
  readonly kind: 'group'
  readonly resource: GroupResource
  readonly members: readonly PrimitiveEntry[]
}

export interface CloneEntry extends EntryCommon {
  readonly kind: 'clone'
  readonly resource: CloneResource
  readonly members: readonly (PrimitiveEntry | GroupEntry)[]
}

export interface BundleEntry extends EntryCommon {
  readonly kind: 'bundle'
  readonly resource: BundleResource
  readonly clone?: CloneEntry
  readonly replicas: readonly ReplicaEntries[]
  /** The clone first, then of each replica the container, its address and its connection. */
  readonly members: readonly (CloneEntry | PrimitiveEntry)[]
}

export interface ReplicaEntries {
  readonly number: number
  readonly container: PrimitiveEntry
  readonly ip?: PrimitiveEntry
  readonly remote?: PrimitiveEntry
  readonly child?: PrimitiveEntry
  readonly node?: NodeName
}

export type CollectiveEntry = GroupEntry | CloneEntry | BundleEntry
export type Entry = PrimitiveEntry | CollectiveEntry

export interface ResourceTree {
  /** The place of each top-level resource in the CIB, by entry index; orphans come last. */
  readonly position: ReadonlyMap<number, number>
  /** Top-level resources, highest priority first, else in the order of the CIB. */
  readonly top: readonly Entry[]
  /** Every entry by its index; parents have lower indexes than their members. */
  readonly all: readonly Entry[]
  /** By the id of the instance. */
  readonly byId: ReadonlyMap<string, Entry>
  readonly nodes: readonly NodeStatus[]
  readonly nodeIndex: ReadonlyMap<string, number>
  /** The bundle replica that a node is, by node index. */
  readonly replicaOfNode: ReadonlyMap<number, { readonly bundle: BundleEntry; readonly replica: ReplicaEntries }>
  /** The resource that is a remote or guest node's connection, by node index. */
  readonly connectionOfNode: ReadonlyMap<number, PrimitiveEntry>
  /** The replica that a primitive belongs to, by entry index. */
  readonly replicaOf: ReadonlyMap<number, ReplicaEntries>
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export function buildTree(status: ClusterStatus): ResourceTree {
  const builder = new TreeBuilder(status.nodes)
  const top = status.resources.map((resource) => builder.add(resource))
  return {
    position: new Map(top.map((entry, position) => [entry.index, position])),
    top: byPriority(top),
    all: builder.all,
    byId: builder.byId,
    nodes: status.nodes,
    nodeIndex: builder.nodeIndex,
    replicaOfNode: builder.replicaOfNode,
    connectionOfNode: connections(status.nodes, builder.byId),
    replicaOf: builder.replicaOf,
  }
}

/** Numbers the entries as they are added, each before its members. */
class TreeBuilder {
  readonly all: Entry[] = []
  readonly byId = new Map<string, Entry>()
  readonly nodeIndex: ReadonlyMap<string, number>
  readonly replicaOfNode = new Map<number, { bundle: BundleEntry; replica: ReplicaEntries }>()
  readonly replicaOf = new Map<number, ReplicaEntries>()

  constructor(nodes: readonly NodeStatus[]) {
    this.nodeIndex = new Map(nodes.map((node, index) => [node.name, index]))
  }

  add(resource: Resource): Entry {
    switch (resource.kind) {
      case 'primitive':
        return this.#primitive(resource)
      case 'group':
        return this.#group(resource)
      case 'clone':
        return this.#clone(resource)
      case 'bundle':
        return this.#bundle(resource)
    }
  }

  #register<T extends Entry>(entry: T): T {
    this.all.push(entry)
    if (!this.byId.has(entry.id)) this.byId.set(entry.id, entry)
    return entry
  }

  #next(id: ResourceId, parent?: CollectiveEntry): EntryCommon {
    return { index: this.all.length, id, ...(parent === undefined ? {} : { parent }) }
  }

  #primitive(resource: PrimitiveResource, parent?: CollectiveEntry): PrimitiveEntry {
    return this.#register({ kind: 'primitive', ...this.#next(resource.id, parent), resource, members: [] })
  }

  #group(resource: GroupResource, parent?: CollectiveEntry): GroupEntry {
    const members: PrimitiveEntry[] = []
    const entry = this.#register<GroupEntry>({ kind: 'group', ...this.#next(resource.id, parent), resource, members })
    for (const member of resource.members) members.push(this.#primitive(member, entry))
    return entry
  }

  #clone(resource: CloneResource, parent?: CollectiveEntry): CloneEntry {
    const members: (PrimitiveEntry | GroupEntry)[] = []
    const entry = this.#register<CloneEntry>({ kind: 'clone', ...this.#next(resource.id, parent), resource, members })
    for (const instance of resource.instances)
      members.push(instance.kind === 'group' ? this.#group(instance, entry) : this.#primitive(instance, entry))
    return entry
  }

  #bundle(resource: BundleResource): BundleEntry {
    const members: (CloneEntry | PrimitiveEntry)[] = []
    const replicas: ReplicaEntries[] = []
    const entry: Mutable<BundleEntry> = { kind: 'bundle', ...this.#next(resource.id), resource, replicas, members }
    this.#register(entry)
    if (resource.clone !== undefined) {
      entry.clone = this.#clone(resource.clone, entry)
      members.push(entry.clone)
    }
    for (const replica of resource.replicas) {
      const entries = this.#replica(replica, entry)
      const { container, ip, remote } = entries
      replicas.push(entries)
      members.push(...[container, ip, remote].filter((part) => part !== undefined))
      const node = replica.node === undefined ? undefined : this.nodeIndex.get(replica.node)
      if (node !== undefined) this.replicaOfNode.set(node, { bundle: entry, replica: entries })
    }
    return entry
  }

  #replica(replica: BundleResource['replicas'][number], bundle: BundleEntry): ReplicaEntries {
    const child =
      replica.child && defined(bundle.clone, 'the clone of a bundle').members.find((e) => e.id === replica.child?.id)
    const entries: ReplicaEntries = {
      number: replica.number,
      container: this.#primitive(replica.container, bundle),
      ...(replica.ip && { ip: this.#primitive(replica.ip, bundle) }),
      ...(replica.remote && { remote: this.#primitive(replica.remote, bundle) }),
      ...(child?.kind === 'primitive' && { child }),
      ...(replica.node && { node: replica.node }),
    }
    for (const part of [entries.container, entries.ip, entries.remote, entries.child])
      if (part !== undefined) this.replicaOf.set(part.index, entries)
    return entries
  }
}

/** Orphans come after everything that is configured, whatever their priority is. */
function byPriority(entries: readonly Entry[]): readonly Entry[] {
  const configured = entries.filter((entry) => !entry.resource.orphan)
  const orphans = entries.filter((entry) => entry.resource.orphan)
  return [...configured.toSorted((a, b) => b.resource.meta.priority - a.resource.meta.priority), ...orphans]
}

function connections(
  nodes: readonly NodeStatus[],
  byId: ReadonlyMap<string, Entry>,
): ReadonlyMap<number, PrimitiveEntry> {
  const found = new Map<number, PrimitiveEntry>()
  nodes.forEach((node, index) => {
    const entry = node.connection === undefined ? undefined : byId.get(node.connection)
    if (entry?.kind === 'primitive') found.set(index, entry)
  })
  return found
}

/** The outermost entry, but inside of a bundle no further than below the bundle. */
export function topBelowBundle(entry: Entry): Entry {
  let found = entry
  while (found.parent !== undefined && found.parent.kind !== 'bundle') found = found.parent
  return found
}

export function topOf(entry: Entry): Entry {
  let found = entry
  while (found.parent !== undefined) found = found.parent
  return found
}

/** Whether the instance number is part of the identity; only instances of anonymous clones have none. */
export function isUnique(entry: Entry): boolean {
  const outer = topBelowBundle(entry)
  return outer.kind !== 'clone' || outer.resource.unique
}

/** What an entry runs inside of: a guest node's container, or what its `container` meta-attribute names. */
export function containerOf({ byId }: ResourceTree, entry: PrimitiveEntry): PrimitiveEntry | undefined {
  const name = entry.resource.container
  const found = name === undefined ? undefined : byId.get(name)
  return found?.kind === 'primitive' ? found : undefined
}

/** The primitives at or below an entry. */
export function* primitivesOf(entry: Entry): Iterable<PrimitiveEntry> {
  if (entry.kind === 'primitive') yield entry
  else for (const member of entry.members) yield* primitivesOf(member)
}

/** Colocated unless the deprecated `collocated=false` says otherwise. */
export function isColocatedGroup(group: GroupEntry): boolean {
  const written = group.resource.meta.raw.get('collocated')
  return written === undefined || /^(true|yes|y|on|1)$/i.test(written)
}
