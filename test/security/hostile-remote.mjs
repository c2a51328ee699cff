/**
 * A remote node in the hands of somebody else: it has the key, answers whoever owns the connection, and says what it is told to. Arguments: the
 * folder of the key, and a JSON list of messages: `{name, body}` is a call whose answer is awaited, `{raw}` any message, after which the
 * connection is watched until it ends or a call is answered. Prints a JSON list of what came back. `{hangUpMs}` in place of the list: each connection ends soon
 * after it is owned, for so long from the first one on; then it prints how many there were. `{floodMs, name, body}`: that call again and again, for so long or
 * until the connection ends, whose answers are not awaited; it makes the file /run/floods as it begins.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:tls'

const [folder, list] = process.argv.slice(2)
const read = (name) => readFileSync(`${folder}/${name}`)
const messages = JSON.parse(list)
let hungUp = 0
const server = createServer(
  {
    key: read('node.key'),
    cert: read('node.crt'),
    ca: read('authority.crt'),
    requestCert: true,
    rejectUnauthorized: true,
  },
  (socket) => serve(socket),
)
server.listen(3121)

function serve(socket) {
  const waiting = new Map()
  let rest = Buffer.alloc(0)
  let lastId = 0
  const send = (message) => {
    const body = Buffer.from(JSON.stringify(message))
    const head = Buffer.alloc(4)
    head.writeUInt32BE(body.length)
    socket.write(Buffer.concat([head, body]))
  }
  const alive = setInterval(() => send({ kind: 'alive' }), 500)
  const ask = ({ name, body }) =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve)
      send({ kind: 'call', id: lastId, name, body })
    })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    clearInterval(alive)
    for (const resolve of waiting.values()) resolve({ ended: true })
    waiting.clear()
  })
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const end = 4 + rest.readUInt32BE(0)
      const message = JSON.parse(rest.subarray(4, end).toString())
      rest = rest.subarray(end)
      if (message.kind === 'answer' || message.kind === 'failed') waiting.get(message.id)?.(message)
      if (message.kind === 'answer' || message.kind === 'failed') waiting.delete(message.id)
      if (message.kind !== 'call') continue
      const { name, id } = message
      const taken = { accepted: true, done: true, why: '', highestTerm: 0, message: '' }
      const own = { accepted: true, highestToken: message.body.token, incarnation: 1 }
      const bodies = { own, perform: taken, pki: { trusts: [], certifiedBy: '' }, tasks: { ids: [] } }
      send({ kind: 'answer', id, body: bodies[name] ?? {} })
      if (name === 'own' && messages.hangUpMs !== undefined) setTimeout(hangUp, 500, socket)
      else if (name === 'own') setTimeout(attack, 1000)
    }
  })
  async function flood({ floodMs, name, body }) {
    writeFileSync('/run/floods', 'now')
    const until = performance.now() + floodMs
    let sent = 0
    while (performance.now() < until && !socket.destroyed) {
      for (let i = 0; i < 20; i++) send({ kind: 'call', id: ++lastId, name, body })
      sent += 20
      if (socket.writableLength > 1_000_000) await new Promise((resolve) => setTimeout(resolve, 20))
      else await new Promise((resolve) => setImmediate(resolve))
    }
    return { sent, ended: socket.destroyed }
  }
  async function attack() {
    const answers = []
    for (const message of messages) {
      if (message.floodMs !== undefined) answers.push(await flood(message))
      else if (message.raw === undefined) answers.push(await ask(message))
      else {
        const ended = new Promise((resolve) => waiting.set('end', resolve))
        send(message.raw)
        const answered = new Promise((resolve) => waiting.set(message.raw.id, resolve))
        answers.push(await Promise.race([ended, answered]))
      }
    }
    process.stdout.write(JSON.stringify(answers))
    process.exit(0)
  }
}

function hangUp(socket) {
  socket.destroy()
  if (++hungUp > 1) return
  setTimeout(() => {
    process.stdout.write(JSON.stringify(hungUp))
    process.exit(0)
  }, messages.hangUpMs)
}
