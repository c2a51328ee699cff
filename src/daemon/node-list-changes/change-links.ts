/**
 * `cluster link add`, `update`, `delete`: one change of the list of nodes, which every node follows by itself (pulse/links.ts,
 * relink.ts). All that may forbid it is looked at before, on each node; afterwards it is waited for.
 */
import { type NodeName, nodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { LinkAnswer, LinkRequest } from '../../rpc/index.ts'
import { refuse } from '../../rpc/index.ts'
import { EtcdAdmin, type EtcdMemberEntry, readTlsFiles, sameUrls } from '../../store/index.ts'
import { plainAddress } from '../host/plain-address.ts'
import { linkObstacles } from '../joining/link-fitness.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { type ClusterFile, type ClusterNodeEntry, storeHosts } from '../node-list/cluster-file.ts'
import { addressOn, highestPriority, linksOf, mostLinks, withLinks } from '../node-list/node-links.ts'
import { changeNodeList, ofNodes } from '../node-list/node-list.ts'
import { clientTls, etcdPeerUrls, voterEndpoints } from '../store/store-config.ts'
import { quorateNode, tellIdleNodes, until } from './add-remove-node.ts'

const settleMs = 60_000
const answerWithinMs = 5000

type Addresses = ReadonlyMap<NodeName, string>

export async function addLink(daemon: Daemon, asked: LinkRequest): Promise<LinkAnswer> {
  const { file } = await quorateNode(daemon)
  const addresses = new Map(asked.nodes.map(({ name, address }) => [nodeName(name), plainAddress(address)]))
  const taken = linkNumbers(file)
  const free = Array.from({ length: mostLinks }, (_, number) => number).find((number) => !taken.includes(number))
  const number = asked.number ?? free
  refuseAll('bad-link', [
    ...numberMistakes(number, taken),
    ...priorityMistakes(asked.priority),
    ...addressMistakes(file, addresses),
    ...file.nodes
      .filter(({ name }) => !addresses.has(name))
      .map(
        ({ name }) => `The address of ${name} is missing. A link has an address for every node (${name}=<address>).`,
      ),
  ])
  if (number === undefined)
    throw refuse('bad-link', `A cluster can have at most ${mostLinks} links, and this cluster already has them.`)
  await refuseUnready(daemon, addresses)
  const { priority } = asked
  const link = (address: string) => ({ number, address, ...(priority === undefined ? {} : { priority }) })
  return await changed(daemon, number, (node) => {
    const address = addresses.get(node.name)
    return address === undefined ? node : withLinks(node, [...linksOf(node), link(address)])
  })
}

export async function updateLink(daemon: Daemon, asked: LinkRequest): Promise<LinkAnswer> {
  const { file } = await quorateNode(daemon)
  const { number = -1, priority } = asked
  const addresses = new Map(asked.nodes.map(({ name, address }) => [nodeName(name), plainAddress(address)]))
  refuseAll('bad-link', [
    ...unknownMistakes(file, [number]),
    ...priorityMistakes(priority),
    ...addressMistakes(file, addresses, number),
  ])
  if (addresses.size > 0 && linkNumbers(file).length === 1)
    throw refuse(
      'only-link',
      `Link ${number} is the only link, which the nodes need to agree on the change. Add a link with the new addresses, then delete this one.`,
    )
  await refuseUnready(daemon, addresses, number)
  if (addresses.size > 0)
    refuseUnreached(
      daemon,
      linkNumbers(file).filter((other) => other !== number),
    )
  return await changed(daemon, number, (node) =>
    withLinks(
      node,
      linksOf(node).map((link) =>
        link.number === number
          ? {
              ...link,
              address: addresses.get(node.name) ?? link.address,
              ...(priority === undefined ? {} : { priority }),
            }
          : link,
      ),
    ),
  )
}

export async function removeLinks(daemon: Daemon, numbers: readonly number[]): Promise<LinkAnswer> {
  const { file } = await quorateNode(daemon)
  refuseAll('no-such-link', unknownMistakes(file, numbers))
  const kept = linkNumbers(file).filter((number) => !numbers.includes(number))
  if (kept.length === 0)
    throw refuse('last-link', 'The nodes would have no link left. Add another one first (`systole cluster link add`).')
  await refuseUnready(daemon, new Map())
  refuseUnreached(daemon, kept)
  return await changed(daemon, numbers[0] ?? 0, (node) =>
    withLinks(
      node,
      linksOf(node).filter(({ number }) => !numbers.includes(number)),
    ),
  )
}

/** By the links that stay as they are, or the nodes would lose each other. */
function refuseUnreached(daemon: Daemon, kept: readonly number[]): void {
  const lost = daemon.node.file.nodes.filter(({ name }) => !isReachedOn(daemon, name, kept)).map(({ name }) => name)
  if (lost.length === 0) return
  throw refuse(
    'link-needed',
    `${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} unreachable on any other link. Bring one up first (\`systole cluster status\`).`,
  )
}

function isReachedOn(daemon: Daemon, node: NodeName, links: readonly number[]): boolean {
  if (node === daemon.name) return true
  const member = daemon.state().members.find((one) => one.node === node)
  return member?.links.some(({ number, state }) => state === 'up' && links.includes(number)) ?? false
}

/** Of all nodes: one that comes to know a link later than the others does so from the same list. */
const linkNumbers = ({ nodes }: ClusterFile): readonly number[] => [
  ...new Set(nodes.flatMap((node) => linksOf(node).map(({ number }) => number))),
]

function refuseAll(code: string, sentences: readonly string[]): void {
  if (sentences.length > 0) throw refuse(code, ...sentences)
}

function numberMistakes(number: number | undefined, taken: readonly number[]): readonly string[] {
  if (number === undefined) return []
  if (!Number.isInteger(number) || number < 0 || number >= mostLinks)
    return [`linknumber=${number} is not a link number. Link numbers are 0 to ${mostLinks - 1}.`]
  return taken.includes(number)
    ? [`Link ${number} already exists. Change it with \`systole cluster link update\`.`]
    : []
}

function unknownMistakes(file: ClusterFile, numbers: readonly number[]): readonly string[] {
  const known = linkNumbers(file)
  return numbers
    .filter((number) => !known.includes(number))
    .map((number) => `There is no link ${number}. The links are ${known.map((one) => `link ${one}`).join(', ')}.`)
}

function priorityMistakes(priority: number | undefined): readonly string[] {
  if (priority === undefined || (Number.isInteger(priority) && priority >= 0 && priority <= highestPriority)) return []
  return [`link_priority=${priority} is not valid. Specify a whole number from 0 to ${highestPriority}.`]
}

/** `changing`: the link whose own addresses may be named again. */
function addressMistakes(file: ClusterFile, addresses: Addresses, changing?: number): readonly string[] {
  const names = storeHosts(file).map(({ name }) => name)
  const unknown = [...addresses.keys()].filter((name) => !file.nodes.some((node) => node.name === name))
  const inUse = [...addresses].flatMap(([node, address]) => {
    const owner = storeHosts(file).find((host) =>
      linksOf(host).some((link) => link.address === address && !(host.name === node && link.number === changing)),
    )
    return owner === undefined ? [] : [`The address ${address} already belongs to ${owner.name}.`]
  })
  const twice = [...addresses.values()].filter((address, index, all) => all.indexOf(address) < index)
  return [
    ...unknown.map((name) => `There is no node '${name}' in the cluster (it has ${names.join(', ')}).`),
    ...twice.map((address) => `The address ${address} is given to two nodes.`),
    ...inUse,
  ]
}

/** Every node must be there to follow, and must be able to. */
async function refuseUnready(daemon: Daemon, addresses: Addresses, link?: number): Promise<void> {
  const { file, view, isUp, witnessKnows } = daemon.node
  refuseAll('not-upgraded', nodesWithoutLinks(file, view.members))
  if (file.witness && !witnessKnows.knowsLinks)
    throw refuse(
      'not-upgraded',
      `The witness ${file.witness.name} is unreachable, or its version of Systole does not support several links. Start or upgrade it first.`,
    )
  const away = file.nodes.filter(({ name }) => !isUp(name)).map(({ name }) => name)
  if (away.length > 0)
    throw refuse('node-away', `${away.join(', ')} cannot apply the change now. Start the cluster there first.`)
  const behind = await notMoved(daemon, file)
  if (behind.length > 0)
    throw refuse('change-pending', ...behind, 'The previous change of links is not complete. Try again later.')
  const asked = await Promise.all(
    file.nodes.map(async ({ name }) => {
      const address = addresses.get(name)
      const wanted = address === undefined ? [] : [address]
      const towards = file.nodes
        .filter((other) => other.name !== name)
        .map((other) => addresses.get(other.name) ?? (link === undefined ? undefined : addressOn(other, link)))
        .find((known) => known !== undefined)
      const question = { addresses: wanted, ...(towards === undefined ? {} : { towards }) }
      if (name === daemon.name) return await linkObstacles(name, wanted, towards)
      return (await daemon.peer(name).checkLinks(question, { timeoutMs: answerWithinMs })).sentences
    }),
  )
  refuseAll('not-possible', asked.flat())
}

/** A sentence for each node whose daemon would lose the links when it writes the list. */
export function nodesWithoutLinks(
  { nodes }: Pick<ClusterFile, 'nodes'>,
  members: ClusterView['members'],
): readonly string[] {
  return nodes.flatMap(({ name }) => {
    const record = members.get(name)
    if (record?.knowsLinks === true) return []
    return record === undefined
      ? [`${name} is offline, and its version of Systole may support only one link. Start it first.`]
      : [
          `The version of Systole on ${name} (${record.daemonVersion || 'unknown'}) supports only one link. Upgrade it first.`,
        ]
  })
}

async function changed(
  daemon: Daemon,
  number: number,
  change: (node: ClusterNodeEntry) => ClusterNodeEntry,
): Promise<LinkAnswer> {
  const { store, file } = await quorateNode(daemon)
  const listed = await changeNodeList(
    store,
    file,
    ofNodes((nodes) => nodes.map(change)),
  )
  tellIdleNodes(daemon, listed)
  await until(
    () => daemon.node.file.nodesVersion >= listed.nodesVersion && unheard(daemon, listed).length === 0,
    settleMs,
  )
  await untilMoved(daemon, listed)
  return { number, pending: [...unheard(daemon, listed), ...(await notMoved(daemon, listed))] }
}

function unheard(daemon: Daemon, { nodes }: ClusterFile): readonly string[] {
  const { members } = daemon.state()
  return nodes.flatMap((node) => {
    if (node.name === daemon.name) return []
    const links = members.find((member) => member.node === node.name)?.links ?? []
    const missing = linksOf(node).filter(
      ({ number, address }) =>
        !links.some((link) => link.number === number && link.address === address && link.state === 'up'),
    )
    return missing.map(({ number }) => `${node.name} is not reachable on link ${number} yet.`)
  })
}

async function untilMoved(daemon: Daemon, listed: ClusterFile): Promise<void> {
  const end = performance.now() + settleMs
  while ((await notMoved(daemon, listed)).length > 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 500))
}

/** By what etcd itself knows of its members. */
async function notMoved(daemon: Daemon, listed: ClusterFile): Promise<readonly string[]> {
  if (listed.store.kind !== 'etcd') return []
  const { paths } = daemon
  const admin = new EtcdAdmin({
    endpoints: voterEndpoints(listed, nodeName(daemon.name)),
    tls: readTlsFiles(clientTls(paths)),
  })
  try {
    return membersBehind(listed, await admin.members(answerWithinMs))
  } catch {
    return ['The store does not answer yet.']
  } finally {
    admin.close()
  }
}

/** A sentence for each voter whose member of the store etcd knows by other addresses than the list. */
export function membersBehind(
  { nodes }: Pick<ClusterFile, 'nodes'>,
  members: readonly Pick<EtcdMemberEntry, 'name' | 'peerURLs'>[],
): readonly string[] {
  return nodes
    .filter(({ votes }) => votes)
    .filter(
      (node) => !members.some(({ name, peerURLs }) => name === node.name && sameUrls(peerURLs, etcdPeerUrls(node))),
    )
    .map(({ name }) => `The store’s member on ${name} does not have its new addresses yet.`)
}
