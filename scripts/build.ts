/**
 * Bundles each program into one file of dist/: a file that is loaded once starts several times faster than a tree of
 * packages, and agents start the command line many times a minute. Only what is native stays in node_modules.
 * Arguments name the programs to build (all of them without any); `--readable` leaves the text as it is.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import packageFile from '../package.json' with { type: 'json' }
import { buildConsole } from './build-console.ts'

/**
 * Programs of one group share parts. What one of them needs of a room is then loaded by all that use the room.
 */
const groups: readonly Readonly<Record<string, string>>[] = [
  // What a daemon does first, while its peers count the seconds since it was killed: each loads what it needs itself, and no more.
  { systoled: 'src/daemon/main.ts' },
  { pulse: 'src/daemon/pulse/thread.ts' },
  { door: 'src/daemon/pulse/door-thread.ts' },
  {
    daemon: 'src/daemon/run-daemon.ts',
    remote: 'src/daemon/remote/run-remote.ts',
    cutter: 'src/daemon/pulse/cutter-thread.ts',
    disk: 'src/daemon/watchdog/disk-process.ts',
    facts: 'src/daemon/hardware/facts-process.ts',
    planner: 'src/daemon/planner/thread.ts',
    select: 'src/daemon/access/select-thread.ts',
    discovery: 'src/daemon/discovery/thread.ts',
    fleet: 'src/daemon/fleet/thread.ts',
  },
  // The HTTPS API: the commands, in a process that may read nothing once it has begun.
  { web: 'src/web/main.ts' },
  // Modules of PAM run in it.
  { pam: 'src/daemon/console/pam-process.ts' },
  // What delivers alerts: a process for each call.
  { 'alert-agents': 'src/alert-agents/main.ts' },
  { demo: 'demo/main.ts' },
]

/** What is started for every command, from code that is compiled here: `src/program`. */
const commands: Readonly<Record<string, string>> = {
  systole: 'src/cli/start/main.ts',
  // It must start faster still, and needs nothing of the command line.
  'systole-tool': 'src/tools/file/main.ts',
  // One for each command of a job.
  'systole-task': 'src/daemon/jobs/run-task.ts',
  // The components of a play, as the command of such a runner.
  'systole-components': 'src/daemon/plays/perform/perform.ts',
}

/** Code of its own for some of the commands of one of these, which chooses it when it starts. */
const partOfSystole = { name: 'systole-jobs', source: 'src/cli/start/jobs.ts' } as const

/**
 * What a program does not need when it starts is not parsed then. gRPC's reader of .proto files is for services that none of
 * ours has; the embedded store's native library is loaded when such a store is opened, what asks the kernel when a socket is served, and YAML where there is some.
 */
const lateContents: Readonly<Record<string, string>> = {
  lmdb: "export const open = (...options) => require('lmdb').open(...options)",
  koffi: `export default { ${['load', 'address', 'struct', 'proto', 'pointer', 'array', 'decode', 'encode', 'register'].map((name) => `${name}: (...options) => require('koffi').${name}(...options)`).join(', ')} }`,
  yaml: [
    ...['isMap', 'isNode', 'isScalar', 'parse', 'parseDocument'].map(
      (name) => `export const ${name} = (...options) => require('yaml').${name}(...options)`,
    ),
    ...['Document', 'LineCounter'].map(
      (name) =>
        `export class ${name} { constructor(...options) { return Reflect.construct(require('yaml').${name}, options) } }`,
    ),
  ].join('\n'),
}
/** These go into the bundle all the same; the others have native code. */
const bundledLate: ReadonlySet<string> = new Set(['yaml'])

const lateOrNever: Plugin = {
  name: 'late-or-never',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(lmdb|koffi|yaml|@grpc\/proto-loader)$/ }, ({ path, namespace }) => {
      if (namespace !== 'late') return { path, namespace: 'late' }
      return bundledLate.has(path) ? undefined : { path, external: true }
    })
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: lateContents[path] ?? 'module.exports = {}',
      resolveDir: process.cwd(),
    }))
  },
}

const minify = !process.argv.includes('--readable')
const common = {
  bundle: true,
  platform: 'node',
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
  logLevel: 'warning',
} as const satisfies BuildOptions

/** In two parts, since whoever runs this file fills in where it is itself. */
const ownFolder = ['import.meta', 'dirname'].join('.')

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
// Beside the old one, which daemons may be running from, and then in its place.
const fresh = named.length === 0 ? `dist.new-${process.pid}` : 'dist'
mkdirSync(fresh, { recursive: true })
await bundle({ 'compile-commands': 'src/program/compile-commands.ts' }, fresh)
for (const programs of groups) {
  const chosen = Object.entries(programs).filter(([name]) => named.length === 0 || named.includes(name))
  if (chosen.length > 0) await bundle(Object.fromEntries(chosen), fresh)
}
if (named.length === 0 || named.includes('web')) await buildConsole(join(fresh, 'console'), minify)
mkdirSync(join(fresh, 'code'), { recursive: true })
// A configuration for the commands to work on while they are compiled.
copyFileSync('test/scheduler/cases/what-if/running.xml', join(fresh, 'code/sample.xml'))
for (const [name, source] of Object.entries(commands))
  if (named.length === 0 || named.includes(name)) await bundleCommand(name, source, fresh)
if (named.length === 0 || named.includes('systole')) await bundleCode(partOfSystole.name, partOfSystole.source, fresh)
if (fresh !== 'dist') {
  const old = `dist.old-${process.pid}`
  if (existsSync('dist')) renameSync('dist', old)
  renameSync(fresh, 'dist')
  rmSync(old, { recursive: true, force: true })
}
for (const program of ['bin/systole', 'bin/systoled', 'bin/pcs', 'bin/systole-inventory', 'bin/systole-tool'])
  if (existsSync(program)) chmodSync(program, 0o755)

async function bundle(entryPoints: Record<string, string>, outdir: string): Promise<void> {
  await build({
    ...common,
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    // Packages in CommonJS call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as systoleCreateRequire } from 'node:module'; const require = systoleCreateRequire(import.meta.url);",
    },
  })
}

function codeOf(name: string): string {
  return join('code', `${name}.cjs`)
}

async function bundleCode(name: string, source: string, outdir: string): Promise<void> {
  const code = join(outdir, codeOf(name))
  await build({
    ...common,
    entryPoints: [source],
    outfile: code,
    format: 'cjs',
    banner: { js: '(function (require, module, __dirname) {' },
    footer: { js: '})' },
    define: { ...common.define, [ownFolder]: '__dirname' },
    // A script has no loader of its own.
    supported: { 'dynamic-import': false },
  })
  // In a process of its own: what is compiled there is what a command leaves behind that has done its work.
  execFileSync(process.execPath, [join(outdir, 'compile-commands.mjs'), code], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function bundleCommand(name: string, source: string, outdir: string): Promise<void> {
  await bundleCode(name, source, outdir)
  await build({
    ...common,
    entryPoints: ['src/program/start.ts'],
    outfile: join(outdir, `${name}.cjs`),
    format: 'cjs',
    define: {
      'process.env.SYSTOLE_CODE': JSON.stringify(codeOf(name)),
      'process.env.SYSTOLE_CODE_OF_JOBS': JSON.stringify(name === 'systole' ? codeOf(partOfSystole.name) : ''),
    },
  })
}
