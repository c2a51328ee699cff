/**
 * `npm run mutate`: takes the rules of `test/mutations/mutations.ts` out of the shipped code, one at a time and in copies of the project, and says
 * which of them no test that reaches them and no seed of the simulation misses. What was found out is kept until the file concerned changes, so that
 * an interrupted run goes on where it was.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readOptions, wholeNumber } from './arguments.ts'
import { copyProject } from './mutate/copy.ts'
import { drawnMutants, listedMutants, type Mutant } from './mutate/mutants.ts'
import { readReach, testsFor } from './mutate/reach.ts'
import type { Report, Trial } from './mutate/worker.ts'

const values = readOptions({
  only: { type: 'string', default: '' },
  seeds: { type: 'string', default: '40' },
  random: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  workers: { type: 'string', default: '2' },
  results: { type: 'string' },
  record: { type: 'boolean', default: false },
  survivors: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log(`npm run mutate -- [--only TEXT]   those whose file or sentence has the text
                  [--seeds N]     of each world of the simulation, for what no test finds
                  [--random N --seed S]   so many more at random
                  [--workers N]   at once (2)
                  [--survivors]   try those once more that nothing found the last time
                  [--record]      record once more which tests reach which functions (after new tests)
                  [--results FILE]   the table, as JSON (node_modules/.cache/systole/mutants.json)`)
  process.exit()
}

interface Outcome {
  readonly key: string
  readonly file: string
  readonly broken: string
  /** The test or the seeds that found it. */
  readonly by: string | null
  readonly tookMs: number
}

const project = resolve(import.meta.dirname, '..')
const cache = join(project, 'node_modules/.cache/systole')
const table = values.results ?? join(cache, 'mutants.json')
const testsWithinMs = 120_000

const mutants = [
  ...listedMutants(project).filter(({ file, broken }) => `${file}: ${broken}`.includes(values.only)),
  ...drawnMutants(project, wholeNumber('random', values.random), wholeNumber('seed', values.seed)),
]
if (mutants.length === 0) {
  console.error(`No mutation has '${values.only}' in it.`)
  process.exit(2)
}
const outcomes = new Map(readTable().map((one) => [one.key, one]))
const waiting = mutants.filter(({ key }) => {
  const before = outcomes.get(key)
  return before === undefined || (values.survivors && before.by === null)
})
const folders = Array.from({ length: Math.max(1, wholeNumber('workers', values.workers)) }, () => copyProject(project))
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
process.on('SIGINT', () => process.exit(130))
process.on('SIGTERM', () => process.exit(143))

const reach = await readReach(folders[0] ?? project, join(cache, 'mutate-reach.json'), values.record)
const began = performance.now()
await Promise.all(folders.map(tryThemAll))
summarize()
process.exit()

function readTable(): readonly Outcome[] {
  return existsSync(table) ? JSON.parse(readFileSync(table, 'utf8')) : []
}

/** Each world finds rules of its own: the last voters, watchdogs, and what happens seldom. A few seeds of each find most. */
function simulations(): readonly (readonly string[])[] {
  const worlds = [
    [],
    ['--nodes', '2', '--witness', 'false', '--fencing', 'true'],
    ['--watchdogs', 'true', '--fencing', 'true'],
    ['--faults', 'leave,upgrade,power,partition'],
  ]
  const all = wholeNumber('seeds', values.seeds)
  const few = Math.min(8, all)
  const some = (first: number, count: number): readonly (readonly string[])[] =>
    count === 0 ? [] : worlds.map((world) => ['--seed', `${first}`, '--seeds', `${count}`, ...world])
  return [...some(1, few), ...some(1 + few, all - few)]
}

async function tryThemAll(folder: string): Promise<void> {
  let worker: ChildProcess | undefined
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const start = performance.now()
    worker ??= await startWorker(folder)
    const by = await outcomeOf(worker, mutant)
    if (by === endless) {
      worker = undefined
      const unbroken = readFileSync(join(project, mutant.file))
      writeFileSync(join(folder, mutant.file), unbroken)
    }
    record(mutant, by, performance.now() - start)
  }
  worker?.disconnect()
}

const endless = 'a test that does not end'

async function startWorker(folder: string): Promise<ChildProcess> {
  const worker = fork(join(project, 'scripts/run.mjs'), ['scripts/mutate/worker.ts', folder], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await new Promise<void>((ready) => worker.once('message', () => ready()))
  return worker
}

/** What runs for too long, in a loop that a mutant has made, is found by that. */
async function outcomeOf(worker: ChildProcess, mutant: Mutant): Promise<string | undefined> {
  const trial: Trial = {
    file: mutant.file,
    source: mutant.source,
    tests: testsFor(reach, mutant),
    simulations: simulations(),
  }
  return await new Promise((found) => {
    const end = (by: string | undefined): void => {
      clearTimeout(limit)
      worker.removeAllListeners()
      found(by)
    }
    const limit = setTimeout(() => worker.kill('SIGKILL'), testsWithinMs)
    worker.on('message', (report: Report) => {
      if (report.kind === 'simulating') clearTimeout(limit)
      if (report.kind === 'done') end(report.by)
    })
    worker.on('exit', () => end(endless))
    worker.send(trial)
  })
}

function record({ key, file, broken }: Mutant, by: string | undefined, tookMs: number): void {
  outcomes.set(key, { key, file, broken, by: by ?? null, tookMs: Math.round(tookMs) })
  mkdirSync(dirname(table), { recursive: true })
  writeFileSync(table, `${JSON.stringify([...outcomes.values()], undefined, 1)}\n`)
  console.log(`${by === undefined ? 'NOT FOUND' : `by ${by}`}: ${file}: ${broken}`)
}

function summarize(): void {
  const tried = mutants.flatMap(({ key }) => outcomes.get(key) ?? [])
  const missed = tried.filter(({ by }) => by === null)
  const bySeeds = tried.filter(({ by }) => by?.startsWith('seeds'))
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  console.log(
    `\n${tried.length - missed.length} of ${tried.length} are found, ${bySeeds.length} of them only by seeds (${minutes} min).`,
  )
  for (const { file, broken } of missed) console.log(`not found: ${file}: ${broken}`)
  if (missed.length > 0) process.exitCode = 1
}
