import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlayRecord } from '../../src/plays/index.ts'
import { Lab } from './lab/lab.ts'

/** Plays on three nodes, while daemons, clients and nodes die. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const examples = resolve(import.meta.dirname, '../../examples/plays')

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 120_000)

afterAll(() => lab.close(), 60_000)

const file = (name: string): string => join(lab.folder, name)
const lines = (name: string): readonly string[] =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n').sort() : []
const written = (name: string, text: string): string => {
  writeFileSync(file(name), text)
  return file(name)
}
/** The examples, whose files lie in a folder that each node has for itself. */
const example = (): string => {
  const folder = file('examples')
  if (existsSync(folder)) return folder
  cpSync(examples, folder, { recursive: true })
  for (const name of [
    'site.yaml',
    'members.yaml',
    ...['base', 'database', 'identity', 'audit'].map((one) => `services/${one}.yaml`),
  ]) {
    const path = join(folder, name)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('/tmp/systole-play', '/var/lib/systole/play'))
  }
  return folder
}
const play = async (from: string, ...words: readonly string[]): Promise<PlayRecord> =>
  JSON.parse(await lab.systole(from, 'play', ...words, '--json')) as PlayRecord
const until = async (id: string, state: string, from = 'n1'): Promise<PlayRecord> => {
  const known = async (): Promise<PlayRecord | undefined> => {
    const { plays } = JSON.parse((await lab.try(from, 'play', 'list', '--json')) ?? '{"plays":[]}') as {
      readonly plays: readonly PlayRecord[]
    }
    return plays.find((one) => one.id === id)
  }
  await lab.until(`play ${id} is ${state}`, async () => (await known())?.state === state, 90_000)
  const found = await known()
  if (found === undefined) throw new Error(`there is no play ${id}`)
  return found
}
const states = ({ steps }: PlayRecord): Readonly<Record<string, string>> =>
  Object.fromEntries(steps.map(({ id, hosts }) => [id, hosts.map(({ state }) => state).join(' ')]))
const say = (name: string): string => `echo $SYSTOLE_NODE >> ${file(name)}`
const dcOf = async (from: string): Promise<string> => (await lab.status(from)).nodes.find((node) => node.dc)?.name ?? ''

test('an orchestration file of Directord runs as it is, and the second time only what must be', async () => {
  const first = await play('n1', 'run', join(example(), 'site.yaml'))
  expect(first.state).toBe('done')
  expect(states(first)).toMatchObject({
    'facts.2': 'succeeded waiting waiting',
    'facts.3': 'succeeded succeeded succeeded',
    end: 'succeeded succeeded succeeded',
  })
  expect(Object.keys(first.query).sort()).toEqual(nodes)
  for (const node of nodes) {
    const config = await lab.inNode(node, 'cat', '/var/lib/systole/play/site.conf')
    expect(config).toMatch(/^# good morning from \S+\npool = 12\n/)
    expect(config).toContain('member = ALPHA\n')
    expect(await lab.inNode(node, 'cat', '/var/lib/systole/play/environment')).toBe('good evening\n')
  }
  const second = await play('n3', 'run', join(example(), 'site.yaml'))
  expect(second.state).toBe('done')
  const task = second.steps.find(({ id }) => id === 'files')?.hosts[0]?.task ?? ''
  const output = await lab.inNode('n1', 'cat', `/var/lib/systole/tasks/${task}/output`)
  expect(output).toContain('/var/lib/systole/play/site.conf is there already.')
  expect(output.match(/done before/g)?.length).toBeGreaterThanOrEqual(2)
  expect(await lab.systole('n2', 'play', 'show', second.id)).toMatch(/facts\.2 +n1 +succeeded/)
})

test('what one node makes for all is collected from it alone, and a template goes through what was collected', async () => {
  const { state, query } = await play('n2', 'run', join(example(), 'members.yaml'))
  expect(state).toBe('done')
  const [cookie, ...others] = Object.values(query).flatMap((known) => known.cookie ?? [])
  expect([typeof cookie, others]).toEqual(['string', []])
  const addresses = nodes.map((node) => query[node]?.address)
  for (const node of nodes) {
    expect(await lab.inNode(node, 'cat', '/var/lib/systole/play/shared-cookie')).toBe(`${String(cookie)}\n`)
    const members = await lab.inNode(node, 'cat', '/var/lib/systole/play/members')
    expect(members.trim().split('\n').sort()).toEqual(
      nodes.map((one, at) => `${String(addresses[at])}:5000 ${one}`).sort(),
    )
  }
})

test('services of Task-Core run by what they require; after a failure only what was not done is done', async () => {
  const paths = ['services', 'inventory.yaml', 'roles.yaml'].map((name) => join(example(), name))
  const identity = join(example(), 'services/identity.yaml')
  const right = readFileSync(identity, 'utf8')
  writeFileSync(
    identity,
    right.replace('- RUN: echo identity', '- RUN: test -e /var/lib/systole/play/ready && echo identity'),
  )
  const failed = lab.systole('n2', 'play', 'run', ...paths)
  await expect(failed).rejects.toMatchObject({
    cause: { code: 3, stdout: expect.stringMatching(/identity-init +n1 +failed with exit code 1/) as unknown },
  })
  const { plays } = JSON.parse(await lab.systole('n1', 'play', 'list', '--json')) as {
    readonly plays: readonly PlayRecord[]
  }
  const [halted] = plays
  expect(halted).toMatchObject({ state: 'halted' })
  const id = halted?.id ?? ''
  expect(states(halted as PlayRecord)).toMatchObject({
    'database-init.2': 'succeeded waiting',
    'database-start': 'succeeded succeeded',
    'identity-init': 'failed failed',
    'identity-done': 'waiting waiting',
  })
  for (const node of ['n1', 'n2']) await lab.inNode(node, 'touch', '/var/lib/systole/play/ready')
  const { output, ...resumed } = (await play('n3', 'resume', id, '--output')) as PlayRecord & { output: object }
  expect(resumed.state).toBe('done')
  expect(Object.entries(output)).toContainEqual(['n1 identity-init', expect.stringContaining('identity\n') as unknown])
  expect(resumed.begun - (halted?.begun ?? 0)).toBe(4)
  const bootstrap = await Promise.all(
    ['n1', 'n2'].map((node) => lab.inNode(node, 'sh', '-c', 'cat /var/lib/systole/play/bootstrap 2>/dev/null || true')),
  )
  expect(bootstrap.join('')).toBe('bootstrap\n')
})

test('what the steps print is shown with node and step as it comes, and again afterwards', async () => {
  const gated = `echo on $SYSTOLE_NODE; while [ ! -e ${file('print')} ]; do sleep 0.1; done; echo later`
  const text = `- jobs:\n    - RUN: ${gated}\n- targets: [n2]\n  jobs:\n    - RUN: echo second\n`
  const path = written('prints.yaml', text)
  const run = lab.inNode('n1', 'bash', '-c', `systole play run ${path} --output > ${file('printed')}`)
  const printed = (): string => (existsSync(file('printed')) ? readFileSync(file('printed'), 'utf8') : '')
  await lab.until('all nodes have printed', () => nodes.every((node) => printed().includes(`: on ${node}\n`)))
  expect(printed()).not.toMatch(/: later$/m)
  writeFileSync(file('print'), '')
  await run
  const [first, second] = (
    JSON.parse(await lab.systole('n1', 'play', 'list', '--json')) as { plays: PlayRecord[] }
  ).plays[0]?.steps.map(({ id }) => id) ?? ['', '']
  for (const node of nodes) expect(printed()).toContain(`${node} ${first}: later\n`)
  expect(printed()).toMatch(new RegExp(`^n2 ${second}: second$`, 'm'))
  const { id } = (JSON.parse(await lab.systole('n1', 'play', 'list', '--json')) as { plays: PlayRecord[] })
    .plays[0] as PlayRecord
  const again = await lab.systole('n3', 'play', 'output', id, `--step=${first}`, '--on=n1')
  expect(again).toMatch(new RegExp(`^n1 ${first}: > RUN .*\nn1 ${first}: on n1\nn1 ${first}: later\n$`))
  const { output } = JSON.parse(await lab.systole('n2', 'play', 'output', id, '--json')) as {
    readonly output: Readonly<Record<string, string>>
  }
  expect(Object.keys(output).sort()).toEqual([...nodes.map((node) => `${node} ${first}`), `n2 ${second}`].sort())
  await expect(lab.systole('n1', 'play', 'output', id, '--step=frist')).rejects.toMatchObject({
    cause: { stderr: expect.stringContaining("has no step 'frist'") as unknown },
  })
  await expect(lab.systole('n1', 'play', 'output', id, '--on=n9')).rejects.toMatchObject({
    cause: { stderr: expect.stringContaining("is not for a node 'n9'") as unknown },
  })
})

test('a play goes on when its client, a daemon and the DC are killed; each step runs once on each node', async () => {
  const text = [
    '- jobs:',
    `    - RUN: ${say('first')}; while [ ! -e ${file('go')} ]; do sleep 0.1; done`,
    '- jobs:',
    `    - RUN: --run-once ${say('once')}`,
    `    - RUN: ${say('last')}`,
  ].join('\n')
  const path = written('killed.yaml', text)
  const client = lab
    .inNode('n2', 'bash', '-c', `systole play run ${path} & echo $! > ${file('client')}; wait $!`)
    .catch(() => 'killed')
  await lab.until('it runs on all nodes', () => lines('first').length === 3)
  await lab.inNode('n2', 'kill', '-9', readFileSync(file('client'), 'utf8').trim())
  expect(await client).toBe('killed')
  const dc = await dcOf('n1')
  const other = nodes.find((node) => node !== dc) ?? ''
  for (const node of [other, dc]) await lab.inNode(node, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
  writeFileSync(file('go'), '')
  const third = nodes.find((node) => node !== dc && node !== other) ?? ''
  const { plays } = JSON.parse(await lab.systole(third, 'play', 'list', '--json')) as {
    readonly plays: readonly PlayRecord[]
  }
  await until(plays[0]?.id ?? '', 'done', third)
  expect(lines('first')).toEqual(nodes)
  expect(lines('last')).toEqual(nodes)
  expect(lines('once')).toHaveLength(1)
})

test('a node that loses power in a step halts the play, and the play is resumed when it is back', async () => {
  const dc = await dcOf('n1')
  const victim = nodes.find((node) => node !== dc) ?? ''
  const path = written('power.yaml', `- jobs:\n    - RUN: ${say('cut')}; test -e ${file('back')} || exec sleep 300\n`)
  const { id } = await play(dc, 'run', path, `--on=${victim}`, '--detach')
  await lab.until('it runs', () => lines('cut').length === 1)
  await lab.power.off(victim)
  const halted = await until(id, 'halted', dc)
  expect(halted.steps[0]?.hosts[0]).toMatchObject({ state: 'lost' })
  await lab.until('it is back', async () => (await lab.status(dc)).nodes.every(({ online }) => online), 90_000)
  writeFileSync(file('back'), '')
  expect(await lab.systole(dc, 'play', 'resume', id, '--detach')).toBe(`The play ${id} continues.\n`)
  await until(id, 'done', dc)
  expect(lines('cut')).toEqual([victim, victim])
  // Once more: it is left out, unless it is forced; and a node that is away is waited for.
  await lab.systole(dc, 'play', 'run', path, `--on=${victim}`)
  expect(lines('cut')).toHaveLength(2)
  await lab.systole(dc, 'play', 'run', path, `--on=${victim}`, '--force')
  expect(lines('cut')).toHaveLength(3)
  await lab.power.off(victim)
  await lab.until('it is away', async () => (await lab.status(dc)).nodes.some(({ online }) => !online), 90_000)
  const waits = await play(dc, 'run', path, `--on=${victim}`, '--force', '--queue', '--detach')
  await until(waits.id, 'done', dc)
  expect(lines('cut')).toHaveLength(4)
})

test('nothing begins where a file is wrong; what is cancelled ends', async () => {
  const path = written('wrong.yaml', `- jobs:\n    - RUN: ${say('wrong')}\n    - RNU: true\n`)
  await expect(lab.systole('n1', 'play', 'run', path)).rejects.toMatchObject({
    cause: {
      code: 1,
      stderr: expect.stringContaining(`${path}:3: [0].jobs[1].RNU: There is no component 'RNU'.`) as unknown,
    },
  })
  const cancelled = written('long.yaml', '- jobs:\n    - RUN: exec sleep 300\n')
  const { id } = await play('n1', 'run', cancelled, '--on=n2', '--detach')
  await lab.until('it runs', async () => (await lab.systole('n1', 'play', 'list')).includes(id))
  await lab.systole('n3', 'play', 'cancel', id)
  expect(states(await until(id, 'cancelled'))).toEqual({ '1': 'cancelled' })
  expect(lines('wrong')).toEqual([])
})
