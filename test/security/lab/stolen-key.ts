/**
 * Calls with a node's key, run on a host of the lab: `stolen-key.ts <pki folder> <node> <address> [<file>]`. Prints a JSON object of what came of each
 * call of the service `Node` (or of those that STOLEN_CALLS names) and of a connection to the heartbeats' port. With a file it connects before, waits until the file is there, and goes on with the same connection.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { authorityHash, connectPeer, nodeService, type TlsIdentity } from '../../../src/rpc/index.ts'

const [pki = '', node = '', address = '', file] = process.argv.slice(2)
const read = (name: string): string => readFileSync(`${pki}/${name}`, 'utf8')
const identity: TlsIdentity = {
  authority: read('authority.crt'),
  certificate: read('node.crt'),
  key: read('node.key'),
}
const client = connectPeer({ node, host: address, port: 7700 }, identity)

/** Each with a request that would do harm, or tell something. */
const requests: Readonly<Record<string, object>> = {
  execute: {
    term: 1e15,
    transition: 1,
    transitionKey: '1:1:0:x',
    timeoutMs: 1000,
    plannedFrom: 0,
    action: '{"kind":"cluster","operation":"do_shutdown","id":1,"node":"n1"}',
  },
  runFenceDevice: {
    term: 1e15,
    id: '1',
    target: 'n1',
    action: 'off',
    device: 'fence-n1',
    timeoutMs: 1000,
    details: '{}',
  },
  fence: { target: 'n2', action: 'off' },
  startCluster: {},
  stopCluster: {},
  enableCluster: { enabled: false },
  updateClusterFile: {
    json:
      process.env.STOLEN_LIST ?? '{"clusterName":"lab","nodesVersion":999,"nodes":[{"name":"x","address":"10.0.0.1"}]}',
  },
  readTaskOutput: { task: 'no-task', offset: 0, waitMs: 0 },
  forget: {},
  getClusterFile: {},
  checkLinks: { addresses: [] },
  writeFile: {
    id: 'a'.repeat(20),
    path: '/run/written',
    phase: 'check',
    offset: 0,
    data: '',
    sha256: 'a'.repeat(64),
    size: 1,
    mode: 0o755,
  },
  keepAuthorityShare: { generation: '9-x', threshold: 2, authority: 'x', share: 'eA==' },
  getAuthorityShares: { authority: authorityHash(read('authority.crt')) },
}

async function call(name: string): Promise<string> {
  const ask = client[name as 'forget'] as unknown as (request: object, options: object) => Promise<unknown>
  try {
    await ask(requests[name] ?? {}, { timeoutMs: 4000 })
    return 'answered'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

/** Whether the port of the heartbeats keeps the connection. */
function pulse(): Promise<string> {
  return new Promise((resolve) => {
    const { authority: ca, certificate: cert, key } = identity
    const socket = connect({ host: address, port: 7701, servername: node, ca, cert, key, minVersion: 'TLSv1.3' })
    let isConnected = false
    socket.on('secureConnect', () => {
      isConnected = true
    })
    // The kernel drops what comes from an address of no node: nobody answers then.
    const timer = setTimeout(() => resolve(isConnected ? 'open' : 'closed'), 1500)
    socket.on('error', (error) => resolve(error.message))
    socket.on('close', () => {
      clearTimeout(timer)
      resolve('closed')
    })
  })
}

const early = file === undefined ? undefined : await call('getClusterFile')
if (file !== undefined) {
  process.stderr.write('connected\n')
  const end = performance.now() + 60_000
  while (!existsSync(file) && performance.now() < end) await delay(50)
}
const answers: Record<string, string> = {}
const names = process.env.STOLEN_CALLS?.split(' ') ?? Object.keys(nodeService)
for (const name of names) answers[name] = await call(name)
const told = { ...(early === undefined ? {} : { early }), ...answers, pulse: await pulse() }
process.stdout.write(JSON.stringify(told), () => process.exit(0))
