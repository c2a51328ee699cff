/**
 * What the ports of a host answer to whoever has the key in a folder, run on a host of the lab; prints JSON. `ports <pki folder> <node> <address> <port>…`: whether each
 * keeps a connection with TLS, and what a daemon answers on 7700. `witness <pki folder> <node> <address> <folder>`: what the witness does for a member that wants it to
 * believe the authority in the second folder, to show its certificate, and to forget the cluster. `execute <pki folder> <node> <address> <term>`: a command for that node.
 * `pulse <pki folder> <node> <address> <name>`: whether the port of the heartbeats keeps a connection after a heartbeat in that name.
 */
import { readFileSync } from 'node:fs'
import { connect, type TLSSocket } from 'node:tls'
import { connectPeer, connectWitness, framePulse } from '../../../src/rpc/index.ts'

const [deed = '', folder = '', node = '', host = '', ...words] = process.argv.slice(2)
const read = (name: string, of = folder): string => readFileSync(`${of}/${name}`, 'utf8')
const identity = { authority: read('authority.crt'), certificate: read('node.crt'), key: read('node.key') }
/** Longer than any of these servers takes to look at a certificate. */
const keptMs = 1500

const outcome = async (call: Promise<unknown>): Promise<string> =>
  await call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  )

function connection(port: number, say: (socket: TLSSocket) => void = () => undefined): Promise<string> {
  return new Promise((resolve) => {
    const { authority: ca, certificate: cert, key } = identity
    const protocols = port === 7700 ? { ALPNProtocols: ['h2'] } : {}
    const socket = connect({ host, port, servername: node, ca, cert, key, minVersion: 'TLSv1.3', ...protocols })
    let isConnected = false
    socket.on('secureConnect', () => {
      isConnected = true
      say(socket)
    })
    const timer = setTimeout(() => resolve(isConnected ? 'open' : 'closed'), keptMs)
    socket.on('data', () => undefined)
    socket.on('error', () => resolve('closed'))
    socket.on('close', () => {
      clearTimeout(timer)
      resolve('closed')
    })
  })
}

async function ports(): Promise<object> {
  const client = connectPeer({ node, host, port: 7700 }, identity)
  const told = await Promise.all(words.map(async (port) => [port, await connection(Number(port))] as const))
  const asked = words.includes('7700') ? { call: await outcome(client.getClusterFile({}, { timeoutMs: 4000 })) } : {}
  return { ...Object.fromEntries(told), ...asked }
}

async function witness(): Promise<object> {
  const [other = ''] = words
  const client = connectWitness({ node, host, port: 7700 }, identity)
  return {
    followAuthority: await outcome(client.followAuthority({ trust: [read('authority.crt', other)], renew: false })),
    renew: await outcome(client.renew({ certificate: read('node.crt', other) })),
    forget: await outcome(client.forget({})),
  }
}

async function execute(): Promise<object> {
  const client = connectPeer({ node, host, port: 7700 }, identity)
  const action = JSON.stringify({ kind: 'cluster', operation: 'do_shutdown', id: 1, node })
  const command = { transition: 1, transitionKey: '1:1:0:x', timeoutMs: 1000, plannedFrom: 0, action }
  return {
    execute: await client.execute({ ...command, term: Number(words[0]) }),
    bringPki: await outcome(client.bringPki({ trust: [identity.authority], renew: true })),
  }
}

async function pulse(): Promise<object> {
  const message = { incarnation: Date.now(), sequence: 1, silent: [], silentLinks: [], padding: '' }
  return { pulse: await connection(7701, (socket) => socket.write(framePulse({ node: words[0] ?? '', ...message }))) }
}

const deeds: Readonly<Record<string, () => Promise<object>>> = { ports, witness, execute, pulse }
const answer = await deeds[deed]?.()
process.stdout.write(JSON.stringify(answer), () => process.exit(0))
