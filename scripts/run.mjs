// Runs a TypeScript program of the project: `node scripts/run.mjs bench/bench.ts --runs 3`. Node.js 20 cannot do it by itself.
import { mkdirSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const [program, ...args] = process.argv.slice(2)
const source = resolve(program)
// Below node_modules, where its packages are found and nobody looks for sources.
const bundle = join(
  import.meta.dirname,
  '../node_modules/.cache/systole',
  `${basename(source, '.ts')}-${process.pid}.mjs`,
)
mkdirSync(dirname(bundle), { recursive: true })
await build({
  entryPoints: [source],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
  plugins: [ownPlaces()],
})
process.argv = [process.argv[0], source, ...args]
process.on('exit', () => rmSync(bundle, { force: true }))
try {
  await import(pathToFileURL(bundle).href)
} finally {
  rmSync(bundle, { force: true })
}

/** Files keep their own import.meta.dirname although they end up in one bundle. */
function ownPlaces() {
  return {
    name: 'own-places',
    setup(setup) {
      setup.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const { readFile } = await import('node:fs/promises')
        const text = await readFile(path, 'utf8')
        return { contents: text.replaceAll('import.meta.dirname', JSON.stringify(dirname(path))), loader: 'ts' }
      })
    },
  }
}
