import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import type { RolloutsKnown } from '../../src/rollout/index.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { createWebService } from '../nodes/lab/web-service.ts'
import { buildOf } from './builds.ts'

/**
 * Systole upgrades itself by the rollout that the examples have: three nodes, each with a systemd of its own and the unit that is shipped. 0.0.9 is the
 * first build that has all of it (or the commit in SYSTOLE_OLDER), `present` is this one, and the daemon of `broken` does not come up.
 */
const present = packageFile.version
const broken = '9.0.1'
const older = process.env.SYSTOLE_OLDER ?? '73e7cde9'
const lab = new Lab(['n1', 'n2', 'n3'], { systemd: true })
const project = resolve(import.meta.dirname, '../..')
const example = readFileSync(join(project, 'examples/rollouts/systole.yaml'), 'utf8')

/** In /opt of each node are all versions, and the link to the one in use; /opt is memory. */
function install(): void {
  const builds = join(lab.folder, 'builds')
  mkdirSync(builds)
  buildOf(older, join(builds, '0.0.9'))
  cpSync(join(lab.folder, 'systole'), join(builds, present), { recursive: true, verbatimSymlinks: true })
  cpSync(join(builds, present), join(builds, broken), { recursive: true, verbatimSymlinks: true })
  writeFileSync(join(builds, broken, 'bin/systoled'), '#!/bin/sh\nexit 1\n')
  // The older build has no `use-version` in it, and needs none.
  for (const program of ['systole', 'pcs']) {
    const door = join(lab.folder, 'programs', program)
    rmSync(door)
    writeFileSync(door, `#!/bin/sh\nexec /opt/systole/bin/${program} "$@"\n`)
    chmodSync(door, 0o755)
  }
  rmSync(join(lab.folder, 'programs/systoled'))
  symlinkSync('/opt/systole/bin/systoled', join(lab.folder, 'programs/systoled'))
  const unit = '/etc/systemd/system/systoled.service.d'
  writeFileSync(
    join(lab.folder, 'boot.sh'),
    `for build in ${builds}/*; do ln -s "$build" "/opt/systole-\${build##*/}"; done
ln -s /opt/systole-0.0.9 /opt/systole
mkdir -p ${unit} /var/lib/nginx /var/log/nginx
printf '[Service]\\nExecStart=\\nExecStart=/opt/systole/bin/systoled\\n' >${unit}/version.conf
`,
  )
}

beforeAll(async () => {
  chmodSync(lab.folder, 0o755)
  install()
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await createWebService(lab, 'n1')
  await lab.systole('n1', 'resource', 'create', 'state', 'ocf:pacemaker:Stateful', 'promotable', '--wait')
}, 300_000)

afterAll(() => lab.close(), 60_000)

/** The service's process: the same as long as it was left alone. */
const nginx = async (): Promise<string> => {
  const [active = ''] = await lab.whereIs('web', 'n1')
  return `${active} ${await lab.inNode(active, 'cat', '/run/nginx-lab.pid')}`
}

const inUse = async (): Promise<readonly string[]> =>
  await Promise.all(
    lab.nodes.map(
      async (node) => (await lab.inNode(node, 'readlink', '-f', '/opt/systole')).trim().split('/').at(-1) ?? '',
    ),
  )

/** The programs that run as daemons, whatever the link says. */
async function running(node: string): Promise<string> {
  const pid = (await lab.inNode(node, 'systemctl', 'show', '--property', 'MainPID', '--value', 'systoled')).trim()
  return /builds\/([^/]+)\//.exec(await lab.inNode(node, 'cat', `/proc/${pid}/cmdline`))?.[1] ?? ''
}

async function roll(version: string, ...states: readonly string[]): Promise<RolloutsKnown['rollouts'][number]> {
  const file = join(lab.folder, `${version}.yaml`)
  writeFileSync(file, example.replaceAll('0.2.0', version).replace('rollout: systole', `rollout: systole-${version}`))
  await lab.systole('n1', 'rollout', 'start', file, '--no-wait')
  let last: RolloutsKnown['rollouts'][number] | undefined
  await lab.until(
    `the rollout of ${version} is ${states.join(' or ')}`,
    async () => {
      const text = await lab.try('n1', 'rollout', 'history', '--json')
      if (text === undefined) return false
      last = (JSON.parse(text) as RolloutsKnown).rollouts.find(({ definition }) => definition.version === version)
      return last !== undefined && states.includes(last.state)
    },
    400_000,
  )
  if (!last) throw new Error(version)
  return last
}

test('all nodes are upgraded in turn, and nothing of what they run is touched', async () => {
  const client = lab.client(`http://${lab.network.virtualAddress}/`)
  await lab.until('the client is answered', () => client.lastGood !== undefined)
  const before = await nginx()
  const begun = Date.now()
  await roll(present, 'complete')
  expect(await inUse()).toEqual([present, present, present])
  for (const node of lab.nodes) expect(await running(node)).toBe(present)
  expect(await nginx()).toBe(before)
  expect(client.answers.filter(({ ok, asked }) => !ok && asked >= begun)).toEqual([])
  expect((await lab.status('n1')).fencing).toEqual([])
}, 500_000)

test('a version whose daemon does not come up is put back on its node, nobody is fenced, and the other nodes never get it', async () => {
  const before = await nginx()
  const { why, nodes } = await roll(broken, 'halted', 'aborted')
  expect(why).toContain('replace')
  expect(nodes.filter(({ phase }) => phase === 'waiting')).toHaveLength(2)
  await lab.until('all nodes are there', async () => {
    const status = await lab.status('n2')
    return status.nodes.every(({ online, unclean }) => online && !unclean)
  })
  expect(await inUse()).toEqual([present, present, present])
  for (const node of lab.nodes) expect(await running(node)).toBe(present)
  expect(await nginx()).toBe(before)
  expect((await lab.status('n1')).fencing).toEqual([])
}, 500_000)

test('what was put into use by hand is found there, and a second run does nothing', async () => {
  const before = await lab.inNode('n2', 'systemctl', 'show', '--property', 'MainPID', '--value', 'systoled')
  await lab.inNode('n2', `/opt/systole-${present}/packaging/use-version`, present)
  expect(await lab.inNode('n2', 'systemctl', 'show', '--property', 'MainPID', '--value', 'systoled')).toBe(before)
  await expect(lab.inNode('n2', `/opt/systole-${present}/packaging/use-version`, '9.9')).rejects.toThrow(
    'There is no version 9.9',
  )
}, 60_000)
