import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Store } from '../../store/index.ts'
import type { QuorumState } from './quorum-soon.ts'

/** What all nodes share, as one of them sees it, with the store that it is changed in. */
export interface SharedState extends QuorumState {
  /** Who looks. */
  readonly name: NodeName
  readonly view: ClusterView
  readonly store: Store
}
