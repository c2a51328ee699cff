/** A tree becomes a .deb: control, sums, maintainer scripts, and dpkg-deb. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Release } from './contents.ts'
import type { PackageDefinition } from './definitions.ts'
import { entriesBelow, isElf, put, setTimesAndModes } from './files.ts'

const packaging = resolve(import.meta.dirname, '../../packaging')

export const nativeArchitecture = (): string =>
  execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()

/** What Node.js and the native parts of packages are linked with, as old as they take it. */
const libraries = ['libc6 (>= 2.28)', 'libgcc-s1 (>= 3.4)', 'libstdc++6 (>= 6)']
const hostsNode = 'nodejs (>= 20)'

/** Lines of at most 77 characters, each of which begins with a space. */
const wrap = (text: string): string => text.replace(/(.{1,76})(?: |$)/g, ' $1\n').trimEnd()

function control(root: string, definition: PackageDefinition, release: Release, architecture: string): string {
  const hasProgram = definition.unit !== undefined
  const depends = [
    ...definition.depends,
    ...(hasProgram ? [...libraries, ...(release.withNode ? [] : [hostsNode])] : []),
  ]
  if (!hasProgram) depends.push(`systole (>= ${release.version}) | systole-remote (>= ${release.version})`)
  const fields: readonly (readonly [string, string | readonly string[] | undefined])[] = [
    ['Package', definition.name],
    ['Version', release.version],
    ['Architecture', architecture],
    ['Maintainer', release.maintainer],
    ['Installed-Size', String(installedKilobytes(root))],
    ['Depends', depends],
    ['Recommends', definition.recommends],
    ['Suggests', definition.suggests],
    ['Conflicts', definition.conflicts],
    ['Replaces', definition.replaces],
    ['Provides', definition.provides],
    ['Section', 'admin'],
    ['Priority', 'optional'],
    ['Description', `${definition.title}\n${definition.description.map(wrap).join('\n .\n')}`],
  ]
  return fields
    .flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value : value?.join(', ')
      return text ? [`${name}: ${text}\n`] : []
    })
    .join('')
}

const installedKilobytes = (root: string): number =>
  entriesBelow(root).reduce(
    (sum, { path, kind }) => sum + (kind === 'file' ? Math.ceil(lstatSync(join(root, path)).size / 1024) : 1),
    0,
  )

function script(name: string, { unit, mayGo = '' }: PackageDefinition): string {
  return readFileSync(join(packaging, 'debian', name), 'utf8')
    .replaceAll('@UNIT@', `${unit ?? ''}.service`)
    .replace('@MAY_GO@', mayGo)
}

export interface DebOptions {
  readonly folder: string
  /** As `dpkg-deb -Z` has it. */
  readonly compression: string
}

/** Returns the file's name. The tree is finished by this. */
export function buildDeb(
  root: string,
  definition: PackageDefinition,
  release: Release,
  { folder, compression }: DebOptions,
): string {
  const architecture = definition.architecture === 'all' ? 'all' : nativeArchitecture()
  const overrides = join(packaging, 'debian', `${definition.name}.lintian-overrides`)
  if (existsSync(overrides)) put(root, `usr/share/lintian/overrides/${definition.name}`, readFileSync(overrides))
  const files = entriesBelow(root).filter(({ kind }) => kind === 'file')
  const sums = files.map(({ path }) => {
    const sum = createHash('md5')
      .update(readFileSync(join(root, path)))
      .digest('hex')
    return `${sum}  ${path}\n`
  })
  const configuration = files.filter(({ path }) => path.startsWith('etc/')).map(({ path }) => `/${path}\n`)
  const text = control(root, definition, release, architecture)
  put(root, 'DEBIAN/control', text)
  put(root, 'DEBIAN/md5sums', sums.join(''))
  if (configuration.length > 0) put(root, 'DEBIAN/conffiles', configuration.join(''))
  if (definition.unit !== undefined)
    for (const name of ['postinst', 'prerm', 'postrm']) put(root, `DEBIAN/${name}`, script(name, definition), 0o755)
  setTimesAndModes(root, release.epoch)
  const name = `${definition.name}_${release.version}_${architecture}.deb`
  execFileSync('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', root, join(folder, name)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(release.epoch) },
  })
  return name
}

/** The libraries of C that code for this machine needs are in a package that is named above. */
export const nativeFiles = (root: string): readonly string[] =>
  entriesBelow(root)
    .filter(({ path, kind }) => kind === 'file' && isElf(readFileSync(join(root, path))))
    .map(({ path }) => path)
