/** The real terminal. */
import { spawnSync } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { printable, reasonOf } from '../../base/index.ts'
import { textOfStream, textUpTo, writeCallersFile } from '../../tools/index.ts'
import { Refusal, type Terminal } from './command.ts'

export function realTerminal(): Terminal {
  return {
    columns: process.stdout.columns ?? 100,
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    user: process.env.SUDO_USER ?? ownUserName(),
    now: () => new Date(),
    progress: (line) => {
      process.stderr.write(printable(line.endsWith('\n') ? line : `${line}\n`))
    },
    readFile: async (path) =>
      await textOfStream(createReadStream(path)).catch((error: unknown) => {
        throw new Refusal(`${path} cannot be read: ${reasonOf(error)}.`)
      }),
    listFolder: async (path) => await readdir(path),
    readInput: async (question) => {
      if (!process.stdin.isTTY)
        return await textOfStream(process.stdin).catch((error: unknown) => {
          throw new Refusal(`Standard input cannot be read: ${reasonOf(error)}.`)
        })
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      const answer = await lines.question(question)
      lines.close()
      return answer
    },
    writeFile: async (path, content, how) => {
      try {
        writeCallersFile(path, content, how)
      } catch (error) {
        throw new Refusal(`${path} cannot be written: ${reasonOf(error)}.`)
      }
      await Promise.resolve()
    },
    resolve: async (host) => {
      try {
        return (await lookup(host)).address
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return undefined
        throw error
      }
    },
    edit: async (before) => {
      const editor = process.env.VISUAL ?? process.env.EDITOR
      if (!process.stdin.isTTY || editor === undefined) return undefined
      const folder = await mkdtemp(join(tmpdir(), 'systole-edit-'))
      const file = join(folder, 'configuration.xml')
      try {
        await writeFile(file, before, { mode: 0o600 })
        const { status } = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'edit', file], { stdio: 'inherit' })
        if (status !== 0) throw new Refusal(`${editor} ended with ${status ?? 'a signal'}: nothing was changed.`)
        return textUpTo(file)
      } finally {
        await rm(folder, { recursive: true })
      }
    },
    confirm: async (question) => {
      if (!process.stdin.isTTY) return undefined
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      const answer = await lines.question(`${printable(question)} [y/N] `)
      lines.close()
      return /^y(es)?$/i.test(answer.trim())
    },
  }
}

/** A user without an entry in the list of users has a number. */
function ownUserName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}
