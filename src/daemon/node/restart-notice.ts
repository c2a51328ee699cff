/**
 * A daemon that restarts in place says so before it ends: for a minute at most its peers take a host that answers without a daemon for what it is (src/membership/heartbeat.ts).
 * The daemon that follows takes the word back.
 */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'

export interface RestartNoticePorts {
  readonly self: NodeName
  readonly incarnation: number
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
}

export class RestartNotice {
  readonly #ports: RestartNoticePorts
  #isTakingBack = false

  constructor(ports: RestartNoticePorts) {
    this.#ports = ports
  }

  /** Before the daemon ends. A store that does not answer holds nothing up: then it restarts unannounced. */
  async announce(patienceMs: number): Promise<void> {
    const { self, incarnation, log, store } = this.#ports
    const value = toBytes({ incarnation, since: new Date().toISOString() })
    const put = store()
      .transaction({ compare: [], writes: [{ kind: 'put', key: keys.restart(self), value }] })
      .then(() => log.info('the restart is announced', {}))
      .catch((error: unknown) => log.warn('the restart could not be announced', { error }))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs)
    })
    await Promise.race([put, late])
    clearTimeout(timer)
  }

  /** After every change of the store: this life of the daemon is registered, and the earlier one's word is over. */
  look(): void {
    const { self, incarnation, log, store, view } = this.#ports
    const { restarts, members } = view()
    const announced = restarts.get(self)
    if (announced === undefined || announced === incarnation || this.#isTakingBack) return
    if (members.get(self)?.incarnation !== incarnation) return
    this.#isTakingBack = true
    store()
      .transaction({ compare: [], writes: [{ kind: 'delete', key: keys.restart(self) }] })
      .catch((error: unknown) => log.warn('the announcement of a restart stays', { error }))
      .finally(() => {
        this.#isTakingBack = false
      })
  }

  /** The voters, and those whose present life has announced its end. */
  forPulse(): { readonly members: readonly NodeName[]; readonly restarting: readonly NodeName[] } {
    const { restarts, members } = this.#ports.view()
    const restarting = [...restarts].flatMap(([node, incarnation]) => {
      const member = members.get(node)
      return member === undefined || member.incarnation === incarnation ? [node] : []
    })
    return { members: [...members.keys()], restarting }
  }
}
