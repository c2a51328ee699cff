/** The certificate of this node and what it believes: read once, renewed, and changed with the authority, while everything that is open goes on. */
import { createPublicKey } from 'node:crypto'
import type { NodeName } from '../../base/index.ts'
import { createKeys, keyOfPublic, type NodePki, type PkiOrder, refuse, type TlsIdentity } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import type { WithAuthority } from '../pki/authority.ts'
import { signForNode } from '../pki/certificates.ts'
import { readIdentity, writeRemoteIdentity } from '../pki/identity.ts'
import { followAuthority, ownPki } from '../pki/own-pki.ts'
import { learnKey } from '../pki/pins.ts'
import { Renewal } from '../pki/renewal.ts'

export interface OwnCertificatePorts {
  readonly pki: string
  readonly log: Log
  readonly self: () => string
  readonly place: () => { readonly file: ClusterFile; readonly own: ClusterNodeEntry } | undefined
  readonly withAuthority: WithAuthority
  /** Where this node has quorum. */
  readonly store: () => Store | undefined
  readonly tell: (node: NodeName, json: string) => Promise<unknown>
  readonly onNodeList: (listed: ClusterFile) => void
  /** Whoever serves or connects shows it from now on. */
  readonly onUse: (identity: TlsIdentity, isAnotherCertificate: boolean) => Promise<void>
  /** Of the node that takes part: whether its member of the store follows, and what its remote nodes believe. */
  readonly running: () => { readonly storeFollows: boolean; readonly remotePki: NodePki['hosts'] } | undefined
}

export class OwnCertificate {
  readonly #ports: OwnCertificatePorts
  readonly #renewal: Renewal
  /** As it was read last. */
  #known: TlsIdentity | undefined
  #following = false

  constructor(ports: OwnCertificatePorts) {
    this.#ports = ports
    this.#renewal = new Renewal({ pki: ports.pki, log: ports.log, renew: async () => await this.renew() })
  }

  get identity(): TlsIdentity {
    return this.#known ?? this.read()
  }

  /** From the disk, where it may be another one. */
  read(): TlsIdentity {
    this.#known = readIdentity(this.#ports.pki)
    return this.#known
  }

  /** The nodes renew theirs one after the other, by their places in the list. */
  planRenewal(): void {
    this.#renewal.plan(Math.max(0, this.#turn()))
  }

  forget(): void {
    this.#known = undefined
  }

  cancelRenewal(): void {
    this.#renewal.cancel()
  }

  /** Answers when it is in use. */
  async renew(): Promise<void> {
    const { log, pki, withAuthority } = this.#ports
    const { file, own } = this.#place()
    log.info('the certificate of this node is renewed', {})
    const renewed = await createKeys()
    const identity = await signForNode(withAuthority, own, renewed)
    await this.learnKey(file, { host: own.name, publicKey: renewed.publicKey, joins: false })
    writeRemoteIdentity(pki, identity)
    await this.#use()
  }

  state(): NodePki {
    const { pki, self, running } = this.#ports
    const node = running()
    const storeTrusts = node === undefined || node.storeFollows
    return ownPki({ pki, node: self(), turn: this.#turn(), storeTrusts, hosts: node?.remotePki ?? [] })
  }

  /** Answers when it is in use; the member of the store follows in its turn. */
  async follow(order: PkiOrder): Promise<void> {
    const { log, pki, withAuthority } = this.#ports
    const { file, own } = this.#place()
    if (this.#following) throw refuse('is-following', 'This node is changing to another authority at the moment.')
    this.#following = true
    try {
      await followAuthority(order, {
        pki,
        own,
        withAuthority,
        learnKey: async (publicKey) => await this.learnKey(file, { host: own.name, publicKey, joins: false }),
      })
      log.info('this node believes other authorities from now on', {
        authorities: order.trust.length,
        renewed: order.renew,
      })
      await this.#use()
    } finally {
      this.#following = false
    }
  }

  /** The list of nodes with the key of a host. */
  async learnKey(
    file: ClusterFile,
    of: { readonly host: string; readonly publicKey: string; readonly joins: boolean },
  ): Promise<ClusterFile> {
    const { log, self, store, tell, onNodeList } = this.#ports
    const key = keyOfPublic(createPublicKey(of.publicKey))
    const changed = await learnKey({ self: self(), log, store: store(), tell }, file, { ...of, key })
    onNodeList(changed)
    return changed
  }

  #place(): { readonly file: ClusterFile; readonly own: ClusterNodeEntry } {
    const place = this.#ports.place()
    if (place === undefined) throw refuse('not-configured', 'This host does not belong to a cluster.')
    return place
  }

  #turn(): number {
    return (this.#ports.place()?.file.nodes ?? []).findIndex(({ name }) => name === this.#ports.self())
  }

  /** What is on the disk by now. */
  async #use(): Promise<void> {
    const before = this.identity
    const identity = this.read()
    const isAnotherCertificate = identity.certificate !== before.certificate
    await this.#ports.onUse(identity, isAnotherCertificate)
    this.planRenewal()
    this.#ports.log.info('the certificate of this node, and what it believes, is in use', { isAnotherCertificate })
  }
}
