#!/usr/bin/env node
// Runs a TypeScript program of this project: Node 20 cannot, so esbuild turns it into one module first.
// Usage: node scripts/run.mjs scripts/build.ts [argument]...
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const [program, ...args] = process.argv.slice(2)
if (!program) throw new Error('Name the program to run: node scripts/run.mjs <file.ts> [argument]...')
const project = resolve(import.meta.dirname, '..')
// Beside node_modules, so that packages are found from there.
const bundle = join(project, 'node_modules', `.run-${randomUUID()}.mjs`)
process.on('exit', () => rmSync(bundle, { force: true }))
await build({
  entryPoints: [resolve(program)],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'error',
})
process.argv = [process.argv[0], resolve(program), ...args]
await import(pathToFileURL(bundle).href)
