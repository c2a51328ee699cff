import dnsPacket from 'dns-packet'
import { expect, test } from 'vitest'
import { Allowance } from '../../../src/daemon/discovery/allowance.ts'
import type { Elsewhere } from '../../../src/daemon/discovery/forwarder.ts'
import { type Caller, type ResponderPorts, respond } from '../../../src/daemon/discovery/responder.ts'
import { type Asked, decoded, edns, portsOf, questionPacket, type Reply, serviceOf } from './asking.ts'

/** What comes back for a packet. */
const stranger: Caller = { address: '192.0.2.7', tcp: false }
const services = [serviceOf('web', 2), serviceOf('wide', 60), serviceOf('huge', 250)]

async function raw(packet: Buffer, ports: ResponderPorts, caller = stranger): Promise<Buffer> {
  const reply = await respond(packet, caller, ports)
  if (reply === undefined) throw new Error('no answer')
  return reply
}

const ask = async (
  packet: Buffer,
  ports: ResponderPorts = portsOf('on', services),
  caller = stranger,
): Promise<Reply> => decoded(await raw(packet, ports, caller))

const options = (reply: Reply): readonly { readonly code: number; readonly data: Buffer }[] =>
  (reply.additionals ?? []).flatMap((one) =>
    one.type === 'OPT' ? (one.options as unknown as { readonly code: number; readonly data: Buffer }[]) : [],
  )

test('a question is answered with its number, its case and its records', async () => {
  const reply = await ask(questionPacket('wEb.service.systole'))
  expect(reply).toMatchObject({ id: 4711, code: 'NOERROR', aa: true, tc: false, ra: false })
  expect(reply.questions).toMatchObject([{ name: 'wEb.service.systole', type: 'A' }])
  expect(reply.answers?.map((one) => [one.name, one.type, 'ttl' in one && one.ttl]).toSorted()).toEqual(
    Array(2).fill(['wEb.service.systole', 'A', 5]),
  )
  expect(await ask(questionPacket('web.service.systole', 'SRV'))).toMatchObject({
    code: 'NOERROR',
    additionals: [{}, {}],
  })
  expect(await ask(questionPacket('nosuch.service.systole'))).toMatchObject({
    code: 'NXDOMAIN',
    answers: [],
    authorities: [{ type: 'SOA', name: 'systole' }],
  })
})

test('ttl and domain are those of the setting', async () => {
  const ports = portsOf('domain=a.b ttl=60s', services)
  const { answers } = await ask(questionPacket('web.service.a.b'), ports)
  expect(answers?.map((one) => 'ttl' in one && one.ttl)).toEqual([60, 60])
})

test('what does not fit is truncated: into 512 bytes, into what EDNS says, never beyond 1232; by TCP it comes whole', async () => {
  const plain = await raw(questionPacket('wide.service.systole'), portsOf('on', services))
  expect(plain.length).toBeLessThanOrEqual(512)
  expect(decoded(plain)).toMatchObject({ tc: true, code: 'NOERROR' })
  // As many as fit: a resolver that never asks by TCP has these.
  expect(decoded(plain).answers?.length).toBeGreaterThan(25)
  const middle = await raw(
    questionPacket('wide.service.systole', 'A', { additionals: [edns(800)] }),
    portsOf('on', services),
  )
  expect(middle.length).toBeLessThanOrEqual(800)
  expect(decoded(middle).tc).toBe(true)
  const large = await raw(
    questionPacket('wide.service.systole', 'A', { additionals: [edns(65_000)] }),
    portsOf('on', services),
  )
  expect(large.length).toBeLessThanOrEqual(1232)
  expect(decoded(large)).toMatchObject({ tc: false })
  expect(decoded(large).answers).toHaveLength(60)
  const huge = await raw(
    questionPacket('huge.service.systole', 'A', { additionals: [edns(65_000)] }),
    portsOf('on', services),
  )
  expect(huge.length).toBeLessThanOrEqual(1232)
  expect(decoded(huge).tc).toBe(true)
  const whole = await ask(questionPacket('huge.service.systole', 'SRV'), portsOf('on', services), {
    ...stranger,
    tcp: true,
  })
  expect(whole).toMatchObject({ tc: false })
  expect(whole.answers).toHaveLength(250)
})

test('EDNS is answered where it was spoken, and only its version 0', async () => {
  expect((await ask(questionPacket('web.service.systole'))).additionals).toEqual([])
  const { additionals } = await ask(questionPacket('web.service.systole', 'A', { additionals: [edns(4096)] }))
  expect(additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232, ednsVersion: 0, extendedRcode: 0 }])
  const newer = await ask(questionPacket('web.service.systole', 'A', { additionals: [edns(4096, 1)] }))
  expect(newer).toMatchObject({ answers: [], additionals: [{ type: 'OPT', extendedRcode: 1 }] })
})

test('without quorum nothing is said, or with without-quorum=mark what was known last, as old', async () => {
  const refusing = portsOf('on', services)
  refusing.quorate = false
  const asked = questionPacket('web.service.systole', 'A', { additionals: [edns(1232)] })
  const refused = await ask(asked, refusing)
  expect(refused).toMatchObject({ code: 'REFUSED', answers: [], authorities: [], aa: false })
  expect(options(refused)).toMatchObject([{ code: 15, data: Buffer.from('\0\x0ethis node has no quorum') }])
  const marking = portsOf('without-quorum=mark', services)
  expect(await ask(asked, marking)).toMatchObject({ code: 'NOERROR', aa: true })
  marking.quorate = false
  const old = await ask(asked, marking)
  expect(old).toMatchObject({ code: 'NOERROR', aa: false })
  expect(old.answers?.map((one) => 'ttl' in one && one.ttl)).toEqual([0, 0])
  expect(options(old)).toMatchObject([{ code: 15, data: Buffer.from('\0\x03this node has no quorum') }])
  const early = portsOf('without-quorum=mark', services)
  early.isKnown = false
  expect(await ask(asked, early)).toMatchObject({ code: 'REFUSED' })
})

const refusedPackets: readonly (readonly [string, Buffer, string])[] = [
  ['a name of others', questionPacket('example.com'), 'REFUSED'],
  ['a transfer of the zone', questionPacket('systole', 'AXFR'), 'REFUSED'],
  [
    'another class',
    questionPacket('version.bind', 'TXT', { questions: [{ name: 'version.bind', type: 'TXT', class: 'CH' }] }),
    'REFUSED',
  ],
  ['an update', withFlags(questionPacket('systole', 'SOA'), 5 << 11), 'NOTIMP'],
  ['no question', questionPacket('x', 'A', { questions: [] }), 'FORMERR'],
  [
    'two questions',
    questionPacket('x', 'A', {
      questions: [
        { name: 'a', type: 'A' },
        { name: 'b', type: 'A' },
      ],
    }),
    'FORMERR',
  ],
  [
    'an answer in a question',
    questionPacket('x', 'A', { answers: [{ name: 'x', type: 'A', data: '10.0.0.1' }] }),
    'FORMERR',
  ],
  ['EDNS twice', questionPacket('x', 'A', { additionals: [edns(512), edns(512)] }), 'FORMERR'],
  ['a packet that ends too early', questionPacket('web.service.systole').subarray(0, -3), 'FORMERR'],
  [
    'a name that points into itself',
    Buffer.concat([questionPacket('x').subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]),
    'FORMERR',
  ],
  ['a packet of 5000 bytes', Buffer.concat([questionPacket('web.service.systole'), Buffer.alloc(5000)]), 'FORMERR'],
]
test.each(refusedPackets)('%s is refused in a packet that is no longer', async (_, packet, code) => {
  const reply = await raw(packet, portsOf('on', services))
  expect(decoded(reply)).toMatchObject({ code, answers: [] })
  expect(reply.length).toBeLessThanOrEqual(Math.max(packet.length, 12))
  expect(reply.readUInt16BE(0)).toBe(4711)
})

function withFlags(packet: Buffer, flags: number): Buffer {
  packet.writeUInt16BE(flags, 2)
  return packet
}

test('answers, and what is shorter than a header, are not answered', async () => {
  for (const packet of [withFlags(questionPacket('web.service.systole'), 0x8000), Buffer.alloc(11), Buffer.alloc(0)])
    expect(await respond(packet, stranger, portsOf('on', services))).toBeUndefined()
})

test('with clients= only this host, the nodes and these networks are answered', async () => {
  const ports = portsOf('clients=198.51.100.0/24,fd00::/8', services)
  const codeFor = async (address: string): Promise<string> =>
    (await ask(questionPacket('web.service.systole'), ports, { address, tcp: false })).code
  for (const address of ['127.0.0.1', '10.0.0.1', '198.51.100.9', '::ffff:198.51.100.9', 'fd12::1'])
    expect(await codeFor(address), address).toBe('NOERROR')
  for (const address of ['192.0.2.7', '10.0.0.2', 'fe80::1%eth0'])
    expect(await codeFor(address), address).toBe('REFUSED')
})

test('an address that asks too often gets short answers, then none; all together are bounded; nodes share only that bound', async () => {
  let now = 0
  const ports = portsOf('on', services, {
    allowance: new Allowance({ ofAddress: 3, ofAll: 12, addresses: 2 }),
    now: () => now,
  })
  const asked = questionPacket('wide.service.systole', 'A', { additionals: [edns(1232)] })
  const kinds = async (address: string, times: number, tcp = false): Promise<readonly string[]> => {
    const seen: string[] = []
    for (let at = 0; at < times; at++) {
      const reply = await respond(asked, { address, tcp }, ports)
      seen.push(reply === undefined ? 'none' : decoded(reply).answers?.length === 0 ? 'short' : 'whole')
      if (reply !== undefined && seen.at(-1) === 'short') {
        expect(decoded(reply).tc).toBe(true)
        expect(reply.length).toBeLessThanOrEqual(asked.length)
      }
    }
    return seen
  }
  expect(await kinds('192.0.2.7', 7)).toEqual(['whole', 'whole', 'whole', 'short', 'short', 'short', 'none'])
  expect(await kinds('10.0.0.1', 4)).toEqual(Array(4).fill('whole'))
  expect(await kinds('10.0.0.1', 2)).toEqual(['whole', 'none'])
  now = 1000
  expect(await kinds('fd00::1', 3)).toEqual(Array(3).fill('whole'))
  // Another address of the same network of IPv6, and one more than are told apart.
  expect(await kinds('fd00::2', 1, true)).toEqual(['none'])
  expect(await kinds('192.0.2.7', 1)).toEqual(['whole'])
  expect(await kinds('192.0.2.8', 1)).toEqual(['short'])
  expect(await kinds('192.0.2.9', 1, true)).toEqual(['none'])
})

/** What is passed on to whom. */
function forwarding(words: string): { readonly ports: Asked; readonly asked: Elsewhere[] } {
  const asked: Elsewhere[] = []
  const ports = portsOf(words, services, {
    forwarder: {
      ask: async ({ id, question }, elsewhere) => {
        asked.push(elsewhere)
        if (elsewhere.servers.includes('10.9.0.66')) return undefined
        const header = dnsPacket.encode({ type: 'response', id, flags: 0, questions: [] })
        header.writeUInt16BE(1, 4)
        return Buffer.concat([header, question])
      },
    },
  })
  return { ports, asked }
}
const known: Caller = { address: '127.0.0.1', tcp: false }

test('other names are passed on with forward=, for this host, the nodes and named clients, and only where recursion is desired', async () => {
  const { ports, asked } = forwarding('forward=10.9.0.53')
  expect(await ask(questionPacket('example.com'), ports, known)).toMatchObject({ code: 'NOERROR', id: 4711 })
  expect(asked).toEqual([{ servers: ['10.9.0.53'], port: 53, recursion: true, tcp: false }])
  expect(await ask(questionPacket('example.com'), ports)).toMatchObject({ code: 'REFUSED', ra: false })
  expect(await ask(questionPacket('example.com', 'A', { flags: 0 }), ports, known)).toMatchObject({
    code: 'REFUSED',
    ra: true,
  })
  expect(asked).toHaveLength(1)
  const named = forwarding('forward=10.9.0.53 clients=192.0.2.0/24')
  await ask(questionPacket('example.com'), named.ports, { ...stranger, tcp: true })
  expect(named.asked).toMatchObject([{ tcp: true }])
  const dead = forwarding('forward=10.9.0.66')
  expect(await ask(questionPacket('example.com'), dead.ports, known)).toMatchObject({ code: 'SERVFAIL' })
})

test('names of another cluster are passed on to it, and never a second time', async () => {
  const { ports, asked } = forwarding('cluster.east=10.9.0.1,10.9.0.2')
  expect(await ask(questionPacket('web.service.east.systole'), ports)).toMatchObject({ code: 'NOERROR' })
  expect(asked).toEqual([{ servers: ['10.9.0.1', '10.9.0.2'], port: 53, recursion: false, tcp: false }])
  expect(await ask(questionPacket('web.service.east.systole', 'A', { flags: 0 }), ports)).toMatchObject({
    code: 'REFUSED',
  })
  expect(asked).toHaveLength(1)
})

test('an answer of another server that is longer than the asker takes by UDP is cut to the words "ask by TCP"', async () => {
  const long = Buffer.alloc(60_000)
  const forwarder = { ask: async () => await Promise.resolve(long) }
  const ports = portsOf('forward=10.9.0.53', [], { forwarder })
  const packet = questionPacket('example.com')
  const reply = await respond(packet, { address: '10.0.0.1', tcp: false }, ports)
  expect(reply?.length).toBeLessThanOrEqual(packet.length)
  expect((reply?.readUInt16BE(2) ?? 0) & 0x0200).toBe(0x0200)
  expect(await respond(packet, { address: '10.0.0.1', tcp: true }, ports)).toBe(long)
})
