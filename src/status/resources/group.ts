/** A group and its members (Pacemaker Explained, "Groups"), at the top or as an instance of a clone. */
import type { ResourceId } from '../../base/index.ts'
import type { GroupDefinition } from '../../cib/index.ts'
import type { ResourceMeta } from '../cluster-status.ts'
import type { CloneDraft, GroupDraft } from '../drafts.ts'
import type { ResourceBuilder } from './context.ts'
import { resolveMeta } from './meta.ts'
import {
  type Inherited,
  type InstancePlace,
  instanceId,
  type PrimitiveFacts,
  primitiveFacts,
  primitiveInstance,
} from './primitive.ts'

export function buildGroup(definition: GroupDefinition, builder: ResourceBuilder): GroupDraft {
  return groupInstance(groupFacts(definition, {}, builder), {}, builder)
}

/** What all instances of a group have in common. */
export interface GroupFacts {
  readonly id: ResourceId
  readonly meta: ResourceMeta
  readonly members: readonly PrimitiveFacts[]
}

export function groupFacts(definition: GroupDefinition, inherited: Inherited, builder: ResourceBuilder): GroupFacts {
  const meta = resolveMeta({ sets: definition.meta, inherited: inherited.meta }, builder.metaSources)
  const parameters = [...(inherited.parameters ?? []), ...(definition.parameters ?? [])]
  return {
    id: definition.id,
    meta,
    members: definition.members.map((member) => primitiveFacts(member, { meta: meta.raw, parameters }, builder)),
  }
}

export function groupInstance(
  { id, meta, members }: GroupFacts,
  place: { readonly parent?: CloneDraft; readonly instance?: InstancePlace },
  builder: ResourceBuilder,
): GroupDraft {
  const { instance } = place
  const group: GroupDraft = {
    kind: 'group',
    id: instanceId(id, instance?.number),
    configuredId: id,
    meta,
    inheritable: meta.raw,
    orphan: false,
    parent: place.parent,
    promotable: instance?.promotable ?? false,
    members: [],
    activeOn: new Set(),
  }
  for (const member of members)
    group.members.push(
      primitiveInstance(member, { parent: group, ...(instance === undefined ? {} : { instance }) }, builder),
    )
  return group
}
