import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFilePart } from '../../../src/daemon/jobs/write-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-copy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const content = Buffer.from('a'.repeat(1000) + 'b'.repeat(500))
const part = (more: object = {}) => ({
  id: 'abcdefghij',
  path: join(folder, 'file'),
  phase: 'check',
  offset: 0,
  data: '',
  sha256: createHash('sha256').update(content).digest('hex'),
  size: content.length,
  mode: 0o640,
  ...more,
})
const write = async (offset: number, end: number) =>
  await writeFilePart(part({ phase: 'write', offset, data: content.subarray(offset, end).toString('base64') }))

test('a file takes its place whole, with its mode, and parts may come twice', async () => {
  writeFileSync(join(folder, 'file'), 'old')
  expect(await writeFilePart(part())).toEqual({ outcome: 'differs' })
  await write(0, 1000)
  await write(0, 1000)
  await write(1000, 1500)
  await write(1000, 1500)
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old')
  expect(await writeFilePart(part({ phase: 'end' }))).toEqual({ outcome: 'ended' })
  expect(readFileSync(join(folder, 'file'))).toEqual(content)
  expect(statSync(join(folder, 'file')).mode & 0o7777).toBe(0o640)
  expect(await writeFilePart(part({ phase: 'end' }))).toEqual({ outcome: 'ended' })
  expect(readdirSync(folder)).toEqual(['file'])
  expect(await writeFilePart(part())).toEqual({ outcome: 'same' })
  chmodSync(join(folder, 'file'), 0o600)
  expect(await writeFilePart(part())).toEqual({ outcome: 'differs' })
})

test('what did not arrive as it was sent changes nothing', async () => {
  writeFileSync(join(folder, 'file'), 'old')
  await write(0, 1000)
  await expect(writeFilePart(part({ phase: 'end' }))).rejects.toThrow(/is not what was sent: nothing was changed/)
  expect(readdirSync(folder)).toEqual(['file'])
  await expect(write(1000, 1500)).rejects.toThrow(/cannot be written/)
  await write(0, 500)
  await expect(write(1000, 1500)).rejects.toThrow(/A part of .* is missing/)
  await writeFilePart(part({ phase: 'abort' }))
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old')
})

test('a link is replaced and not followed; a folder stays; a folder that is missing is named', async () => {
  const outside = join(folder, 'outside')
  writeFileSync(outside, content)
  symlinkSync(outside, join(folder, 'file'))
  expect(await writeFilePart(part())).toEqual({ outcome: 'differs' })
  symlinkSync(outside, join(folder, '.file.systole-abcdefghij'))
  await write(0, 1500)
  await writeFilePart(part({ phase: 'end' }))
  expect(statSync(outside).mode & 0o777).not.toBe(0o640)
  expect(readFileSync(join(folder, 'file'))).toEqual(content)
  mkdirSync(join(folder, 'sub'))
  await expect(writeFilePart(part({ path: join(folder, 'sub') }))).rejects.toThrow(/is a folder/)
  await expect(writeFilePart(part({ path: join(folder, 'no/file') }))).rejects.toThrow(
    /cannot be written: no such file/,
  )
})

test('nothing is written where others than root decide what a name leads to, through links as well', async () => {
  const [users, roots] = [join(folder, 'users'), join(folder, 'roots')]
  mkdirSync(join(users, 'sub'), { recursive: true })
  mkdirSync(roots)
  symlinkSync(roots, join(users, 'link'))
  const into = async (at: string): Promise<unknown> =>
    await writeFilePart(part({ path: join(at, 'file'), phase: 'write', data: content.toString('base64') }))
  chownSync(users, 1000, 1000)
  for (const at of [users, join(users, 'sub'), join(users, 'link')])
    await expect(into(at)).rejects.toThrow(/users can be changed by others than root/)
  chownSync(users, 0, 1000)
  for (const mode of [0o775, 0o757]) {
    chmodSync(users, mode)
    await expect(into(users)).rejects.toThrow(/users can be changed by others than root/)
  }
  symlinkSync(users, join(roots, 'to-users'))
  await expect(into(join(roots, 'to-users'))).rejects.toThrow(/users can be changed by others than root/)
  symlinkSync('loop', join(roots, 'loop'))
  await expect(into(join(roots, 'loop'))).rejects.toThrow(/too many links/)
  expect(readdirSync(roots)).toEqual(['loop', 'to-users'])
  chmodSync(users, 0o1777)
  await into(users)
  chmodSync(users, 0o755)
  symlinkSync(roots, join(folder, 'to-roots'))
  await into(join(folder, 'to-roots'))
})

test('wrong words are refused before anything is touched', async () => {
  const wrong: readonly object[] = [
    { id: '../../x' },
    { path: 'file' },
    { path: `${folder}/../file` },
    { path: `${folder}/file/` },
    { sha256: 'x' },
    { mode: 0o10000 },
    { mode: 1.5 },
    { phase: 'other' },
  ]
  for (const more of wrong) await expect(writeFilePart(part({ phase: 'write', ...more }))).rejects.toThrow()
  expect(existsSync(join(folder, 'file'))).toBe(false)
  expect(readdirSync(folder)).toEqual([])
})

test('what a copy that was killed has left goes with the next copy of that file; what is being written, and other files, stay', async () => {
  const leave = (name: string, hoursAgo: number): void => {
    writeFileSync(join(folder, name), 'part')
    const then = Date.now() / 1000 - hoursAgo * 3600
    utimesSync(join(folder, name), then, then)
  }
  leave('.file.systole-0123456789abcdef', 2)
  const stay = ['.file.systole-fedcba9876543210', '.file.systole-backup', '.file2.systole-0123456789abcdef']
  leave(stay[0] ?? '', 0)
  for (const name of stay.slice(1)) leave(name, 2)
  await write(0, 1500)
  await writeFilePart(part({ phase: 'end' }))
  expect(readdirSync(folder).sort()).toEqual([...stay, 'file'].sort())
})
