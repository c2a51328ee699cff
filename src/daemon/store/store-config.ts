/** How the threads of this node reach the store, by cluster.json. */
import { join } from 'node:path'
import { assertNever, type NodeName } from '../../base/index.ts'
import { tlsName } from '../../rpc/index.ts'
import type { EndpointAddress, StoreConfig } from '../../store/index.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, type ClusterNodeEntry, storeHosts, type WitnessEntry } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import { pkiFiles, trustFile } from '../pki/identity.ts'

export function storeConfig(file: ClusterFile, own: Pick<ClusterNodeEntry, 'name'>, paths: Paths): StoreConfig {
  const { store } = file
  switch (store.kind) {
    case 'embedded':
      // The main thread holds the files, and serves them to the pulse thread.
      return { kind: 'socket', path: join(paths.run, 'store.sock') }
    case 'embedded-socket':
      return { kind: 'socket', path: store.path }
    case 'external':
      return { kind: 'etcd', endpoints: store.endpoints, ...(store.tls === undefined ? {} : { tls: store.tls }) }
    case 'etcd':
      return { kind: 'etcd', endpoints: voterEndpoints(file, own.name), tls: clientTls(paths) }
    default:
      return assertNever(store)
  }
}

/** This node's own member first, where it has one. */
export function voterEndpoints(file: ClusterFile, self: NodeName): readonly EndpointAddress[] {
  const voters = storeHosts(file).filter(({ votes }) => votes)
  const own = voters.filter(({ name }) => name === self)
  return etcdEndpoints([...own, ...voters.filter(({ name }) => name !== self)])
}

/** Each member's first address, then the others: on which link one is reached shows when it answers. */
export function etcdEndpoints(hosts: readonly WitnessEntry[]): readonly EndpointAddress[] {
  const all = hosts.flatMap((host) =>
    addressesOf(host).map((address, turn) => ({ turn, endpoint: etcdEndpoint({ ...host, address }) })),
  )
  return all.sort((a, b) => a.turn - b.turn).map(({ endpoint }) => endpoint)
}

/** By which a member is told from the others, where it has several URLs, too. */
export const etcdPeerUrl = ({ address, ports }: WitnessEntry): string =>
  `https://${bracketed(address)}:${ports.etcdPeer}`

export const etcdPeerUrls = (host: WitnessEntry): readonly string[] =>
  addressesOf(host).map((address) => etcdPeerUrl({ ...host, address }))

/** One URL of it is enough: while links change, the list and etcd know different ones. */
export function isMemberOf(host: WitnessEntry, peerURLs: readonly string[]): boolean {
  return etcdPeerUrls(host).some((url) => peerURLs.includes(url))
}

export function etcdTls(paths: Paths): { readonly ca: string; readonly certificate: string; readonly key: string } {
  const { certificate, key } = pkiFiles(paths.pki)
  return { ca: trustFile(paths.pki), certificate, key }
}

/** For clients of etcd, which read it anew: the file of the authorities keeps its name. */
export function clientTls(paths: Paths): ReturnType<typeof etcdTls> {
  const { authority, certificate, key } = pkiFiles(paths.pki)
  return { ca: authority, certificate, key }
}

export const etcdEndpoint = ({ name, address, ports }: WitnessEntry): EndpointAddress => ({
  address: `${bracketed(address)}:${ports.etcdClient}`,
  serverName: tlsName(name),
})

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address)
