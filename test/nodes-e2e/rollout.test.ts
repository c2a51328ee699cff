import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  begin,
  beginWithVersions,
  everything,
  isAtGate,
  isQuiet,
  lab,
  nodes,
  runsOf,
  untilState,
  versionOf,
  writeRollout,
} from '../nodes/lab/versions.ts'

/** Upgrades that stop the cluster on their node, and fail or lose all power meanwhile. */
beforeAll(beginWithVersions, 120_000)

afterAll(() => lab.close(), 60_000)

test('a rollout that requires members of a service begins no node while one is missing, also between two nodes', async () => {
  const monitored = ['op', 'monitor', 'interval=1s', 'clone', '--wait']
  await lab.systole(
    'n1',
    'resource',
    'create',
    'shop',
    'ocf:systole:http',
    'address=0.0.0.0',
    'port=8080',
    ...monitored,
  )
  await lab.systole('n1', 'service', 'create', 'shop', 'shop-clone', 'port=8080')
  await lab.systole('n1', 'service', 'wait', 'shop', '--min=3', '--timeout=60s')
  const gate = join(lab.folder, 'gate-required')
  const file = writeRollout('required', '3', { names: ['n1', 'n2'], gate })
  const definition = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...definition, requires: [{ service: 'shop', min: 3 }] }))
  const waits = async (): Promise<boolean> =>
    (await lab.systole('n2', 'rollout', 'status').catch(String)).includes('waiting for the service shop (2 of 3)')
  await lab.systole('n1', 'resource', 'ban', 'shop-clone', 'n3', '--wait')
  const id = await begin(file)
  await lab.until('it waits for the service', waits)
  expect(runsOf('begins required')).toEqual([])
  await lab.systole('n1', 'resource', 'clear', 'shop-clone')
  await lab.until('the first node is at work', () => isAtGate('required'))
  // Whatever is missing when the first node is done keeps the second one from beginning.
  await lab.systole('n1', 'resource', 'ban', 'shop-clone', 'n3')
  writeFileSync(gate, '')
  await lab.until('it waits again', waits)
  expect(runsOf('begins required')).toHaveLength(1)
  await lab.systole('n1', 'resource', 'clear', 'shop-clone')
  await untilState(id, 'complete')
  expect(runsOf('begins required')).toHaveLength(2)
  await lab.systole('n1', 'resource', 'delete', 'shop')
  await lab.until('all is quiet', isQuiet, 60_000)
}, 180_000)

test('an upgrade that fails after it has stopped the cluster: the next resume completes, and in another the next abort', async () => {
  const broken = join(lab.folder, 'broken')
  writeFileSync(broken, '')
  const resumed = await begin(writeRollout('resumed', '4', { names: ['n3'], stops: true, last: `test ! -e ${broken}` }))
  expect((await untilState(resumed, 'halted')).why).toContain('install ended with 1')
  rmSync(broken)
  expect(await lab.systole('n1', 'rollout', 'resume')).toContain('complete')
  expect(versionOf('n3')).toBe('4')
  await lab.until('all is quiet', isQuiet, 60_000)
  const before = await everything()
  const aborted = await begin(writeRollout('aborted', '5', { names: ['n3'], stops: true, last: 'exit 1' }))
  await untilState(aborted, 'halted')
  await expect(lab.systole('n1', 'rollout', 'abort')).rejects.toMatchObject({ cause: { code: 4 } })
  expect(runsOf('undoes aborted')).toHaveLength(1)
  expect(await everything()).toEqual(before)
}, 150_000)

test('what is needed once in the life of the cluster runs after its service, again only until it has succeeded, and not again after a move or a loss of all power', async () => {
  const [ran, ready] = [join(lab.folder, 'ran-once'), join(lab.folder, 'ready-once')]
  const lines = (): number => (existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n').length : 0)
  const where = async (): Promise<string> => (await lab.whereIs('init', 'n3')).join()
  await lab.systole('n3', 'resource', 'create', 'keystone', 'ocf:pacemaker:Dummy', '--disabled')
  const command = `command=echo run >> ${ran}; [ -e ${ready} ] || { echo no endpoint; exit 3; }`
  await lab.systole('n3', 'resource', 'create', 'init', 'ocf:systole:once', command, '--disabled')
  await lab.systole('n3', 'constraint', 'order', 'keystone', 'then', 'init')
  await lab.systole('n3', 'resource', 'enable', 'init', '--wait')
  expect(lines()).toBe(0)
  await lab.systole('n3', 'resource', 'enable', 'keystone')
  const failed = 'the command ended with exit code 3: no endpoint'
  await lab.until('it has failed', async () => (await lab.systole('n3', 'status', '--full')).includes(failed))
  await lab.until('all nodes have tried', () => lines() === nodes.length)
  expect(await lab.systole('n3', 'property', 'config')).not.toContain('init-done')
  writeFileSync(ready, '')
  await lab.systole('n3', 'resource', 'cleanup', 'init')
  await lab.until('it is done', async () => (await where()) !== '')
  expect(lines()).toBe(nodes.length + 1)
  expect(await lab.systole('n3', 'property', 'config')).toMatch(/init-done=20\d\d-/)
  await lab.systole('n3', 'resource', 'ban', 'init', '--wait')
  await lab.until('it has moved', async () => (await where()) !== '')
  await lab.systole('n3', 'resource', 'clear', 'init')
  for (const node of nodes) await lab.power.off(node)
  for (const node of nodes) await lab.power.on(node)
  await lab.until('all is quiet', isQuiet, 120_000)
  const isSettled = async (): Promise<boolean> =>
    (await lab.systole('n3', 'status')).includes('The cluster is settled.') && (await where()) !== ''
  await lab.until('it is started again', isSettled, 120_000)
  expect(lines()).toBe(nodes.length + 1)
  await lab.systole('n3', 'property', 'unset', 'init-done')
  await lab.systole('n3', 'resource', 'restart', 'init')
  expect(lines()).toBe(nodes.length + 2)
  for (const resource of ['init', 'keystone']) await lab.systole('n3', 'resource', 'delete', resource)
  await lab.until('all is quiet', isQuiet, 60_000)
}, 240_000)

test('all power is cut while a command has stopped the cluster on its node: the node takes part again, the command does not run by itself, and abort leaves what was before', async () => {
  await lab.until('all is quiet', isQuiet, 60_000)
  const before = await everything()
  const gate = join(lab.folder, 'gate-cut')
  const id = await begin(writeRollout('cut', '6', { names: ['n1', 'n2'], gate, stops: true }))
  await lab.until('the first node is at work', () => isAtGate('cut'))
  await lab.until('the copy on the node knows it', () =>
    existsSync(join(lab.folder, 'nodes/n2/var/rollout/known.json')),
  )
  for (const node of nodes) await lab.power.off(node)
  for (const node of nodes) await lab.power.on(node)
  await untilState(id, 'halted')
  expect(runsOf('begins cut')).toEqual(['n1 begins cut'])
  await expect(lab.systole('n2', 'rollout', 'abort')).rejects.toMatchObject({ cause: { code: 4 } })
  expect(runsOf('undoes cut')).toEqual(['n1 undoes cut'])
  await lab.until('all is quiet', isQuiet, 60_000)
  expect(await everything()).toEqual(before)
  for (const node of nodes) await lab.systole(node, 'cluster', 'stop', '--force')
  const known = await lab.systole('n3', 'rollout', 'history')
  expect(known).toMatch(/^As n3 knew it at .*not started/)
  expect(known).toContain(`${id} `)
}, 150_000)
