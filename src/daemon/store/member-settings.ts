/** What this node's etcd member is started with, by the list of nodes. */
import { join } from 'node:path'
import { tlsName } from '../../rpc/index.ts'
import type { MemberSettings } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { type ClusterFile, storeHosts, type WitnessEntry } from '../node-list/cluster-file.ts'
import { addressesOf, presentAddresses } from '../node-list/node-links.ts'
import type { WithAuthority } from '../pki/authority.ts'
import { revokedFile } from './revocations.ts'
import { etcdEndpoints, etcdPeerUrls, etcdTls } from './store-config.ts'

interface Setup {
  readonly file: ClusterFile
  /** A node, or the witness. */
  readonly own: WitnessEntry
  readonly paths: Paths
  readonly log: Log
}

export interface OwnSetup extends Setup {
  readonly withAuthority: WithAuthority
}

/** Every founder starts with the same list. Whom it can ask for repairs is read when it asks. */
export function memberSettings({ own, paths }: Setup, file: () => ClusterFile, joins = true): MemberSettings {
  const { clusterName } = file()
  const others = () => storeHosts(file()).filter(({ name, votes }) => votes && name !== own.name)
  return {
    name: own.name,
    directory: join(paths.data, 'etcd'),
    addresses: addressesOf(own),
    get listenOn() {
      return presentAddresses(own)
    },
    clientPort: own.ports.etcdClient,
    peerPort: own.ports.etcdPeer,
    // Certificates are checked by the node's name, whatever its address: TLS knows no server names that are addresses.
    serverName: tlsName(own.name),
    tls: { ...etcdTls(paths), revoked: revokedFile(paths) },
    joins,
    founders: storeHosts(file())
      .filter(({ votes }) => votes)
      .flatMap((host) => etcdPeerUrls(host).map((peerUrl) => ({ name: host.name, peerUrl }))),
    token: clusterName,
    get otherEndpoints() {
      return etcdEndpoints(others())
    },
  }
}
