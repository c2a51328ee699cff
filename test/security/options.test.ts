import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

/** Cluster options that the daemon itself obeys: what the reference promises of them, seen on nodes. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

/** An agent whose stop hangs where it finds a word to. */
const hanging = `#!/bin/sh
if [ "$1" = stop ] && [ -e /run/hang ]; then sleep 600; fi
OCF_FUNCTIONS_DIR=/usr/lib/ocf/lib/heartbeat exec /run/original "$@"
`

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:pacemaker:Dummy', 'op', 'stop', 'timeout=300s', '--wait')
}, 120_000)

afterAll(() => lab.close(), 60_000)

async function isSettled(seenFrom: string): Promise<boolean> {
  const { nodes: all } = await lab.status(seenFrom)
  return all.every(({ online, unclean }) => online && !unclean)
}

function keptBy(node: string): readonly string[] {
  return readdirSync(join(lab.folder, 'nodes', node, 'var/pengine'))
    .filter((name) => name.endsWith('.gz'))
    .sort()
}

test('the DC keeps what its transitions were computed from, to be replayed, in as many files as the options say', async () => {
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  const replays = async (): Promise<boolean> => {
    for (const name of keptBy(dc)) {
      const replayed = await lab.systole(dc, 'simulate', '--xml-file', `/var/lib/systole/pengine/${name}`)
      if (/Start +work/.test(replayed)) return true
    }
    return false
  }
  await lab.until('one of them replays the start', replays)
  expect(await lab.inNode(dc, 'stat', '-c', '%a', `/var/lib/systole/pengine/${keptBy(dc)[0]}`)).toBe('600\n')
  await lab.systole('n1', 'property', 'set', 'pe-input-series-max=2', 'pe-warn-series-max=0')
  for (const batch of ['3', '4', '5', '6']) await lab.systole('n1', 'property', 'set', `batch-limit=${batch}`, '--wait')
  const inputs = (): readonly string[] => keptBy(dc).filter((name) => name.startsWith('pe-input'))
  await lab.until('two of them are left', () => inputs().join() === 'pe-input-0.gz,pe-input-1.gz')
  await lab.systole('n1', 'property', 'unset', 'pe-input-series-max', 'pe-warn-series-max')
}, 60_000)

test('a shutdown that does not end is ended after shutdown-escalation: the node is fenced and its work done elsewhere', async () => {
  await lab.systole('n1', 'property', 'set', 'shutdown-escalation=5s')
  const [where = ''] = await lab.whereIs('work', 'n1')
  const other = nodes.find((node) => node !== where) ?? ''
  const agent = '/usr/lib/ocf/resource.d/pacemaker/Dummy'
  const prepare = `cp ${agent} /run/original && cat > /run/hanging <<'END'\n${hanging}END\nchmod 755 /run/hanging && touch /run/hang && mount --bind /run/hanging ${agent}`
  await lab.inNode(where, 'sh', '-c', prepare)
  const before = lab.power.pid1(where)
  const stopped = lab.try(where, 'cluster', 'stop', '--force')
  await lab.until('it is fenced', async () =>
    (await lab.status(other)).fencing.some(({ target, outcome }) => target === where && outcome === 'succeeded'),
  )
  await lab.until('its work is done elsewhere', async () => (await lab.whereIs('work', other))[0] !== where)
  await stopped
  await lab.until('it has booted', () => lab.power.isOn(where) && lab.power.pid1(where) !== before)
  await lab.until('its daemon is there', async () => (await lab.try(where, 'cluster', 'status')) !== undefined)
  await lab.systole(where, 'cluster', 'start')
  await lab.until('all is well', async () => await isSettled(other))
  await lab.systole('n1', 'property', 'unset', 'shutdown-escalation')
}, 90_000)

test('a node that learns of its own fencing while it lives reboots with fencing-reaction=panic', async () => {
  await lab.systole('n1', 'property', 'set', 'fencing-reaction=panic')
  lab.power.brokenControllers.add('n3')
  await lab.network.link('n3', 'down')
  await lab.until('it is lost', async () => (await lab.status('n1')).nodes.some(({ unclean }) => unclean))
  await lab.systole('n1', 'stonith', 'confirm', 'n3', '--force')
  await lab.until('it counts as off', async () => !(await lab.status('n1')).nodes.some(({ unclean }) => unclean))
  const before = lab.power.pid1('n3')
  await lab.network.link('n3', 'up')
  await lab.until('it has rebooted', () => lab.power.isOn('n3') && lab.power.pid1('n3') !== before)
  expect(lab.power.selfReboots).toEqual(['n3'])
  await lab.until('it is back', async () => await isSettled('n1'))
}, 60_000)
