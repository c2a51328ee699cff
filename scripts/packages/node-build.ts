/** The Node.js that goes into the packages: the build that packaging/node.json names, from the npm registry, with the content that it names. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeFile from '../../packaging/node.json' with { type: 'json' }
import { refuse } from '../arguments.ts'
import { copy } from './files.ts'

export const nodeVersion: string = nodeFile.version

const builds: Readonly<Record<string, { readonly package: string; readonly integrity: string } | undefined>> =
  nodeFile.builds

export const hasNodeBuild = (architecture: string): boolean => builds[architecture] !== undefined

/** `node/` below `root`: the program, and the licences of what is in it. */
export function putNode(root: string, architecture: string): void {
  const build =
    builds[architecture] ?? refuse(`packaging/node.json has no Node.js for ${architecture}. Use --node none.`)
  const archive = fetched(build.package)
  const content = readFileSync(archive)
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
  if (integrity !== build.integrity) {
    rmSync(archive)
    refuse(
      `${build.package} ${nodeVersion} is not what packaging/node.json expects: ${integrity}. Run it again, or check who has changed it.`,
    )
  }
  const folder = mkdtempSync(join(tmpdir(), 'systole-node-'))
  try {
    execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE'])
    copy(join(folder, 'package/bin/node'), root, 'node/bin/node')
    copy(join(folder, 'package/LICENSE'), root, 'node/LICENSE')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Forty megabytes, fetched once. */
function fetched(name: string): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'systole')
  const file = join(cache, `${name}-${nodeVersion}.tgz`)
  if (existsSync(file)) return file
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'fetch-'))
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, `${name}@${nodeVersion}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    renameSync(join(folder, `${name}-${nodeVersion}.tgz`), file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return file
}
