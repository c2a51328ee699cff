import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { doorLimits } from '../../src/rpc/doorman.ts'
import { createAuthority, createNodeCertificate, type DoorRule, serveTls, type TlsServer } from '../../src/rpc/index.ts'
import { type LetIn, SocketFilter } from '../../src/rpc/socket-filter.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  delete process.env.SYSTOLE_FILTER
  for (const close of closers.splice(0).reverse()) await close()
})

async function serve(door: DoorRule): Promise<TlsServer> {
  const authority = await createAuthority('test')
  const node = await createNodeCertificate(authority, { name: 'n1', addresses: ['127.0.0.1'] })
  const server = await serveTls(
    { host: '0.0.0.0', port: 0, identity: { ...node, authority: authority.certificate }, door },
    () => undefined,
  )
  closers.push(() => server.close())
  return server
}

type Knock = { readonly socket: Socket; readonly outcome: () => 'waiting' | 'open' | 'ended' }

function knock(port: number, from: string, host = '127.0.0.1'): Knock {
  const socket = connect({ host, port, localAddress: from })
  let outcome: 'waiting' | 'open' | 'ended' = 'waiting'
  socket.on('connect', () => {
    outcome = 'open'
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    outcome = 'ended'
  })
  closers.push(() => socket.destroy())
  return { socket, outcome: () => outcome }
}

const settled = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 300))

test('where members alone are heard, the kernel gives a stranger no answer', async () => {
  const { port } = await serve({ known: ['127.0.0.1'], knownOnly: true })
  const [known, stranger] = [knock(port, '127.0.0.1'), knock(port, '127.0.0.2')]
  await expect.poll(known.outcome).toBe('open')
  await settled()
  expect(stranger.outcome()).toBe('waiting')
})

test('without the filter, the stranger is hung up on', async () => {
  process.env.SYSTOLE_FILTER = 'process'
  const { port } = await serve({ known: ['127.0.0.1'], knownOnly: true })
  const [known, stranger] = [knock(port, '127.0.0.1'), knock(port, '127.0.0.2')]
  await expect.poll(stranger.outcome).toBe('ended')
  expect(known.outcome()).toBe('open')
})

test('who is let in follows the rule', async () => {
  const server = await serve({ known: ['127.0.0.1'], knownOnly: true })
  server.replaceDoor({ known: ['127.0.0.1', '127.0.0.2'], knownOnly: true })
  await expect.poll(knock(server.port, '127.0.0.2').outcome).toBe('open')
})

test('of connections that say nothing, one address has a few and all strangers some more; hosts of the cluster have their own', async () => {
  const { port } = await serve({ known: ['127.0.0.1'], knownOnly: false })
  const knocks = ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((from) =>
    Array.from({ length: 20 }, () => knock(port, from)),
  )
  const open = (some: readonly Knock[]): number => some.filter(({ outcome }) => outcome() === 'open').length
  await expect.poll(() => open(knocks.flat())).toBe(doorLimits.unfinishedStrangers)
  for (const ofOne of knocks) expect(open(ofOne)).toBeLessThanOrEqual(doorLimits.unfinishedOfAddress)
  const known = knock(port, '127.0.0.1')
  await settled()
  expect(known.outcome()).toBe('open')
  // Until the time for TLS is over.
  await expect.poll(() => open(knocks.flat()), { timeout: 10_000 }).toBe(0)
}, 20_000)

test('an address that comes again and again is not answered any more, and another is', async () => {
  const { port } = await serve({ known: [], knownOnly: false })
  for (let round = 0; round < 12; round++) {
    const some = Array.from({ length: 10 }, () => knock(port, '127.0.0.2'))
    // In the last rounds the kernel gives no answer any more.
    await expect.poll(() => round >= 9 || some.every(({ outcome }) => outcome() !== 'waiting')).toBe(true)
    await settled()
    for (const { socket } of some) socket.destroy()
  }
  const [again, another] = [knock(port, '127.0.0.2'), knock(port, '127.0.0.3')]
  await expect.poll(another.outcome).toBe('open')
  await settled()
  expect(again.outcome()).toBe('waiting')
})

describe('the filter on a socket', () => {
  const cases: readonly { readonly host: string; readonly letIn: LetIn; readonly passes: boolean }[] = [
    { host: '127.0.0.1', letIn: { kind: 'only', addresses: ['10.0.0.1', '127.0.0.1', '10.0.0.2'] }, passes: true },
    { host: '127.0.0.1', letIn: { kind: 'only', addresses: ['10.0.0.1', '::1'] }, passes: false },
    { host: '127.0.0.1', letIn: { kind: 'without', addresses: ['127.0.0.1'] }, passes: false },
    { host: '127.0.0.1', letIn: { kind: 'without', addresses: [] }, passes: true },
    { host: '::1', letIn: { kind: 'only', addresses: ['fd00::1', '::1', 'fd00::2'] }, passes: true },
    { host: '::1', letIn: { kind: 'only', addresses: ['fd00::1', '127.0.0.1', '::2', '1::1'] }, passes: false },
    { host: '::1', letIn: { kind: 'without', addresses: ['fd00::1', '::1'] }, passes: false },
    { host: '::1', letIn: { kind: 'without', addresses: ['fd00::1'] }, passes: true },
    {
      host: '127.0.0.1',
      letIn: { kind: 'only', addresses: [...Array.from({ length: 249 }, (_, i) => `10.0.1.${i}`), '127.0.0.1'] },
      passes: true,
    },
  ]
  test.each(cases)('$letIn.kind, from $host: $passes', async ({ host, letIn, passes }) => {
    const server: Server = createServer().listen(0, host)
    await new Promise((resolve) => server.once('listening', resolve))
    closers.push(() => server.close())
    expect(SocketFilter.open()?.attach(server, letIn)).toBe(true)
    const bound = server.address()
    const one = knock(typeof bound === 'object' && bound ? bound.port : 0, host, host)
    if (passes) await expect.poll(one.outcome).toBe('open')
    else {
      await settled()
      expect(one.outcome()).toBe('waiting')
    }
  })
})
