/** Follows the state of the cluster as this host knows it, whether its node takes part or not. */
import type { ClusterState } from '../../rpc/index.ts'

export interface WatchedHost {
  /** The running node; it may be started or stopped while somebody watches. */
  readonly node: () => { readonly onState: (listener: () => void) => () => void } | undefined
  readonly state: () => ClusterState
}

/** Quorum by this node's own clock ends without an event. */
const lookMs = 500

/** The state at once and after every change, until the signal ends it. */
export async function watchState(
  host: WatchedHost,
  send: (state: ClusterState) => void,
  signal: AbortSignal,
): Promise<void> {
  // Who has asked was looked up before, which takes a moment.
  if (signal.aborted) return
  let last = ''
  let node: ReturnType<WatchedHost['node']>
  let stop: (() => void) | undefined
  const look = (): void => {
    if (host.node() !== node) {
      stop?.()
      node = host.node()
      stop = node?.onState(look)
    }
    const { revision: _not, ...state } = host.state()
    const text = JSON.stringify(state)
    if (text === last) return
    last = text
    send(host.state())
  }
  look()
  const timer = setInterval(look, lookMs)
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  clearInterval(timer)
  stop?.()
}
