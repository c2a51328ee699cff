/**
 * What somebody on the network does to a port, by programs of his own. Arguments: the kind, the address, the port, for how many milliseconds, and the folder of a
 * certificate where there is one. Prints what came of it as JSON. `join`: one request to join after the other; the fourth argument is their JSON list.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { createConnection } from 'node:net'
import { connect as connectTls } from 'node:tls'

const [kind, host, port, forMs, folder] = process.argv.slice(2)
const until = performance.now() + Number(forMs)
const at = { host, port: Number(port) }
const own =
  folder === undefined ? {} : { key: readFileSync(`${folder}/node.key`), cert: readFileSync(`${folder}/node.crt`) }
const tls = (more = {}) => connectTls({ ...at, ...own, rejectUnauthorized: false, ...more })
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** So many connections at a time, each of which does the same until it ends. */
async function each(atOnce, open) {
  let [begun, ended, longest] = [0, 0, 0]
  const worker = async () => {
    while (performance.now() < until) {
      begun++
      const began = performance.now()
      await new Promise((resolve) => {
        const socket = open()
        const end = setTimeout(() => socket.destroy(), Math.max(0, until - performance.now()))
        socket.on('error', () => undefined)
        socket.on('close', () => {
          clearTimeout(end)
          resolve()
        })
      })
      if (performance.now() < until) {
        ended++
        longest = Math.max(longest, Math.round(performance.now() - began))
      }
      await wait(20)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { begun, ended, longest }
}

/** What is written as soon as TLS is done, again and again. */
const saying =
  (text, more = {}) =>
  () => {
    const socket = tls(more)
    const go = () => {
      while (!socket.destroyed && performance.now() < until)
        if (!socket.write(text)) return void socket.once('drain', go)
    }
    socket.on('secureConnect', go)
    socket.resume()
    return socket
  }

const helloRecord = Buffer.from('16030100c8010000c403030000', 'hex')
const request = 'POST /join HTTP/1.1\r\nhost: x\r\n'
const kinds = {
  silent: () => each(40, () => createConnection(at)),
  'half of a greeting': () =>
    each(40, () => {
      const socket = createConnection(at)
      socket.write(helloRecord)
      return socket
    }),
  noise: () =>
    each(20, () => {
      const socket = createConnection(at)
      socket.write(Buffer.alloc(64 * 1024, 7))
      return socket
    }),
  'TLS and nothing else': () => each(40, () => tls().resume()),
  'long headers': () => each(10, saying(`${request}${`x: ${'y'.repeat(4000)}\r\n`.repeat(8)}`)),
  'many requests at a time': () => each(10, saying(`${request}content-length: 2\r\n\r\n{}`.repeat(50))),
  'a body without an end': () =>
    each(10, saying(`${request}transfer-encoding: chunked\r\n\r\n${'400\r\n'}${'z'.repeat(1024)}\r\n`)),
  'a slow body': () =>
    each(40, () => {
      const socket = tls()
      socket.write(`${request}content-length: 1000\r\n\r\n{`)
      const drop = setInterval(() => socket.write(' '), 200)
      socket.on('close', () => clearInterval(drop))
      return socket.resume()
    }),
  'other methods': () => each(10, saying('CONNECT / HTTP/1.1\r\nhost: x\r\n\r\n')),
  upgrade: () => each(10, saying(`GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`)),
  'HTTP/2': () =>
    each(10, () => {
      const socket = tls({ ALPNProtocols: ['h2'] })
      const session = connectHttp2(`https://${host}`, { createConnection: () => socket })
      session.on('error', () => undefined)
      socket.on('secureConnect', () => {
        for (let i = 0; i < 1000 && !session.destroyed; i++) {
          const stream = session.request({
            ':method': 'POST',
            ':path': '/systole.Node/Forget',
            'content-type': 'application/grpc',
            te: 'trailers',
          })
          stream.on('error', () => undefined)
          stream.close(8)
        }
      })
      return socket
    }),
}

async function join() {
  const { publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const said = []
  for (const asked of JSON.parse(forMs)) {
    const body = JSON.stringify({ publicKey, ...asked })
    said.push(
      await new Promise((resolve) => {
        const socket = tls()
        let text = ''
        socket.on('data', (chunk) => (text += chunk))
        socket.on('error', () => undefined)
        socket.on('close', () => resolve(/"code":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 15)))
        socket.write(`${request}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      }),
    )
  }
  return said
}

console.log(JSON.stringify(kind === 'join' ? await join() : await kinds[kind]()))
process.exit(0)
