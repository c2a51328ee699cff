/**
 * Builds the tree of resources from the configuration, in its order: every instance of every clone, the implied members of
 * bundles, the implied connections of guest nodes (Pacemaker Explained, "Advanced Resource Types"; Pacemaker Remote).
 */
import { assertNever, type NodeName, nodeName, type ResourceId, resourceId } from '../../base/index.ts'
import type { Configuration, ResourceDefinition } from '../../cib/index.ts'
import type { CloneDraft, PrimitiveDraft, ResourceDraft } from '../drafts.ts'
import type { GuestNode } from '../remote-definitions.ts'
import { buildBundle } from './bundle.ts'
import { buildClone } from './clone.ts'
import type { ResourceBuilder } from './context.ts'
import { buildGroup } from './group.ts'
import type { MetaSources } from './meta-sources.ts'
import { buildPrimitive } from './primitive.ts'

export interface BuiltResources {
  readonly resources: ResourceDraft[]
  readonly primitives: Map<ResourceId, PrimitiveDraft>
  readonly cloneByMember: Map<string, CloneDraft>
}

export function buildResources(
  configuration: Configuration,
  guests: readonly GuestNode[],
  sources: MetaSources,
  nodes: { readonly count: () => number; readonly addBundleNode: (name: NodeName) => void },
): BuiltResources {
  const primitives = new Map<ResourceId, PrimitiveDraft>()
  const cloneByMember = new Map<string, CloneDraft>()
  const builder: ResourceBuilder = {
    metaSources: sources,
    register: (draft) => {
      if (!primitives.has(draft.id)) primitives.set(draft.id, draft)
      return draft
    },
    registerClone: (member, clone) => {
      cloneByMember.set(member, clone)
    },
    nodeOfConnection: (id) => nodeName(id),
    nodeCount: nodes.count,
    addBundleNode: nodes.addBundleNode,
  }
  const resources = configuration.resources.flatMap((definition) => buildResource(definition, builder) ?? [])
  for (const { connection } of guests) resources.push(buildPrimitive(connection, { implicit: true }, builder))
  linkContainers(primitives)
  return { resources, primitives, cloneByMember }
}

function buildResource(definition: ResourceDefinition, builder: ResourceBuilder): ResourceDraft | undefined {
  switch (definition.kind) {
    case 'primitive':
      return buildPrimitive(definition, {}, builder)
    case 'group':
      return buildGroup(definition, builder)
    case 'clone':
      return buildClone(definition, builder)
    case 'bundle':
      return buildBundle(definition, builder)
    default:
      return assertNever(definition)
  }
}

/** The meta-attribute `container`: of the connection of a guest node, or of any resource that runs inside of another. */
function linkContainers(primitives: ReadonlyMap<ResourceId, PrimitiveDraft>): void {
  for (const primitive of primitives.values()) {
    const name = primitive.meta.raw.get('container')
    const container = name === undefined ? undefined : primitives.get(resourceId(name))
    if (container !== undefined && container !== primitive) primitive.container = container
  }
}
