/** Requests to nodes from outside the cluster, one for each line of JSON on standard input; an answer for each on standard output. */
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { connect } from 'node:tls'

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`)
const streams = new Map()

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const asked = JSON.parse(line)
    if (asked.kind === 'raw') raw(asked)
    else if (asked.kind === 'end') streams.get(asked.stream)?.destroy()
    else ask(asked)
  })
  .on('close', () => process.exit(0))

function ask({ id, kind, host, port, ca, method, path, headers = {}, body }) {
  const asked = request({ host, port, ca, method, path, headers, agent: false, timeout: 60_000 }, (response) => {
    const answer = { id, status: response.statusCode, headers: response.headers }
    if (kind === 'stream') say({ ...answer, body: '' })
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk) => {
      text += chunk
      if (kind === 'stream') say({ id, chunk })
    })
    response.on('end', () => (kind === 'stream' ? say({ id, ended: true }) : say({ ...answer, body: text })))
    response.on('error', () => say({ id, ended: true }))
  })
  asked.on('timeout', () => asked.destroy(new Error('no answer')))
  asked.on('error', (error) => say({ id, error: error.message }))
  if (kind === 'stream') streams.set(id, asked)
  asked.end(body)
}

/** Sends text as it is, and then as much of `more` as is taken; answers with the first answer, or how the connection ended. */
function raw({ id, host, port, ca, text, more = 0, everyMs = 0 }) {
  const begun = Date.now()
  let answer = ''
  let isOver = false
  const over = (how) => {
    if (isOver) return
    isOver = true
    clearInterval(drip)
    socket.destroy()
    const [, status, , body] = /^HTTP\/1\.1 (\d+)[^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(answer) ?? []
    say({ id, status: Number(status ?? 0), body: body ?? '', how, ms: Date.now() - begun })
  }
  const socket = connect({ host, port, ca }, () => {
    socket.write(text)
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let sent = 0
    const push = () => {
      while (!isOver && sent < more) {
        sent += chunk.length
        if (!socket.write(chunk)) return socket.once('drain', push)
      }
    }
    push()
  })
  const drip = everyMs > 0 ? setInterval(() => socket.writable && socket.write('x'), everyMs) : undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    answer += chunk
    const length = /content-length: (\d+)/i.exec(answer)?.[1]
    const head = answer.indexOf('\r\n\r\n')
    if (head >= 0 && length !== undefined && answer.length >= head + 4 + Number(length)) over('answered')
  })
  socket.on('error', (error) => over(error.message))
  socket.on('close', () => over('closed'))
  socket.setTimeout(40_000, () => over('nothing'))
}
