/**
 * What a user of a host sends to the daemon's sockets to keep it from its work. Arguments: the kind of burden, for how many milliseconds, and how many at a
 * time. It speaks to the sockets by itself: no command of ours stands in between. Prints what came of it as JSON.
 *
 * `probe`: root's own questions, one after the other with a pause between; prints the times until each answer, in milliseconds.
 */
import { connect } from 'node:http2'
import { createConnection } from 'node:net'
import { gzipSync } from 'node:zlib'

const [kind, forMs, atOnce = '1'] = process.argv.slice(2)
let until = performance.now() + Number(forMs)
const begin = () => {
  until = performance.now() + Number(forMs)
}
const tools = '/run/systole/tools.sock'
const api = '/run/systole/systole.sock'

/** One request as the commands send it, and the answer. */
function tool(words) {
  return new Promise((resolve) => {
    const socket = createConnection({ path: tools, allowHalfOpen: true })
    const chunks = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => resolve(''))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.end(
      Buffer.isBuffer(words) ? words : ['1', words[0], '', '', ...words.slice(1)].map((word) => `${word}\0`).join(''),
    )
  })
}

function frame(message, flag = 0) {
  const head = Buffer.alloc(5)
  head[0] = flag
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** A call of the API with these bytes; `read`: whether its answer is read. */
function call(session, name, message, { headers = {}, read = true } = {}) {
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': `/systole.Local/${name}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    let bytes = 0
    let status
    stream.on('error', () => undefined)
    stream.on('response', (got) => (status ??= got['grpc-status']))
    stream.on('trailers', (got) => (status ??= got['grpc-status']))
    if (read) stream.on('data', (chunk) => (bytes += chunk.length))
    stream.on('close', () => resolve(`${name}: ${status ?? 'ended'}, ${bytes} bytes`))
    stream.end(message)
  })
}

/** Text field 1, as PushConfiguration has its document. */
function textField(number, text) {
  const body = Buffer.from(text)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(body.length)]), body])
}
function varint(value) {
  const bytes = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128)
  return [...bytes, value]
}
function double(number, value) {
  const bytes = Buffer.alloc(9)
  bytes[0] = (number << 3) | 1
  bytes.writeDoubleLE(value, 1)
  return bytes
}

const megabyte = 1024 * 1024
const document = (bytes) =>
  `<cib><configuration>${'<nvpair id="x" name="n" value="v"/>'.repeat(bytes / 34)}</configuration></cib>`
/** Many small elements in a place where they are looked at. */
const resources = (bytes) =>
  `<cib validate-with="pacemaker-3.9"><configuration><crm_config/><nodes/><resources>${Array.from({ length: Math.floor(bytes / 70) }, (_, i) => `<primitive id="p${i}" class="ocf" provider="pacemaker" type="Dummy"/>`).join('')}</resources><constraints/></configuration></cib>`

const words = {
  status: () => ['crm_mon', '-1'],
  'status as XML': () => ['crm_mon', '-1', '--output-as=xml'],
  'status with all': () => ['crm_mon', '-1', '-A', '-f', '-o', '-t', '-n', '-r', '-m3', '-R', '-D'],
  cib: () => ['cibadmin', '--query'],
  elements: () => ['cibadmin', '--query', '--xpath', '//*'],
  'elements by a long path': () => ['cibadmin', '--query', '--xpath', '//*[count(.//*) > 1000000]'],
  'access shown': () => ['cibadmin', '--query', '--show-access=text'],
  digest: () => ['cibadmin', '--md5-sum-versioned'],
  constraints: () => ['crm_resource', '--stack', '-r', 'r1'],
  operations: () => ['crm_resource', '--list-operations'],
  list: () => ['crm_resource', '--list'],
  'list as commands': () => ['crm_resource', '--list-raw'],
  why: () => ['crm_resource', '--why'],
  'locate all': () => ['crm_resource', '--locate', '-r', 'r1'],
  parameter: () => ['crm_resource', '-r', 'r1', '-g', 'fake'],
  digests: () => ['crm_resource', '--digests', '-r', 'r1', '-N', 'n1'],
  cleanup: () => ['crm_resource', '--cleanup'],
  refresh: () => ['crm_resource', '--refresh'],
  pattern: () => ['attrd_updater', '-P', '^(a|b|ab)*(a|b|ab)*(a|b|ab)*$', '-D'],
  empty: () => Buffer.concat([Buffer.from('1\0crm_mon\0\0\0'), Buffer.alloc(15 * megabyte)]),
  words: () => Buffer.concat([Buffer.from('1\0crm_mon\0\0\0'), Buffer.from('a\0'.repeat(7 * megabyte))]),
  options: () => Buffer.concat([Buffer.from('1\0crm_mon\0\0\0'), Buffer.from('-1\0'.repeat(5 * megabyte))]),
  letters: () =>
    Buffer.concat([Buffer.from('1\0crm_mon\0\0\0-'), Buffer.from('1'.repeat(15 * megabyte)), Buffer.from('\0')]),
  'long change': () => Buffer.from(`1\0cibadmin\0\0\0--modify\0-X\0${document(8 * megabyte)}\0`),
  'many resources': () => Buffer.from(`1\0cibadmin\0\0\0--replace\0-X\0${resources(8 * megabyte)}\0`),
  'many resources made': () =>
    Buffer.from(
      `1\0cibadmin\0\0\0--create\0-o\0configuration\0-X\0${resources(7 * megabyte).replace(/<cib[^>]*>|<\/cib>/g, '')}\0`,
    ),
  'many resources deleted': () => Buffer.from(`1\0cibadmin\0\0\0--delete\0-X\0${resources(7 * megabyte)}\0`),
  'long patch': () =>
    Buffer.from(
      `1\0cibadmin\0\0\0--patch\0-X\0<diff format="2"><version><source admin_epoch="0" epoch="0" num_updates="0"/><target admin_epoch="0" epoch="0" num_updates="0"/></version>${'<change operation="delete" path="/cib/configuration/resources/primitive[@id=\'zz\']"/>'.repeat(80_000)}</diff>\0`,
    ),
}

const calls = {
  getCib: () => ['GetCib', frame(Buffer.alloc(0))],
  getState: () => ['GetState', frame(Buffer.alloc(0))],
  versions: () => ['ListConfigVersions', frame(Buffer.alloc(0))],
  version: () => ['GetConfigVersion', frame(double(1, 2))],
  push: () => [
    'PushConfiguration',
    frame(Buffer.concat([textField(1, resources(8 * megabyte)), double(2, Number(process.env.VERSION ?? 1))])),
  ],
  names: () => ['StartCluster', frame(Buffer.from('\x0a\x00'.repeat(10 * megabyte), 'latin1'))],
  attributes: () => ['SetTicket', frame(Buffer.from('\x12\x00'.repeat(10 * megabyte), 'latin1'))],
  zipped: () => [
    'PushConfiguration',
    frame(gzipSync(Buffer.concat([textField(1, '<'.repeat(63 * megabyte))])), 1),
    { headers: { 'grpc-encoding': 'gzip' } },
  ],
  'zipped names': () => [
    'StartCluster',
    frame(gzipSync(Buffer.from('\x0a\x00'.repeat(31 * megabyte), 'latin1')), 1),
    { headers: { 'grpc-encoding': 'gzip' } },
  ],
}

/** Over and over until the time is up, so many at a time. */
async function repeat(once) {
  let count = 0
  let last
  const worker = async () => {
    while (performance.now() < until) {
      last = await once()
      count++
    }
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, worker))
  return { count, last: String(last).slice(0, 200) }
}

async function probe() {
  const times = []
  while (performance.now() < until) {
    const asked = performance.now()
    await tool(['crm_node', '-n'])
    times.push(performance.now() - asked)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return {
    count: times.length,
    slowest: Math.round(Math.max(...times)),
    times: times
      .sort((a, b) => b - a)
      .slice(0, 5)
      .map(Math.round),
  }
}

/** Frames of HTTP/2, one after the other, whatever the daemon says. */
async function raw(make) {
  let sent = 0
  let ended = 0
  const worker = async () => {
    while (performance.now() < until)
      await new Promise((resolve) => {
        const socket = createConnection(api)
        const end = setTimeout(() => socket.destroy(), until - performance.now())
        socket.on('error', () => undefined)
        socket.on('close', () => {
          clearTimeout(end)
          ended++
          setTimeout(resolve, 5)
        })
        if (make.read !== false) socket.resume()
        socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), h2(4, 0, 0, Buffer.alloc(0))]))
        let stream = 1
        const more = () => {
          while (!socket.destroyed) {
            const chunk = make.frames(stream)
            stream += 2 * (make.streams ?? 0)
            sent += chunk.length
            if (!socket.write(chunk)) return void socket.once('drain', more)
            if (make.once) return
          }
        }
        more()
      })
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, worker))
  return { sent, ended }
}

function h2(type, flags, stream, body) {
  const head = Buffer.alloc(9)
  head.writeUIntBE(body.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, body])
}

/** Without tables: each name and value as it is. */
function headers(list) {
  const text = (value) => Buffer.concat([Buffer.from([...lengthOf(value.length)]), Buffer.from(value)])
  return Buffer.concat(list.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]))
}
function lengthOf(length) {
  if (length < 127) return [length]
  return [127, ...varint(length - 127)]
}
const head = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/systole.Local/GetState'],
  [':authority', 'x'],
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
]
const many = (count, one) => Buffer.concat(Array.from({ length: count }, (_, i) => one(i)))

const raws = {
  pings: { frames: () => many(1000, () => h2(6, 0, 0, Buffer.alloc(8))) },
  'pings, nothing read': { read: false, frames: () => many(1000, () => h2(6, 0, 0, Buffer.alloc(8))) },
  settings: { frames: () => many(1000, () => h2(4, 0, 0, Buffer.from([0, 1, 0, 0, 16, 0]))) },
  'settings, nothing read': { read: false, frames: () => many(1000, () => h2(4, 0, 0, Buffer.alloc(0))) },
  'windows that grow': { frames: () => many(1000, () => h2(8, 0, 0, Buffer.from([0, 0, 0, 1]))) },
  priorities: { frames: () => many(1000, (i) => h2(2, 0, 2 * i + 1, Buffer.from([0, 0, 0, 0, 16]))) },
  'streams begun and reset': {
    streams: 100,
    frames: (stream) =>
      many(100, (i) =>
        Buffer.concat([h2(1, 4, stream + 2 * i, headers(head)), h2(3, 0, stream + 2 * i, Buffer.from([0, 0, 0, 8]))]),
      ),
  },
  'headers without an end': {
    streams: 0,
    frames: (stream) =>
      stream === 1 ? many(100, () => h2(9, 0, 1, headers([['x', 'y'.repeat(1000)]]))) : Buffer.alloc(0),
  },
  'long headers': {
    streams: 1,
    frames: (stream) =>
      h2(1, 4, stream, headers([...head, ...Array.from({ length: 15 }, (_, i) => [`x${i}`, 'y'.repeat(1000)])])),
  },
  'empty data': {
    streams: 1,
    once: false,
    frames: (stream) =>
      Buffer.concat([
        stream === 1 ? h2(1, 4, 1, headers(head)) : Buffer.alloc(0),
        many(1000, () => h2(0, 0, 1, Buffer.alloc(0))),
      ]),
  },
  'unknown frames': { frames: () => many(1000, () => h2(99, 0, 0, Buffer.alloc(10))) },
  silent: { once: true, frames: () => Buffer.alloc(0) },
}

async function main() {
  if (kind === 'probe') return await probe()
  if (kind in raws) return await raw(raws[kind])
  if (kind in words) {
    const said = words[kind]()
    begin()
    return await repeat(async () => (await tool(said)) || 'ended')
  }
  if (kind in calls) {
    const sessions = Array.from({ length: Math.ceil(Number(atOnce) / 16) }, () => undefined)
    const [name, message, options] = calls[kind]()
    let next = 0
    begin()
    return await repeat(async () => {
      const at = next++ % sessions.length
      let session = sessions[at]
      if (session === undefined || session.destroyed || session.closed) {
        session = connect('http://localhost', { createConnection: () => createConnection(api) })
        session.on('error', () => undefined)
        sessions[at] = session
      }
      const ended = await call(session, name, message, options)
      return ended
    }).finally(() => {
      for (const session of sessions) session?.destroy()
    })
  }
  if (kind === 'watches') {
    const session = connect('http://localhost', { createConnection: () => createConnection(api) })
    session.on('error', () => undefined)
    for (let i = 0; i < 32; i++) void call(session, 'WatchState', frame(Buffer.alloc(0)), { read: false })
    await new Promise((resolve) => setTimeout(resolve, Number(forMs)))
    return {}
  }
  if (kind === 'kinds') return [...Object.keys(words), ...Object.keys(calls), ...Object.keys(raws), 'watches']
  throw new Error(`There is no ${kind}.`)
}

console.log(JSON.stringify(await main()))
process.exit(0)
