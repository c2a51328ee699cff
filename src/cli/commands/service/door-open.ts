/** Whoever opens a port on all nodes asks it next: the command ends once this node listens, or says what is in the way. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ClusterState, LocalClient } from '../../../rpc/index.ts'
import type { Door } from '../../../services/index.ts'

const longestMs = 5000
const pollMs = 50
const connectMs = 500

/** Undefined once this node listens; otherwise a sentence. */
export async function untilOpen(live: LocalClient, door: Door): Promise<string | undefined> {
  const until = performance.now() + longestMs
  for (;;) {
    const place = await ownPlace(live, door)
    if (await accepts(place, door.port)) return undefined
    if (performance.now() >= until)
      return `This node does not listen on ${place} port ${door.port} yet. 'systole status' shows what is in the way.`
    await delay(pollMs)
  }
}

/** Somebody listens there before the change is made: a connection would prove nothing. Whether it is another program the node finds out later. */
export async function takenBefore(live: LocalClient, door: Door): Promise<string | undefined> {
  const place = await ownPlace(live, door)
  if (!(await accepts(place, door.port))) return undefined
  return `Before that, a program listened on ${place} port ${door.port} already. If it goes on, 'systole status' names it within some seconds.`
}

const ownPlace = async (live: LocalClient, door: Door): Promise<string> => placeOf(door, await live.getState({}))

function placeOf({ listen }: Door, { localNode: self, members }: ClusterState): string {
  const [first = 'local'] = listen
  if (first === 'local') return '127.0.0.1'
  return first === 'node' ? (members.find(({ node }) => node === self)?.address ?? '127.0.0.1') : first
}

async function accepts(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectMs })
    const end = (isOpen: boolean): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
