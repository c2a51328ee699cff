/** What the builders of the kinds of resources share. */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { CloneDraft, PrimitiveDraft } from '../drafts.ts'
import type { MetaSources } from './meta-sources.ts'

export interface ResourceBuilder {
  readonly metaSources: MetaSources
  readonly register: (draft: PrimitiveDraft) => PrimitiveDraft
  readonly registerClone: (member: string, clone: CloneDraft) => void
  readonly nodeOfConnection: (id: ResourceId) => NodeName
  /** How many nodes are known so far: the default of clone-max. */
  readonly nodeCount: () => number
  readonly addBundleNode: (name: NodeName) => void
}
