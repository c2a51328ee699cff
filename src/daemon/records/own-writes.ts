/**
 * What this node has written is seen by the next command on it. A transaction is confirmed by the store's majority, and this node's copy of the store, which
 * commands read, follows it a moment later: so a command is answered when the copy has what was written meanwhile. With ends: a copy that hangs holds up nobody for
 * longer, and `status` says that it does.
 */
import type { Revision, Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { StoreCopy } from './store-view.ts'

/** Longer, and whoever asked is told that it is done, which it is. */
const seenWithinMs = 5000

export interface OwnWritesPorts {
  readonly copy: Pick<StoreCopy, 'revision' | 'reaches'>
  readonly log: Pick<Log, 'warn'>
  /** Another time than 5 s. */
  readonly withinMs?: number
}

export class OwnWrites {
  readonly #ports: OwnWritesPorts
  #last = 0 as Revision
  /** The revision that was waited for in vain. */
  #unseen: Revision | undefined

  constructor(ports: OwnWritesPorts) {
    this.#ports = ports
  }

  /** The same store, whose revisions are noted. */
  noting(store: Store): Store {
    return {
      ...store,
      transaction: async (transaction) => {
        const result = await store.transaction(transaction)
        if (result.applied && result.revision > this.#last) this.#last = result.revision
        return result
      },
    }
  }

  /** Resolves, or fails as `act` does, when this node sees what it has written meanwhile. */
  readonly seen = async <T>(act: () => Promise<T>): Promise<T> => {
    const before = this.#last
    try {
      return await act()
    } finally {
      if (this.#last > before) await this.#reach(this.#last)
    }
  }

  /** For `status`. */
  notes(): readonly string[] {
    const isBehind = this.#unseen !== undefined && this.#ports.copy.revision() < this.#unseen
    return isBehind
      ? [
          'This node sees changes late: the store has saved one that this node does not see yet. Until it does, commands on this node read the earlier state. Run them on another node.',
        ]
      : []
  }

  async #reach(revision: Revision): Promise<void> {
    const { copy, log, withinMs = seenWithinMs } = this.#ports
    // One that did not come in time is not waited for by each command.
    if (this.notes().length > 0 || (await copy.reaches(revision, withinMs))) return
    this.#unseen = revision
    log.warn('this node does not see yet what it has written', { revision, sees: copy.revision() })
  }
}
