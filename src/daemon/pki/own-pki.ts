/** What this member believes, shows, and has of the authority's key; and that it follows another authority, as the DC says. */

import { X509Certificate } from 'node:crypto'
import {
  authorityHash,
  createKeys,
  type NodePki,
  type PkiOrder,
  refuse,
  signNodeCertificate,
  type TlsIdentity,
} from '../../rpc/index.ts'
import type { ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import type { WithAuthority } from './authority.ts'
import { belongsTo, combineShares, readShares } from './authority-shares.ts'
import { ownCertificates, renewalTime } from './certificates.ts'
import {
  authoritiesIn,
  readIdentity,
  readWholeKey,
  writeRemoteIdentity,
  writeTrust,
  writeWholeKey,
} from './identity.ts'

export function ownPki(asked: {
  readonly pki: string
  readonly node: string
  /** Its place in the list of nodes. */
  readonly turn: number
  readonly storeTrusts: boolean
  /** Remote nodes whose connections it holds. */
  readonly hosts: NodePki['hosts']
}): NodePki {
  const { pki, node, turn, storeTrusts, hosts } = asked
  const { node: own, authority: its } = ownCertificates(pki)
  const text = (time: number): string => new Date(time).toISOString()
  return {
    node,
    ...beliefOf(readIdentity(pki)),
    storeTrusts,
    validUntil: text(own.until),
    renewsAt: text(renewalTime(own, turn)),
    authorityValidUntil: text(its.until),
    shares: readShares(pki).map(({ generation }) => generation),
    wholeKey: readWholeKey(pki) !== undefined,
    hosts,
    bringsHosts: true,
  }
}

/** Fingerprints of the authorities that are believed, and of the one of them that has signed: empty where none has. */
export function beliefOf({ authority, certificate }: Pick<TlsIdentity, 'authority' | 'certificate'>): {
  readonly trusts: readonly string[]
  readonly certifiedBy: string
} {
  const authorities = authoritiesIn(authority)
  const signer = signerAmong(authorities, certificate)
  return {
    trusts: authorities.map(authorityHash),
    certifiedBy: signer === undefined ? '' : authorityHash(signer),
  }
}

const signerAmong = (authorities: readonly string[], certificate: string): string | undefined =>
  authorities.find((one) => new X509Certificate(certificate).verify(new X509Certificate(one).publicKey))

/** The present one and the next; and a third where the next one was lost before it had taken the place of the present one. */
export const mostAuthorities = 4

/** On the disk, whole or not at all; the daemon takes it into use afterwards. */
export async function followAuthority(
  { trust, renew }: PkiOrder,
  ports: {
    readonly pki: string
    readonly own: ClusterNodeEntry
    readonly withAuthority: WithAuthority
    /** The others know this node by that key (PEM) from now on. */
    readonly learnKey: (publicKey: string) => Promise<unknown>
  },
): Promise<void> {
  const { pki, own, withAuthority, learnKey } = ports
  if (trust.length === 0 || trust.length > mostAuthorities)
    throw refuse('bad-order', `At most ${mostAuthorities} authorities can be trusted.`)
  const before = readIdentity(pki)
  const bundle = trust.map((one) => `${one.trim()}\n`).join('')
  writeTrust(pki, bundle)
  const [signer = ''] = trust
  const whole = readWholeKey(pki)
  // A member that is alone has the key itself.
  const alone =
    whole !== undefined && !belongsTo(whole, signer) ? await combineShares(signer, readShares(pki)) : undefined
  if (alone !== undefined) writeWholeKey(pki, alone.key)
  if (!renew) return
  try {
    const { publicKey, key } = await createKeys()
    const certificate = await withAuthority(
      async (authority) =>
        await signNodeCertificate(authority, { name: own.name, addresses: addressesOf(own), publicKey }),
    )
    await learnKey(publicKey)
    writeRemoteIdentity(pki, { authority: bundle, certificate, key })
  } catch (error) {
    writeTrust(pki, before.authority)
    throw error
  }
}
