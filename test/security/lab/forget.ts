/** A member's two calls that would make another host forget its cluster, run on a host of the lab: `forget.ts <pki folder> <node> <address>`. */
import { readFileSync } from 'node:fs'
import { connectPeer } from '../../../src/rpc/index.ts'

const [pki = '', node = '', host = ''] = process.argv.slice(2)
const read = (name: string): string => readFileSync(`${pki}/${name}`, 'utf8')
const identity = { authority: read('authority.crt'), certificate: read('node.crt'), key: read('node.key') }
const client = connectPeer({ node, host, port: 7700 }, identity)
const outcome = async (call: Promise<unknown>): Promise<string> =>
  await call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  )

const without = { clusterName: 'lab', nodesVersion: 999_999, nodes: [{ name: 'n2', address: host }] }
const forget = await outcome(client.forget({}))
const updateClusterFile = await outcome(client.updateClusterFile({ json: JSON.stringify(without) }))
process.stdout.write(JSON.stringify({ forget, updateClusterFile }), () => process.exit(0))
