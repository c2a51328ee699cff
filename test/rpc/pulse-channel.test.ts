import { connect } from 'node:tls'
import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  createAuthority,
  createNodeCertificate,
  framePulse,
  keyOf,
  openPulseStream,
  type Pulse,
  type PulseListener,
  servePulses,
  type TlsIdentity,
} from '../../src/rpc/index.ts'

let alpha: TlsIdentity
let beta: TlsIdentity
let stranger: TlsIdentity

async function identity(node: string, authority: Awaited<ReturnType<typeof createAuthority>>): Promise<TlsIdentity> {
  const made = await createNodeCertificate(authority, { name: node, addresses: ['127.0.0.1'] })
  return { certificate: made.certificate, key: made.key, authority: authority.certificate }
}

beforeAll(async () => {
  const authority = await createAuthority('testing')
  alpha = await identity('alpha', authority)
  beta = await identity('beta', authority)
  stranger = { ...(await identity('beta', await createAuthority('testing'))), authority: authority.certificate }
})

interface Heard {
  readonly pulses: { readonly pulse: Pulse; readonly caller: string }[]
  readonly broken: string[]
  readonly bad?: string[]
}

const opened: { readonly close: () => unknown }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function listen(heard: Heard, port = 0, isPeer: PulseListener['isPeer'] = () => true): Promise<number> {
  const server = await servePulses(
    { host: '127.0.0.1', port, identity: alpha },
    {
      isPeer,
      onPulse: (pulse, caller) => heard.pulses.push({ pulse, caller }),
      onBroken: (caller) => heard.broken.push(caller),
      onBadMessage: (caller, what) => heard.bad?.push(`${caller}: ${what}`),
    },
  )
  opened.push(server)
  return server.port
}

const pulse: Pulse = {
  node: 'beta',
  incarnation: 1_795_000_000_000,
  sequence: 7,
  silent: ['gamma'],
  silentLinks: [{ node: 'alpha', link: 1 }],
  padding: ' '.repeat(9000),
}

/** Sends until it is heard: nothing is sent while the connection opens. */
async function beatUntil(stream: { readonly send: (framed: Buffer) => void }, holds: () => boolean): Promise<void> {
  await expect
    .poll(() => {
      stream.send(framePulse(pulse))
      return holds()
    })
    .toBe(true)
}

test('whoever tries again and again to reach a lost peer reads its own key once', async () => {
  let reads = 0
  const own: TlsIdentity = {
    ...beta,
    get key() {
      reads += 1
      return beta.key
    },
  }
  const port = await listen({ pulses: [], broken: [] })
  for (const _ of [1, 2, 3]) {
    const stream = openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, own, () => undefined)
    opened.push(stream)
    await expect.poll(stream.isOpen).toBe(true)
  }
  expect(reads).toBe(1)
})

test('a pulse arrives whole, with the name that the certificate proves', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const stream = openPulseStream({ node: 'alpha', host: '127.0.0.1', port: await listen(heard) }, beta, () => undefined)
  opened.push(stream)
  await beatUntil(stream, () => heard.pulses.length > 2)
  expect(heard.pulses[0]).toEqual({ pulse, caller: 'beta' })
})

test('a daemon that ends is noticed at once on both sides', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const port = await listen(heard)
  const ends: boolean[] = []
  const stream = openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, beta, (answered) => ends.push(answered))
  await beatUntil(stream, () => heard.pulses.length > 0)
  stream.close()
  await expect.poll(() => heard.broken).toEqual(['beta'])
  const second = openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, beta, (answered) => ends.push(answered))
  const before = heard.pulses.length
  await beatUntil(second, () => heard.pulses.length > before)
  for (const one of opened.splice(0)) await one.close()
  await expect.poll(() => ends).toEqual([true])
})

test('nobody at the port means that the host lives without its daemon', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const port = await listen(heard)
  for (const one of opened.splice(0)) await one.close()
  const answered = await new Promise((resolve) => {
    openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, beta, resolve)
  })
  expect(answered).toBe(true)
})

test('a connection that has a successor may end: its peer has another certificate, and lives', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const port = await listen(heard)
  const at = { node: 'alpha', host: '127.0.0.1', port }
  const [first, second] = [openPulseStream(at, beta, () => undefined), openPulseStream(at, beta, () => undefined)]
  await beatUntil(first, () => heard.pulses.length > 0)
  const before = heard.pulses.length
  await beatUntil(second, () => heard.pulses.length > before)
  first.close()
  const between = heard.pulses.length
  await beatUntil(second, () => heard.pulses.length > between + 2)
  expect(heard.broken).toEqual([])
  second.close()
  await expect.poll(() => heard.broken).toEqual(['beta'])
})

test('who has the name and another key than the list of nodes knows gets no pulse', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const port = await listen(heard)
  const at = { node: 'alpha', host: '127.0.0.1', port }
  const why = await new Promise((resolve) => {
    openPulseStream({ ...at, keys: () => [keyOf(beta.certificate)] }, beta, (_, reason) => resolve(reason))
  })
  expect(String(why)).toMatch(/alpha shows a key that the list of nodes does not know/)
  const stream = openPulseStream({ ...at, keys: () => [keyOf(alpha.certificate)] }, beta, () => undefined)
  opened.push(stream)
  await beatUntil(stream, () => heard.pulses.length > 0)
})

test('a certificate of another authority is not heard', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const port = await listen(heard)
  await new Promise((resolve) => {
    const stream = openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, stranger, resolve)
    stream.send(framePulse(pulse))
  })
  expect(heard.pulses).toEqual([])
})

test('an address where another node answers is not the node that is meant', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const port = await listen(heard)
  const ended = await new Promise((resolve) => {
    openPulseStream({ node: 'gamma', host: '127.0.0.1', port }, beta, (_answered, reason) => resolve(reason))
  })
  expect(String(ended)).toContain('gamma')
})

test('a connection on which nothing arrives is given up, as long as the peer does not say that it hears this node', async () => {
  const heard: Heard = { pulses: [], broken: [] }
  const ends: (readonly [boolean, string])[] = []
  const at = { node: 'alpha', host: '127.0.0.1', port: await listen(heard) }
  const stream = openPulseStream(at, beta, (...end) => ends.push(end))
  opened.push(stream)
  const since = performance.now()
  await beatUntil(stream, () => {
    stream.heardPeer(true)
    return performance.now() - since > 2500
  })
  expect(ends).toEqual([])
  await beatUntil(stream, () => {
    stream.heardPeer(false)
    return ends.length > 0
  })
  expect(ends).toEqual([[false, 'no answer']])
})

/** Bytes from a node of the cluster that its own daemon would not send. */
async function sendRaw(port: number, ...messages: readonly Buffer[]): Promise<void> {
  const { certificate: cert, key, authority: ca } = beta
  const socket = connect({ host: '127.0.0.1', port, servername: 'alpha', cert, key, ca })
  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => undefined)
  for (const message of messages) socket.write(message)
  socket.resume()
  await ended
}

const framed = (body: Buffer): Buffer => Buffer.concat([Buffer.from([body.length >> 8, body.length & 255]), body])

const garbled: readonly { readonly name: string; readonly bytes: Buffer; readonly what: string }[] = [
  { name: 'no pulse at all', bytes: framed(Buffer.from('garbled')), what: 'a pulse that cannot be read' },
  {
    name: 'a pulse in the name of another node',
    bytes: framePulse({ ...pulse, node: 'gamma' }),
    what: 'a pulse in the name of another node',
  },
  {
    name: 'a pulse whose numbers are none',
    bytes: framePulse({ ...pulse, incarnation: Number.NaN }),
    what: 'a pulse, incarnation: not number',
  },
  {
    name: 'a name that nobody has',
    bytes: framePulse({ ...pulse, silent: ['a\nb'] }),
    what: 'a pulse, silent.0: a name is empty or has characters that no name has',
  },
]
for (const { name, bytes, what } of garbled)
  test(`${name} ends that connection, and nothing else`, async () => {
    const heard = { pulses: [], broken: [], bad: [] as string[] } satisfies Heard
    const port = await listen(heard)
    await sendRaw(port, bytes, framePulse(pulse))
    expect(heard.bad).toEqual([`beta: ${what}`])
    expect(heard.pulses, 'what follows is not heard').toEqual([])
    expect(heard.broken, 'its daemon is not taken for dead').toEqual([])
    const stream = openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, beta, () => undefined)
    opened.push(stream)
    await beatUntil(stream, () => heard.pulses.length > 0)
  })

test('whoever is no peer, or is none any more, is not heard: its connection ends', async () => {
  const heard: Heard = { pulses: [], broken: [], bad: [] }
  let removed = false
  const asked: string[] = []
  const port = await listen(heard, 0, ({ name, key }) => {
    asked.push(key)
    return !removed && name === 'beta'
  })
  const ends: string[] = []
  const stream = openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, beta, (_, why) => ends.push(why))
  opened.push(stream)
  await beatUntil(stream, () => heard.pulses.length > 0)
  expect(new Set(asked)).toEqual(new Set([keyOf(beta.certificate)]))
  removed = true
  const before = heard.pulses.length
  await beatUntil(stream, () => ends.length > 0)
  expect(heard).toMatchObject({ broken: [], bad: [] })
  expect(heard.pulses).toHaveLength(before)
  const again = openPulseStream({ node: 'alpha', host: '127.0.0.1', port }, beta, (_, why) => ends.push(why))
  opened.push(again)
  await expect.poll(() => ends.length).toBe(2)
})
