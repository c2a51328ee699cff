import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ask, HttpsClient } from './lab/https.ts'
import { Lab } from './lab/lab.ts'
import { addWitness, quorum, untilVotes } from './lab/witness.ts'

/** Two real nodes with IPMI fencing and a witness on a third host, set up by the lines that an administrator of pcs types. */
const lab = new Lab(['n1', 'n2', 'w'])
const outside = new HttpsClient(lab)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1', 'n2'])
  await lab.createFencing(['n1', 'n2'])
}, 120_000)

afterAll(async () => {
  await outside.close()
  await lab.close()
}, 60_000)

test('a host is let in only where the cluster expects it', async () => {
  const token = (await lab.systole('n1', 'cluster', 'token', '--witness')).trim()
  const join = ['qdevice', 'setup', 'model', 'net', '--join', lab.network.address('n1'), '--token', token]
  for (const { host, line, says } of [
    { host: 'w', line: join, says: /The cluster lab does not expect a witness/ },
    { host: 'n2', line: join, says: /is a node of the cluster lab. A witness must be a separate host/ },
    { host: 'n1', line: ['quorum', 'device', 'remove'], says: /has no witness/ },
    { host: 'n1', line: ['quorum', 'device', 'add', 'model', 'net', 'host=n2'], says: /n2 is a node of the cluster/ },
  ]) {
    expect(await lab.try(host, ...line)).toBeUndefined()
    expect(lab.lastFailure).toMatch(says)
  }
})

test('the witness is the third vote, and the two-node rules rest', async () => {
  await addWitness(lab, 'n1', 'w')
  const { votes, twoNode } = await quorum(lab, 'n1')
  expect({ votes, twoNode }).toEqual({ votes: { present: 3, expected: 3, needed: 2 }, twoNode: null })
  expect(await lab.inNode('n2', 'pcs', 'quorum', 'device', 'status')).toMatch(/State: +Connected/)
  expect(await lab.inNode('w', 'pcs', 'qdevice', 'status', 'net')).toMatch(/Vote: +votes/)
  expect((await lab.status('n1')).nodes.map(({ name }) => name)).toEqual(['n1', 'n2'])
  for (const line of [['status'], ['cluster', 'setup', 'other', 'w', '--force'], ['cluster', 'stop']]) {
    expect(await lab.try('w', ...line)).toBeUndefined()
    expect(lab.lastFailure).toMatch(/This host is the witness of the cluster lab/)
  }
}, 120_000)

test('the witness answers HTTPS by a node, with the rights of whoever asks, and says so when no node answers', async () => {
  await lab.systole('n1', 'acl', 'role', 'create', 'monitor', 'read', 'xpath', '/cib')
  const made = async (...who: readonly string[]): Promise<string> =>
    (JSON.parse(await lab.systole('n1', 'token', 'create', ...who, '--json')) as { readonly token: string }).token
  const [monitor, admin] = [await made('monitor', '--role=monitor'), await made('admin', '--administrator')]
  expect(await lab.systole('w', 'console', 'enable')).toContain(`https://${lab.network.address('w')}:7705/`)
  const said = async (path: string, asked: Ask = {}): Promise<string> => {
    const { status, body } = await outside.ask('w', path, asked)
    return `${status} ${body}`
  }
  // What no node has opened is not open by way of the witness.
  expect(await said('/api/v1/status', { token: monitor })).toMatch(/^503 .*Run `systole console enable` on a node/)
  for (const node of ['n1', 'n2']) await lab.systole(node, 'console', 'enable')
  await lab.until('the witness is ready', async () => (await said('/ready')).startsWith('200'))
  expect(await outside.result('w', '/status', { token: monitor })).toMatchObject({
    cluster: 'lab',
    answeredBy: 'w',
    quorum: { quorate: true },
  })
  expect(await said('/api/v1/status')).toMatch(/^401/)
  expect(await said('/api/v1/status', { token: 'systole-api.nobody' })).toMatch(/^401/)
  for (const path of ['/timeline/list', '/incident/list', '/config/history'])
    expect(await outside.result('w', path, { token: admin })).toBeTruthy()
  expect(await said('/metrics', { token: monitor })).toMatch(/systole_started\{cluster="lab",node="w"\} 1/)
  const create = { method: 'POST', body: { words: ['asked', 'ocf:pacemaker:Dummy'] } }
  expect(await said('/api/v1/resource/create', { ...create, token: monitor })).toMatch(/^403/)
  expect(await said('/api/v1/resource/create', { ...create, token: admin })).toMatch(/^200/)
  expect(await lab.systole('n2', 'config', 'history')).toMatch(/token:admin@n[12]/)
  expect(await lab.inNode('n1', 'cat', '/var/log/systole.log').catch(() => '')).not.toContain(admin)
  // Whoever names no node means the host that he asks.
  expect(await said('/api/v1/cluster/stop', { method: 'POST', body: {}, token: admin })).toMatch(/^4\d\d .*w/)
  const stream = await outside.stream('w', { token: monitor })
  await lab.systole('n1', 'resource', 'delete', 'asked')
  await lab.until(
    'the stream has the change',
    async () => await Promise.resolve(stream.events.some(({ data }) => JSON.stringify(data).includes('"key":"asked"'))),
  )
  stream.end()
  const [answering = ''] = (await lab.inNode('w', 'ss', '-tnH', 'state', 'established', 'dport', '=', ':7700')).split(
    '\n',
  )
  const node = answering.includes(lab.network.address('n1')) ? 'n1' : 'n2'
  await lab.systole(node, 'console', 'disable')
  await lab.until('the other node answers for it', async () =>
    (await said('/api/v1/status', { token: monitor })).startsWith('200'),
  )
  for (const one of ['n1', 'n2']) await lab.systole(one, 'console', 'disable')
  expect(await said('/live')).toMatch(/^200/)
  expect(await said('/ready')).toMatch(/^503/)
  await lab.systole('w', 'console', 'disable')
}, 120_000)

test('another token is kept by the witness, too, in the list that it passes on', async () => {
  await lab.systole('n2', 'cluster', 'config', 'update', 'totem', 'token=1500')
  await lab.until('the witness has it', async () =>
    /"tokenMs": ?1500/.test(await lab.inNode('w', 'cat', '/etc/systole/witness.json')),
  )
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=')
}, 60_000)

test('a node loses power: the other has quorum with the witness, fences it and votes on', async () => {
  lab.power.unplugged.add('n1')
  await lab.power.off('n1')
  await lab.prepare('n2', 'resource', 'create', 'service', 'ocf:pacemaker:Dummy', '--wait')
  expect(await lab.whereIs('service', 'n2')).toEqual(['n2'])
  expect(await quorum(lab, 'n2')).toMatchObject({ quorate: true, twoNode: null, votes: { present: 2, expected: 3 } })
  lab.power.unplugged.delete('n1')
  await lab.power.on('n1')
  await untilVotes(lab, 'n2', 3)
}, 120_000)

test('the witness loses power: both nodes go on, and it votes again when it is back', async () => {
  await lab.power.off('w')
  await untilVotes(lab, 'n1', 2)
  expect((await quorum(lab, 'n2')).quorate).toBe(true)
  await lab.systole('n1', 'resource', 'disable', 'service', '--wait')
  await lab.power.on('w')
  await untilVotes(lab, 'n1', 3)
}, 120_000)
