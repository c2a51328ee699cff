/** What a node reports of the cluster to whoever asks or watches, and when it has changed. */
import type { NodeName } from '../../base/index.ts'
import type { LinkView } from '../../membership/index.ts'
import { type NodeState, silentOf, startUpTrouble } from '../../node/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import { LinkStates } from '../cluster-state/link-states.ts'
import { unconfirmedNotes } from '../configuration/unconfirmed.ts'
import type { FencingDriver } from '../fencing/fencing-driver.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { authorityNotes } from '../pki/authority-keeper.ts'
import type { ServiceAnswer } from '../planner/messages.ts'
import { unconfirmedPrefix } from '../records/keys.ts'
import { removalNotes } from '../removal/removal-core.ts'
import type { KnownState } from './known-state.ts'
import type { MembershipKeepers } from './membership-keepers.ts'
import { nodeState } from './node-state.ts'

export interface NodeReportPorts {
  readonly self: NodeName
  readonly file: () => ClusterFile
  readonly known: KnownState
  readonly core: () => NodeState
  /** By this node's own clock, now. */
  readonly quorate: () => boolean
  readonly fencing: () => FencingDriver
  readonly membership: () => MembershipKeepers
  readonly twoNode: () => ClusterState['twoNode']
  readonly watchdogTroubles: () => readonly string[]
  /** Of this node's member of the store. */
  readonly storeTrouble: () => string | undefined
  /** Takes part again after a boot of its host. */
  readonly enabled: () => boolean
}

export class NodeReport {
  readonly links = new LinkStates()
  readonly #ports: NodeReportPorts
  readonly #listeners = new Set<() => void>()
  /** Why the store does not answer, as the pulse thread last said. */
  #storeTrouble: string | undefined
  /** Why this node cannot end connections on a link that is down. */
  #connectionsStay: string | undefined
  #active: { readonly revision: number; readonly here: Promise<ServiceAnswer['here']> } | undefined

  constructor(ports: NodeReportPorts) {
    this.#ports = ports
  }

  state(): ClusterState {
    const { self, file, known, core, quorate, fencing, membership, twoNode, watchdogTroubles, storeTrouble, enabled } =
      this.#ports
    const { removals, authority, witness } = membership()
    return nodeState({
      self,
      file: file(),
      known,
      removals: [
        ...removalNotes(removals),
        ...authorityNotes(authority.record, file()),
        ...unconfirmedNotes(known.below(unconfirmedPrefix)),
        ...known.writes.notes(),
      ],
      fencing: fencing(),
      quorate: quorate(),
      silent: new Set(silentOf(core().peers)),
      links: this.links,
      connectionsStay: this.#connectionsStay,
      storeTrouble: storeTrouble() ?? startUpTrouble(core()) ?? this.#storeTrouble,
      watchdogTroubles: watchdogTroubles(),
      twoNode: twoNode(),
      witness: witness.state(),
      enabled: enabled(),
    })
  }

  /** Computed by the planner thread, once for each state of the store. */
  async activeHere(): Promise<ServiceAnswer['here']> {
    const { self, known } = this.#ports
    const { revision } = known.view
    if (this.#active?.revision !== revision) {
      const asked = { self, haveQuorum: true, addresses: {} }
      this.#active = { revision, here: known.services(asked).then((answer) => answer.here) }
    }
    return await this.#active.here
  }

  onState(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly changed = (): void => {
    for (const listener of this.#listeners) listener()
  }

  takeLinks(links: readonly LinkView[]): void {
    this.links.take(links)
    this.changed()
  }

  connectionsStay(why: string): void {
    this.#connectionsStay = why
  }

  /** Undefined: it answers. */
  storeAnswers(trouble: string | undefined): void {
    this.#storeTrouble = trouble
  }
}
