/** Whether the cluster has removed this host, and that it forgets the cluster then: the list in the store decides, and nobody's word. */
import { nodeName } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { listInStore, placeIn } from '../removal/removal.ts'
import type { OwnList } from './own-list.ts'

export interface OwnRemovalPorts {
  readonly paths: Paths
  readonly log: Log
  readonly list: () => OwnList
  /** Where this node has quorum. */
  readonly store: () => Store | undefined
  readonly running: () => boolean
  readonly forget: () => Promise<void>
  readonly fail: (error: unknown) => void
}

/** Whoever has asked gets the answer first: the server is closed with the rest. */
const answerMs = 50

export class OwnRemoval {
  readonly #ports: OwnRemovalPorts
  #forgetting = false

  constructor(ports: OwnRemovalPorts) {
    this.#ports = ports
  }

  /** A newer list is without this node. The store's is true; another node's is a reason to look there. */
  absentFromList(from: 'node' | 'store'): void {
    if (from === 'store') this.forgetLater('the cluster has removed this node')
    else
      this.forgetIfRemoved().catch((error: unknown) => this.#ports.log.info('a removal message was ignored', { error }))
  }

  /** Refuses where the list in the store has this node, or cannot be read: then this node asks the others (ask-for-list.ts). */
  async forgetIfRemoved(): Promise<void> {
    const { name } = this.#ports.list()
    const place = placeIn(await this.listInStore(), nodeName(name))
    if (place === 'removed' || (place === 'leaving' && !this.#ports.running())) {
      setTimeout(() => this.forgetLater('the cluster has removed this node'), answerMs)
      return
    }
    throw refuse('not-removed', `${name} found no record of its removal in the store, so it keeps its cluster data.`)
  }

  async listInStore(): Promise<ClusterFile | undefined> {
    const { paths, store, list } = this.#ports
    const { file, name } = list()
    return file && (await listInStore({ file, self: nodeName(name), paths, store: store() }))
  }

  forgetLater(reason: string): void {
    const { log, forget, fail } = this.#ports
    if (this.#forgetting) return
    this.#forgetting = true
    log.warn('this host forgets its cluster', { reason })
    forget()
      .catch(fail)
      .finally(() => {
        this.#forgetting = false
      })
  }
}
