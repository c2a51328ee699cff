/** The cluster's file as others bring it: checked, or refused with what is wrong with it. */
import { refuse } from '../../rpc/index.ts'
import { type ClusterFile, parseClusterFile } from './cluster-file.ts'

/** Of a thousand nodes with all their keys. Nodes are compared with each other: a hundred thousand would hold the main thread for a minute. */
const longest = 1024 * 1024

/** One that a daemon of this cluster has written, in the store or in a call. Where that is a newer one, it may know more. */
export function acceptClusterFile(text: string): ClusterFile {
  if (text.length > longest)
    throw refuse('bad-cluster-file', `A node list of ${text.length} characters is too long. The limit is ${longest}.`)
  return accepted(parseClusterFile(text, 'ignored'))
}

/** One on this host's disk, in which people may write, or that of a cluster which this host joins: all of it must be known here. */
export const acceptWholeFile = (text: string): ClusterFile => accepted(parseClusterFile(text, 'refused'))

function accepted(parsed: ReturnType<typeof parseClusterFile>): ClusterFile {
  if (!parsed.ok) throw refuse('bad-cluster-file', ...parsed.reports.map(({ message }) => `cluster.json: ${message}.`))
  return parsed.value
}
