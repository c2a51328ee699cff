/** The command that sets up a cluster of the nodes, links and token that a corosync.conf has. */
import type { CorosyncFacts } from './corosync-conf.ts'

/** Typed on `self`, where that is one of them: the first node is the host on which it is typed. Undefined where the file has no nodes. */
export function setupLine({ clusterName, nodes, tokenMs }: CorosyncFacts, self: string): string | undefined {
  if (nodes.length === 0) return undefined
  const ordered = [...nodes.filter(({ name }) => name === self), ...nodes.filter(({ name }) => name !== self)]
  const words = ordered.flatMap(({ name, links }) => [name, ...links.map(({ address }) => `addr=${address}`)])
  const totem = tokenMs === undefined ? [] : ['totem', `token=${tokenMs}`]
  return ['systole cluster setup', clusterName ?? '<name>', ...words, ...totem].join(' ')
}
