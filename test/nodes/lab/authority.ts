/** The authority of a lab's cluster, with its key: from the disk of one that founds it, or from the shares on the disks of all. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { combineShares, readShares } from '../../../src/daemon/pki/authority-shares.ts'
import type { KeyPair } from '../../../src/rpc/index.ts'
import type { Lab } from './lab.ts'

export async function authorityOf(lab: Lab, member: string): Promise<KeyPair> {
  const folders = lab.nodes.map((node) => join(lab.folder, 'nodes', node, 'etc/pki'))
  const certificate = readFileSync(join(lab.folder, 'nodes', member, 'etc/pki/authority.crt'), 'utf8')
  const whole = folders.map((folder) => join(folder, 'authority.key')).find(existsSync)
  if (whole !== undefined) return { certificate, key: readFileSync(whole, 'utf8') }
  const found = await combineShares(certificate, folders.flatMap(readShares))
  if (found === undefined) throw new Error('The shares on the disks are too few.')
  return found
}
