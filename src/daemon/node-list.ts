/**
 * Nodes that come and go: the list in cluster.json, the same on every node, and the `nodes` section of the configuration. A
 * node that is added after the cluster was founded is a client of the store; the founders vote.
 */
import type { NodeName } from '../base/index.ts'
import { childElement, element, printXml, type XmlElement } from '../cib/index.ts'
import { refuse } from '../rpc/index.ts'
import { type ClusterFile, defaultPorts, printClusterFile } from './cluster-file.ts'
import { saveConfiguration } from './configuration-edit.ts'
import type { Daemon } from './daemon.ts'

const attempts = 5

export async function addNode(
  daemon: Daemon,
  added: { readonly name: NodeName; readonly address: string },
): Promise<void> {
  const { file } = daemon.node
  if (file.nodes.some(({ name }) => name === added.name))
    throw refuse('node-exists', `The cluster has a node '${added.name}' already.`)
  if (file.store.kind === 'embedded')
    throw refuse('store-too-small', 'The embedded store is for one node: the cluster must move to etcd first.')
  const id = String(Math.max(...file.nodes.map((node) => Number(node.id) || 0)) + 1)
  const node = { ...added, id, ports: defaultPorts, votes: false }
  await changeNodes(daemon, `cluster node add ${added.name}`, (nodes) => [
    ...nodes,
    element('node', { id, uname: added.name }),
  ])
  await spread(daemon, { ...file, nodes: [...file.nodes, node] }, added.name)
}

export async function removeNode(daemon: Daemon, removed: NodeName): Promise<void> {
  const { file, view } = daemon.node
  if (removed === daemon.name)
    throw refuse(
      'own-node',
      'A node cannot remove itself: run this on another node, or `systole cluster destroy` here.',
    )
  const entry = file.nodes.find(({ name }) => name === removed)
  if (entry?.votes && file.store.kind === 'etcd')
    throw refuse(
      'node-votes',
      `${removed} votes in the store, and this version cannot take a vote away: only nodes that were added later can be removed.`,
    )
  if (view.members.has(removed)) await daemon.peer(removed).stopCluster({ force: false }, { timeoutMs: 30 * 60_000 })
  await changeNodes(daemon, `cluster node remove ${removed}`, (nodes) =>
    nodes.filter(({ attributes }) => attributes.uname !== removed),
  )
  await daemon
    .peer(removed)
    .forget({})
    .catch((error: unknown) => daemon.log.warn('the removed node could not be told', { removed, error }))
  await spread(daemon, { ...file, nodes: file.nodes.filter(({ name }) => name !== removed) })
}

/** Nodes that are down get the list when they start and ask for it; those that are up get it now. */
async function spread(daemon: Daemon, file: ClusterFile, except?: NodeName): Promise<void> {
  await daemon.replaceFile(file)
  const json = printClusterFile(file)
  const others = file.nodes.filter(({ name }) => name !== daemon.name && name !== except)
  await Promise.all(
    others.map(async ({ name }) => {
      await daemon
        .peer(name)
        .updateClusterFile({ json })
        .catch((error: unknown) => daemon.log.warn('a node did not get the new list of nodes', { node: name, error }))
    }),
  )
}

async function changeNodes(
  daemon: Daemon,
  command: string,
  change: (nodes: readonly XmlElement[]) => readonly XmlElement[],
): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { configuration } = daemon.node.view
    if (!configuration) throw refuse('no-configuration', 'The configuration is not known yet.')
    const xml = printXml(withNodes(configuration.cib, change))
    const pushed = { xml, expectedVersion: configuration.version, user: 'root', command }
    if ((await saveConfiguration(daemon.node, pushed)).kind === 'saved') return
  }
  throw refuse('conflict', 'The configuration was changed by somebody else several times in a row: try again.')
}

function withNodes(cib: XmlElement, change: (nodes: readonly XmlElement[]) => readonly XmlElement[]): XmlElement {
  const edit = (parent: XmlElement, name: string, inner: (child: XmlElement) => XmlElement): XmlElement => ({
    ...parent,
    children: parent.children.map((child) => (child.kind === 'element' && child.name === name ? inner(child) : child)),
  })
  return edit(cib, 'configuration', (configuration) => {
    const nodes = childElement(configuration, 'nodes')
    if (!nodes) return configuration
    return edit(configuration, 'nodes', (section) => ({
      ...section,
      children: change(section.children.filter((child) => child.kind === 'element')),
    }))
  })
}
