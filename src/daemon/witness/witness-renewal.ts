/**
 * The witness's certificate is renewed with a third of its life left. It calls nobody, so it says in its answers to nodes for which key it
 * wants one, and a node with quorum signs. The private key is made here and stays here.
 */
import { createPublicKey, X509Certificate } from 'node:crypto'
import { createKeys, refuse } from '../../rpc/index.ts'
import { renewalTime, validityOf } from '../pki/certificates.ts'
import { readIdentity, writeRemoteIdentity } from '../pki/identity.ts'
import { beliefOf } from '../pki/own-pki.ts'

type Keys = Awaited<ReturnType<typeof createKeys>>

export class WitnessRenewal {
  readonly #pki: string
  /** Milliseconds since the epoch, of the certificate on the disk. */
  #dueAt: number | undefined
  #keys: Promise<Keys> | undefined
  /** By whoever replaces the authority. */
  #asked = false

  constructor(pki: string) {
    this.#pki = pki
  }

  /** For which a certificate is wanted now; every node is told the same. */
  async wanted(): Promise<string | undefined> {
    this.#dueAt ??= dueTime(readIdentity(this.#pki).certificate)
    if (Date.now() < this.#dueAt && !this.#asked) return undefined
    this.#keys ??= createKeys()
    return (await this.#keys).publicKey
  }

  /** It is wanted now, however long the one that there is holds. */
  ask(): void {
    this.#asked = true
  }

  /** Onto the disk, where etcd reads it at its next connection. */
  async take(certificate: string): Promise<void> {
    const keys = await this.#keys
    if (!keys || !isFor(certificate, keys.publicKey))
      throw refuse('other-key', 'The certificate is not for the key of the witness.')
    const { authority } = readIdentity(this.#pki)
    if (beliefOf({ authority, certificate }).certifiedBy === '')
      throw refuse('other-authority', 'The certificate is not signed by an authority that the witness trusts.')
    writeRemoteIdentity(this.#pki, { authority, certificate, key: keys.key })
    this.#keys = undefined
    this.#asked = false
    this.#dueAt = dueTime(certificate)
  }
}

const dueTime = (certificate: string): number => renewalTime(validityOf(certificate), 0)

const isFor = (certificate: string, publicKey: string): boolean =>
  new X509Certificate(certificate).publicKey.equals(createPublicKey(publicKey))
