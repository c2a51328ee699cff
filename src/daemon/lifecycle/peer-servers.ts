/** What a member of a cluster serves to other hosts, on each of its links: calls of its peers, and the enrolment of new nodes. */
import type { Socket } from 'node:net'
import {
  type Handlers,
  type NodeCaller,
  nodeService,
  serveEnrolment,
  serveTcp,
  type TlsIdentity,
} from '../../rpc/index.ts'
import { type ListenAt, Listeners } from '../host/listeners.ts'
import type { Log } from '../host/log.ts'
import type { enrolHandler } from '../joining/let-in.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { openDoorOf } from '../node-list/known-hosts.ts'
import { addressesOf } from '../node-list/node-links.ts'
import type { Admission } from '../peers/admission.ts'

export interface PeerServersPorts {
  readonly log: Log
  readonly file: () => ClusterFile
  readonly identity: () => TlsIdentity
  readonly admission: Admission
  readonly handlers: Handlers<typeof nodeService>
  readonly enrol: ReturnType<typeof enrolHandler>
  readonly onFailure: (method: string, error: unknown) => void
  /** A connection on which a witness passes on calls of its HTTPS API. */
  readonly relay: (socket: Socket, witness: NodeCaller) => void
}

export class PeerServers {
  readonly #peers: Listeners<ListenAt>
  readonly #enrolment: Listeners<ListenAt>

  constructor(ports: PeerServersPorts) {
    const { log, file, identity, admission, handlers, enrol, onFailure, relay } = ports
    const methods = [{ service: nodeService, handlers }]
    const notYet = ({ host, port }: ListenAt, error: string): void =>
      log.warn('an address cannot be served: it is tried again until it can', { host, port, error })
    const member = (at: ListenAt): Parameters<typeof serveTcp>[0] => ({
      ...at,
      identity: identity(),
      admit: admission.admit,
      knows: (caller) => admission.knows(caller),
      door: openDoorOf(file),
      relay,
    })
    this.#peers = new Listeners((at) => serveTcp(member(at), methods, onFailure), notYet)
    this.#enrolment = new Listeners(
      (at) => serveEnrolment({ ...at, identity: identity() }, enrol, (error) => onFailure('enrolment', error)),
      notYet,
    )
  }

  async serveOn(own: ClusterNodeEntry): Promise<void> {
    const at = (port: number): readonly ListenAt[] => addressesOf(own).map((host) => ({ host, port }))
    await Promise.all([this.#peers.use(at(own.ports.peer)), this.#enrolment.use(at(own.ports.enrolment))])
  }

  useIdentity(identity: TlsIdentity): void {
    this.#peers.replaceIdentity(identity)
    this.#enrolment.replaceIdentity(identity)
  }

  /** Somebody's certificate was revoked, who may be connected. */
  endConnections(): void {
    this.#peers.endConnections()
  }

  async close(): Promise<void> {
    await Promise.all([this.#peers.close(), this.#enrolment.close()])
  }
}
