/** What the daemon of the DC does beside the node's own work: it asks the clusters of the fleet, takes rollouts over them on, and sends traces of recoveries. */
import type { NodeName } from '../../base/index.ts'
import { clusterOptionValue } from '../../cib/index.ts'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import { Asker } from '../fleet/asker.ts'
import { Fleet, type FleetPorts } from '../fleet/fleet.ts'
import { FleetRollouts } from '../fleet/fleet-rollouts.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { sendByCommand, TraceKeeper } from '../journal/trace-keeper.ts'
import type { ClusterNode } from '../node/cluster-node.ts'

export interface DcKeepersPorts {
  readonly paths: Paths
  readonly log: Log
  readonly name: () => NodeName | string
  readonly node: () => ClusterNode | undefined
  readonly configuration: () => ReplicatedConfiguration | undefined
  /** Records of the store, as the running node sees them. */
  readonly seen: (prefix: string) => readonly Entry[] | undefined
  /** Where this node has quorum. */
  readonly store: () => Store | undefined
}

export class DcKeepers {
  readonly fleet: Fleet
  readonly #rollouts: FleetRollouts
  readonly #traces: TraceKeeper

  constructor({ paths, log, name, node, configuration, seen, store }: DcKeepersPorts) {
    const quorate = (): ClusterNode | undefined => (node()?.quorate === true ? node() : undefined)
    const term = (): number | undefined => {
      const dc = quorate()?.view.dc
      return dc?.node === name() ? dc.term : undefined
    }
    const isCurrent = (): boolean => quorate()?.view.dc !== undefined
    const ports: FleetPorts = { log, seen, store, term, isCurrent, asks: new Asker() }
    this.fleet = new Fleet(ports)
    this.#rollouts = new FleetRollouts(ports)
    this.#traces = new TraceKeeper({
      log,
      term,
      seen,
      store,
      collector: () => clusterOptionValue(configuration()?.typed, 'trace-collector').trim(),
      troubleAt: () => node()?.troubleAt,
      revision: () => node()?.view.revision ?? 0,
      send: async (collector, after) => await sendByCommand(paths, collector, after),
    })
  }

  close(): void {
    this.#rollouts.close()
    this.fleet.close()
    this.#traces.close()
  }
}
