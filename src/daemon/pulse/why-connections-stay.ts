/** Whether this host's kernel ends connections where that is asked of it. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { promisify } from 'node:util'
import { cutArguments } from './cut-connections.ts'

const patienceMs = 3000

/** Tried on a connection of this process with itself. */
export async function whyConnectionsStay(): Promise<string | undefined> {
  const server = createServer((socket) => socket.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  const port = typeof at === 'object' && at ? at.port : 0
  const socket = connect(port, '127.0.0.1')
  const ended = new Promise<boolean>((resolve) => socket.once('error', () => resolve(true)))
  const given = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), patienceMs).unref())
  try {
    await once(socket, 'connect')
    await promisify(execFile)('ss', cutArguments([{ host: '127.0.0.1', ports: [port] }]))
    return (await Promise.race([ended, given])) ? undefined : 'the kernel does not do it'
  } catch (error) {
    return error instanceof Error ? error.message.split('\n')[0] : String(error)
  } finally {
    socket.destroy()
    server.close()
  }
}
