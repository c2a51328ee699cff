/** What the pulse thread tells the rest of the node: whom it hears, and until when this node may act under which lease. */
import { assertNever, type MonotonicMs, type NodeName } from '../../base/index.ts'
import type { LinkView, PeerView } from '../../membership/index.ts'
import type { Log } from '../host/log.ts'
import type { FromPulse } from '../pulse/messages.ts'

export interface PulseNewsPorts {
  readonly log: Log
  readonly onHeartbeats: (peers: readonly PeerView[], agreed: readonly NodeName[]) => void
  /** At every confirmation of the lease, and when it is over. */
  readonly onQuorum: (lease: string | undefined, until: MonotonicMs) => void
  readonly onLost: (why: string) => void
  readonly onLinks: (links: readonly LinkView[]) => void
  /** Why this node cannot end connections. */
  readonly onConnectionsStay: (why: string) => void
  /** Nobody can be heard, and it is not waited for. */
  readonly onDeaf: (why: string) => void
  readonly onTrouble: (error: string) => void
  readonly onWatchdog: (message: Extract<FromPulse, { kind: 'watchdog' | 'watchdog-starving' }>) => void
}

export class PulseNews {
  readonly #ports: PulseNewsPorts

  constructor(ports: PulseNewsPorts) {
    this.#ports = ports
  }

  readonly take = (message: FromPulse): void => {
    const { log, onHeartbeats, onLost, onTrouble } = this.#ports
    switch (message.kind) {
      case 'view':
        log.info('the heartbeats changed', { peers: message.peers.map(({ node, state }) => `${node} ${state}`) })
        onHeartbeats(message.peers, message.agreedSilent)
        return
      case 'quorum':
        this.#ports.onQuorum(message.lease, message.until)
        return
      case 'quorum-lost':
        onLost(message.why)
        return
      case 'links':
        log.info('the links changed', {
          links: message.links.map(({ node, link, state }) => `${node} ${link} ${state}`),
        })
        this.#ports.onLinks(message.links)
        return
      case 'connections-kept':
        log.warn('connections on a failed link could not be closed: the store may take seconds to use another', {
          error: message.error,
        })
        return
      case 'connections-stay':
        log.warn('this node cannot close connections on a failed link: the store would stall for seconds', {
          why: message.why,
        })
        this.#ports.onConnectionsStay(message.why)
        return
      case 'bad-message':
        log.warn('a heartbeat connection was closed: it carried something other than a heartbeat of that node', {
          from: message.from,
          link: message.link,
          what: message.what,
        })
        return
      case 'not-listening':
        log.warn('heartbeats cannot be received on a link: it is tried again until they can', {
          link: message.link,
          error: message.error,
        })
        return
      case 'doubt-own-lease':
        log.warn('this node was suspended, or its clock was set forward', { pausedMs: Math.round(message.pausedMs) })
        return
      case 'trouble':
        log.warn('the store does not answer', { error: message.error })
        onTrouble(message.error)
        return
      case 'watchdog':
      case 'watchdog-starving':
        this.#ports.onWatchdog(message)
        return
      case 'left':
      case 'identity-used':
        return
      case 'cannot-hear':
        this.#ports.onDeaf(message.why)
        return
      default:
        assertNever(message)
    }
  }
}
