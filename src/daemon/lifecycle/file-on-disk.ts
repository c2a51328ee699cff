/** What the files of this host say, before anything begins by them. */
import { refuse } from '../../rpc/index.ts'
import { type ClusterFile, type ClusterNodeEntry, parseClusterFile } from '../node-list/cluster-file.ts'
import { missingAddress } from '../node-list/node-links.ts'

/** A node that nobody can hear would be taken for lost. */
export function refuseWithoutAddress(own: ClusterNodeEntry): void {
  const missing = missingAddress(own)
  if (missing !== undefined) throw refuse('no-address', `This host does not have its address ${missing} yet.`)
}

/** People may write in it, and a power cut may have torn it. */
export function fileOnDisk(text: string, path: string): ClusterFile {
  const parsed = parseClusterFile(text)
  if (parsed.ok) return parsed.value
  const remedy = 'Fix it, or copy the file from another node, which has the same content.'
  throw refuse('bad-cluster-file', ...parsed.reports.map(({ message }) => `${path}: ${message}. ${remedy}`))
}
