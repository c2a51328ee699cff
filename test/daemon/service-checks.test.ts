import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Server, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js'
import { afterAll, expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { CheckKeeper } from '../../src/daemon/services/check-keeper.ts'
import { probe } from '../../src/daemon/services/probe.ts'
import { checkSet, type DueCheck } from '../../src/services/index.ts'

/** What performs the checks of services: programs have an end, and whatever goes wrong is a result. */
const folder = mkdtempSync(join(tmpdir(), 'systole-checks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const signal = new AbortController().signal
const timing = { intervalMs: 20, timeoutMs: 60_000 }

const due = (check: Partial<DueCheck['check']>, port = 80): DueCheck => ({
  service: 'web',
  resource: 'web',
  node: 'n1',
  address: '127.0.0.1',
  port,
  attribute: 'service-web',
  check: { ...timing, ...check } as DueCheck['check'],
})

function program(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return path
}

const isAlive = (pid: number): boolean => {
  try {
    // A zombie has ended.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('the program of a check is killed, with what it has started, when its check ends', async () => {
  const mark = join(folder, 'pids')
  program('hanging', `sleep 1000 & echo "$$ $!" > ${mark}.new; mv ${mark}.new ${mark}; wait`)
  const results: string[] = []
  const keeper = new CheckKeeper({
    log: { info: () => undefined, debug: () => undefined } as never,
    attributes: {
      set: ({ value }) => {
        results.push(String(value))
        return Promise.resolve()
      },
    },
    folder,
    view: () => ({ attributes: new Map(), withheld: new Map() }),
  })
  keeper.take({ due: [due({ kind: 'command', command: 'hanging' })], left: [] })
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), { timeout: 20_000 })
  const pids = readFileSync(mark, 'utf8').trim().split(' ').map(Number)
  expect(pids.map(isAlive)).toEqual([true, true])
  keeper.take({ due: [], left: [] })
  await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), { timeout: 20_000 })
  expect(results).toEqual([])
}, 60_000)

test('what a check throws is its result', async () => {
  const place = { folder, signal }
  expect(await probe(due({ kind: 'http', path: '/a b' }), place)).toMatch(/unescaped characters/)
  expect(await probe(due({ kind: 'tcp' }, 70_000), place)).toMatch(/Port should be/)
  program('nul', 'exit 0')
  for (const address of ['a\0b', '$(id)', '-x', 'a b', ''])
    expect(await probe({ ...due({ kind: 'command', command: 'nul' }), address }, place)).toMatch(
      /not one that a program/,
    )
  for (const address of ['10.0.0.1', 'fe80::1%eth0', 'db.example.org'])
    expect(await probe({ ...due({ kind: 'command', command: 'nul' }), address }, place)).toBeUndefined()
})

test('a check by a program that is too late, fails or may be written by others fails', async () => {
  const place = { folder, signal }
  program('slow', 'exec sleep 1000')
  const late = due({ kind: 'command', command: 'slow', timeoutMs: 50 })
  expect(await probe(late, place)).toBe('no answer within 50 ms')
  program('failing', 'echo "no database"; exit 3')
  expect(await probe(due({ kind: 'command', command: 'failing' }), place)).toBe('no database')
  program('passing', 'exit 0')
  expect(await probe(due({ kind: 'command', command: 'passing' }), place)).toBeUndefined()
  chmodSync(join(folder, 'passing'), 0o777)
  expect(await probe(due({ kind: 'command', command: 'passing' }), place)).toMatch(/passing can be written by others/)
  // Whoever can write the folder puts another program of root's there by that name.
  chmodSync(join(folder, 'passing'), 0o755)
  chmodSync(folder, 0o777)
  expect(await probe(due({ kind: 'command', command: 'passing' }), place)).toMatch(/can be written by others/)
  chmodSync(folder, 0o700)
  expect(await probe(due({ kind: 'command', command: 'passing' }), place)).toBeUndefined()
})

test('a port that answers passes', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).end('hello'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  expect(await probe(due({ kind: 'tcp' }, port), { folder, signal })).toBeUndefined()
  expect(await probe(due({ kind: 'http', path: '/' }, port), { folder, signal })).toMatch(/Parse Error/)
  server.close()
})

test('another reason each time is not recorded each time, and a repeated check leaves nothing behind', async () => {
  const count = join(folder, 'count')
  program('restless', `echo x >> ${count}; wc -l < ${count}; exit 1`)
  const recorded: unknown[] = []
  const keeper = new CheckKeeper({
    log: { info: () => undefined, debug: () => undefined } as never,
    attributes: {
      set: ({ value }) => {
        recorded.push(value)
        return Promise.resolve()
      },
    },
    folder,
    view: () => ({ attributes: new Map(), withheld: new Map() }),
  })
  const listening = vi.spyOn(AbortSignal.prototype, 'addEventListener')
  const ended = vi.spyOn(AbortSignal.prototype, 'removeEventListener')
  keeper.take({ due: [due({ kind: 'command', command: 'restless' })], left: [] })
  await vi.waitFor(() => expect(readFileSync(count, 'utf8').length).toBeGreaterThan(20), { timeout: 20_000 })
  expect(recorded).toEqual(['failing: 1'])
  expect(listening.mock.calls.length - ended.mock.calls.length).toBeLessThan(4)
  keeper.close()
  vi.restoreAllMocks()
}, 60_000)

test("an administrator's node attribute that has the name of a result is neither removed nor changed", async () => {
  const changes: object[] = []
  const record = (node: string, set: string, name: string) =>
    [`${node}/${name}`, { node: nodeName(node), set, name, value: 'healthy' }] as const
  const attributes = new Map([
    record('n1', '', 'service-own'),
    record('n1', checkSet, 'service-gone'),
    record('n2', '', 'service-web'),
  ])
  const keeper = new CheckKeeper({
    log: { info: () => undefined, debug: () => undefined } as never,
    attributes: {
      set: (change) => {
        changes.push(change)
        return Promise.resolve()
      },
    },
    folder,
    view: () => ({ attributes, withheld: new Map() }),
  })
  const times = join(folder, 'times')
  program('counting', `echo x >> ${times}; exit 1`)
  const check = due({ kind: 'command', command: 'counting' })
  const left = ['service-own', 'service-gone'].map((attribute) => ({ node: 'n1', attribute }))
  keeper.take({ due: [check, { ...check, service: 'other', attribute: 'service-other' }], left })
  await vi.waitFor(() => expect(readFileSync(times, 'utf8').length).toBeGreaterThan(12), { timeout: 20_000 })
  keeper.close()
  expect(changes).toEqual([
    { node: 'n1', set: checkSet, name: 'service-gone' },
    { node: 'n1', set: checkSet, name: 'service-other', value: 'failing: exit code 1' },
  ])
}, 60_000)

test('a check by gRPC asks a real server for its health, and says what it answers', async () => {
  const place = { folder, signal }
  const form = { requestStream: false, responseStream: false }
  const read = (message: Buffer) => ({ service: message.subarray(2).toString() })
  const states: Readonly<Record<string, number>> = { '': 1, 'shop.v1.Cart': 1, 'shop.v1.Old': 2 }
  const server = new Server()
  server.addService(
    {
      check: {
        ...form,
        path: '/grpc.health.v1.Health/Check',
        requestDeserialize: read,
        requestSerialize: ({ service }: { readonly service: string }) => Buffer.from(service),
        responseSerialize: (state: number) => Buffer.from(state === 0 ? [] : [0x08, state]),
        responseDeserialize: (answer: Buffer) => answer[1] ?? 0,
      },
    },
    {
      check: (call: { readonly request: { readonly service: string } }, answer: sendUnaryData<number>) => {
        const state = states[call.request.service]
        if (state === undefined) answer({ code: status.NOT_FOUND, details: 'unknown' })
        else answer(null, state)
      },
    },
  )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('[::]:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  )
  const ask = async (grpcService: string, address = '127.0.0.1'): Promise<string | undefined> =>
    await probe({ ...due({ kind: 'grpc', grpcService }, port), address }, place)
  expect(await ask('')).toBeUndefined()
  expect(await ask('shop.v1.Cart', '::1')).toBeUndefined()
  expect(await ask('shop.v1.Old')).toBe('gRPC health is NOT_SERVING')
  expect(await ask('shop.v1.None')).toBe("gRPC knows no service 'shop.v1.None'")
  server.forceShutdown()
  expect(await ask('')).toMatch(/^gRPC: /)
  // Something else listens, and never answers.
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port: taken } = silent.address() as { readonly port: number }
  const late = due({ kind: 'grpc', grpcService: '', timeoutMs: 300 }, taken)
  expect(await probe(late, place)).toMatch(/no answer within 300 ms|^gRPC: /)
  silent.close()
}, 30_000)
