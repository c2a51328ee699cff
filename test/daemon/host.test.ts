import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { localHandlers } from '../../src/daemon/api/local-api.ts'
import { peerHandlers } from '../../src/daemon/api/peer-api.ts'
import { writeWhole } from '../../src/daemon/host/files.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { type Paths, pathsBelow } from '../../src/daemon/host/paths.ts'
import { Daemon } from '../../src/daemon/lifecycle/daemon.ts'
import { ownName } from '../../src/daemon/node-list/own-name.ts'
import { writeIdentity, writeRemoteIdentity } from '../../src/daemon/pki/identity.ts'
import {
  connectLocal,
  createAuthority,
  createNodeCertificate,
  issueToken,
  type LocalClient,
} from '../../src/rpc/index.ts'

/** A whole daemon in this process, on free ports of the loopback; it takes no part. */
let paths: Paths
let daemon: Daemon
let live: LocalClient

beforeEach(() => {
  paths = pathsBelow(mkdtempSync(join(tmpdir(), 'systole-host-')))
  for (const folder of [paths.data, paths.run]) mkdirSync(folder, { recursive: true })
  const fail = (error: unknown): void => {
    throw error
  }
  daemon = new Daemon(paths, openLog('host', 'silent'), { local: localHandlers, peers: peerHandlers }, fail)
  live = connectLocal(paths.root)
})
afterEach(async () => {
  live.close()
  await daemon.end()
  rmSync(paths.root, { recursive: true, force: true })
})

async function certificates() {
  const authority = await createAuthority('x')
  return { authority, own: await createNodeCertificate(authority, { name: ownName(), addresses: ['127.0.0.1'] }) }
}

const ports = { peer: 0, enrolment: 0 }
const list = (more: object): string => JSON.stringify({ clusterName: 'x', ports, ...more })

async function beNode(): Promise<void> {
  const { authority, own } = await certificates()
  writeIdentity(paths.pki, authority, own)
  writeWhole(paths.clusterFile, list({ nodes: [{ name: ownName(), address: '127.0.0.1' }] }))
  await daemon.start(undefined)
}

async function beWitness({ address = '127.0.0.1', peer = 0 } = {}): Promise<void> {
  const { authority, own } = await certificates()
  writeRemoteIdentity(paths.pki, { authority: authority.certificate, ...own })
  writeWhole(
    paths.witnessFile,
    list({ nodes: [{ name: 'a' }, { name: 'b' }], witness: { name: 'w', address, ports: { peer } } }),
  )
}

describe('a host that is to belong to another cluster, and is not let in,', () => {
  /** Its form is right, and nobody listens there. */
  const token = async () =>
    issueToken((await createAuthority('other')).certificate, {
      role: 'member',
      issuedAt: Date.now(),
      validUntil: Date.now() + 60_000,
    }).text
  const asked = (token: string) => ({ address: '127.0.0.1:1', token, force: true })

  test('stays the node that it was', async () => {
    await beNode()
    const before = readFileSync(paths.clusterFile, 'utf8')
    await expect(live.joinCluster(asked('mistyped'))).rejects.toThrow(/token/)
    await expect(live.joinCluster(asked(await token()))).rejects.toThrow(/127\.0\.0\.1 port 1/)
    const setup = { clusterName: 'other', nodes: [{ name: 'elsewhere', address: '' }], force: true }
    await expect(live.setupCluster(setup)).rejects.toThrow(/None of the nodes is this host/)
    expect((await live.getState({})).clusterName).toBe('x')
    expect(readFileSync(paths.clusterFile, 'utf8')).toBe(before)
    expect(existsSync(paths.pki)).toBe(true)
  })

  test('stays the witness that it was', async () => {
    await beWitness()
    await daemon.start(undefined)
    await expect(live.joinAsWitness(asked('mistyped'))).rejects.toThrow(/token/)
    await expect(live.joinAsWitness(asked(await token()))).rejects.toThrow(/127\.0\.0\.1 port 1/)
    expect(await live.getWitnessHost({})).toMatchObject({ clusterName: 'x', name: 'w' })
    expect(existsSync(paths.witnessFile)).toBe(true)
    expect(existsSync(paths.pki)).toBe(true)
  })
})

/** The lines of its log, and its exit code. */
async function runProgram(words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const program = fileURLToPath(new URL('../../bin/systoled', import.meta.url))
  const running = spawn(program, words, { env: { ...process.env, SYSTOLE_ROOT: paths.root, ...environment } })
  const logged = Promise.all([text(running.stdout), text(running.stderr)])
  const [code] = await once(running, 'exit')
  return { code, lines: (await logged).join('').trim().split('\n') }
}

test('a remote node without the address that it was given says so in one sentence', async () => {
  await beWitness()
  const { code, lines } = await runProgram(['--remote'], { PCMK_remote_address: '192.0.2.1' })
  expect(lines).toEqual([
    expect.stringMatching(/"why":"This host does not have its address 192\.0\.2\.1 now\.".*the daemon cannot start/),
  ])
  expect(code).toBe(1)
})

test.each([
  ['SYSTOLE_LOG', 'loud', 'debug, info, warn, error'],
  // One of the library's, which would end the log.
  ['SYSTOLE_LOG', 'silent', 'debug, info, warn, error'],
  ['SYSTOLE_LOG_TO', 'file', 'journal, syslog, syslog-3164, stdout'],
])('a daemon whose %s is %s says in one sentence what there is', async (variable, word, words) => {
  const { code, lines } = await runProgram([], { [variable]: word })
  expect(lines).toEqual([`${variable} is '${word}'. Set it to ${words}, or unset it.`])
  expect(code).toBe(1)
})

test('a node whose heartbeats another program receives says so in one sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { authority, own } = await certificates()
  writeIdentity(paths.pki, authority, own)
  const nodes = [{ name: ownName(), address: '127.0.0.1' }]
  writeWhole(paths.clusterFile, list({ nodes, ports: { ...ports, heartbeat: port }, store: { kind: 'embedded' } }))
  writeWhole(paths.startedMark, '')
  const { code, lines } = await runProgram([])
  other.close()
  const ended = lines.filter((line) => line.includes('"level":"error"'))
  expect(ended).toEqual([
    expect.stringContaining(
      `"reason":"heartbeats cannot be received: Another program listens on 127.0.0.1 port ${port}."`,
    ),
  ])
  expect(code).toBe(1)
})

test.each([false, true])('whoever asks a daemon that cannot begin yet hears why; taking part: %s', async (tookPart) => {
  const { authority, own } = await certificates()
  writeIdentity(paths.pki, authority, own)
  writeWhole(paths.clusterFile, list({ nodes: [{ name: ownName(), address: '192.0.2.1' }] }))
  if (tookPart) writeWhole(paths.startedMark, '')
  await expect(live.getState({})).rejects.toThrow(/No daemon listens/)
  expect((await runProgram([])).lines).toEqual([
    expect.stringMatching(/"why":"This host does not have its address 192\.0\.2\.1 yet\.".*the daemon cannot start/),
  ])
  await expect(live.getState({})).rejects.toThrow(/waits, and tries again.*does not have its address 192\.0\.2\.1 yet/)
  rmSync(paths.startedMark, { force: true })
  writeWhole(paths.clusterFile, list({ nodes: [{ name: ownName(), address: '127.0.0.1' }] }))
  await daemon.start(undefined)
  expect((await live.getState({})).clusterName).toBe('x')
  expect(existsSync(join(paths.run, 'waits'))).toBe(false)
})

describe('the daemon of a witness begins', () => {
  /** From the block for documentation: no host has it. */
  const elsewhere = '192.0.2.1'

  test('without its certificate, and the place is given up', async () => {
    await beWitness()
    rmSync(paths.pki, { recursive: true })
    await daemon.start(undefined)
    expect((await live.getWitnessHost({})).problem).toMatch(/has lost its certificate.*qdevice destroy net/)
    await expect(live.changeWitnessHost({ kind: 'start' })).rejects.toThrow(/has lost its certificate/)
    expect((await live.getWitnessHost({})).started).toBe(false)
    await live.changeWitnessHost({ kind: 'destroy' })
    expect((await live.getWitnessHost({})).clusterName).toBe('')
    expect(existsSync(paths.witnessFile)).toBe(false)
  })

  test('with an address of another host, and the place is given up', async () => {
    await beWitness({ address: elsewhere })
    await daemon.start(undefined)
    expect((await live.getWitnessHost({})).problem).toMatch(/witness at 192\.0\.2\.1, where this host cannot listen/)
    await live.changeWitnessHost({ kind: 'destroy' })
    expect(existsSync(paths.witnessFile)).toBe(false)
    expect(existsSync(paths.pki)).toBe(false)
  })

  test('before it can listen, and listens as soon as it can', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    await beWitness({ peer: (taken.address() as AddressInfo).port })
    await daemon.start(undefined)
    expect((await live.getWitnessHost({})).problem).toMatch(/EADDRINUSE|cannot listen/)
    taken.close()
    await expect.poll(async () => (await live.getWitnessHost({})).problem, { timeout: 10_000 }).toBeUndefined()
  })
})

test('whoever is gone before it is known who asked to watch is not watched for', async () => {
  await daemon.watchState(() => {
    throw new Error('nobody is there')
  }, AbortSignal.abort())
})
