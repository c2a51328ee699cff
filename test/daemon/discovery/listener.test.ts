import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import dnsPacket from 'dns-packet'
import { afterEach, expect, test } from 'vitest'
import { type Code, readQuery, writeAnswer } from '../../../src/daemon/discovery/codec.ts'
import { DnsListener, type Respond } from '../../../src/daemon/discovery/dns-listener.ts'
import { Forwarder } from '../../../src/daemon/discovery/forwarder.ts'
import { Places } from '../../../src/daemon/discovery/places.ts'
import { respond } from '../../../src/daemon/discovery/responder.ts'
import { readMessages, withLength } from '../../../src/daemon/discovery/stream.ts'
import { decoded, portsOf, questionPacket, serviceOf } from './asking.ts'

/** Sockets of loopback: what callers may hold open, and what is asked of other servers. */
const open: { readonly close: () => unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

let lastPort = 20_000 + (process.pid % 20_000)

async function listen(answer: Respond, host = '127.0.0.1'): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const port = ++lastPort
    try {
      open.push(await DnsListener.open({ host, port }, answer))
      return port
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
  throw new Error('no port is free')
}

const serve = async (words = 'on'): Promise<number> => {
  const ports = portsOf(words, [serviceOf('web', 2), serviceOf('wide', 60)])
  return await listen((packet, caller) => respond(packet, caller, ports))
}

function connectTo(port: number): Socket {
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  open.push({ close: () => socket.destroy() })
  return socket
}

const closed = async (socket: Socket): Promise<void> => {
  socket.resume()
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}

test('the same question is answered by UDP and by TCP, in pieces and several at once', async () => {
  const port = await serve()
  const socket = createSocket('udp4')
  open.push({ close: () => socket.close() })
  const byUdp = await new Promise<Buffer>((resolve) => {
    socket.on('message', resolve)
    socket.send(questionPacket('wide.service.systole'), port, '127.0.0.1')
  })
  expect(decoded(byUdp).tc).toBe(true)
  const tcp = connectTo(port)
  const two = Buffer.concat([1, 2].map(() => withLength(questionPacket('wide.service.systole'))))
  const replies = new Promise<readonly Buffer[]>((resolve) => {
    const got: Buffer[] = []
    const read = readMessages((packet) => {
      got.push(Buffer.from(packet))
      if (got.length === 2) resolve(got)
    })
    tcp.on('data', read)
  })
  for (const byte of two) tcp.write(Buffer.from([byte]))
  for (const reply of await replies) {
    expect(decoded(reply).tc).toBe(false)
    expect(decoded(reply).answers).toHaveLength(60)
  }
})

test('a connection that says more than a question can have is ended, and so are more than 20 of one address', async () => {
  const port = await serve()
  const long = connectTo(port)
  long.write(Buffer.from([0xff, 0xff, 0, 0]))
  await closed(long)
  const many = Array.from({ length: 25 }, () => connectTo(port))
  await expect.poll(() => many.filter((socket) => socket.resume().closed).length).toBe(5)
})

test('whoever asks and never reads is cut off', async () => {
  let answered = 0
  const port = await listen((packet) => {
    answered++
    const read = readQuery(packet)
    if (read.kind !== 'query') return undefined
    return Buffer.concat([
      writeAnswer(read.query, refused, { limit: 512, authoritative: false, recursion: false }),
      Buffer.alloc(60_000),
    ])
  })
  const socket = connectTo(port)
  socket.pause()
  const one = withLength(questionPacket('web.service.systole'))
  socket.write(Buffer.concat(Array.from({ length: 2000 }, () => one)))
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  await closed(socket)
  expect(answered).toBeLessThan(2000)
})

test('a connection has 32 questions that others are asked for: with more it is ended', async () => {
  let asked = 0
  const port = await listen(async () => {
    asked++
    return await new Promise<never>(() => undefined)
  })
  const patient = connectTo(port)
  const packet = withLength(questionPacket('example.com'))
  patient.write(Buffer.concat(Array.from({ length: 32 }, () => packet)))
  await expect.poll(() => asked).toBe(32)
  const greedy = connectTo(port)
  greedy.write(Buffer.concat(Array.from({ length: 60 }, () => packet)))
  await closed(greedy)
  expect(asked).toBe(64)
  expect(patient.closed).toBe(false)
})

test('others are asked 256 questions at a time, 64 of one asker, and whoever asks more gets an error at once', async () => {
  const forwarder = new Forwarder()
  const elsewhere = { servers: ['127.0.0.1'], port: await listen(() => undefined), recursion: true, tcp: true }
  const ask = async (name: string, asker: string): Promise<Buffer | undefined> => {
    const read = readQuery(questionPacket(name))
    if (read.kind !== 'query') throw new Error('not read')
    return await forwarder.ask(read.query, elsewhere, asker)
  }
  const waiting = Array.from({ length: 64 }, (_, at) => ask(`n${at}.example`, '192.0.2.1'))
  // One asker does not take what there is for all.
  expect(await ask('more.example', '192.0.2.1')).toBeUndefined()
  expect(forwarder.underWay).toBe(64)
  for (let at = 64; at < 256; at++) waiting.push(ask(`n${at}.example`, `192.0.2.${2 + (at >> 6)}`))
  expect(await ask('more.example', '192.0.2.9')).toBeUndefined()
  expect(forwarder.underWay).toBe(256)
  // The same question waits for the same answer.
  void ask('n7.example', '192.0.2.9')
  expect(forwarder.underWay).toBe(256)
  await Promise.all(waiting)
})

const refused = { code: 'REFUSED' as Code, answers: [], authorities: [], additionals: [] }

test('another server is asked with another number, from a port of its own, and only its answer counts', async () => {
  const seen: number[] = []
  const port = await listen((packet) => {
    const read = readQuery(packet)
    if (read.kind !== 'query') return undefined
    seen.push(read.query.id)
    const { query } = read
    const answers = [{ name: query.name, type: 'A' as const, ttl: 9, data: '192.0.2.1' }]
    return writeAnswer(
      query,
      { ...refused, code: 'NOERROR', answers },
      { limit: 512, authoritative: true, recursion: true },
    )
  })
  const forwarder = new Forwarder()
  const read = readQuery(questionPacket('ExAmple.com'))
  if (read.kind !== 'query') throw new Error('not read')
  for (const tcp of [false, true]) {
    const elsewhere = { servers: ['127.0.0.1'], port, recursion: true, tcp }
    const [one, same] = await Promise.all([
      forwarder.ask(read.query, elsewhere, '192.0.2.1'),
      forwarder.ask({ ...read.query, id: 5 }, elsewhere, '192.0.2.2'),
    ])
    expect(one && decoded(one)).toMatchObject({
      id: 4711,
      questions: [{ name: 'ExAmple.com' }],
      answers: [{ data: '192.0.2.1' }],
    })
    expect(same && decoded(same).id).toBe(5)
  }
  // One question for both who had the same.
  expect(seen).toHaveLength(2)
  expect(seen).not.toContain(4711)
  expect(forwarder.underWay).toBe(0)
})

/** A server on a port of its own that sees from where it was asked, and answers when it is told to. */
async function bareServer(host = '127.0.0.1') {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, host, resolve))
  open.push({ close: async () => await new Promise<void>((resolve) => socket.close(resolve)) })
  return { socket, port: socket.address().port }
}

test('neither the number of a question nor the port that it comes from can be guessed from those before', async () => {
  const { socket, port } = await bareServer()
  const seen: { readonly id: number; readonly from: number }[] = []
  socket.on('message', (packet, { port: from }) => seen.push({ id: packet.readUInt16BE(0), from }))
  const forwarder = new Forwarder()
  const elsewhere = { servers: ['127.0.0.1'], port, recursion: true, tcp: false }
  const asked = Array.from({ length: 200 }, async (_, at) => {
    const read = readQuery(questionPacket(`n${at}.example`))
    return read.kind === 'query' ? await forwarder.ask(read.query, elsewhere, `192.0.2.${at}`) : undefined
  })
  await expect.poll(() => seen.length).toBeGreaterThanOrEqual(190)
  for (const values of [seen.map(({ id }) => id), seen.map(({ from }) => from)]) {
    expect(new Set(values).size).toBeGreaterThan(150)
    const steps = values.slice(1).map((value, at) => Math.abs(value - (values[at] ?? 0)))
    // Neighbours would be a few apart; drawn ones are thousands apart in the middle.
    expect(steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)]).toBeGreaterThan(500)
  }
  await Promise.all(asked)
})

test('an answer with the right number counts from the server alone: not from another address, and not from another port of its', async () => {
  const real = await bareServer()
  const forgers = [await bareServer('127.0.0.2'), await bareServer()]
  const answerTo = (packet: Buffer, data: string): Buffer => {
    const read = readQuery(packet)
    if (read.kind !== 'query') throw new Error('not read')
    const answers = [{ name: read.query.name, type: 'A' as const, ttl: 9, data }]
    const answer = { ...refused, code: 'NOERROR' as Code, answers }
    return writeAnswer(read.query, answer, { limit: 512, authoritative: true, recursion: true })
  }
  real.socket.on('message', (packet, { port, address }) => {
    const forged = forgers.map(
      async ({ socket }) =>
        await new Promise((resolve) => socket.send(answerTo(packet, '203.0.113.66'), port, address, resolve)),
    )
    void Promise.all(forged).then(() => {
      const wrongNumber = Buffer.from(answerTo(packet, '203.0.113.66'))
      wrongNumber.writeUInt16BE(wrongNumber.readUInt16BE(0) ^ 1, 0)
      real.socket.send(wrongNumber, port, address)
      real.socket.send(answerTo(packet, '192.0.2.1'), port, address)
    })
  })
  const read = readQuery(questionPacket('example.com'))
  if (read.kind !== 'query') throw new Error('not read')
  const elsewhere = { servers: ['127.0.0.1'], port: real.port, recursion: true, tcp: false }
  const answer = await new Forwarder().ask(read.query, elsewhere, '192.0.2.1')
  expect(answer && decoded(answer).answers).toMatchObject([{ data: '192.0.2.1' }])
})

test('a server that answers something else, or fails, is passed over; nobody waits for ever', async () => {
  const lying = await listen((packet) => {
    const other = dnsPacket.decode(packet)
    return dnsPacket.encode({ ...other, type: 'response', questions: [{ name: 'evil.com', type: 'A' }] })
  })
  const read = readQuery(questionPacket('example.com'))
  if (read.kind !== 'query') throw new Error('not read')
  const forwarder = new Forwarder()
  expect(
    await forwarder.ask(read.query, { servers: ['127.0.0.1'], port: lying, recursion: true, tcp: false }, '192.0.2.1'),
  ).toBeUndefined()
  const failing = await listen((packet) => {
    const again = readQuery(packet)
    return again.kind === 'query'
      ? writeAnswer(
          again.query,
          { ...refused, code: 'SERVFAIL' },
          { limit: 512, authoritative: false, recursion: false },
        )
      : undefined
  })
  expect(
    await forwarder.ask(read.query, { servers: ['127.0.0.1'], port: failing, recursion: true, tcp: true }, '192.0.2.1'),
  ).toBeUndefined()
  const closedPort = ++lastPort
  expect(
    await forwarder.ask(
      read.query,
      { servers: ['127.0.0.1'], port: closedPort, recursion: true, tcp: true },
      '192.0.2.1',
    ),
  ).toBeUndefined()
})

test('an address that is taken is a trouble, until it is free', async () => {
  const port = await listen(() => undefined)
  const places = new Places('DNS', {
    open: async (at) => await DnsListener.open(at, () => undefined),
    onTroubles: () => undefined,
  })
  open.push({ close: async () => await places.use([]) })
  await places.use([{ host: '127.0.0.1', port }])
  expect(places.troubles).toEqual([
    `DNS of services cannot be asked everywhere: Another program listens on 127.0.0.1 port ${port}.`,
  ])
  await open.splice(0, 1)[0]?.close()
  await expect.poll(() => places.troubles).toEqual([])
})
