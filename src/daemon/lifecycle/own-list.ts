/** The list of nodes as this host has it, and its own place there: newer ones are taken, from the store or from another node. */
import type { NodeName } from '../../base/index.ts'
import { writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import { type ClusterFile, type ClusterNodeEntry, printClusterFile } from '../node-list/cluster-file.ts'
import { newerFile, withListOf } from '../node-list/node-list.ts'
import { findOwnNode, ownName } from '../node-list/own-name.ts'

export interface OwnListPorts {
  readonly path: string
  readonly log: Log
  readonly onChanged: (changed: {
    readonly file: ClusterFile
    readonly before: ClusterFile
    readonly own: ClusterNodeEntry
  }) => void
  /** A newer list is without this node. The store's is true; another node's word is a reason to look there. */
  readonly onAbsent: (from: 'node' | 'store') => void
}

export class OwnList {
  readonly #ports: OwnListPorts
  #file: ClusterFile | undefined
  /** Once known it stays, also where this host has lost the address that it is named by. */
  #ownNode: NodeName | undefined

  constructor(ports: OwnListPorts) {
    this.#ports = ports
  }

  get file(): ClusterFile | undefined {
    return this.#file
  }

  /** The node's name; for a host without a cluster, what it would be. */
  get name(): string {
    return this.#ownNode ?? ownName()
  }

  get own(): ClusterNodeEntry | undefined {
    return this.#file && this.#ownIn(this.#file)
  }

  get others(): readonly NodeName[] {
    return (this.#file?.nodes ?? []).flatMap(({ name }) => (name === this.name ? [] : [name]))
  }

  /** Answers with its own place, where the list has one. */
  use(file: ClusterFile): ClusterNodeEntry | undefined {
    this.#file = file
    const own = this.#ownIn(file)
    this.#ownNode = own?.name ?? this.#ownNode
    return own
  }

  forget(): void {
    this.#file = undefined
    this.#ownNode = undefined
  }

  take(listed: ClusterFile, from: 'node' | 'store'): void {
    const { path, log, onChanged, onAbsent } = this.#ports
    const before = this.#file
    const file = before && newerFile(before, listed)
    if (!before || !file) return
    const own = this.#ownIn(file)
    if (!own) {
      onAbsent(from)
      return
    }
    log.info('the list of nodes has changed', { version: file.nodesVersion })
    writeWhole(path, printClusterFile(file))
    this.#file = file
    onChanged({ file, before, own })
  }

  /** For the daemon that begins next: this one's own list and log are of no use any more. Answers whether there is one. */
  replaceBy(listed: ClusterFile): boolean {
    if (this.#file === undefined) return false
    writeWhole(this.#ports.path, printClusterFile(withListOf(this.#file, listed)))
    return true
  }

  #ownIn(file: ClusterFile): ClusterNodeEntry | undefined {
    const known = this.#ownNode
    return known === undefined ? findOwnNode(file) : file.nodes.find(({ name }) => name === known)
  }
}
