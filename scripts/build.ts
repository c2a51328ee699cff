/**
 * Bundles each program into one file of dist/: a file that is loaded once starts several times faster than a tree of
 * packages, and agents start the command line many times a minute. Only what is native stays in node_modules.
 * Arguments name the programs to build (all of them without any); `--readable` leaves the text as it is.
 */
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { build, type Plugin } from 'esbuild'
import packageFile from '../package.json' with { type: 'json' }

/**
 * Programs of one group share parts. What one of them needs of a room is then loaded by all that use the room, so the command
 * line, which must start fast and needs no gRPC library, is a group of its own.
 */
const groups: readonly Readonly<Record<string, string>>[] = [
  {
    systoled: 'src/daemon/main.ts',
    pulse: 'src/daemon/pulse/thread.ts',
    planner: 'src/daemon/planner/thread.ts',
  },
  { systole: 'src/cli/main.ts' },
  // It must start faster still, and needs nothing of the command line.
  { 'systole-tool': 'src/tools/file/main.ts' },
  { demo: 'demo/main.ts' },
]

/**
 * What a program does not need when it starts is not parsed then. gRPC's reader of .proto files is for services that none of
 * ours has; the embedded store's native library is loaded when such a store is opened.
 */
const lateOrNever: Plugin = {
  name: 'late-or-never',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(lmdb|@grpc\/proto-loader)$/ }, ({ path, namespace }) =>
      namespace === 'late' ? { path, external: true } : { path, namespace: 'late' },
    )
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents:
        path === 'lmdb'
          ? "export const open = (...options) => require('lmdb').open(...options)"
          : 'module.exports = {}',
    }))
  },
}

const minify = !process.argv.includes('--readable')
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
// Beside the old one, which daemons may be running from, and then in its place.
const fresh = named.length === 0 ? `dist.new-${process.pid}` : 'dist'
mkdirSync(fresh, { recursive: true })
for (const programs of groups) {
  const chosen = Object.entries(programs).filter(([name]) => named.length === 0 || named.includes(name))
  if (chosen.length > 0) await bundle(Object.fromEntries(chosen), fresh)
}
if (fresh !== 'dist') {
  const old = `dist.old-${process.pid}`
  if (existsSync('dist')) renameSync('dist', old)
  renameSync(fresh, 'dist')
  rmSync(old, { recursive: true, force: true })
}
for (const program of ['bin/systole', 'bin/systoled', 'bin/pcs', 'bin/systole-tool'])
  if (existsSync(program)) chmodSync(program, 0o755)

async function bundle(entryPoints: Record<string, string>, outdir: string): Promise<void> {
  await build({
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Native code and decorators that register themselves, which a bundle cannot hold; loaded only where they are used.
    external: ['@peculiar/x509', 'reflect-metadata'],
    plugins: [lateOrNever],
    // Names of errors and functions stay readable in logs.
    minifySyntax: minify,
    minifyWhitespace: minify,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    define: { 'process.env.SYSTOLE_VERSION': JSON.stringify(packageFile.version) },
    // Packages in CommonJS call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as systoleCreateRequire } from 'node:module'; const require = systoleCreateRequire(import.meta.url);",
    },
    logLevel: 'warning',
  })
}
