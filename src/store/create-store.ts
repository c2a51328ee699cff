/** Which store a daemon uses is a line in its configuration; this turns it into one. */
import { readFileSync, statSync } from 'node:fs'
import { assertNever } from '../base/index.ts'
import { EmbeddedStore } from './embedded/embedded-store.ts'
import type { EndpointAddress, TlsFiles } from './etcd/endpoint.ts'
import { EtcdStore } from './etcd/etcd-store.ts'
import { messageOf, StoreUnavailableError } from './port/errors.ts'
import type { Store } from './port/store.ts'
import { connectStore } from './socket/connect.ts'

export type StoreConfig =
  /** This process holds the files; nobody else may. */
  | { readonly kind: 'embedded'; readonly directory: string }
  /** Another process of this machine holds them and listens on a Unix socket. */
  | { readonly kind: 'socket'; readonly path: string }
  /** Members on the cluster's nodes, or an etcd of somebody else. */
  | {
      readonly kind: 'etcd'
      /** `host:port`, this node's own member first. */
      readonly endpoints: readonly EndpointAddress[]
      /** Paths of PEM files. */
      readonly tls?: TlsPaths
      readonly timeoutMs?: number
    }

/** Certificate and key where etcd asks for them; without an authority those that Node.js knows are believed. */
export interface TlsPaths {
  readonly ca?: string
  readonly certificate?: string
  readonly key?: string
}

export function createStore(config: StoreConfig): Store {
  switch (config.kind) {
    case 'embedded':
      return new EmbeddedStore({ directory: config.directory })
    case 'socket':
      return connectStore({ path: config.path })
    case 'etcd':
      return new EtcdStore({
        endpoints: config.endpoints,
        ...(config.tls === undefined ? {} : { tls: readTlsFiles(config.tls) }),
        ...(config.timeoutMs === undefined ? {} : { timeoutMs: config.timeoutMs }),
      })
    default:
      return assertNever(config)
  }
}

export function readTlsFiles(paths: TlsPaths): TlsFiles {
  let last = readAll(paths)
  let state = stateOf(paths)
  const now = (): TlsFiles => {
    const found = stateOf(paths)
    if (found !== state) last = readAll(paths)
    state = found
    return last
  }
  return { ...last, now }
}

function readAll({ ca, certificate, key }: TlsPaths): TlsFiles {
  return {
    ...(ca === undefined ? {} : { ca: read(ca) }),
    ...(certificate === undefined ? {} : { certificate: read(certificate) }),
    ...(key === undefined ? {} : { key: read(key) }),
  }
}

/** Changes with any of the files. */
function stateOf(paths: TlsPaths): string {
  return [paths.ca, paths.certificate, paths.key]
    .map((path) => {
      const found = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
      return found === undefined ? '' : `${found.ino} ${found.size} ${found.mtimeMs}`
    })
    .join()
}

function read(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new StoreUnavailableError(`The store's TLS file ${path} cannot be read: ${messageOf(cause)}.`, cause)
  }
}
