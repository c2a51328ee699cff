/** crm_simulate --profile on a folder of CIBs. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { runTool } from '../../src/tools/index.ts'
import { TestWorld } from './tool-world.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-profile-'))
afterAll(() => rmSync(folder, { recursive: true }))

const profiled = async (...words: readonly string[]) =>
  await runTool({ tool: 'crm_simulate', arguments: words, files: callerFiles({}) }, new TestWorld())

test('each CIB of a folder has its time', async () => {
  for (const name of ['a.xml', 'b.xml', 'notes.txt'])
    copyFileSync(join(import.meta.dirname, 'cases/cluster.xml'), join(folder, name))
  const { exitCode, output } = await profiled('--profile', folder, '--repeat', '2')
  expect(exitCode).toBe(0)
  expect(output.replace(/\d+\.\d\d/g, 'N')).toBe(
    `Timings:\n  * Testing ${folder}/a.xml ... N secs\n  * Testing ${folder}/b.xml ... N secs\n`,
  )
})

test('what is no CIB, and no number, is told', async () => {
  writeFileSync(join(folder, 'c.xml'), '<cib')
  expect((await profiled('--profile', folder)).errors).toContain(`${folder}/c.xml holds no CIB`)
  expect((await profiled('--profile', folder, '--repeat', 'x')).exitCode).toBe(64)
  const missing = await profiled('--profile', join(folder, 'none'))
  expect(missing).toMatchObject({ exitCode: 66, output: '' })
  expect(missing.errors).toMatch(/^crm_simulate: The folder \S+\/none cannot be read: no such file or directory\.\n$/)
})
