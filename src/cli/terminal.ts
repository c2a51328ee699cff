/** The real terminal. */
import { readFile, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Refusal, type Terminal } from './command.ts'

export function realTerminal(): Terminal {
  return {
    columns: process.stdout.columns ?? 100,
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    user: process.env.SUDO_USER ?? userInfo().username,
    now: () => new Date(),
    progress: (line) => {
      process.stderr.write(line.endsWith('\n') ? line : `${line}\n`)
    },
    readFile: async (path) =>
      await readFile(path, 'utf8').catch((error: unknown) => {
        throw new Refusal(`${path} cannot be read: ${reason(error)}.`)
      }),
    writeFile: async (path, text) => {
      await writeFile(path, text).catch((error: unknown) => {
        throw new Refusal(`${path} cannot be written: ${reason(error)}.`)
      })
    },
    confirm: async (question) => {
      if (!process.stdin.isTTY) return undefined
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      const answer = await lines.question(`${question} [y/N] `)
      lines.close()
      return /^y(es)?$/i.test(answer.trim())
    },
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
