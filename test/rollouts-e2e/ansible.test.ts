import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'
import { isOnline } from '../nodes/lab/remote.ts'

/** Debian's ansible-core beside a cluster: what it sees of the nodes, and playbooks as commands of a rollout, on cluster nodes and on a remote node. */
const remote = 'r1'
const lab = new Lab(['n1', 'n2', 'n3', remote], { remotes: [remote] })

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10')
  await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'))
  await lab.systole('n1', 'role', 'add', 'edge', remote)
  await lab.systole('n1', 'role', 'add', 'db', 'n2', 'n3')
}, 240_000)

afterAll(() => lab.close(), 60_000)

const file = (name: string): string => join(lab.folder, name)
const said = (name: string): string => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '')

/** What the playbook writes on a node: the version, its variable, and where ansible-playbook ran. */
const playbook = (name: string, state: 'written' | 'absent' = 'written'): string => {
  const content = "{{ lookup('env', 'SYSTOLE_ROLLOUT_VERSION') }} {{ color }} {{ lookup('env', 'SYSTOLE_NODE') }}"
  const target = `${lab.folder}/${name}-{{ inventory_hostname }}`
  const task =
    state === 'written'
      ? { 'ansible.builtin.copy': { dest: target, content } }
      : { 'ansible.builtin.file': { path: target, state: 'absent' } }
  const path = file(`${name}-${state}.yml`)
  writeFileSync(path, JSON.stringify([{ hosts: 'all', gather_facts: false, tasks: [task] }]))
  return path
}

interface Rollout {
  readonly id: string
  readonly state: string
  readonly why?: string
}

async function started(definition: object): Promise<string> {
  writeFileSync(file('rollout.yaml'), JSON.stringify(definition))
  const text = await lab.systole('n1', 'rollout', 'start', file('rollout.yaml'), '--no-wait', '--json')
  return (JSON.parse(text) as Rollout).id
}

async function until(id: string, state: string): Promise<Rollout> {
  let last: Rollout | undefined
  await lab.until(
    `${id} is ${state}`,
    async () => {
      const text = await lab.systole('n1', 'rollout', 'history', '--json')
      last = (JSON.parse(text) as { readonly rollouts: readonly Rollout[] }).rollouts.find((one) => one.id === id)
      return last?.state === state
    },
    180_000,
  )
  if (last === undefined) throw new Error(id)
  return last
}

test('playbooks run on the nodes and on the DC, in the version, and are taken back by playbooks', async () => {
  // As an inventory of one's own says it: from the DC each node is reached by its connection.
  writeFileSync(file('hosts'), ['n2', remote].map((node) => `${node} ansible_connection=local\n`).join(''))
  const own = {
    name: 'configure',
    playbook: playbook('own'),
    vars: { color: "it's {red}" },
    'undo-playbook': playbook('own', 'absent'),
  }
  const fromDc = {
    name: 'register',
    playbook: playbook('dc'),
    'playbook-on': 'dc',
    inventory: file('hosts'),
    vars: { color: 'blue' },
    'undo-playbook': playbook('dc', 'absent'),
  }
  const steps = { actions: [own, fromDc] }
  const nodes = [{ name: 'n2' }, { role: 'edge' }]
  const definition = { rollout: 'shop', version: '2', nodes, steps, 'confirm-within': '1h' }
  writeFileSync(file('rollout.yaml'), JSON.stringify(definition))
  const plan = await lab.systole('n1', 'rollout', 'plan', file('rollout.yaml'))
  expect(plan).toMatch(/actions +configure +playbook .*own-written\.yml, on the node +undo: playbook .*own-absent\.yml/)
  expect(plan).toMatch(/actions +register +playbook .*dc-written\.yml, on the DC/)
  const id = await started(definition)
  await until(id, 'unconfirmed')
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  expect(['n2', remote].map((node) => said(`own-${node}`))).toEqual([`2 it's {red} n2`, `2 it's {red} ${remote}`])
  expect(['n2', remote].map((node) => said(`dc-${node}`))).toEqual([`2 blue ${dc}`, `2 blue ${dc}`])
  expect([said('own-n3'), said('dc-n3')]).toEqual(['', ''])
  await lab.systole('n1', 'rollout', 'abort', id, '--no-wait')
  await until(id, 'aborted')
  expect(['own-n2', `own-${remote}`, 'dc-n2', `dc-${remote}`].map((name) => existsSync(file(name)))).toEqual(
    Array.from({ length: 4 }, () => false),
  )
}, 400_000)

test('what an exit code of ansible-playbook means, the file says', async () => {
  writeFileSync(file('fails.yml'), JSON.stringify([{ hosts: 'all', gather_facts: false, tasks: [{ fail: {} }] }]))
  const fails = (more: object): object => ({
    rollout: 'fails',
    version: '3',
    nodes: [{ name: 'n2' }],
    steps: { hold: 'none', actions: [{ name: 'fails', playbook: file('fails.yml'), ...more }] },
  })
  const halted = await started(fails({}))
  expect(await until(halted, 'halted')).toMatchObject({ why: 'n2: fails ended with 2' })
  expect(await lab.systole('n1', 'rollout', 'show', halted)).toContain('Failed as requested')
  await lab.systole('n1', 'rollout', 'abort', halted, '--no-wait')
  await until(halted, 'aborted')
  await until(await started(fails({ 'exit-codes': { '2': 'ok' } })), 'complete')
}, 300_000)

interface Group {
  readonly hosts?: readonly string[]
}

test('ansible-inventory sees roles, kinds, states and versions as groups', async () => {
  await lab.systole('n1', 'node', 'standby', 'n3')
  await lab.until('n3 is in standby', async () =>
    (await lab.status('n1')).nodes.some(({ name, standby }) => name === 'n3' && standby),
  )
  const program = file('inventory')
  const [shell = '', ...into] = lab.doorTo('n1').split(' ')
  writeFileSync(program, `#!/bin/sh\nexec ${[shell, ...into].join(' ')} systole inventory "$@"\n`, { mode: 0o755 })
  const seen = JSON.parse((await run('ansible-inventory', '-i', program, '--list')).toString()) as Readonly<
    Record<string, Group>
  >
  const hosts = (group: string): readonly string[] => [...(seen[group]?.hosts ?? [])].sort()
  expect(hosts('members')).toEqual(['n1', 'n2', 'n3'])
  expect(hosts('remote_nodes')).toEqual([remote])
  expect(hosts('role_db')).toEqual(['n2', 'n3'])
  expect(hosts('role_edge')).toEqual([remote])
  expect(hosts('state_standby')).toEqual(['n3'])
  expect(hosts('state_online')).toEqual(['n1', 'n2', 'n3', remote])
  expect(hosts('version_3')).toEqual(['n2'])
  const graph = (await run('ansible-inventory', '-i', program, '--graph')).toString()
  expect(graph).toMatch(/@role_db:\n.*--n2\n.*--n3\n/)
}, 120_000)
