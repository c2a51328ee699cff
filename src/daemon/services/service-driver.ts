/**
 * What this node does for services: performs the checks of those that run here, and lets others ask for all of them. It looks again after every change of the
 * store, a moment later, so that many changes are one look.
 */
import { isIP } from 'node:net'
import type { MonotonicMs, NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { type Catalogue, declaredGates, declaredServices } from '../../services/index.ts'
import { Discovery } from '../discovery/discovery.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import type { ServiceAnswer, ServiceQuestion } from '../planner/messages.ts'
import { WatchKeeper, type WatchKeeperPorts } from '../watches/watch-keeper.ts'
import { CheckKeeper, type CheckKeeperPorts } from './check-keeper.ts'

export interface ServicePorts extends CheckKeeperPorts, WatchKeeperPorts {
  readonly self: NodeName
  readonly log: Log
  readonly view: () => ClusterView
  readonly file: () => ClusterFile
  readonly quorate: () => boolean
  readonly quorateUntil: () => MonotonicMs
  readonly catalogue: (asked: Omit<ServiceQuestion, 'now'>) => Promise<ServiceAnswer>
}

const togetherMs = 100
/** By time alone a failure may expire. */
const againMs = 10_000

export class ServiceDriver {
  readonly #ports: ServicePorts
  readonly #checks: CheckKeeper
  readonly #discovery: Discovery
  readonly #watches: WatchKeeper
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** What is left of them is to be deleted. */
  #knewGates = false
  #again = false
  /** The timer is one of a change. */
  #soon = false
  #closed = false
  #known: Catalogue = { services: [], mistakes: [] }

  constructor(ports: ServicePorts) {
    this.#ports = ports
    this.#checks = new CheckKeeper(ports)
    this.#discovery = new Discovery(ports)
    this.#watches = new WatchKeeper(ports)
  }

  get troubles(): readonly string[] {
    return [...this.#discovery.troubles, ...this.#watches.troubles]
  }

  look(): void {
    this.#lookIn(togetherMs)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#checks.close()
    this.#discovery.close()
    this.#watches.close()
  }

  #lookIn(ms: number): void {
    if (this.#closed) return
    if (this.#isLooking) {
      this.#again = true
      return
    }
    if (ms === togetherMs && this.#timer !== undefined && this.#soon) return
    clearTimeout(this.#timer)
    this.#soon = ms === togetherMs
    this.#timer = setTimeout(() => {
      this.#soon = false
      this.#lookNow().catch((error: unknown) => {
        if (!this.#closed) this.#ports.log.warn('services cannot be looked at', { error })
      })
    }, ms)
  }
  async #lookNow(): Promise<void> {
    const { view, self, file, quorate, catalogue } = this.#ports
    const configuration = view().configuration?.typed
    if (configuration) this.#discovery.use(configuration, hostsOf(file(), self))
    const none = configuration === undefined || declaredServices(configuration).services.length === 0
    const asks = this.#discovery.isWanted || this.#watches.isWanted
    const gates = configuration !== undefined && declaredGates(configuration).gates.some(({ dns }) => dns !== undefined)
    const knew = this.#knewGates
    this.#knewGates = gates
    if (none && this.#known.services.length === 0 && !asks && !gates && !knew) return
    this.#isLooking = true
    try {
      const addresses = Object.fromEntries(file().nodes.map(({ name, address }) => [name, address]))
      const answer = await catalogue({ self, addresses, haveQuorum: quorate() })
      if (this.#closed) return
      this.#known = answer.catalogue
      this.#checks.take(answer.checks)
      this.#discovery.know({ catalogue: answer.catalogue, nodes: answer.nodes, dc: view().dc?.node })
      this.#watches.take(answer.catalogue)
    } finally {
      this.#isLooking = false
      const again = this.#again
      this.#again = false
      this.#lookIn(again ? togetherMs : againMs)
    }
  }
}

function hostsOf(
  { clusterName, nodes }: ClusterFile,
  self: NodeName,
): {
  readonly clusterName: string
  readonly self: string
  readonly ownAddresses: readonly string[]
  readonly hosts: readonly string[]
} {
  const addressesOf = ({ address, links }: ClusterNodeEntry): readonly string[] => [
    ...new Set([address, ...(links ?? []).map((link) => link.address)]),
  ]
  return {
    clusterName,
    self,
    ownAddresses: nodes
      .filter(({ name }) => name === self)
      .flatMap(addressesOf)
      .filter((one) => isIP(one) !== 0),
    hosts: nodes.flatMap(addressesOf),
  }
}
