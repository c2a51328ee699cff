import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { shortages } from '../../src/daemon/host/free-space.ts'
import { takeLock } from '../../src/daemon/host/lock.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import { markStarted } from '../../src/daemon/host/takes-part.ts'

const root = mkdtempSync(join(tmpdir(), 'systole-full-'))
const paths = pathsBelow(root)

/** File systems of their own below the daemon's folders. */
function mount(folder: string, options: string): void {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
}

beforeEach(() => {
  mount(paths.data, 'size=66m,nr_inodes=100')
  mount(paths.run, 'size=260k,nr_inodes=100')
})
afterEach(() => {
  for (const folder of [paths.data, paths.run]) execFileSync('umount', [folder])
  rmSync(root, { recursive: true })
})

test('a folder that is short of room is told, and for what the room is', () => {
  expect(shortages(paths)).toEqual([])
  writeFileSync(join(paths.data, 'fill'), Buffer.alloc(3 * 1024 * 1024))
  expect(shortages(paths)).toEqual([
    expect.stringMatching(/var\/lib\/systole has less than 64 MB of free space\. Free some, because .*etcd/),
  ])
  for (let i = 0; i < 70; i++) writeFileSync(join(paths.run, String(i)), '')
  expect(shortages(paths)[1]).toMatch(/run\/systole has fewer than 32 free inodes \(`df -i`\)/)
})

test('a daemon that was killed comes back on full disks: its mark is there, and its lock need not be', () => {
  markStarted(paths)
  takeLock(paths.lock)
  const before = readFileSync(paths.startedMark, 'utf8')
  for (const folder of [paths.data, paths.run]) execFileSync('mount', ['-o', 'remount,ro', folder])
  expect(() => writeFileSync(join(paths.run, 'file'), '')).toThrow(/EROFS/)
  markStarted(paths)
  takeLock(paths.lock)
  expect(readFileSync(paths.startedMark, 'utf8')).toBe(before)
})
