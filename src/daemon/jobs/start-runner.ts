/** Starts the runner of a task (run-task.ts) from code that the build has compiled. It is in a session of its own, and nothing ties it to this daemon. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { installFolder } from '../host/install-folder.ts'

export const startRunner = (folder: string): ChildProcess =>
  spawn(process.execPath, [join(installFolder(), 'dist', 'systole-task.cjs'), folder], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
  })
