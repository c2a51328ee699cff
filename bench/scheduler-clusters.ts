/** The clusters whose scheduling is measured: what ../shared/bench/gen_cib.py makes of them, always the same bytes. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const generator = resolve(import.meta.dirname, '../../shared/bench/gen_cib.py')

/** Clusters that differ in one number only, smallest first. */
export interface Family {
  readonly key: string
  readonly what: string
  /** What grows, by which the growth exponent counts. */
  readonly grows: 'resources' | 'nodes'
  readonly sizes: readonly number[]
  readonly options: (size: number) => readonly string[]
  /** Of what grows: remote nodes come on top of the cluster's own. */
  readonly count: (size: number) => number
}

const ownNodes = 16

export const families: readonly Family[] = [
  {
    key: 'primitives',
    what: 'primitives',
    grows: 'resources',
    sizes: [100, 200, 500, 1000, 2000, 5000],
    options: (size) => ['--primitives', String(size)],
    count: (size) => size,
  },
  {
    key: 'clones',
    what: 'clones',
    grows: 'resources',
    sizes: [50, 200],
    options: (size) => ['--clones', String(size)],
    count: (size) => size,
  },
  {
    key: 'remotes',
    what: 'remote nodes, 10 clones, 100 primitives',
    grows: 'nodes',
    sizes: [200, 500, 1000],
    options: (size) => ['--remotes', String(size), '--clones', '10', '--primitives', '100'],
    count: (size) => size + ownNodes,
  },
]

export const states = ['initial', 'running', 'failed'] as const
export type State = (typeof states)[number]

export function generatorMissing(): string | undefined {
  return existsSync(generator) ? undefined : `${generator}, which makes the clusters, does not exist`
}

/** Writes the CIB and returns its path. */
export function generateCib(folder: string, family: Family, size: number, state: State): string {
  const file = join(folder, `${family.key}-${size}-${state}.xml`)
  const options = ['--nodes', String(ownNodes), ...family.options(size), '--state', state, '-o', file]
  const run = spawnSync('python3', [generator, ...options], { encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`${generator} ended with ${run.status}: ${run.stderr}`)
  return file
}
