import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** Services of a clone with an instance on each of three nodes: what the cluster says of them while they come, fail and go. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  // Nobody is lost here: a slow machine is to fence no node.
  await lab.systole('n1', 'cluster', 'config', 'update', 'totem', 'token=15000')
  await lab.createFencing(nodes)
  const monitored = ['op', 'monitor', 'interval=5s', 'clone', '--wait']
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:systole:http', 'address=0.0.0.0', 'port=8080', ...monitored)
}, 180_000)

afterAll(() => lab.close(), 60_000)

interface Shown {
  readonly healthy: number
  readonly expected: number
  readonly instances: readonly {
    readonly node?: string
    readonly state: string
    readonly address?: string
    readonly reason?: string
    readonly verified?: { readonly by: string; readonly everyMs?: number }
  }[]
}

const show = async (service: string, seenFrom = 'n1'): Promise<Shown> =>
  JSON.parse(await lab.systole(seenFrom, 'service', 'show', service, '--json')) as Shown

/** What a command that fails has said, with its exit code. */
async function failureOf(
  node: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly text: string }> {
  try {
    await lab.systole(node, ...words)
  } catch (error) {
    const { code, stdout, stderr } = (error as { cause: { code: number; stdout: string; stderr: string } }).cause
    return { code, text: `${stdout}${stderr}` }
  }
  throw new Error(`${words.join(' ')} did not fail`)
}

/** A check of a service that fails on the nodes that are named in the lab's folder. */
function installCheck(): string {
  const marks = join(lab.folder, 'broken')
  mkdirSync(marks)
  for (const node of nodes) {
    const folder = join(lab.folder, 'nodes', node, 'etc', 'checks')
    mkdirSync(folder, { recursive: true })
    const program = join(folder, 'deep')
    writeFileSync(
      program,
      `#!/bin/sh\n[ -e ${marks}/$SYSTOLE_NODE ] && { echo "no database behind $SYSTOLE_SERVICE at $SYSTOLE_ADDRESS:$SYSTOLE_PORT"; exit 2; }\nexit 0\n`,
    )
    chmodSync(program, 0o755)
  }
  return marks
}

test('a service has a healthy instance wherever its resource runs, as its monitor says, and Pacemaker accepts its declaration', async () => {
  await lab.systole('n2', 'service', 'create', 'www', 'web-clone', 'port=8080', 'tags=public')
  expect(await lab.systole('n3', 'service', 'wait', 'www', '--min=3', '--timeout=60s')).toBe('www: 3 of 3 healthy\n')
  const { instances } = await show('www', 'n3')
  expect(instances.map(({ node, address, state }) => [node, address, state]).sort()).toEqual(
    nodes.map((node) => [node, lab.network.address(node), 'healthy']),
  )
  await lab.until('each is verified by its monitor', async () =>
    (await show('www')).instances.every(({ verified }) => verified?.by === 'monitor' && verified.everyMs === 5000),
  )
  const cib = join(lab.folder, 'cib.xml')
  writeFileSync(cib, await lab.inNode('n1', 'systole', 'cluster', 'cib'))
  await lab.inNode('n1', 'crm_verify', '-x', cib)
  expect(await lab.systole('n1', '-f', cib, 'service', 'list')).toMatch(/^www +3 of 3 healthy +8080\/tcp +web-clone /)
}, 90_000)

test('the cluster has converged when everything is there, and says what is missing where it cannot be', async () => {
  expect(await lab.systole('n1', 'wait', 'converged', '--timeout=60s')).toBe('converged\n')
  await lab.systole('n1', 'resource', 'ban', 'web-clone', 'n2', '--wait')
  const { code, text } = await failureOf('n1', 'wait', 'converged', '--timeout=2s')
  expect(text).toMatch(/^blocked\n.*web-clone: 2 of 3 running\n.*www: 2 of 3 healthy\n/ms)
  expect(code).toBe(3)
  expect(text).toMatch(/^ {2}web: n2: ruled out by ban cli-ban-web-clone-on-n2, /m)
  const pending = await failureOf('n3', 'service', 'wait', 'www', '--timeout=0')
  expect(pending.text).toMatch(/^www: 2 of 3 healthy\n.*web:\d: (?:stopped|declared)/s)
  expect(pending.code).toBe(75)
  await lab.systole('n1', 'resource', 'clear', 'web-clone')
  await lab.systole('n3', 'service', 'wait', 'www', '--timeout=60s')
  // What it was asked for is there, also if it was more before.
  await lab.systole('n1', 'resource', 'meta', 'web-clone', 'clone-max=2', '--wait')
  expect(await lab.systole('n1', 'wait', 'converged', '--timeout=60s')).toBe('converged\n')
  await lab.systole('n1', 'resource', 'meta', 'web-clone', 'clone-max=', '--wait')
  await lab.systole('n3', 'service', 'wait', 'www', '--timeout=60s')
}, 180_000)

/** What waits for all members to pass a check that fails on n2, and for what DNS knows of another service: then nobody minds either. */
async function gated(marks: string): Promise<void> {
  const runs = async (resource: string): Promise<boolean> =>
    (await lab.systole('n1', 'resource', 'status', resource)).includes('Started')
  await lab.prepare('n1', 'resource', 'create', 'api', 'ocf:pacemaker:Dummy', '--disabled')
  await lab.systole('n1', 'service', 'gate', 'add', 'api', 'deep', 'min=3')
  await lab.systole('n1', 'service', 'dns', 'enable', '--wait')
  await lab.prepare('n1', 'resource', 'create', 'far', 'ocf:pacemaker:Dummy', '--disabled')
  const question = ['dns=page.service.systole', 'server=127.0.0.1', 'interval=1s']
  await lab.systole('n2', 'service', 'gate', 'add', 'far', 'west', ...question, 'min=3')
  await lab.prepare('n2', 'resource', 'create', 'never', 'ocf:pacemaker:Dummy', '--disabled')
  await lab.systole('n2', 'service', 'gate', 'add', 'never', 'west', ...question, 'min=4')
  await lab.systole('n1', 'resource', 'enable', 'api', 'far', 'never')
  await lab.until('DNS has enough for one', async () => await runs('far'))
  expect(await runs('api')).toBe(false)
  expect(await runs('never')).toBe(false)
  expect(await lab.systole('n3', 'why', 'api')).toMatch(
    /the gate deep is closed: 2 of 3 members of deep are healthy: .*no database behind deep/,
  )
  await lab.until('each node has asked', async () =>
    /never +west .*closed .*page\.service\.systole has 3 of 4 members/.test(
      await lab.systole('n3', 'service', 'gate', 'list'),
    ),
  )
  rmSync(join(marks, 'n2'))
  await lab.until('it has started', async () => await runs('api'))
  writeFileSync(join(marks, 'n2'), '')
  await lab.until('the check fails again', async () => (await show('deep', 'n3')).healthy === 2)
  expect(await runs('api')).toBe(true)
  await lab.systole('n1', 'service', 'gate', 'remove', 'never', 'west', '--wait')
  await lab.until('nothing keeps it any more', async () => await runs('never'))
  await lab.systole('n1', 'resource', 'delete', 'api', 'far', 'never', '--wait')
  await lab.systole('n1', 'service', 'dns', 'disable')
  await lab.until(
    'no answer is left',
    async () => !(await lab.systole('n1', 'cluster', 'cib')).includes('requires-far'),
  )
}

test("a check of the service's own decides beside the monitor, is repeated by each node, and its reason is shown", async () => {
  const marks = installCheck()
  await lab.systole(
    'n1',
    'service',
    'create',
    'deep',
    'web-clone',
    'port=8080',
    'check=command',
    'command=deep',
    'interval=1s',
  )
  await lab.systole('n1', 'service', 'create', 'page', 'web-clone', 'port=8080', 'check=http', 'interval=1s')
  await lab.systole('n1', 'service', 'create', 'closed', 'web-clone', 'port=8081', 'check=tcp', 'interval=1s')
  await lab.systole('n3', 'service', 'wait', 'deep', '--timeout=60s')
  await lab.systole('n3', 'service', 'wait', 'page', '--timeout=60s')
  writeFileSync(join(marks, 'n2'), '')
  await lab.until('the check fails on one node', async () => (await show('deep', 'n3')).healthy === 2)
  const failing = (await show('deep')).instances.find(({ node }) => node === 'n2')
  expect(failing).toMatchObject({ state: 'failing', verified: { by: 'check', everyMs: 1000 } })
  expect(failing?.reason).toBe(`its check fails: no database behind deep at ${lab.network.address('n2')}:8080`)
  await lab.until('nobody listens there', async () =>
    (await show('closed')).instances.every(
      ({ state, reason = '' }) => state === 'failing' && /ECONNREFUSED/.test(reason),
    ),
  )
  await gated(marks)
  const cib = join(lab.folder, 'checked.xml')
  writeFileSync(cib, await lab.inNode('n1', 'systole', 'cluster', 'cib'))
  await lab.inNode('n1', 'crm_verify', '-x', cib)
  await lab.systole('n1', 'service', 'delete', 'closed')
  // What checked it has ended, and took its result away.
  await lab.until(
    'no result is left',
    async () => !(await lab.systole('n1', 'cluster', 'cib')).includes('service-closed'),
  )
}, 120_000)
