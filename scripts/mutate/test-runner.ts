/** vitest in this process, which keeps what it has compiled: a mutant costs the one file that it changes. */
import { join } from 'node:path'
import { createVitest, type Vitest } from 'vitest/node'

export interface TestRun {
  /** Milliseconds of each file, by its path in the project. */
  readonly took: ReadonlyMap<string, number>
  readonly failed: readonly string[]
}

interface Options {
  /** Each file has its modules for itself, which is slower and needed to see what it alone called. */
  readonly isolate: boolean
  /** The first failure ends the run. */
  readonly bail: boolean
  /** A file that each test file loads first. */
  readonly setup?: string
}

export class TestRunner {
  readonly #folder: string
  readonly #vitest: Vitest

  private constructor(folder: string, vitest: Vitest) {
    this.#folder = folder
    this.#vitest = vitest
  }

  static async start(folder: string, options: Options): Promise<TestRunner> {
    const vitest = await createVitest('test', {
      root: folder,
      config: false,
      watch: false,
      include: ['test/**/*.test.ts'],
      reporters: [{}],
      pool: 'threads',
      isolate: options.isolate,
      maxWorkers: 1,
      // One after the other, cheapest first.
      fileParallelism: false,
      bail: options.bail ? 1 : 0,
      testTimeout: 20_000,
      expect: { poll: { timeout: 10_000 } },
      ...(options.setup === undefined ? {} : { setupFiles: [options.setup] }),
      sequence: { sequencer: AsGiven },
    })
    return new TestRunner(folder, vitest)
  }

  changed(file: string): void {
    this.#vitest.invalidateFile(join(this.#folder, file))
  }

  async run(files: readonly string[]): Promise<TestRun> {
    const [project] = this.#vitest.projects
    if (project === undefined) throw new Error('vitest has no project.')
    const specifications = files.map((file) => project.createSpecification(join(this.#folder, file)))
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications(specifications, false)
    // vitest lists what earlier runs have left as well.
    const moduleOf = new Map(testModules.map((one) => [one.moduleId.slice(this.#folder.length + 1), one]))
    const failed = files.filter((file) => moduleOf.get(file)?.state() === 'failed')
    return {
      took: new Map(
        files.flatMap((file) => {
          const one = moduleOf.get(file)?.diagnostic()
          return one === undefined ? [] : [[file, one.duration + one.collectDuration] as const]
        }),
      ),
      failed: failed.length === 0 && unhandledErrors.length > 0 ? ['an error that no test caught'] : failed,
    }
  }

  async close(): Promise<void> {
    await this.#vitest.close()
  }
}

class AsGiven {
  async shard<Files>(files: Files): Promise<Files> {
    return files
  }
  async sort<Files>(files: Files): Promise<Files> {
    return files
  }
}
