/**
 * Ports for what a test starts on loopback. They are below those that the kernel gives to connections, and each of vitest's workers
 * has a range of its own: a port that is free now stays free until the test uses it, also while a server is down for a moment.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

const ports = { first: 12_000, perWorker: 2500, workers: 8 }
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % ports.workers
let offset = Math.floor(Math.random() * ports.perWorker)

export async function freePorts(count: number): Promise<readonly number[]> {
  return await takePorts(count, acceptsConnections)
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

export async function freeDatagramPort(): Promise<number> {
  const [port = 0] = await takePorts(1, acceptsDatagrams)
  return port
}

async function takePorts(count: number, isFree: (port: number) => Promise<boolean>): Promise<readonly number[]> {
  const found: number[] = []
  for (let tried = 0; found.length < count; tried++) {
    if (tried === ports.perWorker) throw new Error(`There are no ${count} free ports from ${ports.first} on.`)
    offset = (offset + 1) % ports.perWorker
    const port = ports.first + worker * ports.perWorker + offset
    if (await isFree(port)) found.push(port)
  }
  return found
}

async function acceptsConnections(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

async function acceptsDatagrams(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.bind(port, '127.0.0.1')
    await once(socket, 'listening')
  } catch {
    return false
  }
  socket.close()
  await once(socket, 'close')
  return true
}
