import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** The verbs of the original orchestrator, each with what it prints and its exit code, on two nodes. */
const lab = new Lab(['n1', 'n2'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1', 'n2'])
  await lab.prepare('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.prepare('n1', 'role', 'add', 'db', 'n1')
}, 300_000)

afterAll(() => lab.close(), 60_000)

interface Ended {
  readonly out: string
  readonly code: number
}

type Typed = (node: string, ...words: readonly string[]) => Promise<string>

async function ended(
  node: string,
  line: string,
  typed: Typed = (...command) => lab.systole(...command),
): Promise<Ended> {
  const words = line.split(' ').filter((word) => word !== '')
  try {
    return { out: await typed(node, ...words), code: 0 }
  } catch (error) {
    const { cause } = error as {
      readonly cause: { readonly code: number; readonly stdout: string; readonly stderr: string }
    }
    return { out: `${cause.stdout}${cause.stderr}`, code: cause.code }
  }
}

test('each verb prints and ends as the original does', async () => {
  /** One after another: each line works on what those before have left. */
  const table: readonly (readonly [string, string, string | RegExp, number])[] = [
    ['n1', 'orchestrate ping', 'Connection successful\n', 0],
    ['n1', 'orchestrate current_version', 'None\n', 0],
    ['n1', 'orchestrate pending_update', "Could not get current_version, but there's also no local version set\n", 3],
    ['n1', 'orchestrate upgrade_status', /No version was triggered yet/, 1],
    ['n1', 'orchestrate trigger_update 1', 'All nodes are to run 1 from now on.\n', 0],
    ['n2', 'orchestrate current_version', '1\n', 0],
    ['n1', 'orchestrate running_versions', '', 0],
    ['n1', 'orchestrate pending_update', 'Yes, there is an update pending\n', 0],
    ['n1', 'orchestrate update_own_info', 'This host has no local version: nothing is reported.\n', 0],
    ['n1', 'orchestrate local_version', '\n', 0],
    ['n1', 'orchestrate update_own_info --version=1', 'n1 is configured (1).\n', 0],
    ['n1', 'orchestrate update_own_info --version=1', 'n1 is configured (1), as before.\n', 0],
    ['n1', 'orchestrate pending_update', 'No updates pending\n', 1],
    ['n2', 'orchestrate hosts_at_version 1', 'n1\n', 0],
    ['n2', 'orchestrate verify_hosts 1 n1', '', 0],
    ['n2', 'orchestrate verify_hosts 1 n1 n2', 'n2 does not run 1.\n', 1],
    ['n1', 'orchestrate update_own_info --hostname=n2 --version=0.9', 'n2 is configured (0.9).\n', 0],
    ['n1', 'orchestrate running_versions', '0.9\n1\n', 0],
    [
      'n1',
      'orchestrate check_single_version 1 --verbose',
      'Wanted version found: True\nUnwanted versions found: 0.9\n',
      1,
    ],
    ['n1', 'orchestrate trigger_update 2', /n2 \(0\.9, configured\) does not run 1, which was triggered before\./, 1],
    ['n1', 'orchestrate trigger_update 2 --force', 'All nodes are to run 2 from now on.\n', 0],
    ['n1', 'orchestrate trigger_update 1 --force', 'All nodes are to run 1 from now on.\n', 0],
    ['n2', 'orchestrate update_own_status puppet -1', 'n2 is configuring (1).\n', 0],
    ['n2', 'orchestrate hosts_at_version 0.9', '', 0],
    [
      'n1',
      'orchestrate check_single_version 1 --verbose',
      /Unwanted versions found: \nNodes between versions: n2\n/,
      1,
    ],
    ['n1', 'orchestrate upgrade_status', '{"upgraded":["n1"],"upgrading":["n2"],"pending":[],"failed":[]}\n', 0],
    ['n2', 'orchestrate update_own_status puppet 4 --log=LOG', 'n2 is failed (1).\n', 0],
    ['n1', 'orchestrate upgrade_status', '{"upgraded":["n1"],"upgrading":[],"pending":[],"failed":["n2"]}\n', 0],
    ['n1', 'orchestrate get_failures', '', 1],
    ['n1', 'orchestrate get_failures --hosts', 'Failures:\n  Node: n2, Check: configuration\n', 1],
    ['n1', 'orchestrate local_health --verbose', '', 0],
    ['n1', 'orchestrate local_health --hostname=n2', '', 1],
    ['n2', 'orchestrate local_health --verbose', /^configuration: failed of 1, since /, 1],
    [
      'n1',
      'orchestrate debug_timeout 1',
      'Failures:\n  Node: n2, Check: configuration\nRegistered hosts that run 1 are:\n   n1\nHosts that do not run it are:\n   n2: 1, failed\n',
      1,
    ],
    ['n1', 'orchestrate debug_timeout 7', /No Hosts registered!/, 1],
    ['n2', 'orchestrate update_own_status puppet 2', 'n2 is configured (1).\n', 0],
    ['n1', 'orchestrate update_own_status validation 0 --hostname=n2 --version=1', 'n2 is validated (1).\n', 0],
    ['n2', 'orchestrate update_own_status dancing 0', /'dancing' is not a type of status/, 1],
    ['n2', 'orchestrate update_own_status puppet yes', /'yes' is not an exit code/, 1],
    ['n1', 'orchestrate get_failures --hosts', '', 0],
    ['n1', 'orchestrate check_single_version 1', '', 0],
    ['n1', 'orchestrate check_single_version 2', '', 1],
    ['n1', 'orchestrate trigger_update 2', 'All nodes are to run 2 from now on.\n', 0],
    ['n1', 'orchestrate check_puppet', '', 0],
    ['n1', 'orchestrate set_config enable_puppet=False role --name=db', 'False\n', 0],
    ['n1', 'orchestrate check_puppet', 'False\n', 9],
    ['n2', 'orchestrate check_puppet', '', 0],
    ['n2', 'orchestrate check_puppet --hostname=n1', 'False\n', 9],
    ['n1', 'orchestrate enable_puppet True host --name=n1', 'True\n', 0],
    ['n1', 'orchestrate check_puppet', 'True\n', 0],
    ['n1', 'orchestrate host_data state', '{"enable_puppet":"True"}\n', 0],
    ['n1', 'orchestrate set_config key value host -n n1 --config_type=version', 'value\n', 0],
    ['n1', 'orchestrate host_data version', '{"key":"value"}\n', 0],
    ['n1', 'orchestrate manage_config version host key=value --name=n1 --action=delete', 'value\n', 0],
    ['n2', 'orchestrate host_data config_version --hostname=n1', '{}\n', 0],
    ['n1', 'orchestrate enable_puppet True host --name=n1 --action=delete', 'True\n', 0],
    ['n1', 'orchestrate set_config enable_puppet=False role --name=db --action=delete', 'False\n', 0],
    ['n1', 'orchestrate check_puppet', '', 0],
    ['n1', 'orchestrate set_config a=b host', /--name must be given if scope is not global/, 1],
    ['n1', 'orchestrate set_config a=b rack -n r1', /'rack' is not a scope/, 1],
    ['n1', 'orchestrate upgrade_status', '{"upgraded":[],"upgrading":[],"pending":["n1","n2"],"failed":[]}\n', 0],
  ]
  const log = join(lab.folder, 'puppet.log')
  writeFileSync(log, 'Error: /Stage[main]: disk full\n')
  for (const [node, line, out, code] of table) {
    // All by one process: the tests below run a process for each.
    const got = await ended(node, line.replace('LOG', log), (...words) => lab.prepare(...words))
    expect(got, line).toEqual({ out: typeof out === 'string' ? out : expect.stringMatching(out), code })
  }
  expect(await lab.systole('n1', 'rollout', 'versions', 'n2')).toMatch(
    /configuring \(1\).*\n.*failed \(1\) {2}reported by root on n2\n {4}Error: \/Stage\[main\]: disk full\n.*configured \(1\).*\n.*validated \(1\)/,
  )
}, 300_000)

test('a resource that has failed counts on its node, and one that runs again is a warning', async () => {
  const often = ['op', 'monitor', 'interval=1s', 'meta', 'migration-threshold=9']
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', ...often, '--wait')
  const [where = ''] = await lab.whereIs('web', 'n1')
  expect((await ended('n1', 'orchestrate get_failures --show_warnings')).code).toBe(0)
  await lab.inNode(where, 'sh', '-c', 'find /run /var/run -name "Dummy-web.state" -delete')
  await lab.until('the failure is known', async () => {
    const { code } = await ended('n1', 'orchestrate get_failures --show_warnings --hosts')
    return code === 1
  })
  await lab.until('it runs again', async () => (await ended('n1', 'orchestrate get_failures')).code === 0)
  const { out } = await ended('n1', 'orchestrate get_failures --show_warnings --hosts')
  expect(out).toBe(`Warnings:\n  Node: ${where}, Check: web\n`)
}, 60_000)

test('a rollout waits for as many nodes of a role as it requires', async () => {
  const file = join(lab.folder, 'requires.yaml')
  const steps = { hold: 'none', actions: [{ name: 'note', run: 'true' }] }
  writeFileSync(
    file,
    JSON.stringify({
      rollout: 'shop',
      version: '9',
      nodes: [{ name: 'n2' }],
      requires: [{ role: 'db', min: 2 }],
      steps,
    }),
  )
  expect(await lab.systole('n1', 'rollout', 'plan', file)).toContain('No node begins yet: waiting for db (1 of 2).')
  await lab.systole('n1', 'rollout', 'start', file, '--no-wait')
  await lab.until('it says so', async () =>
    (await lab.systole('n1', 'rollout', 'history', '--json')).includes('waiting for db (1 of 2)'),
  )
  expect(await lab.systole('n2', 'rollout', 'history', '--json')).toContain('"running"')
  await lab.systole('n1', 'role', 'add', 'db', 'n2')
  await lab.until('it is complete', async () =>
    (await lab.systole('n1', 'rollout', 'history', '--json')).includes('"complete"'),
  )
  await lab.systole('n1', 'orchestrate', 'update_own_info', '--hostname=n2', '--version=1')
  await lab.systole('n2', 'orchestrate', 'update_own_status', 'validation', '0')
}, 60_000)

test('a node that is off keeps its version and is a failure, and where the daemon is down the verbs say so', async () => {
  await lab.systole('n2', 'cluster', 'stop')
  await lab.until('it is seen', async () =>
    (await ended('n1', 'orchestrate get_failures --hosts')).out.includes('Check: node'),
  )
  expect((await ended('n1', 'orchestrate hosts_at_version 1')).out).toBe('n1\nn2\n')
  const down = await ended('n2', 'orchestrate ping')
  expect(down.code, down.out).toBe(1)
  expect((await ended('n2', 'orchestrate pending_update')).code).toBe(3)
}, 60_000)

test('the inventory has a group for each version and each state of a version', async () => {
  const groups = JSON.parse(await lab.systole('n1', 'inventory', '--list')) as Record<string, { hosts?: string[] }>
  expect(groups.version_1?.hosts).toEqual(['n1', 'n2'])
  expect(groups.version_state_configured?.hosts).toEqual(['n1'])
  expect(groups.version_state_validated?.hosts).toEqual(['n2'])
  expect(groups.version_pending?.hosts).toEqual(['n1', 'n2'])
  expect(JSON.parse(await lab.systole('n1', 'inventory', '--host', 'n2'))).toMatchObject({
    systole_version: '1',
    systole_version_state: 'validated',
  })
})
