/** What the pulse thread reports to the rest of the node: whom it hears, and until when this node may act under which lease. */
import { assertNever } from '../../base/index.ts'
import type { NodeInput } from '../../node/index.ts'
import type { Log } from '../host/log.ts'
import type { FromPulse } from '../pulse/messages.ts'
import type { WatchdogDriver } from '../watchdog/watchdog-driver.ts'
import type { NodeReport } from './node-report.ts'

export interface PulseNewsPorts {
  readonly log: Log
  readonly feed: (input: NodeInput) => void
  readonly report: NodeReport
  readonly watchdog: WatchdogDriver
  /** Whoever depends on the state of the cluster looks at it again. */
  readonly look: () => void
  /** The node must come back as somebody new. */
  readonly restart: (reason: string) => void
}

export class PulseNews {
  readonly #ports: PulseNewsPorts

  constructor(ports: PulseNewsPorts) {
    this.#ports = ports
  }

  readonly take = (message: FromPulse): void => {
    const { log, feed, report } = this.#ports
    switch (message.kind) {
      case 'view':
        log.info('the heartbeats changed', { peers: message.peers.map(({ node, state }) => `${node} ${state}`) })
        feed({ kind: 'heartbeats', peers: message.peers, agreed: message.agreedSilent })
        this.#ports.look()
        return
      case 'quorum':
        feed({ kind: 'quorum', until: message.until, ...(message.lease === undefined ? {} : { lease: message.lease }) })
        return
      case 'quorum-lost':
        feed({ kind: 'quorum-lost', why: message.why })
        return
      case 'links':
        log.info('the links changed', {
          links: message.links.map(({ node, link, state }) => `${node} ${link} ${state}`),
        })
        report.takeLinks(message.links)
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
        report.connectionsStay(message.why)
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
        report.storeAnswers(message.error)
        return
      case 'watchdog':
      case 'watchdog-starving':
        this.#ports.watchdog.take(message)
        return
      case 'left':
      case 'identity-used':
        return
      case 'cannot-hear':
        this.#ports.restart(`heartbeats cannot be received: ${message.why}`)
        return
      default:
        assertNever(message)
    }
  }
}
