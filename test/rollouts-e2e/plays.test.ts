import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlayRecord } from '../../src/plays/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** Components that need more of a node than `npm test` has: its facts by Debian's facter, and a boot. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
  // As a host's shutdown does: the daemon ends in order, then the kernel of the node, which is its PID namespace, boots.
  const ofHost = readlinkSync('/proc/self/ns/pid')
  const hold = `${lab.folder}/nodes/$SYSTOLE_NODE/hold`
  const script = [
    `[ "$(readlink /proc/self/ns/pid)" != "${ofHost}" ] || exit 1`,
    `touch ${hold}`,
    'daemon=$(cat /run/systoled.pid)',
    'kill -TERM $daemon',
    'while kill -0 $daemon 2>/dev/null; do sleep 0.1; done',
    `rm ${hold}`,
    'exec systemctl -ff reboot',
  ]
  writeFileSync(join(lab.folder, 'programs/reboot'), `#!/bin/sh\n${script.join('\n')}\n`, { mode: 0o755 })
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 240_000)

afterAll(() => lab.close(), 60_000)

const file = (name: string): string => join(lab.folder, name)
const linesOf = (name: string): readonly string[] =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : []

async function play(...items: readonly string[]): Promise<PlayRecord> {
  writeFileSync(file('play.yaml'), items.join(''))
  return JSON.parse(await lab.systole('n1', 'play', 'run', file('play.yaml'), '--json')) as PlayRecord
}

test('FACTER makes the facts of Debian’s facter arguments, on each node', async () => {
  const { state } = await play(
    '- jobs:\n    - FACTER:\n',
    `    - RUN: echo "$SYSTOLE_NODE {{ facter.os.family }} {{ facter.kernel }}" >> ${file('facts')}\n`,
  )
  expect(state).toBe('done')
  expect([...linesOf('facts')].sort()).toEqual(nodes.map((node) => `${node} Debian Linux`))
}, 180_000)

test('REBOOT boots a node once, and the play goes on there when it is back', async () => {
  const before = lab.power.selfReboots.length
  const note = `echo $SYSTOLE_NODE $(cat /proc/sys/kernel/random/boot_id) >> ${file('boots')}`
  const item = (node: string): string =>
    `- targets: [${node}]\n  jobs:\n    - RUN: ${note}\n    - REBOOT: 1\n    - RUN: --skip-cache ${note}\n`
  const { state } = await play(item('n2'), item('n3'))
  expect(state).toBe('done')
  expect(lab.power.selfReboots.slice(before)).toEqual(['n2', 'n3'])
  const boots = linesOf('boots')
  expect(boots.map((line) => line.split(' ')[0])).toEqual(['n2', 'n2', 'n3', 'n3'])
  expect(new Set(boots).size).toBe(4)
}, 300_000)
