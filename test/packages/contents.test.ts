import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nativeFiles } from '../../scripts/packages/debian.ts'

/** The packages without Node.js inside, which `npm run e2e:packages` has: nothing is fetched. */
const project = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'systole-packages-'))
const run = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { cwd: project, encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'pipe'] })

const build = (to: string, umask: string, ...words: readonly string[]): string => {
  const line = `umask ${umask}; exec node scripts/run.mjs scripts/package.ts --node none --compression none --folder "$@"`
  return run('sh', '-c', line, 'sh', join(folder, to), ...words)
}
const deb = (name: string): string => {
  const file = readdirSync(join(folder, 'one')).find((one) => one.startsWith(`${name}_`)) ?? ''
  return join(folder, 'one', file)
}
const field = (name: string, of: string): string => run('dpkg-deb', '--field', deb(name), of).trim()
const tree = join(folder, 'tree')

beforeAll(() => {
  build('one', '022')
  mkdirSync(tree)
  for (const name of ['systole', 'systole-pacemaker-compat']) run('dpkg-deb', '-x', deb(name), tree)
}, 240_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)

test('two builds are the same, byte for byte, whatever the umask', () => {
  build('two', '077', '--only', 'systole,systole-pacemaker-compat')
  const sums = (of: string): readonly string[] =>
    readFileSync(join(folder, of, 'SHA256SUMS'), 'utf8')
      .trim()
      .split('\n')
  expect(sums('two')).toHaveLength(3)
  expect(sums('one')).toEqual(expect.arrayContaining([...sums('two')]))
}, 240_000)

test('the sums are those of the files', () => {
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: join(folder, 'one'), encoding: 'utf8' })
  expect(checked.match(/: OK$/gm)).toHaveLength(5)
})

test('everything belongs to root, is writable by root alone, and has the time of the release', () => {
  const epoch = run('git', 'log', '-1', '--format=%ct').trim()
  const listing = run(
    'sh',
    '-c',
    `dpkg-deb --fsys-tarfile "$1" | TZ=UTC tar -tv --numeric-owner --full-time`,
    'sh',
    deb('systole'),
  )
  const time = new Date(Number(epoch) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  for (const line of listing.trim().split('\n')) {
    expect(line).toMatch(/^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) 0\/0 /)
    expect(line).toContain(time)
  }
})

test('only what runs in production is inside, and native code for this machine alone', () => {
  const modules = join(tree, 'usr/lib/systole/program/node_modules')
  for (const name of ['esbuild', 'vitest', 'typescript', '@types', '@biomejs', 'knip', 'node-addon-api'])
    expect(existsSync(join(modules, name)), name).toBe(false)
  const native = nativeFiles(tree)
  expect(native.map((path) => path.split('/').at(-1)).sort()).toEqual(['koffi.node', 'node.napi.glibc.node'])
  const machine = run('readelf', '-h', ...native.map((path) => join(tree, path))).match(/Machine: .*/g) ?? []
  expect(new Set([...machine, ...(run('readelf', '-h', process.execPath).match(/Machine: .*/g) ?? [])]).size).toBe(1)
})

test('the exposure of the units is what the documentation says', () => {
  const documented = readFileSync(join(project, 'docs/security.md'), 'utf8')
  const exposureOf = (name: string): string => {
    const root = join(folder, `units-${name}`)
    run('dpkg-deb', '-x', deb(name), root)
    const units = join(root, 'usr/lib/systemd/system')
    const unit = readdirSync(units).find((one) => one.endsWith('.service')) ?? ''
    // It is analysed with what it starts.
    const text = readFileSync(join(units, unit), 'utf8').replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true')
    writeFileSync(join(units, unit), text)
    const printed = run('systemd-analyze', 'security', '--offline=true', join(units, unit))
    return /Overall exposure level for \S+: (\S+)/.exec(printed)?.[1] ?? printed
  }
  expect(documented).toContain(
    `| \`systoled.service\` on a node, \`systoled-remote.service\` | ${exposureOf('systole')} |`,
  )
  expect(exposureOf('systole-remote')).toBe(exposureOf('systole'))
  expect(documented).toContain(`a drop-in of the package \`systole-witness\`) | ${exposureOf('systole-witness')} |`)
})

test('the program runs from where it is installed, with what is inside', () => {
  const program = join(tree, 'usr/lib/systole/program')
  expect(run(join(program, 'bin/systole'), '--version')).toMatch(/^\d/)
  run(join(program, 'bin/compile-commands'))
  expect(existsSync(join(program, 'dist/code/systole.cjs.compiled'))).toBe(true)
  expect(run(join(program, 'bin/systole'), '-f', join(program, 'dist/code/sample.xml'), 'config')).toContain(
    'Resources:',
  )
  const loads = `for (const name of ['reflect-metadata', 'lmdb', 'koffi', '@peculiar/x509']) require(name)`
  execFileSync('node', ['-e', loads], { cwd: program })
})

test.each(['systole', 'systole-remote'])('%s has the programs that run tasks of jobs and parts of plays', (name) => {
  const root = join(folder, `runs-${name}`)
  run('dpkg-deb', '-x', deb(name), root)
  const dist = join(root, 'usr/lib/systole/program/dist')
  const task = join(root, 'task')
  mkdirSync(task)
  const component = { verb: 'RUN', label: 'RUN: echo played', text: 'echo played', options: {} }
  const order = { components: [component], query: {}, force: false, play: 'p1', folder: join(root, 'components') }
  const argv = [process.execPath, join(dist, 'systole-components.cjs')]
  const env = { PATH: process.env.PATH ?? '' }
  const given = { argv, env, stdin: JSON.stringify(order), timeoutMs: 60_000, maxOutput: 4096, notes: true }
  writeFileSync(join(task, 'task.json'), JSON.stringify(given))
  run(process.execPath, join(dist, 'systole-task.cjs'), task)
  expect(JSON.parse(readFileSync(join(task, 'result.json'), 'utf8'))).toMatchObject({ exitCode: 0 })
  expect(readFileSync(join(task, 'output'), 'utf8')).toBe('> RUN: echo played\nplayed\n')
})

test('the units name what the packages have', () => {
  const unit = readFileSync(join(tree, 'usr/lib/systemd/system/systoled.service'), 'utf8')
  expect(unit).toContain('ExecStart=/usr/lib/systole/current/bin/systoled\n')
  expect(unit).toContain('Documentation=man:systoled(8) man:systole(8)\n')
  expect(unit).not.toContain('/opt/')
  run('dpkg-deb', '-x', deb('systole-remote'), join(folder, 'remote'))
  const remote = readFileSync(join(folder, 'remote/usr/lib/systemd/system/systoled-remote.service'), 'utf8')
  expect(remote).toContain('ExecStart=/usr/lib/systole/current/bin/systoled --remote\n')
  expect(existsSync(join(folder, 'remote/usr/lib/systemd/system/systoled.service'))).toBe(false)
})

test('a host has one role, and the other names replace those of Pacemaker, Corosync and pcs without a diversion', () => {
  expect(field('systole', 'Conflicts')).toBe('systole-remote, systole-witness')
  expect(field('systole-witness', 'Conflicts')).toBe('systole, systole-remote')
  expect(field('systole', 'Depends')).toContain('nodejs (>= 20)')
  for (const of of ['Conflicts', 'Replaces'])
    expect(field('systole-pacemaker-compat', of).split(', ')).toEqual([
      ...['corosync', 'pacemaker', 'pacemaker-cli-utils', 'pacemaker-remote', 'pcs'],
    ])
  expect(run('dpkg-deb', '--ctrl-tarfile', deb('systole-pacemaker-compat'))).not.toContain('postinst')
  const shims = readdirSync(join(project, 'shims')).filter((name) => name !== 'systole-tool')
  const names = readdirSync(join(tree, 'usr/sbin'))
  expect(names).toEqual(expect.arrayContaining([...shims, 'pcs', 'systole', 'systoled']))
  for (const name of shims) expect(existsSync(join(tree, `usr/share/man/man8/${name}.8.gz`)), name).toBe(true)
})

test('a tool finds its program behind two relative links', () => {
  const home = join(tree, 'usr/lib/systole')
  run('ln', '-sfn', 'program', join(home, 'current'))
  expect(run(join(tree, 'usr/sbin/crm_error'), '--', '0')).toContain('OK')
  expect(run(join(tree, 'usr/sbin/pcs'), '--version')).toMatch(/^\d/)
})

test('the bill of materials names what is inside, and no tools of the build', () => {
  const bom = JSON.parse(readFileSync(join(folder, 'one/sbom.cdx.json'), 'utf8')) as {
    readonly bomFormat: string
    readonly components: readonly { readonly name: string }[]
  }
  expect(bom.bomFormat).toBe('CycloneDX')
  const names = bom.components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['lmdb', 'koffi', '@grpc/grpc-js', 'valibot']))
  expect(names).not.toEqual(expect.arrayContaining(['esbuild']))
})

const badCalls: readonly (readonly [readonly string[], string])[] = [
  [['--compression', 'rar'], '--compression is one of xz, gzip, zstd, none'],
  [['--only', 'systol'], '--only is one of systole, systole-remote'],
  [['--version', '1-2'], '--version is'],
  [['--version', '../1'], '--version is'],
  [['--maintainer', 'nobody\nDepends: x <a@b>'], '--maintainer is written as'],
]
test.each(badCalls)('%j is refused, and nothing is built', (words, sentence) => {
  const to = join(folder, 'refused')
  const { status, stderr } = spawnSync('node', ['scripts/run.mjs', 'scripts/package.ts', '--folder', to, ...words], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(stderr).toContain(sentence)
  expect(status).toBe(2)
  expect(existsSync(to)).toBe(false)
})

test('the documentation is inside as a site, which leads nowhere else, and the catalog of the journal', () => {
  const site = join(tree, 'usr/share/doc/systole/html')
  const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  expect(pages.length).toBeGreaterThan(100)
  expect(existsSync(join(site, '.systole-site'))).toBe(false)
  for (const page of ['index.html', 'docs/guides/console.html']) {
    const text = readFileSync(join(site, page), 'utf8')
    const files = [...text.matchAll(/(?:src|href)="([^"#:]+)/g)].map(([, path = '']) => join(site, page, '..', path))
    expect(files.length).toBeGreaterThan(10)
    for (const file of files) expect(existsSync(file), file).toBe(true)
  }
  const catalog = readFileSync(join(tree, 'usr/lib/systemd/catalog/systole.catalog'), 'utf8')
  expect(catalog.match(/^-- [0-9a-f]{32}$/gm)?.length).toBeGreaterThan(20)
})
