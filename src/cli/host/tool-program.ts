/** Runs one of Pacemaker's commands under its own name: for what they alone know the form of. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Refusal } from '../call/command.ts'
import { agentHost } from './agents.ts'

const longestAnswer = 64 * 1024 * 1024

export async function runToolProgram(
  name: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const socket = `${process.env.SYSTOLE_ROOT ?? ''}/run/systole/tools.sock`
  try {
    const { stdout } = await promisify(execFile)(join(agentHost().toolsFolder, name), [...words], {
      env: { ...process.env, SYSTOLE_TOOLS_SOCKET: socket, ...environment },
      maxBuffer: longestAnswer,
    })
    return stdout
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new Refusal(said === '' ? `${name} could not be run: ${String(error)}` : said)
  }
}
