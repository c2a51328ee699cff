/** The program as it is installed: what was built, Node.js, and of the packages of others those that a bundle cannot hold. */
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { copy, entriesBelow, put, strip } from './files.ts'
import { putNode } from './node-build.ts'

const project = resolve(import.meta.dirname, '../..')

/** As `external` and the late contents of scripts/build.ts have them. */
const outsideOfBundles = ['@peculiar/x509', 'koffi', 'lmdb', 'reflect-metadata']

/** A native helper without which msgpackr reads as well, and headers for compilers. */
const notLoaded = new Set(['msgpackr-extract', 'node-addon-api'])

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** With what they need in turn, as it is installed here: native parts are those of this machine. */
export function neededPackages(): readonly string[] {
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const found = new Set<string>()
  const visit = (name: string, from: string): void => {
    const path = [`${from}/node_modules/${name}`, `node_modules/${name}`].find((one) => lock.packages[one])
    if (path === undefined || found.has(path) || !existsSync(join(project, path)) || notLoaded.has(name)) return
    found.add(path)
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[path] ?? {}
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) visit(other, path)
  }
  for (const name of outsideOfBundles) visit(name, '')
  return [...found].sort()
}

const codeOrLicence = /(\.(js|cjs|mjs|json|node)|^(LICEN[CS]E|NOTICE)[^/]*)$/i
const neverUsed =
  /(\/(bin|doc|docs|test|tests|benchmark|vendor|dependencies)\/|cnoke|trampolines\.cjs|optional-packages\/(bin|build-test|optional)\.js|rollup\.config|\.d\.[cm]?ts$|\bmusl|\.abi\d+\.)/

/** Of a package what a program loads, and its licence; no code for other libraries of C. */
const isWantedOfPackage = (file: string): boolean =>
  codeOrLicence.test(basename(file)) && !neverUsed.test(file.slice(file.lastIndexOf('node_modules/')))

export interface ProgramOptions {
  readonly architecture: string
  readonly version: string
  /** Node.js inside, or that of the host. */
  readonly withNode: boolean
}

/** Returns the name of this build: its version and its content. */
export function putProgram(root: string, { architecture, version, withNode }: ProgramOptions): string {
  for (const part of ['agents', 'bin', 'shims']) copy(join(project, part), root, part)
  copy(join(project, 'packaging/use-version'), root, 'packaging/use-version')
  // What V8 has compiled differs from build to build: it is made on the host, by bin/compile-commands.
  copy(join(project, 'dist'), root, 'dist', (file) => !/(\.map|\.compiled|\/demo\.mjs)$/.test(file))
  put(root, 'package.json', `${JSON.stringify({ name: 'systole', version, type: 'module' })}\n`)
  for (const path of neededPackages())
    copy(join(project, path), root, path, (file) => isWantedOfPackage(file) && !file.includes(`${path}/node_modules/`))
  if (withNode) putNode(root, architecture)
  strip(root)
  const build = `${version}-${fingerprint(root)}`
  put(root, 'build', `${build}\n`)
  return build
}

/** Of names, modes and contents. */
function fingerprint(root: string): string {
  const hash = createHash('sha256')
  for (const { path, kind } of entriesBelow(root)) {
    hash.update(`${path}\0${kind}\0`)
    if (kind === 'link') hash.update(readlinkSync(join(root, path)))
    if (kind === 'file')
      hash.update(`${lstatSync(join(root, path)).mode & 0o111}\0`).update(readFileSync(join(root, path)))
  }
  return hash.digest('hex').slice(0, 12)
}
