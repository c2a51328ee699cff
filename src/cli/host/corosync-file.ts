/**
 * A cluster as a corosync.conf (corosync.conf(5)), for scripts and tools that read one. Nothing of Systole reads it: the list of
 * nodes is in the store.
 */
interface FileNode {
  readonly name: string
  readonly links: readonly { readonly number: number; readonly address: string }[]
  readonly votes: boolean
}

export function corosyncFile(cluster: {
  readonly name: string
  readonly nodes: readonly FileNode[]
  /** The host of the witness, which is a quorum device there. */
  readonly witness?: string
  /** Milliseconds; Systole's default where it is left out. */
  readonly tokenMs?: number
}): string {
  const { name, nodes, witness, tokenMs } = cluster
  const totem = [
    'version: 2',
    `cluster_name: ${name}`,
    'transport: knet',
    ...(tokenMs === undefined ? [] : [`token: ${tokenMs}`]),
  ]
  const entries = nodes.map(({ name: node, links, votes }, index) =>
    section('node', [
      ...links.map(({ number, address }) => `ring${number}_addr: ${address}`),
      `name: ${node}`,
      `nodeid: ${index + 1}`,
      ...(votes ? [] : ['quorum_votes: 0']),
    ]),
  )
  const net = section('net', [`algorithm: ffsplit`, `host: ${witness}`])
  const tieBreaker = witness === undefined ? [] : [section('device', ['model: net', 'votes: 1', net])]
  const twoNode = nodes.length === 2 && witness === undefined ? ['two_node: 1'] : []
  const quorum = ['provider: corosync_votequorum', ...twoNode, ...tieBreaker]
  return [section('totem', totem), section('nodelist', entries), section('quorum', quorum)]
    .map((text) => `${text}\n`)
    .join('\n')
}

function section(title: string, contents: readonly string[]): string {
  return `${title} {\n${contents.join('\n').replace(/^(?=.)/gm, '    ')}\n}`
}
