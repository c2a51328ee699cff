/** How hosts join by this node: its join tokens, who may have some made, and the enrolment of whoever shows one. */
import { nodeName } from '../../base/index.ts'
import type { Store } from '../../store/index.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { ApiTokens } from '../console/api-tokens.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { JoinTokenIssuer } from '../joining/issue-join-tokens.ts'
import { JoinTokens } from '../joining/join-tokens.ts'
import { enrolHandler } from '../joining/let-in.ts'
import type { ClusterNode } from '../node/cluster-node.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import type { Authority } from '../pki/authority.ts'
import type { OwnCertificate } from './own-certificate.ts'

export interface OwnJoiningPorts {
  readonly paths: Paths
  readonly log: Log
  readonly name: () => string
  readonly node: () => ClusterNode | undefined
  /** Where this node has quorum. */
  readonly store: () => Store | undefined
  /** A second member has joined: until then this host has the whole key of the authority. */
  readonly hasShared: () => boolean
  readonly authority: Authority
  readonly certificate: OwnCertificate
  readonly access: AccessControl
  readonly apiTokens: ApiTokens
}

export class OwnJoining {
  readonly tokens: JoinTokens
  readonly issuer: JoinTokenIssuer
  readonly #ports: OwnJoiningPorts

  constructor(ports: OwnJoiningPorts) {
    this.#ports = ports
    const { paths, log, name, node, store, hasShared, authority, access, apiTokens } = ports
    this.tokens = new JoinTokens({
      file: paths.joinTokens,
      self: name,
      log,
      store,
      mayBeInStore: () => node() !== undefined || hasShared(),
    })
    this.issuer = new JoinTokenIssuer({ pki: paths.pki, tokens: this.tokens, authority, access, apiTokens, node })
  }

  /** For the port on which hosts join. */
  enrolment(own: ClusterNodeEntry, file: () => ClusterFile): ReturnType<typeof enrolHandler> {
    const { log, node, authority, certificate } = this.#ports
    return enrolHandler({
      log,
      tokens: this.tokens,
      file,
      wasSeen: (name) => name === own.name || node()?.wasSeen(nodeName(name)) === true,
      isRotating: () => node()?.authority.record?.rotation !== undefined,
      isRemoteNode: (name) => node()?.hasRemote(name) ?? false,
      withAuthority: authority.with,
      withKeyOf: async (host, publicKey) => await certificate.learnKey(file(), { host, publicKey, joins: true }),
    })
  }
}
