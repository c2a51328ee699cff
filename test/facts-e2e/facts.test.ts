import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { holder, isOnline, tool } from '../nodes/lab/remote.ts'

/** What facts are for: capacities from hardware, more nodes planned, the real smartctl, and the machine of a remote node. */
const members = ['n1', 'n2', 'n3']
const remote = 'r1'
const lab = new Lab([...members, remote], { remotes: [remote] })

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
}, 180_000)
afterAll(() => lab.close(), 60_000)

type Facts = Readonly<Record<string, string | number>>

async function facts(): Promise<ReadonlyMap<string, Facts>> {
  const { nodes } = JSON.parse(await lab.systole('n1', 'node', 'facts', '--json')) as {
    readonly nodes: readonly { readonly node: string; readonly facts: Facts }[]
  }
  return new Map(nodes.map(({ node, facts: own }) => [node, own]))
}
const have = async (nodes: readonly string[]): Promise<void> =>
  await lab.until(
    `${nodes.join(', ')} have facts`,
    async () => {
      const known = await facts()
      return nodes.every((node) => known.get(node)?.['#facts-cpus'] !== undefined)
    },
    90_000,
  )

test('capacities are those of the hardware less a reserve, and what needs more than there is does not run', async () => {
  await have(members)
  const cpus = Number((await lab.inNode('n1', 'nproc', '--all')).trim())
  await lab.systole('n1', 'utilization', 'auto', '--reserve-memory=100')
  await lab.systole('n1', 'property', 'set', 'placement-strategy=utilization')
  for (const name of ['a', 'b', 'c', 'd']) {
    await lab.systole('n1', 'resource', 'create', name, 'ocf:pacemaker:Dummy')
    await lab.systole('n1', 'resource', 'utilization', name, `cpu=${cpus}`)
  }
  // Three nodes have room for three of them.
  const running = async (): Promise<readonly string[]> => {
    const places = await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => await lab.whereIs(name, 'n1')))
    return places.flat().sort()
  }
  await lab.until('three run', async () => (await running()).length === 3)
  expect(await running()).toEqual(members)
  const places = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (name) => [name, await lab.whereIs(name, 'n1')] as const),
  )
  const left = places.find(([, at]) => at.length === 0)?.[0] ?? ''
  expect(await lab.systole('n1', 'why', left)).toContain('not enough free capacity')
  // More nodes would take it, and the plan says so.
  const planned = await lab.try('n1', 'cluster', 'node', 'plan', '--add=3', '--like=n1')
  const said = planned ?? lab.lastFailure
  expect(said).toContain(`start ${left} on `)
  expect(said).toMatch(/votes/i)
  expect(await lab.systole('n1', 'status', 'nodes')).not.toContain('new')
  await lab.systole('n1', 'utilization', 'auto', '--remove')
  await lab.systole('n1', 'property', 'set', 'placement-strategy=')
  await lab.until('all run', async () => (await running()).length === 4)
  for (const name of ['a', 'b', 'c', 'd']) await lab.systole('n1', 'resource', 'delete', name)
}, 180_000)

test('the real smartctl is asked; no disk that it knows fails', async () => {
  const { devices = [] } = JSON.parse(await lab.inNode('n1', 'smartctl', '--scan', '--json')) as {
    readonly devices?: readonly unknown[]
  }
  await lab.systole('n1', 'property', 'set', 'hardware-health=true', 'hardware-health-interval=1s')
  const seen = async (): Promise<ReadonlyMap<string, string>> => {
    const { nodes } = JSON.parse(await lab.systole('n1', 'node', 'health', 'n1', '--json')) as {
      readonly nodes: readonly { readonly health: readonly { readonly what: string; readonly value: string }[] }[]
    }
    return new Map(nodes.flatMap(({ health }) => health.map(({ what, value }) => [what, value] as const)))
  }
  await lab.until('it has a health', async () => (await seen()).get('temperature') === 'green', 60_000)
  expect([devices.length >= 0, (await seen()).get('disks')]).toEqual([true, 'green'])
}, 120_000)

test('a remote node tells what its machine is, and rules, profiles and capacities use it as they use a member’s', async () => {
  await lab.systole('n1', 'property', 'set', 'facts-interval=10s')
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10')
  await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'))
  await have([remote])
  const own = (await facts()).get(remote)
  expect(own?.['#facts-cpus']).toBe(Number((await lab.inNode(remote, 'nproc', '--all')).trim()))
  expect(await lab.systole('n2', 'node', 'facts', remote)).toMatch(/^r1:\n {2}cpus /)
  expect(await lab.systole('n1', 'utilization', 'auto', remote)).toMatch(/^Capacities: r1 cpu=\d+ memory=\d+\.\n/)
  expect(await lab.systole('n1', 'cluster', 'cib')).toMatch(/<node [^>]*id="r1"[^>]*type="remote"/)
  await lab.systole('n1', 'utilization', 'auto', '--remove')
  // It becomes another machine.
  const release = join(lab.folder, 'os-release')
  writeFileSync(release, 'NAME=Otheros\nID=other\nVERSION_ID=7\n')
  for (const file of ['/etc/os-release', '/usr/lib/os-release'])
    await lab.inNode(remote, 'mount', '--bind', release, file)
  await lab.systole('n1', 'profile', 'create', 'other', "os = 'Otheros 7'")
  await lab.systole('n1', 'resource', 'create', 'app', 'ocf:pacemaker:Dummy', '--disabled')
  await lab.systole('n1', 'profile', 'require', 'other', 'app')
  await lab.systole('n1', 'resource', 'enable', 'app')
  await lab.until('it runs there', async () => (await lab.whereIs('app', 'n1'))[0] === remote, 90_000)
  expect(await lab.systole('n3', 'node', 'facts', '--differences')).toMatch(/ {2}! {2}r1 {2}Otheros 7\n/)
  expect(await lab.systole('n1', 'profile', 'match', 'other')).toContain(remote)
}, 240_000)

test('a remote node cannot write its facts by a command; whoever holds its connection next asks for them again', async () => {
  await expect(tool(lab, remote, 'attrd_updater', '-n', '#facts-cpus', '-U', '900')).rejects.toThrow(/may not set/)
  await lab.inNode('n1', join(lab.folder, 'systole/shims/attrd_updater'), '-D', '-n', '#facts-cpus', '-N', remote)
  await have([remote])
  const before = await holder(lab, remote, 'n1')
  await lab.systole('n1', 'constraint', 'location', remote, 'avoids', before)
  await lab.until('another member has it', async () => ![before, ''].includes(await holder(lab, remote, 'n1')), 60_000)
  await have([remote])
  expect((await facts()).get(remote)?.['#facts-os']).toBe('Otheros 7')
  await lab.systole('n1', 'resource', 'disable', remote)
  await lab.until('they are gone', async () => Object.keys((await facts()).get(remote) ?? {}).length === 0)
  await lab.systole('n1', 'resource', 'enable', remote)
  await have([remote])
}, 240_000)

test('a disk of a remote node fails: its health is red with the reason, and what runs there leaves', async () => {
  const health = async (): Promise<Readonly<Record<string, string>>> => {
    const { nodes } = JSON.parse(await lab.systole('n1', 'node', 'health', remote, '--json')) as {
      readonly nodes: readonly { readonly health: readonly { readonly what: string; readonly value: string }[] }[]
    }
    return Object.fromEntries(nodes.flatMap(({ health: own }) => own.map(({ what, value }) => [what, value])))
  }
  await lab.systole('n1', 'property', 'set', 'node-health-strategy=migrate-on-red', 'hardware-health-recovery=2s')
  await lab.until('it has a health', async () => (await health()).filesystems === 'green', 60_000)
  await lab.systole('n1', 'constraint', 'delete', 'profile-other-app')
  await lab.systole('n1', 'constraint', 'location', 'app', 'prefers', `${remote}=100`)
  await lab.until('it runs there', async () => (await lab.whereIs('app', 'n1'))[0] === remote, 60_000)
  const failing = join(lab.folder, 'smartctl')
  writeFileSync(
    failing,
    `#!/bin/sh
case "$*" in *--scan*) echo '{"devices":[{"name":"/dev/sdx","type":"sat"}]}';; *) echo '{"smart_status":{"passed":false}}';; esac
`,
    { mode: 0o755 },
  )
  await lab.inNode(remote, 'mount', '--bind', failing, '/usr/sbin/smartctl')
  await lab.until('it is red', async () => (await health()).disks === 'red', 60_000)
  expect(await lab.systole('n2', 'node', 'health', remote)).toContain('/dev/sdx')
  await lab.until('it has left', async () => ![remote, undefined].includes((await lab.whereIs('app', 'n1'))[0]), 60_000)
  await lab.inNode(remote, 'umount', '/usr/sbin/smartctl')
  await lab.until('it is green again', async () => (await health()).disks === 'green', 60_000)
}, 240_000)
