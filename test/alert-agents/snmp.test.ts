import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callAgent, lostNode } from './agent.ts'

/** `alert_snmp`, and the receiver of net-snmp, which takes what is authentic and nothing else. */
const engine = '80001f8804deadbeef01'
const folder = mkdtempSync(join(tmpdir(), 'systole-snmp-'))
let receiver: ChildProcess | undefined
let printed = ''
let target = ''

const freePort = async (): Promise<number> => {
  const socket = createSocket('udp4')
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  const { port } = socket.address()
  await new Promise<void>((done) => socket.close(done))
  return port
}

beforeAll(async () => {
  const config = join(folder, 'snmptrapd.conf')
  writeFileSync(
    config,
    `authCommunity log right
createUser -e 0x${engine} trapper SHA-256 "authenticates" AES "encrypts-it"
createUser informer SHA "authenticates" AES "encrypts-it"
authUser log trapper
authUser log informer
format1 trap %v\\n
format2 trap %v\\n
`,
  )
  const port = await freePort()
  target = `127.0.0.1:${port}`
  const words = ['-f', '-C', '-c', config, '-Lo', '-n', '-m', '', '-OnQ', '-M', '', `udp:${target}`]
  receiver = spawn('snmptrapd', words, { env: { ...process.env, SNMP_PERSISTENT_DIR: folder }, stdio: 'pipe' })
  for (const stream of [receiver.stdout, receiver.stderr]) stream?.on('data', (chunk) => (printed += String(chunk)))
  await vi.waitFor(() => expect(printed).toMatch(/NET-SNMP version/), 20_000)
}, 30_000)

afterAll(async () => {
  const ended = new Promise((done) => receiver?.once('close', done))
  receiver?.kill()
  await ended
  rmSync(folder, { recursive: true, force: true })
})

const oid = '.1.3.6.1.4.1.32723'
const traps = (): readonly string[] => printed.split('\n').filter((line) => line.startsWith('trap '))
const came = async (count: number): Promise<void> =>
  await vi.waitFor(() => expect(traps(), printed).toHaveLength(count), 10_000)

test('a trap has what PACEMAKER-MIB defines', async () => {
  const before = traps().length
  expect(await callAgent('alert_snmp', target, { trap_community: 'right' })).toEqual({ code: 0, said: '' })
  await came(before + 1)
  const trap = traps().at(-1) ?? ''
  expect(trap).toContain(`.1.3.6.1.6.3.1.1.4.1.0 = ${oid}.2.1`)
  for (const [number, value] of [
    [1, '"n1"'],
    [2, '"web"'],
    [3, '"monitor"'],
    [4, '"not running"'],
    [5, '0'],
    [6, '7'],
    [7, '0'],
    [8, '"n/a"'],
    [9, '"n/a"'],
  ])
    expect(trap).toContain(`${oid}.1.${number} = ${value}`)
  await callAgent('alert_snmp', target, { ...lostNode, trap_community: 'right' })
  await came(before + 2)
  expect(traps().at(-1)).toContain(`${oid}.1.6 = 2147483647`)
})

test('an inform is acknowledged; one that nobody acknowledges is tried again later', async () => {
  const before = traps().length
  const inform = { trap_inform: 'true' }
  expect(await callAgent('alert_snmp', target, { ...inform, trap_community: 'right' })).toEqual({ code: 0, said: '' })
  await came(before + 1)
  const begun = Date.now()
  const silent = createSocket('udp4')
  await new Promise<void>((done) => silent.bind(0, '127.0.0.1', done))
  const nobody = await callAgent('alert_snmp', `127.0.0.1:${silent.address().port}`, inform, 6000)
  await new Promise<void>((done) => silent.close(done))
  expect(nobody).toEqual({ code: 75, said: expect.stringContaining('timed out') })
  expect(Date.now() - begun).toBeLessThan(6000)
})

test('version 3: traps and informs that are authentic and encrypted, and none with another password', async () => {
  const before = traps().length
  const secrets = { trap_version: '3', trap_auth_password: 'authenticates', trap_priv_password: 'encrypts-it' }
  const trap = { ...secrets, trap_user: 'trapper', trap_engine_id: engine }
  expect(await callAgent('alert_snmp', target, trap)).toEqual({ code: 0, said: '' })
  await came(before + 1)
  const inform = { ...secrets, trap_user: 'informer', trap_inform: 'true', trap_auth_protocol: 'sha' }
  expect(await callAgent('alert_snmp', target, inform)).toEqual({ code: 0, said: '' })
  await came(before + 2)
  const wrong = await callAgent('alert_snmp', target, { ...inform, trap_auth_password: 'somebody-else' }, 6000)
  expect(wrong.code).toBe(75)
  expect(wrong.said).not.toContain('somebody-else')
  await callAgent('alert_snmp', target, { ...trap, trap_priv_password: 'somebody-else' })
  await callAgent('alert_snmp', target, { trap_community: 'wrong' })
  await callAgent('alert_snmp', target, { ...lostNode, trap_community: 'right' })
  // The last one came, and of those before it none.
  await came(before + 3)
})

test.each([
  [{ trap_resource_tasks: 'start,stop' }, {}],
  [{}, { CRM_alert_rc: '0' }],
  [{ trap_node_states: 'member' }, lostNode],
  [{ trap_fencing_tasks: 'off' }, { CRM_alert_kind: 'fencing', CRM_alert_task: 'reboot' }],
])('what the options leave out is not sent: %j', async (options, event) => {
  const before = traps().length
  const right = { trap_community: 'right' }
  expect(await callAgent('alert_snmp', target, { ...right, ...options, ...event })).toEqual({ code: 0, said: '' })
  await callAgent('alert_snmp', target, { ...right, CRM_alert_node: 'marker' })
  await came(before + 1)
  expect(traps().at(-1)).toContain('"marker"')
})

test('what an agent or a user wrote stays one value of one trap: no line and no escape of theirs reaches whoever reads the log of the receiver', async () => {
  const before = traps().length
  const hostile = {
    trap_community: 'right',
    CRM_alert_desc: 'down\ntrap .1.3.6.1.4.1.32723.1.1 = "forged"\r\nmore',
    CRM_alert_attribute_name: 'a\u001b]0;owned\u0007\u009b2J\u202e',
    CRM_alert_attribute_value: '%v%n%s\u2028x',
    CRM_alert_rc: '1e400',
    CRM_alert_target_rc: '__proto__',
    CRM_alert_status: '-99999999999',
  }
  expect(await callAgent('alert_snmp', target, hostile)).toEqual({ code: 0, said: '' })
  await callAgent('alert_snmp', target, { trap_community: 'right', CRM_alert_node: 'marker' })
  await came(before + 2)
  const trap = traps()[before] ?? ''
  expect(trap).toContain(`${oid}.1.4 = "down trap .1.3.6.1.4.1.32723.1.1 = \\"forged\\" more"`)
  expect(trap).toContain(`${oid}.1.9 = "%v%n%s x"`)
  for (const number of [5, 6, 7]) expect(trap).toContain(`${oid}.1.${number} = 2147483647`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are looked for.
  expect(traps().join('\n')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
})

test.each([
  '--help',
  '-x',
  'nms example',
  'a,b',
  '127.0.0.1:0',
  '127.0.0.1:65536',
  '127.0.0.1:1:2',
  '[::1',
  '$(id)',
  'file:///etc/passwd',
  'x'.repeat(300),
  '0/0',
])('a receiver %j is refused before anything is sent', async (recipient) =>
  expect(await callAgent('alert_snmp', recipient)).toMatchObject({
    code: 78,
    said: expect.stringContaining('not a receiver of traps'),
  }),
)

test('a receiver that answers with noise, or for another question, ends nothing but this attempt', async () => {
  const hostile = createSocket('udp4')
  let asked = 0
  hostile.on('message', (packet, { port, address }) => {
    asked++
    const other = Buffer.from(packet)
    // The answer to a question that was never asked, what is cut off, what is no packet, and one that says it is far longer.
    for (const answer of [
      other,
      packet.subarray(0, 9),
      Buffer.alloc(1400, 0x30),
      Buffer.from('3084ffffffff0201', 'hex'),
      Buffer.alloc(0),
    ])
      hostile.send(answer, port, address)
  })
  await new Promise<void>((done) => hostile.bind(0, '127.0.0.1', done))
  const recipient = `127.0.0.1:${hostile.address().port}`
  for (const version of [
    { trap_community: 'right' },
    {
      trap_version: '3',
      trap_user: 'informer',
      trap_auth_password: 'authenticates',
      trap_priv_password: 'encrypts-it',
    },
  ]) {
    const ended = await callAgent('alert_snmp', recipient, { ...version, trap_inform: 'true' }, 6000)
    expect(ended).toMatchObject({ code: 75 })
    expect(ended.said.split('\n')).toHaveLength(1)
    expect(ended.said).not.toMatch(/authenticates|encrypts-it|node_modules/)
  }
  await new Promise<void>((done) => hostile.close(done))
  expect(asked).toBeGreaterThan(1)
  expect(asked).toBeLessThan(100)
})
