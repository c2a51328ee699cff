/** Two builds of Systole in one lab: each node runs the one that its file names, from the next start of its daemon on. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Lab } from '../nodes/lab/lab.ts'

const project = resolve(import.meta.dirname, '../..')

/** Built from the history of this checkout, with the packages that it has now. */
export function buildOf(commit: string, folder: string): void {
  const run = (program: string, ...words: readonly string[]) =>
    execFileSync(program, words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  mkdirSync(folder)
  const archive = execFileSync('git', ['archive', commit], { cwd: project, maxBuffer: 512 * 1024 * 1024 })
  execFileSync('tar', ['-x'], { cwd: folder, input: archive })
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
  run('node', 'scripts/run.mjs', 'scripts/build.ts')
}

export class Builds {
  readonly #lab: Lab
  readonly #old: string

  constructor(lab: Lab, commit: string) {
    this.#lab = lab
    this.#old = join(lab.folder, 'older')
    buildOf(commit, this.#old)
    for (const program of ['systole', 'systoled', 'pcs']) {
      const door = join(lab.folder, 'programs', program)
      rmSync(door, { force: true })
      writeFileSync(door, `#!/bin/sh\nexec "$(cat ${lab.folder}/nodes/$LAB_NODE/build)/bin/${program}" "$@"\n`)
      chmodSync(door, 0o755)
    }
  }

  olderHas(file: string): boolean {
    return existsSync(join(this.#old, file))
  }

  /** Before the lab starts, or for the next start of the node's daemon. */
  use(node: string, build: 'older' | 'this'): void {
    mkdirSync(join(this.#lab.folder, 'nodes', node), { recursive: true })
    const folder = build === 'older' ? this.#old : join(this.#lab.folder, 'systole')
    writeFileSync(join(this.#lab.folder, 'nodes', node, 'build'), folder)
  }
}
