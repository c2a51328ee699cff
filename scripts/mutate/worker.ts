/**
 * A process that tries mutants in a copy of the project, one after the other, as `npm run mutate` sends them to it. The one that started it
 * ends it where a mutant makes a loop that never ends.
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TestRunner } from './test-runner.ts'

/** One mutant, and what may find it. */
export interface Trial {
  readonly file: string
  readonly source: string
  readonly tests: readonly string[]
  readonly simulations: readonly (readonly string[])[]
}

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'simulating' }
  | { readonly kind: 'done'; readonly by: string | undefined }

const seedsWithinMs = 5 * 60_000
const folder = process.argv[2] ?? '.'
const runner = await TestRunner.start(folder, { isolate: false, bail: true })
process.on('message', (trial: Trial) => {
  void tryMutant(trial).then((by) => report({ kind: 'done', by }))
})
process.on('disconnect', () => process.exit())
report({ kind: 'ready' })

function report(news: Report): void {
  process.send?.(news)
}

async function tryMutant({ file, source, tests, simulations }: Trial): Promise<string | undefined> {
  const path = join(folder, file)
  const before = readFileSync(path, 'utf8')
  writeFileSync(path, source)
  runner.changed(file)
  try {
    const { failed } = tests.length === 0 ? { failed: [] } : await runner.run(tests)
    if (failed[0] !== undefined) return failed[0]
    report({ kind: 'simulating' })
    for (const options of simulations) if (await simulationFails(options)) return ['seeds', ...options].join(' ')
    return undefined
  } finally {
    writeFileSync(path, before)
    runner.changed(file)
  }
}

/** A simulation that goes on for too long has failed as well. */
async function simulationFails(options: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, ['scripts/run.mjs', 'scripts/sim.ts', '--first-failure', ...options], {
    cwd: folder,
    stdio: 'ignore',
    timeout: seedsWithinMs,
    killSignal: 'SIGKILL',
  })
  return await new Promise((resolve) => child.on('exit', (code) => resolve(code !== 0)))
}
