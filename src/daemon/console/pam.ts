/** Asks the process that asks PAM (pam-process.ts), and ends it where it takes too long. */
import { spawn } from 'node:child_process'
import { object, optional, parse, picklist, string } from 'valibot'
import { reasonOf } from '../../base/index.ts'
import { programFile } from '../host/install-folder.ts'

export interface PamQuestion {
  readonly user: string
  readonly password: string
  /** Modules of PAM that count failures count them by it. */
  readonly from: string
}

/** `wrong`: the user or the password. `refused`: both are right, and the account may not be used now. */
export type PamAnswer =
  | { readonly kind: 'ok' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'refused' | 'failed'; readonly why: string }

/** A module may ask a directory. */
const withinMs = 20_000
const longestAnswer = 4096
const answerForm = object({ kind: picklist(['ok', 'wrong', 'refused', 'failed']), why: optional(string()) })

export async function askPam(
  question: PamQuestion,
  program: readonly string[] = [programFile('pam')],
): Promise<PamAnswer> {
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, ['--max-old-space-size=64', ...program], {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    })
    let [output, errors] = ['', '']
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
    child.stdout.on('data', (data: Buffer) => {
      output = `${output}${data.toString()}`.slice(0, longestAnswer)
    })
    child.stderr.on('data', (data: Buffer) => {
      errors = `${errors}${data.toString()}`.slice(0, longestAnswer)
    })
    child.stdin.on('error', () => undefined)
    child.once('error', (error) => {
      clearTimeout(timer)
      resolve({ kind: 'failed', why: reasonOf(error) })
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve(answerIn(output) ?? { kind: 'failed', why: errors.trim() || `its process ended with ${signal ?? code}` })
    })
    child.stdin.end(JSON.stringify(question))
  })
}

function answerIn(output: string): PamAnswer | undefined {
  try {
    const { kind, why = '' } = parse(answerForm, JSON.parse(output))
    return kind === 'ok' || kind === 'wrong' ? { kind } : { kind, why }
  } catch {
    return undefined
  }
}
