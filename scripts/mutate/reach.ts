/** Which tests call which functions, recorded once: a mutant is tried by those that reach its function, cheapest first. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mutant } from './mutants.ts'
import { TestRunner } from './test-runner.ts'

/** Folders and files of tests that need nothing but a processor. */
const testPlaces = [
  ...['node', 'controller', 'membership', 'quorum', 'holds', 'jobs', 'rollout', 'daemon', 'daemon/jobs', 'alerts'],
  ...['fencing', 'executor', 'attributes', 'transition'],
].map((room) => `test/${room}`)
/** They start processes of services, or take longer than seeds do. */
const leftOut = /^test\/(fencing\/(ipmi|fence-demo|device-parameters)|executor\/(systemd|container|agents))\./
const longestMs = 8_000

interface Reach {
  readonly test: string
  readonly tookMs: number
  readonly called: Readonly<Record<string, readonly string[]>>
}

/** What was recorded before is read from its file; `again` records it once more. */
export async function readReach(folder: string, recorded: string, again: boolean): Promise<readonly Reach[]> {
  if (existsSync(recorded) && !again) return JSON.parse(readFileSync(recorded, 'utf8'))
  const reach = await recordReach(folder)
  mkdirSync(dirname(recorded), { recursive: true })
  writeFileSync(recorded, JSON.stringify(reach))
  return reach
}

async function recordReach(folder: string): Promise<readonly Reach[]> {
  const output = join(folder, 'coverage')
  process.env.SYSTOLE_COVERAGE = output
  process.env.SYSTOLE_COVERED = folder
  const runner = await TestRunner.start(folder, {
    isolate: true,
    bail: false,
    setup: join(folder, 'scripts/mutate/record-coverage.ts'),
  })
  const tests = testPlaces.flatMap((place) =>
    readdirSync(join(folder, place))
      .map((name) => `${place}/${name}`)
      .filter((name) => name.endsWith('.test.ts') && !leftOut.test(name)),
  )
  const { took, failed: alone } = await runner.run(tests)
  await runner.close()
  const failed = [...alone, ...(await failTogether(folder, tests))]
  for (const test of new Set(failed)) console.log(`left out, because it fails without any mutation: ${test}`)
  const reach = readdirSync(output)
    .map((name): Pick<Reach, 'test' | 'called'> => JSON.parse(readFileSync(join(output, name), 'utf8')))
    .filter(({ test }) => !failed.includes(test))
    .map(({ test, called }): Reach => ({ test, called, tookMs: Math.round(took.get(test) ?? 0) }))
  rmSync(output, { recursive: true })
  return reach
}

/** Mutants are tried by tests that share their modules: those that fail so without a mutation would find every one. */
async function failTogether(folder: string, tests: readonly string[]): Promise<readonly string[]> {
  const runner = await TestRunner.start(folder, { isolate: false, bail: false })
  const { failed } = await runner.run(tests)
  await runner.close()
  return failed
}

export function testsFor(reach: readonly Reach[], { file, within }: Mutant): readonly string[] {
  const room = `test/${file.split('/')[1]}/`
  const known = reach.some(({ called }) => within !== undefined && called[file]?.includes(within))
  const reaches = ({ called }: Reach): boolean =>
    known ? called[file]?.includes(within ?? '') === true : called[file] !== undefined
  const cost = ({ test, tookMs }: Reach): number => tookMs * (test.startsWith(room) ? 1 : 4)
  return reach
    .filter((one) => reaches(one) && one.tookMs <= longestMs)
    .sort((a, b) => cost(a) - cost(b))
    .map(({ test }) => test)
}
