import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** A command that runs under a lock, in a process of its own that can be killed. */
let folder: string
let runner: ChildProcess | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-child-'))
})
afterEach(() => {
  runner?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Resolves once the script has written its own process id; `ended` is the runner's exit code. */
async function started(script: string): Promise<{ readonly pid: number; readonly ended: Promise<number | null> }> {
  const file = join(folder, 'pid')
  const main = join(import.meta.dirname, 'child-main.ts')
  const line = ['scripts/run.mjs', main, 'sh', '-c', `${script.replace('READY', `echo $$ > ${file}`)}`]
  runner = spawn(process.execPath, line, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => runner?.once('exit', resolve))
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').trim(), { timeout: 20_000 }).toBeTruthy()
  return { pid: Number(readFileSync(file, 'utf8')), ended }
}

const runs = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

test('its exit code comes back, and a signal as a shell tells it', async () => {
  expect(await (await started('READY; exit 7')).ended).toBe(7)
  rmSync(join(folder, 'pid'))
  expect(await (await started('READY; kill -INT $$')).ended).toBe(130)
})

test('it gets the signals of the runner', async () => {
  const { ended } = await started("trap 'exit 9' TERM; READY; while :; do sleep 0.05; done")
  runner?.kill('SIGTERM')
  expect(await ended).toBe(9)
})

test('it does not outlive a runner that is killed', async () => {
  const { pid } = await started('READY; exec sleep 300')
  runner?.kill('SIGKILL')
  await expect.poll(() => runs(pid), { timeout: 10_000 }).toBe(false)
})

test('where its lock is lost it is ended, and killed if it does not obey', async () => {
  const { ended } = await started("trap '' TERM; READY; while :; do sleep 0.05; done")
  runner?.kill('SIGUSR2')
  expect(await ended).toBe(137)
}, 30_000)
