/** Which links to the other nodes are up, as the pulse thread last said, and by which of them a node is reached. */
import type { NodeName } from '../../base/index.ts'
import type { LinkView } from '../../membership/index.ts'
import type { ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { byPreference, linksOf } from '../node-list/node-links.ts'

export class LinkStates {
  #views: readonly LinkView[] = []

  take(views: readonly LinkView[]): void {
    this.#views = views
  }

  /** Of a node with one link nothing is told: whether it is heard says the same. */
  stateOf(node: NodeName, link: number): LinkView['state'] {
    return this.#views.find((view) => view.node === node && view.link === link)?.state ?? 'unknown'
  }

  /** Of this node itself: by whom it is heard on the link. */
  ownStateOf(link: number): LinkView['state'] {
    const states = this.#views.filter((view) => view.link === link).map(({ state }) => state)
    return (['up', 'down'] as const).find((state) => states.includes(state)) ?? 'unknown'
  }

  /** The preferred link that is up; where none is known to be, the one that is preferred. */
  readonly reach = (node: ClusterNodeEntry): string => {
    const links = [...linksOf(node)].sort(byPreference)
    const inState = (wanted: LinkView['state']) =>
      links.find(({ number }) => this.stateOf(node.name, number) === wanted)?.address
    return inState('up') ?? inState('unknown') ?? links[0]?.address ?? node.address
  }
}
