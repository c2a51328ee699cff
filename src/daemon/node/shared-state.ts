import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Store } from '../../store/index.ts'
import type { HasState } from './until-state.ts'

/** What all nodes share, as one of them sees it, with the store that it is changed in. */
export interface SharedState extends HasState {
  /** Who looks. */
  readonly name: NodeName
  readonly view: ClusterView
  /** By this node's own clock, now. */
  readonly quorate: boolean
  readonly store: Store
}
