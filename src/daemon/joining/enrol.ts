/** How a host becomes a node: as the first of a new cluster, or let in by a node that is one already (let-in.ts). */
import { voterCount } from '../../quorum/index.ts'
import {
  createAuthority,
  createNodeCertificate,
  type JoinRequest,
  keyOf,
  parseToken,
  refuse,
  type SetupRequest,
} from '../../rpc/index.ts'
import { createStore, type Store } from '../../store/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'
import { plainAddress } from '../host/plain-address.ts'
import { acceptWholeFile } from '../node-list/accept-file.ts'
import { type ClusterFile, type ClusterNodeEntry, defaultPorts, printClusterFile } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import { alikeHosts } from '../node-list/node-names.ts'
import { findOwnNode, ownName } from '../node-list/own-name.ts'
import { writeIdentity, writeJoined, writeRemoteIdentity } from '../pki/identity.ts'
import { allKeys } from '../records/keys.ts'
import { storeConfig } from '../store/store-config.ts'
import { askToJoin } from './joining-key.ts'
import { linkObstacles } from './link-fitness.ts'

/** A place in a cluster. Nothing of it is on the disk before `keep`, so that a host may forget another cluster in between. */
export interface Place {
  readonly file: ClusterFile
  readonly keep: () => void
}

export async function setUpCluster(paths: Paths, asked: SetupRequest): Promise<Place> {
  const options = asked.options === undefined ? {} : readOptions(asked.options)
  const text = JSON.stringify({
    clusterName: asked.clusterName,
    nodes: asked.nodes.map(({ name, address, more }, index) => ({
      name,
      address: plainAddress(address),
      ...(more === undefined
        ? {}
        : { links: [address, ...more.addresses].map((one, number) => ({ number, address: plainAddress(one) })) }),
      id: String(index + 1),
      votes: index < voterCount(asked.nodes.length),
    })),
    // One node needs nobody's agreement; when it gets company, its state moves to etcd.
    store: { kind: asked.nodes.length === 1 ? 'embedded' : 'etcd' },
    ...options,
  })
  const file = acceptWholeFile(text)
  const alike = alikeHosts(file.nodes)
  if (alike.length > 0) throw refuse('names-alike', ...alike)
  const own = findOwnNode(file)
  if (!own) throw refuse('not-this-host', `None of the nodes is this host: one of them must be called '${ownName()}'.`)
  if (file.store.kind === 'embedded' && file.nodes.length > 1)
    throw refuse('store-too-small', 'The embedded store supports only one node. Omit the option to use etcd.')
  await refuseUnfitLinks(own)
  await checkStore(file, own, paths)
  const authority = await createAuthority(file.clusterName)
  const certificate = await createNodeCertificate(authority, { name: own.name, addresses: addressesOf(own) })
  // Each of the others is known from the moment it joins, and nobody is it before.
  const nodes = file.nodes.map((node) => ({ ...node, keys: node === own ? [keyOf(certificate.certificate)] : [] }))
  const known = { ...file, nodes }
  const keep = (): void => {
    writeIdentity(paths.pki, authority, certificate)
    writeWhole(paths.clusterFile, printClusterFile(known))
  }
  return { file: known, keep }
}

/** A host with one link needs nothing of its kernel, and whether it has the address shows when it listens. */
async function refuseUnfitLinks(own: ClusterNodeEntry): Promise<void> {
  if (own.links === undefined) return
  const obstacles = await linkObstacles(own.name, addressesOf(own))
  if (obstacles.length > 0) throw refuse('not-possible', ...obstacles)
}

/** An outside etcd that this host cannot use is better told now than by a daemon that waits for it. */
async function checkStore(file: ClusterFile, own: ClusterNodeEntry, paths: Paths): Promise<void> {
  if (file.store.kind !== 'external') return
  let store: Store | undefined
  try {
    store = createStore(storeConfig(file, own, paths))
    await store.list(allKeys)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw refuse('etcd-not-usable', `The etcd at ${file.store.endpoints.join(', ')} cannot be used from here. ${why}`)
  } finally {
    await store?.close()
  }
}

function readOptions(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw refuse('bad-options', 'The options of the new cluster must be a JSON object.')
}

export async function joinCluster(paths: Paths, asked: JoinRequest): Promise<Place & { readonly node: string }> {
  const token = parseToken(asked.token)
  if (!token.ok) throw refuse('bad-token', ...token.reports.map(({ message }) => message))
  const node = asked.nodeName ?? ownName()
  const { answer, ...joined } = await askToJoin(paths, parseHost(asked.address), token.value, { node })
  const file = acceptWholeFile(answer.clusterFile)
  const own = findOwnNode(file)
  if (!own) throw refuse('not-this-host', `The daemon of this host does not call itself '${node}'.`)
  await refuseUnfitLinks(own)
  await checkStore(file, own, paths)
  const keep = (): void => {
    writeJoined(paths.pki, answer.authority, { certificate: answer.certificate, key: joined.key })
    writeWhole(paths.clusterFile, printClusterFile(file))
    joined.keep()
  }
  return { file, node, keep }
}

/** Answers with the cluster's name. What a member of a cluster has is not overwritten. */
export async function joinAsRemote(
  paths: Paths,
  asked: { readonly address: string; readonly token: string; readonly node: string },
): Promise<string> {
  if (readIfThere(paths.clusterFile) !== undefined)
    throw refuse('is-member', 'This host is already a node of a cluster. Run `systole cluster destroy` first.')
  if (readIfThere(paths.witnessFile) !== undefined)
    throw refuse('is-witness', 'This host is the witness of a cluster. Run `systole qdevice destroy net` first.')
  const token = parseToken(asked.token)
  if (!token.ok) throw refuse('bad-token', ...token.reports.map(({ message }) => message))
  const { node } = asked
  const { answer, key, keep } = await askToJoin(paths, parseHost(asked.address), token.value, { node, remote: true })
  const { authority, certificate, clusterFile } = answer
  writeRemoteIdentity(paths.pki, { authority: authority.certificate, certificate, key })
  keep()
  return acceptWholeFile(clusterFile).clusterName
}

/** The list of nodes, with the name that the cluster has for this host. */
export async function joinAsWitness(
  paths: Paths,
  asked: { readonly address: string; readonly token: string },
): Promise<Place> {
  const token = parseToken(asked.token)
  if (!token.ok) throw refuse('bad-token', ...token.reports.map(({ message }) => message))
  const own = { node: ownName(), witness: true }
  const { answer, ...joined } = await askToJoin(paths, parseHost(asked.address), token.value, own)
  const { authority, certificate } = answer
  const file = acceptWholeFile(answer.clusterFile)
  const keep = (): void => {
    writeRemoteIdentity(paths.pki, { authority: authority.certificate, certificate, key: joined.key })
    writeWhole(paths.witnessFile, printClusterFile(file))
    joined.keep()
  }
  return { file, keep }
}

/** `10.0.0.1`, `10.0.0.1:7704`, `n1.example`, `[fd00::1]:7704`, `fd00::1`. */
function parseHost(text: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text)
  const host = match?.[1] ?? match?.[2] ?? text
  return { host, port: Number(match?.[3] ?? defaultPorts.enrolment) }
}
