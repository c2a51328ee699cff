/**
 * The remote node's side: waits for cluster nodes, obeys one of them at a time. A certificate of the cluster's authority that may
 * call is a cluster node's: those of remote nodes are good for serving only.
 */
import type { TLSSocket } from 'node:tls'
import { type DoorRule, plainPeer, serveTls, type TlsIdentity, type TlsServer } from '../rpc/index.ts'
import type { CallHandlers, OwnAnswer, OwnerCalls, OwnRequest, RemoteCalls } from './calls.ts'
import { longest, ownerForms, remoteForms } from './forms.ts'
import type { HardwareCalls } from './hardware-calls.ts'
import { Link } from './link.ts'
import { type Ownership, ownedBy } from './ownership.ts'
import type { TaskCalls } from './task-calls.ts'
import { unhurried } from './turn-line.ts'

export type OwnerLink = Link<OwnerCalls, RemoteCalls>

export interface RemotePorts {
  readonly incarnation: number
  readonly bootId: string
  /** As it was before this daemon started; it must outlive the daemon. */
  readonly ownership: Ownership
  readonly saveOwnership: (ownership: Ownership) => void
  /** Of certificates of nodes that were removed, in hexadecimal. */
  readonly isRevoked: (serial: string) => boolean
  readonly saveRevoked: (serials: readonly string[]) => void
  /** From where a cluster node holds the connection, and what it has told of the others. */
  readonly noteMembers: (noted: {
    readonly from: string | undefined
    readonly told: readonly string[] | undefined
  }) => void
  /** A cluster node holds the connection from now on. */
  readonly onOwned: (link: OwnerLink, asked: OwnRequest) => void
  readonly onLost: (link: OwnerLink, reason: string) => void
  readonly perform: CallHandlers<RemoteCalls>['perform']
  readonly release: CallHandlers<RemoteCalls>['release']
  readonly pki: CallHandlers<RemoteCalls>['pki']
  readonly tasks: CallHandlers<TaskCalls>
  readonly machine: CallHandlers<HardwareCalls>
  /** Whether a certificate (DER) is of an authority that is believed now: a connection may be older than that. */
  readonly believes: (certificate: Buffer) => boolean
}

export function serveRemote(
  at: {
    readonly host: string | undefined
    readonly port: number
    readonly identity: TlsIdentity
    readonly door?: DoorRule
  },
  ports: RemotePorts,
): Promise<TlsServer> {
  const owners = new Owners(ports)
  return serveTls(at, (socket) => owners.receive(socket))
}

class Owners {
  readonly #ports: RemotePorts
  #ownership: Ownership
  #current: OwnerLink | undefined

  constructor(ports: RemotePorts) {
    this.#ports = ports
    this.#ownership = ports.ownership
  }

  receive(socket: TLSSocket): void {
    const { serialNumber, raw } = socket.getPeerCertificate()
    const serial = serialNumber.toLowerCase()
    const from = plainPeer(socket.remoteAddress)
    if (this.#ports.isRevoked(serial)) return void socket.destroy()
    const obeyed = <Request, Answer>(act: (request: Request) => Promise<Answer>) => {
      return async (request: Request): Promise<Answer> => {
        if (this.#current !== link) throw new Error('This connection does not own the remote node.')
        return await act(request)
      }
    }
    const { perform, release, pki, tasks, machine, onLost, believes } = this.#ports
    const link: OwnerLink = new Link<OwnerCalls, RemoteCalls>(
      socket,
      {
        asked: ownerForms,
        answered: remoteForms,
        longest: () => (this.#current === link ? longest.toRemote : longest.unowned),
        pace: unhurried,
      },
      {
        own: async (asked) => {
          if (this.#ports.isRevoked(serial)) throw new Error('The certificate of this node is revoked.')
          if (!believes(raw))
            throw new Error('The authority that signed the certificate of this node is no longer trusted.')
          const answer = this.#own(link, asked)
          if (answer.accepted) this.#ports.noteMembers({ from, told: asked.members })
          return answer
        },
        perform: obeyed(perform),
        release: obeyed(release),
        pki: obeyed(pki),
        task: obeyed(tasks.task),
        readTask: obeyed(tasks.readTask),
        tasks: obeyed(tasks.tasks),
        writeFile: obeyed(tasks.writeFile),
        hardware: obeyed(machine.hardware),
        health: obeyed(machine.health),
      },
      ({ reason }) => {
        if (this.#current !== link) return
        this.#current = undefined
        onLost(link, reason)
      },
    )
  }

  #own(link: OwnerLink, asked: OwnRequest): OwnAnswer {
    const { incarnation, bootId, saveOwnership, onOwned, onLost } = this.#ports
    const next = ownedBy(this.#ownership, { highestToken: asked.token, owner: asked.owner })
    const { highestToken } = next ?? this.#ownership
    if (next === undefined) return { accepted: false, highestToken, incarnation }
    // Written down before anything is obeyed: a daemon that starts again knows whom it must refuse.
    if (next.highestToken !== this.#ownership.highestToken) saveOwnership(next)
    this.#ownership = next
    const before = this.#current
    this.#current = link
    if (before !== undefined && before !== link) {
      onLost(before, `${asked.owner} has taken the connection`)
      before.call('taken', { by: asked.owner }).then(
        () => before.close(),
        () => before.close(),
      )
    }
    if (asked.revoked !== undefined) this.#ports.saveRevoked(asked.revoked)
    onOwned(link, asked)
    return { accepted: true, highestToken, incarnation, bootId }
  }
}
