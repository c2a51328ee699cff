/** A certificate of a remote node, or of a witness, with minutes left, as it is after most of a year. */
import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createKeys, signNodeCertificate } from '../../../src/rpc/index.ts'
import { authorityOf } from './authority.ts'
import type { Lab } from './lab.ts'

const yearMs = 365 * 86_400_000

/** `pki`: the remote node's folder; a member signs. The daemon reads it when it starts. `witnessAt`: it is a witness with this address. */
export async function letExpireSoon(
  lab: Lab,
  remote: { readonly name: string; readonly pki: string; readonly witnessAt?: string },
  member: string,
): Promise<void> {
  const authority = await authorityOf(lab, member)
  const { publicKey, key } = await createKeys()
  const valid = { from: new Date(Date.now() - 600_000), until: new Date(Date.now() + 200_000) }
  const { name, witnessAt } = remote
  const kind =
    witnessAt === undefined ? { addresses: [], servesOnly: true } : { addresses: [witnessAt], isWitness: true }
  const asked = { name, publicKey, valid, ...kind }
  writeFileSync(join(remote.pki, 'node.crt'), await signNodeCertificate(authority, asked))
  writeFileSync(join(remote.pki, 'node.key'), key)
}

export function holdsForMonths(pki: string): boolean {
  const { validTo } = new X509Certificate(readFileSync(join(pki, 'node.crt')))
  return Date.parse(validTo) - Date.now() > 0.8 * yearMs
}
