import { readFile, writeFile } from 'node:fs/promises'
import type { Terminal } from '../../src/cli/call/command.ts'

/** A terminal for tests: nobody answers questions, the clock stands still, progress is kept. */
export function scriptedTerminal(progress: string[] = []): Terminal {
  return {
    columns: 100,
    color: false,
    user: 'tester',
    now: () => new Date('2026-11-20T12:00:00Z'),
    progress: (line) => {
      progress.push(line)
    },
    readFile: (path) => readFile(path, 'utf8'),
    writeFile: (path, text) => writeFile(path, text),
    resolve: (host) => Promise.resolve(host),
    edit: () => Promise.resolve(undefined),
    confirm: () => Promise.resolve(undefined),
    readInput: () => Promise.resolve(''),
  }
}
