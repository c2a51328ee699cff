/**
 * The door thread: takes the connections of the other nodes' heartbeats and passes on what they say. Whoever else knocks, how often ever, keeps
 * this thread busy and not the one that keeps the node alive (docs/adr/0036-floods.md). Its event loop takes one new connection in each turn, so
 * that those that are open are heard between them.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { assertNever, defined, reasonOf } from '../../base/index.ts'
import { openDoor, servePulses, type TlsServer } from '../../rpc/index.ts'
import { Listeners } from '../host/listeners.ts'
import { isKnown, type KnownNode } from '../node-list/known-node.ts'
import type { DoorSetup, FromDoor, ToDoor } from './door.ts'
import type { PulseListen } from './messages.ts'

const port = defined(parentPort ?? undefined, 'the port to the pulse thread')
const tell = (message: FromDoor): void => port.postMessage(message)
let { identity } = workerData as DoorSetup
let rule = openDoor
let nodes: readonly KnownNode[] = []
const open = new Set<TlsServer>()

const servers = new Listeners(
  async ({ link, host, port: number }: PulseListen) => {
    const server = await servePulses(
      { host, port: number, identity, door: rule },
      {
        isPeer: (caller) => isKnown(nodes, caller),
        // What fills a long pulse has done its work on the way here.
        onPulse: (pulse, caller) => tell({ kind: 'pulse', link, caller, pulse: { ...pulse, padding: '' } }),
        onBadMessage: (caller, what) => tell({ kind: 'bad-message', link, caller, what }),
        onBroken: (caller) => tell({ kind: 'broken', link, caller }),
      },
    )
    open.add(server)
    return {
      close: async () => {
        open.delete(server)
        await server.close()
      },
    }
  },
  ({ link }, error) => tell({ kind: 'not-listening', link, error }),
)

async function perform(message: Exclude<ToDoor, { readonly kind: 'hear' | 'identity' }>): Promise<void> {
  switch (message.kind) {
    case 'listen':
      rule = message.door
      for (const server of open) server.replaceDoor(rule)
      return await servers.use(message.at)
    case 'close':
      return await servers.close()
    default:
      return assertNever(message)
  }
}

port.on('message', (message: ToDoor) => {
  if (message.kind === 'hear') {
    nodes = message.nodes
    return
  }
  if (message.kind === 'identity') {
    identity = message.identity
    for (const server of open) server.replaceIdentity(identity)
    return
  }
  perform(message).then(
    () => tell({ kind: 'done', call: message.call }),
    (error: unknown) => tell({ kind: 'done', call: message.call, error: reasonOf(error) }),
  )
})
