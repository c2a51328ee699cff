/**
 * The keys by which the list of nodes knows each node: written when it joins and before it renews its certificate, by whoever signs. A node of a
 * cluster that an older build has set up records its own when it takes part; it drops those that it has no more.
 */
import { X509Certificate } from 'node:crypto'
import type { NodeName } from '../../base/index.ts'
import { keyOf, serialOf } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { type ClusterFile, printClusterFile } from '../node-list/cluster-file.ts'
import { addKey, type KnownAs, keepOnlyKey, refuseUnlessAwaited, withKey } from '../node-list/node-list.ts'

export interface LearnPorts {
  readonly self: string
  readonly log: Log
  /** Where this node has quorum. */
  readonly store: Store | undefined
  readonly tell: (node: NodeName, json: string) => Promise<unknown>
}

/** In the store where there is one. `joins`: it has no key yet. Between `cluster setup` and `cluster start` each node that can be reached learns it at once, and the others from the store. */
export async function learnKey(
  { self, log, store, tell }: LearnPorts,
  file: ClusterFile,
  { host, key, joins }: { readonly host: string; readonly key: string; readonly joins: boolean },
): Promise<ClusterFile> {
  const check = (newest: ClusterFile): void => {
    if (joins) refuseUnlessAwaited(newest, host, key)
  }
  if (store === undefined) check(file)
  const changed =
    store === undefined
      ? withKey(file, host, { key })
      : await addKey(store, file, { name: host, known: { key }, check })
  const json = printClusterFile(changed)
  for (const { name } of changed.nodes.filter((node) => node.name !== self && node.name !== host))
    tell(name, json).catch((error: unknown) =>
      log.info('a node did not receive a key', { node: name, of: host, error }),
    )
  return changed
}

export interface OwnKeyPorts {
  readonly self: NodeName
  readonly known: KnownAs
  readonly log: Log
  readonly store: () => Store
  readonly file: () => ClusterFile
  readonly quorate: () => boolean
}

/** That the store's list knows this node by the key that it has: by no other, once its daemon has begun with it. */
export class OwnKey {
  readonly #ports: OwnKeyPorts
  #known: KnownAs
  #isOnly = false
  #working = false
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: OwnKeyPorts) {
    this.#ports = ports
    this.#known = ports.known
  }

  /** Nothing shows the one before any more. */
  use(known: KnownAs): void {
    this.#known = known
    this.#isOnly = false
    this.look()
  }

  /** When this node gets quorum, and after the list of nodes has changed: an older build leaves the keys out when it changes it. */
  look(): void {
    const { self, file, quorate, log } = this.#ports
    const known = this.#known
    clearTimeout(this.#retry)
    if (this.#working || this.#closed || !quorate()) return
    const entry = file().nodes.find(({ name }) => name === self)
    if (entry === undefined || (this.#isOnly && entry.keys?.includes(known.key))) return
    this.#working = true
    this.#record()
      .catch((error: unknown) => {
        log.warn('the list of nodes does not have the key of this node yet', { error })
        if (!this.#closed) this.#retry = setTimeout(() => this.look(), retryMs)
      })
      .finally(() => {
        this.#working = false
        if (known !== this.#known) this.look()
      })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  async #record(): Promise<void> {
    const { self, store, file } = this.#ports
    const known = this.#known
    if (this.#isOnly) await addKey(store(), file(), { name: self, known })
    else await keepOnlyKey(store(), file(), self, known)
    if (known === this.#known) this.#isOnly = true
  }
}

const retryMs = 1000

/** A certificate of an older build has a serial number of its own. */
export function knownBy(certificate: string): KnownAs {
  const key = keyOf(certificate)
  const serial = new X509Certificate(certificate).serialNumber.toLowerCase()
  return serial === serialOf(key) ? { key } : { key, serials: [serial] }
}
