/** What a caller's file is after it was written: by `-f FILE`, `CIB_file` and the options that name files. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { writeCallersFile } from '../../src/tools/index.ts'

const cib = readFileSync(join(import.meta.dirname, 'cases/cluster.xml'), 'utf8')
const shims = join(import.meta.dirname, '../../shims')
let folder = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-write-'))
  file = join(folder, 'cib.xml')
  writeFileSync(file, cib)
})
afterEach(() => rmSync(folder, { recursive: true }))

const changes: readonly { readonly by: string; readonly change: (path: string) => Promise<void> }[] = [
  {
    by: '-f FILE',
    change: async (path) => {
      const access = fileAccess(path)
      const read = await access.readCib()
      await access.push({
        cib: { ...read.cib, attributes: { ...read.cib.attributes, epoch: '77' } },
        expectedVersion: 0,
        command: '',
      })
    },
  },
  {
    by: 'CIB_file',
    change: async (path) => {
      const env = { PATH: `${shims}:/usr/bin:/bin`, CIB_file: path }
      execFileSync('crm_attribute', ['--type', 'crm_config', '--name', 'batch-limit', '--update', '7'], { env })
      await Promise.resolve()
    },
  },
]

test.each(changes)('$by: the same file, with its mode, its owner and its other names', async ({ change }) => {
  const other = join(folder, 'hard-link')
  linkSync(file, other)
  chmodSync(file, 0o600)
  if (process.getuid?.() === 0) chownSync(file, 12, 34)
  const before = statSync(file)
  await change(file)
  const after = statSync(file)
  expect(readFileSync(file, 'utf8')).not.toBe(cib)
  expect({ mode: after.mode, uid: after.uid, gid: after.gid, ino: after.ino }).toEqual({
    mode: before.mode,
    uid: before.uid,
    gid: before.gid,
    ino: before.ino,
  })
  expect(readFileSync(other, 'utf8')).toBe(readFileSync(file, 'utf8'))
  expect(readdirSync(folder).sort()).toEqual(['cib.xml', 'hard-link'])
})

test.each(changes)('$by: a link is followed, and stays one', async ({ change }) => {
  const link = join(folder, 'link.xml')
  symlinkSync('cib.xml', link)
  await change(link)
  expect(readFileSync(file, 'utf8')).not.toBe(cib)
  expect(
    readdirSync(folder, { withFileTypes: true })
      .find(({ name }) => name === 'link.xml')
      ?.isSymbolicLink(),
  ).toBe(true)
})

test.each(changes)(
  '$by: a link that waits under a name which can be guessed is not written through',
  async ({ change }) => {
    const victim = join(folder, 'victim')
    writeFileSync(victim, 'mine')
    symlinkSync(victim, `${file}.new`)
    await change(file)
    expect(readFileSync(victim, 'utf8')).toBe('mine')
  },
)

test('a shorter text leaves nothing of a longer one', () => {
  writeCallersFile(file, 'short')
  expect(readFileSync(file, 'utf8')).toBe('short')
})

test('a new file is its owner’s alone, unless anybody may read it', () => {
  const [own, page] = [join(folder, 'own'), join(folder, 'page')]
  writeCallersFile(own, 'x')
  writeCallersFile(page, 'x', { anybodyMayRead: true })
  expect(statSync(own).mode & 0o777).toBe(0o600)
  expect(statSync(page).mode & 0o777).toBe(0o666 & ~process.umask())
})

test('a file for its writer alone is that also where others could read the one before', () => {
  chmodSync(file, 0o644)
  const reader = openSync(file, 'r')
  writeCallersFile(file, 'secret', { writerOnly: true })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toBe('secret')
  expect(readFileSync(reader, 'utf8')).not.toContain('secret')
  closeSync(reader)
})

test('a link to nowhere is not followed to make a file', () => {
  const link = join(folder, 'link')
  symlinkSync(join(folder, 'made'), link)
  expect(() => writeCallersFile(link, 'x')).toThrow(/EEXIST|ELOOP/)
  expect(existsSync(join(folder, 'made'))).toBe(false)
})

test('a page that is replaced keeps its mode, and whoever has it open reads the old one', () => {
  chmodSync(file, 0o640)
  const before = statSync(file)
  writeCallersFile(file, 'new', { anybodyMayRead: true, replaces: true })
  expect(statSync(file).mode).toBe(before.mode)
  expect(statSync(file).ino).not.toBe(before.ino)
})
