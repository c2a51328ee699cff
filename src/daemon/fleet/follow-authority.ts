/**
 * Another cluster replaces its authority (`pki rotate` over there). While it does, its nodes believe both, and say so over connections that the one before
 * has signed: the SHA-256 of the next one is written down then, and is believed once a node shows a certificate of it. A certificate that was named itself, and no
 * authority, is not followed: nobody signs for what comes after it.
 */
import { X509Certificate } from 'node:crypto'
import { anchorIn } from './ask-cluster.ts'
import type { Asks } from './asker.ts'
import type { Anchor, FleetTarget } from './told.ts'

interface Followed extends FleetTarget {
  readonly next?: readonly string[]
}

/** What is to be written down of it; undefined where that stands there already. */
export function announced(
  { anchor, next = [] }: Followed,
  authorities: readonly string[],
): readonly string[] | undefined {
  if (anchor.kind !== 'authority') return undefined
  const own = new X509Certificate(anchor.certificate).fingerprint256
  // One of an older version says nothing, and one that was never asked by this authority says nothing of it.
  if (!authorities.includes(own)) return undefined
  const others = authorities.filter((one) => one !== own)
  return others.join() === next.join() ? undefined : others
}

/** What to believe from now on, where a node shows an authority that was announced. */
export async function followed(
  { addresses, next = [] }: Followed,
  asks: Pick<Asks, 'certificates'>,
): Promise<Anchor | undefined> {
  if (next.length === 0) return undefined
  for (const address of addresses) {
    const chain = await asks.certificates(address).catch(() => [])
    const anchors = next.flatMap((fingerprint) => anchorIn(chain, fingerprint) ?? [])
    const found = anchors.find(({ kind }) => kind === 'authority')
    if (found !== undefined) return found
  }
  return undefined
}
