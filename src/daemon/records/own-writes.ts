/**
 * What this node has written is seen by the next command on it. A transaction is confirmed by the store's majority, and this node's copy of the store, which
 * commands read, follows it a moment later: so a command is answered when the copy has what was written meanwhile. With ends: a copy that hangs holds up nobody for
 * longer, and `status` says that it does.
 */
import type { Revision, Store, Write } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { StoreCopy } from './store-view.ts'

/** Longer, and whoever asked is told that it is done, which it is. */
const seenWithinMs = 5000
/** Of one that hangs, the latest are enough. */
const mostUnseen = 100

export interface OwnWritesPorts {
  readonly copy: Pick<StoreCopy, 'get' | 'below' | 'revision' | 'until'>
  readonly log: Pick<Log, 'warn'>
  /** Another time than 5 s. */
  readonly withinMs?: number
}

interface Noted {
  readonly number: number
  readonly revision: Revision
  readonly writes: readonly Write[]
}

export class OwnWrites {
  readonly #ports: OwnWritesPorts
  #number = 0
  #unseen: readonly Noted[] = []
  /** What was waited for in vain. */
  #late: readonly Noted[] = []

  constructor(ports: OwnWritesPorts) {
    this.#ports = ports
  }

  /** The same store, whose changes are noted. */
  noting(store: Store): Store {
    return {
      ...store,
      transaction: async (transaction) => {
        const result = await store.transaction(transaction)
        if (result.applied) this.#note(transaction.writes, result.revision)
        return result
      },
    }
  }

  /** Resolves, or fails as `act` does, when this node sees what it has written meanwhile. */
  readonly seen = async <T>(act: () => Promise<T>): Promise<T> => {
    const before = this.#number
    try {
      return await act()
    } finally {
      await this.#reach(this.#unseen.filter(({ number }) => number > before))
    }
  }

  /** For `status`. */
  notes(): readonly string[] {
    return this.#late.every((one) => this.#isSeen(one))
      ? []
      : [
          'This node sees changes late: the store has saved one that this node does not see yet. Until it does, commands on this node read the earlier state. Run them on another node.',
        ]
  }

  #note(writes: readonly Write[], revision: Revision): void {
    const noted = { number: ++this.#number, revision, writes }
    this.#unseen = [...this.#unseen, noted].filter((one) => !this.#isSeen(one)).slice(-mostUnseen)
  }

  /**
   * What was put there comes with its revision. A transaction that has put nothing may have changed nothing, since it only compared, or what it deletes was gone
   * already: the store gives it a revision all the same, and no watch brings that.
   */
  #isSeen({ revision, writes }: Noted): boolean {
    const { copy } = this.#ports
    if (copy.revision() >= revision) return true
    return writes.every((write) => {
      if (write.kind === 'delete') return copy.get(write.key) === undefined
      return write.kind === 'delete-prefix' && copy.below(write.prefix).length === 0
    })
  }

  async #reach(wanted: readonly Noted[]): Promise<void> {
    const { copy, log, withinMs = seenWithinMs } = this.#ports
    const areSeen = (): boolean => wanted.every((one) => this.#isSeen(one))
    // One that did not come in time is not waited for by each command.
    if (areSeen() || this.notes().length > 0 || (await copy.until(areSeen, withinMs))) return
    this.#late = wanted
    const revision = Math.max(...wanted.map((one) => one.revision))
    log.warn('this node does not see yet what it has written', { revision, sees: copy.revision() })
  }
}
