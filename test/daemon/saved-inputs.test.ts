import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { element } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { InputKeeper, type Kept, saveInput } from '../../src/daemon/planner/saved-inputs.ts'
import { readTextFile } from '../../src/tools/index.ts'
import { decisionText } from '../../src/transition/index.ts'

const cib = element('cib', { epoch: '7' })
const decided = { version: '0.1.0', utcOffset: 0, plan: [{ name: 'a--b_start_0 n1', after: [] }] }
let folder = ''

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'systole-inputs-')), 'pengine')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }))

const save = async (max?: string, series: 'pe-input' | 'pe-warn' | 'pe-error' = 'pe-input') =>
  await saveInput(cib, {
    folder,
    series,
    now: 5,
    options: new Map(max === undefined ? [] : [[`${series}-series-max`, max]]),
    decided,
  })

test('an input is a CIB with its moment, which commands read packed as it is, and nobody else', async () => {
  const file = (await save()) ?? ''
  expect(readdirSync(folder).sort()).toEqual(['pe-input-0.gz', 'pe-input.last'])
  expect(readTextFile(file)).toContain('execution-date="5"')
  expect((await fileAccess(file).readCib()).cib.attributes).toEqual({ epoch: '7', 'execution-date': '5' })
  expect(JSON.parse(decisionText(readTextFile(file)) ?? '')).toEqual(decided)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a series has as many files as its option says, and begins anew then', async () => {
  for (let count = 0; count < 5; count++) await save('3')
  await save(undefined, 'pe-warn')
  const names = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.gz'))
      .sort()
  expect(names()).toEqual(['pe-input-0.gz', 'pe-input-1.gz', 'pe-input-2.gz', 'pe-warn-0.gz'])
  expect(readFileSync(join(folder, 'pe-input.last'), 'utf8')).toBe('2\n')
  for (let count = 0; count < 2; count++) await save('1')
  expect(names()).toEqual(['pe-input-0.gz', 'pe-warn-0.gz'])
  expect(await save('0')).toBeUndefined()
  for (let count = 0; count < 3; count++) await save('-1', 'pe-error')
  expect(names().filter((name) => name.startsWith('pe-error'))).toHaveLength(3)
})

/** An option and the series that it is for. */
const series = [
  ['pe-error-series-max', 'pe-error'],
  ['pe-warn-series-max', 'pe-warn'],
  ['pe-input-series-max', 'pe-input'],
] as const

test.each(series)('%s is for its own series alone', async (option, own) => {
  const options = new Map<string, string>([[option, '2']])
  const all = series.map(([, name]) => name)
  for (let count = 0; count < 4; count++)
    for (const one of all) await saveInput(cib, { folder, series: one, now: 5, options, decided })
  const kept = (name: string) => readdirSync(folder).filter((file) => file.startsWith(`${name}-`)).length
  for (const one of all) expect([one, kept(one)]).toEqual([one, one === own ? 2 : 4])
})

test('a counter that makes no sense begins anew; a folder that cannot be is told, and holds up nothing', async () => {
  await save()
  writeFileSync(join(folder, 'pe-input.last'), 'x')
  expect(await save()).toBe(join(folder, 'pe-input-0.gz'))
  const told: Kept[] = []
  const keeper = new InputKeeper((kept) => told.push(kept))
  for (let count = 0; count < 6; count++)
    keeper.keep(cib, {
      folder: join(folder, 'pe-input-0.gz/pengine'),
      series: 'pe-input',
      now: 5,
      options: new Map(),
      decided,
    })
  await vi.waitFor(() => expect(told).toHaveLength(6))
  expect(told.filter((kept) => 'error' in kept && /too slow/.test(kept.error))).toHaveLength(2)
  expect(told.filter((kept) => 'error' in kept && /ENOTDIR/.test(kept.error))).toHaveLength(4)
})
