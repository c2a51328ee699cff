/**
 * What a member that was taken over while it ran can do with what it keeps; prints JSON. `taken-over.ts collect <pki folder> <folder> <other>=<address>…` asks
 * the others for their shares of the authority's key, puts it together, and signs a certificate that names n1 for a key of its own, into the second folder.
 * `call <pki folder> <node> <address>` asks a daemon for the list of nodes. `hold <pki folder> <node> <address> <file>` says nothing on one connection to a
 * daemon and sends the beginnings of long messages on eight others, until that file is there; `<file>.holding` says that it has begun.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectSession } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'node:tls'
import { combineShares, readShares } from '../../../src/daemon/pki/authority-shares.ts'
import { authoritiesIn } from '../../../src/daemon/pki/identity.ts'
import { authorityHash, connectPeer, createNodeCertificate, nodeService } from '../../../src/rpc/index.ts'

const [deed, folder = '', ...words] = process.argv.slice(2)
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')
const identity = { authority: read('authority.crt'), certificate: read('node.crt'), key: read('node.key') }

async function collect(into: string, others: readonly string[]): Promise<object> {
  const [certificate = ''] = authoritiesIn(identity.authority)
  const gathered = [...readShares(folder)]
  for (const other of others) {
    const [node = '', host = ''] = other.split('=')
    const client = connectPeer({ node, host, port: 7700 }, identity)
    gathered.push(...(await client.getAuthorityShares({ authority: authorityHash(certificate) })).shares)
  }
  const authority = await combineShares(certificate, gathered)
  if (authority === undefined) return { signed: false }
  const forged = await createNodeCertificate(authority, { name: 'n1', addresses: [] })
  mkdirSync(into, { recursive: true })
  writeFileSync(`${into}/authority.crt`, certificate)
  writeFileSync(`${into}/node.crt`, forged.certificate)
  writeFileSync(`${into}/node.key`, forged.key)
  return { signed: true }
}

async function hold(node: string, host: string, until: string): Promise<object> {
  const { authority: ca, certificate: cert, key } = identity
  const secrets = { ca, cert, key, minVersion: 'TLSv1.3' as const, servername: node, ALPNProtocols: ['h2'] }
  const silent = connect({ host, port: 7700, ...secrets })
  silent.resume().on('error', () => undefined)
  const sessions = Array.from({ length: 8 }, () => {
    const session = connectSession(`https://${node}:7700`, {
      createConnection: () => connect({ host, port: 7700, ...secrets }),
    })
    session.on('error', () => undefined)
    return session
  })
  // The head of a message of 60 MB, and then most of it.
  const head = Buffer.from([0, 0x03, 0x93, 0x87, 0x00])
  for (const session of sessions)
    for (let count = 0; count < 8; count++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': nodeService.execute.path,
        'content-type': 'application/grpc',
        te: 'trailers',
      })
      stream.on('error', () => undefined).resume()
      stream.write(head)
      stream.write(Buffer.alloc(4 * 1024 * 1024))
    }
  process.stderr.write('holding\n')
  writeFileSync(`${until}.holding`, '')
  const end = performance.now() + 90_000
  while (!existsSync(until) && performance.now() < end) await delay(50)
  return { held: sessions.length + 1 }
}

async function call(node: string, host: string): Promise<object> {
  const client = connectPeer({ node, host, port: 7700 }, identity)
  return await client.getClusterFile({}).then(
    () => ({ answer: 'answered' }),
    (error: unknown) => ({ answer: error instanceof Error && 'code' in error ? error.code : String(error) }),
  )
}

const [first = '', second = '', third = ''] = words
const deeds: Readonly<Record<string, () => Promise<object>>> = {
  collect: async () => await collect(first, words.slice(1)),
  call: async () => await call(first, second),
  hold: async () => await hold(first, second, third),
}
const answer = await deeds[deed ?? '']?.()
process.stdout.write(JSON.stringify(answer), () => process.exit(0))
