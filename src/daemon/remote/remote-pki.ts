/**
 * Whom this remote node believes, and its certificate. Whoever holds its connection says which authorities count while the cluster replaces its own
 * (authority-rotation.ts), and signs. What serves goes on: only new connections see another certificate.
 */
import { X509Certificate } from 'node:crypto'
import type { CallHandlers, OwnerCalls, RemoteCalls } from '../../remote/index.ts'
import { createKeys, refuse, type TlsIdentity } from '../../rpc/index.ts'
import { authoritiesIn, readIdentity, writeRemoteIdentity } from '../pki/identity.ts'
import { beliefOf } from '../pki/own-pki.ts'

type Asked = Parameters<CallHandlers<RemoteCalls>['pki']>[0]
type Belief = Awaited<ReturnType<CallHandlers<RemoteCalls>['pki']>>

export interface RemotePkiPorts {
  readonly pki: string
  /** By whoever holds the connection. */
  readonly sign: (publicKey: string) => Promise<OwnerCalls['renew']['answer']>
  /** For connections from now on. */
  readonly use: (identity: TlsIdentity) => void
}

export class RemotePki {
  readonly #ports: RemotePkiPorts
  /** One change at a time: each of them writes several files. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(ports: RemotePkiPorts) {
    this.#ports = ports
  }

  /** Of an authority that is believed by now, whatever was believed when it was shown. */
  readonly believes = (certificate: Buffer): boolean => {
    const shown = new X509Certificate(certificate)
    const { authority } = readIdentity(this.#ports.pki)
    return authoritiesIn(authority).some((one) => shown.verify(new X509Certificate(one).publicKey))
  }

  readonly answer = async ({ follow }: Asked): Promise<Belief> => {
    if (follow !== undefined) await this.#next(async () => await this.#follow(follow))
    return beliefOf(readIdentity(this.#ports.pki))
  }

  /** The private key is made here and stays here. */
  async renew(): Promise<TlsIdentity> {
    return await this.#next(async () => {
      const { publicKey, key } = await createKeys()
      return this.#keep({ ...(await this.#ports.sign(publicKey)), key })
    })
  }

  async #follow({ trust, renew }: NonNullable<Asked['follow']>): Promise<void> {
    const { pki, sign } = this.#ports
    const authority = trust.map((one) => `${new X509Certificate(one).toString().trim()}\n`).join('')
    const before = readIdentity(pki)
    if (!renew) {
      if (beliefOf({ ...before, authority }).certifiedBy === '')
        throw refuse('bad-order', 'None of these authorities signed the certificate of this node.')
      this.#keep({ ...before, authority })
      return
    }
    const { publicKey, key } = await createKeys()
    const { certificate } = await sign(publicKey)
    this.#keep({ authority, certificate, key })
  }

  #keep(identity: TlsIdentity): TlsIdentity {
    writeRemoteIdentity(this.#ports.pki, identity)
    this.#ports.use(identity)
    return identity
  }

  async #next<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(act)
    this.#turn = done.catch(() => undefined)
    return await done
  }
}
