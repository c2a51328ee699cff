/** A group and its members (Pacemaker Explained, "Groups"), at the top or as an instance of a clone. */
import type { GroupDefinition, NvSet } from '../../cib/index.ts'
import type { CloneDraft, GroupDraft } from '../drafts.ts'
import type { ResourceBuilder } from './context.ts'
import { resolveMeta } from './meta.ts'
import { buildPrimitive, instanceId } from './primitive.ts'

export function buildGroup(
  definition: GroupDefinition,
  place: {
    readonly parent?: CloneDraft
    readonly instance?: { readonly number: number; readonly unique: boolean; readonly promotable: boolean }
    readonly inheritedParameters?: readonly NvSet[]
  },
  builder: ResourceBuilder,
): GroupDraft {
  const meta = resolveMeta({ sets: definition.meta, inherited: place.parent?.inheritable }, builder.metaSources)
  const group: GroupDraft = {
    kind: 'group',
    id: instanceId(definition.id, place.instance?.number),
    configuredId: definition.id,
    meta,
    inheritable: meta.raw,
    orphan: false,
    parent: place.parent,
    promotable: place.instance?.promotable ?? false,
    members: [],
    activeOn: new Set(),
  }
  const inheritedParameters = [...(place.inheritedParameters ?? []), ...(definition.parameters ?? [])]
  for (const member of definition.members)
    group.members.push(
      buildPrimitive(
        member,
        {
          parent: group,
          inheritedParameters,
          ...(place.instance === undefined ? {} : { instance: place.instance }),
        },
        builder,
      ),
    )
  return group
}
