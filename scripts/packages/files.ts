/** Files of a package's tree: their modes are said here, whatever the umask or the checkout has. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

export interface Entry {
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link'
}

/** All below a folder in one order, without itself. */
export function entriesBelow(root: string, folder = root): readonly Entry[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): readonly Entry[] => {
      const whole = join(folder, entry.name)
      const path = relative(root, whole)
      if (entry.isSymbolicLink()) return [{ path, kind: 'link' }]
      return entry.isDirectory() ? [{ path, kind: 'folder' }, ...entriesBelow(root, whole)] : [{ path, kind: 'file' }]
    })
}

export function put(root: string, path: string, content: string | Buffer, mode = 0o644): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
}

export function link(root: string, path: string, target: string): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  symlinkSync(target, file)
}

/** A file, or what `isWanted` chooses of a folder. Links stay links. */
export function copy(from: string, root: string, path: string, isWanted: (file: string) => boolean = () => true): void {
  const stat = lstatSync(from)
  if (stat.isSymbolicLink()) link(root, path, readlinkSync(from))
  else if (stat.isFile()) put(root, path, readFileSync(from), (stat.mode & 0o100) === 0 ? 0o644 : 0o755)
  else
    for (const name of readdirSync(from).sort())
      if (isWanted(join(from, name)) || lstatSync(join(from, name)).isDirectory())
        copy(join(from, name), root, join(path, name), isWanted)
}

/** Folders too, and nothing is newer or older than the release. */
export function setTimesAndModes(root: string, epoch: number): void {
  for (const { path, kind } of [...entriesBelow(root)].reverse()) {
    if (kind === 'folder') chmodSync(join(root, path), 0o755)
    lutimesSync(join(root, path), epoch, epoch)
  }
  chmodSync(root, 0o755)
  lutimesSync(root, epoch, epoch)
}

const elf = Buffer.from('\x7fELF')

export const isElf = (content: Buffer): boolean => content.subarray(0, 4).equals(elf)

/** Native code, without the tables that only a debugger reads. */
export function strip(root: string): void {
  for (const { path, kind } of entriesBelow(root)) {
    const file = join(root, path)
    if (kind !== 'file' || !isElf(readFileSync(file))) continue
    execFileSync('strip', ['--strip-unneeded', file])
    chmodSync(file, path.endsWith('/bin/node') ? 0o755 : 0o644)
  }
}
