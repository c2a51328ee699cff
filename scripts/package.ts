/**
 * `npm run package`: builds the Debian packages, their bill of materials and SHA256SUMS into packages/. Two builds of one commit are the same, byte for byte.
 *   --folder FOLDER       where they go
 *   --only NAME,…         some of the packages
 *   --version VERSION     instead of that of package.json
 *   --node none           without Node.js inside: the packages depend on nodejs (>= 20)
 *   --compression NAME    xz (default), gzip, zstd or none
 *   --maintainer TEXT     as in `Name <address>`
 *   --sign KEY            signs SHA256SUMS with a key of gpg
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import packageFile from '../package.json' with { type: 'json' }
import { oneOf, readOptions, refuse, someOf } from './arguments.ts'
import { putContents, type Release } from './packages/contents.ts'
import { buildDeb, nativeArchitecture } from './packages/debian.ts'
import { packages } from './packages/definitions.ts'
import { hasNodeBuild } from './packages/node-build.ts'
import { putProgram } from './packages/program.ts'
import { billOfMaterials } from './packages/sbom.ts'
import { buildSite } from './site/build.ts'

const options = readOptions({
  folder: { type: 'string', default: 'packages' },
  only: { type: 'string' },
  version: { type: 'string', default: packageFile.version },
  node: { type: 'string' },
  compression: { type: 'string', default: 'xz' },
  maintainer: { type: 'string', default: 'Systole maintainers <systole@users.noreply.github.com>' },
  sign: { type: 'string' },
})

const names = packages.map(({ name }) => name)
const only = options.only === undefined ? names : someOf('only', options.only, names)
const compression = oneOf('compression', options.compression, ['xz', 'gzip', 'zstd', 'none'] as const) ?? 'xz'
const architecture = nativeArchitecture()
const withNode = oneOf('node', options.node, ['none', 'inside'] as const) !== 'none'
if (!/^\d[A-Za-z0-9.+~]*$/.test(options.version))
  refuse(`--version is one of Debian's without a revision, not '${options.version}'.`)
if (!/^[^<>\n]+ <[^<>\s]+@[^<>\s]+>$/.test(options.maintainer)) refuse('--maintainer is written as: Name <address>.')
if (withNode && !hasNodeBuild(architecture))
  refuse(`packaging/node.json has no Node.js for ${architecture}. Use --node none.`)

const release: Release = { version: options.version, epoch: epoch(), maintainer: options.maintainer, withNode }
const folder = resolve(options.folder)
mkdirSync(folder, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'systole-package-'))
try {
  const program = join(work, 'program')
  mkdirSync(program)
  const build = putProgram(program, { architecture, version: release.version, withNode })
  const sums: string[] = []
  const note = (name: string): void => {
    sums.push(
      `${createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex')}  ${name}\n`,
    )
  }
  const site = join(work, 'site')
  if (only.includes('systole')) await buildSite(resolve(import.meta.dirname, '..'), site)
  for (const definition of packages.filter(({ name }) => only.includes(name))) {
    const root = join(work, definition.name)
    mkdirSync(root)
    if (definition.unit !== undefined) {
      mkdirSync(join(root, 'usr/lib/systole'), { recursive: true })
      cpSync(program, join(root, 'usr/lib/systole/program'), { recursive: true, verbatimSymlinks: true })
    }
    putContents(root, definition, { ...release, site })
    note(buildDeb(root, definition, release, { folder, compression }))
    rmSync(root, { recursive: true })
  }
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(release))
  note('sbom.cdx.json')
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  rmSync(join(folder, 'SHA256SUMS.asc'), { force: true })
  if (options.sign !== undefined)
    execFileSync(
      'gpg',
      ['--batch', '--armor', '--detach-sign', '--local-user', options.sign, join(folder, 'SHA256SUMS')],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    )
  console.log(`${build}: ${sums.length} files in ${folder}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** That of the commit, or what the environment says for a tree without history. */
function epoch(): number {
  const given = process.env.SOURCE_DATE_EPOCH
  if (given !== undefined)
    return /^\d{1,12}$/.test(given) ? Number(given) : refuse(`SOURCE_DATE_EPOCH is seconds since 1970, not '${given}'.`)
  try {
    return Number(
      execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
  } catch {
    return refuse('This tree has no history: set SOURCE_DATE_EPOCH to the time of the release, in seconds since 1970.')
  }
}
