/** The daemon's handle on the process that reads what the machine is (facts-process.ts). */
import { spawn } from 'node:child_process'
import * as v from 'valibot'
import { OutsideError, reasonOf } from '../../base/index.ts'
import type { HardwareReading } from '../../hardware/index.ts'
import { hardwareForm } from '../../remote/index.ts'
import { programFile } from '../host/install-folder.ts'

const longestOutput = 64 * 1024
export function parseReading(text: string): HardwareReading {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new OutsideError('The reading of the hardware is not JSON.', { cause: error })
  }
  const parsed = v.safeParse(hardwareForm, value)
  if (parsed.success) return parsed.output
  throw new OutsideError(`The reading of the hardware has the wrong form: ${parsed.issues[0].message}.`)
}

export interface Reading {
  readonly result: Promise<HardwareReading>
  /** Ends the process and what it has started; the result is then a failure. */
  readonly end: () => void
}

export function readHardware(timeoutMs: number, program: readonly string[] = [programFile('facts')]): Reading {
  const child = spawn(process.execPath, ['--max-old-space-size=64', ...program], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  })
  let output = ''
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid)
    // What it has started may hold its output open.
    child.stdout.destroy()
  }
  const result = new Promise<HardwareReading>((resolve, reject) => {
    const timer = setTimeout(end, timeoutMs)
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      if (output.length > longestOutput) end()
    })
    child.stdin.on('error', () => undefined)
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(
        new OutsideError(`The program that reads the hardware could not be started: ${reasonOf(error)}`, {
          cause: error,
        }),
      )
    })
    child.once('close', () => {
      clearTimeout(timer)
      try {
        resolve(parseReading(output))
      } catch (error) {
        reject(error as Error)
      }
    })
  })
  return { result, end }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
