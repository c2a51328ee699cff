/** What this node says of itself among the members: its daemon, its boot, and what is wrong with it. The core registers it, and again when it changes. */
import { isDeepStrictEqual } from 'node:util'
import type { NodeName } from '../../base/index.ts'
import type { MemberRecord } from '../../controller/index.ts'
import { type NodeInput, type NodeState, saidOf } from '../../node/index.ts'
import { readBootId } from '../host/boot-id.ts'
import type { Log } from '../host/log.ts'
import type { ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { OwnTroubles } from './own-troubles.ts'

export interface OwnRecordPorts {
  readonly self: NodeName
  readonly incarnation: number
  readonly log: Log
  /** As the list of nodes has it now. */
  readonly own: () => ClusterNodeEntry
  readonly core: () => NodeState
  readonly feed: (input: NodeInput) => void
  /** What is wrong at the moment, a sentence each. */
  readonly findTroubles: () => readonly string[]
  readonly onTroubles: () => void
}

export class OwnRecord {
  readonly bootId = readBootId()
  readonly #ports: OwnRecordPorts
  readonly #troubles: OwnTroubles
  /** As the core knows it. */
  #says: NodeState['says'] = {}

  constructor(ports: OwnRecordPorts) {
    this.#ports = ports
    this.#troubles = new OwnTroubles(ports.findTroubles, (troubles) => {
      if (troubles.length > 0) ports.log.warn('something on this node needs an administrator', { troubles })
      this.look()
      ports.onTroubles()
    })
  }

  /** The core learns what has changed, beside the watchdog, which it knows itself. */
  look(): void {
    const troubles = this.#troubles.lasting
    const says = troubles.length === 0 ? {} : { troubles }
    if (isDeepStrictEqual(says, this.#says)) return
    this.#says = says
    this.#ports.feed({ kind: 'says', says })
  }

  get member(): Omit<MemberRecord, 'state' | 'since'> {
    const { self, incarnation, own, core } = this.#ports
    const { id, address } = own()
    return {
      node: self,
      id,
      incarnation,
      address,
      daemonVersion: process.env.SYSTOLE_VERSION ?? '',
      knowsWitness: true,
      knowsPulseTimes: true,
      knowsLinks: true,
      knowsDisks: true,
      knowsShares: true,
      knowsHolds: true,
      knowsPlays: true,
      knowsRemoteRollouts: true,
      knowsRemoteBoots: true,
      knowsFleetRollouts: true,
      knowsConfirmation: true,
      ...saidOf(core()),
      ...(this.bootId === undefined ? {} : { bootId: this.bootId }),
    }
  }

  close(): void {
    this.#troubles.close()
  }
}
