import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlayRecord } from '../../src/plays/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** Components that need more of a node than `npm test` has: its facts by Debian's facter. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
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
