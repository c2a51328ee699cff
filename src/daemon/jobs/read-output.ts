/** What a task has printed behind an offset, waited for where there is nothing yet. Its runner writes the file and this daemon need not have started it. */
import { closeSync, openSync, readSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Messages } from '../../rpc/index.ts'
import { outputFile, readResult } from './task-files.ts'

const mostBytes = 256 * 1024
/** The first looks follow fast: most commands are short. */
const firstPauseMs = 4
const shortPauseMs = 8
const shortMs = 500
const longestPauseMs = 60
export const longestWaitMs = 20_000

export async function readOutput(
  folder: string,
  { offset, waitMs, signal }: { readonly offset: number; readonly waitMs: number; readonly signal: AbortSignal },
): Promise<Messages['JobOutput']> {
  const begun = performance.now()
  const until = begun + Math.min(waitMs, longestWaitMs)
  const longest = (): number => (performance.now() - begun < shortMs ? shortPauseMs : longestPauseMs)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longest())) {
    // The result comes after the last of the output.
    const hasEnded = readResult(folder) !== undefined
    const data = readAt(outputFile(folder), offset)
    const ended = hasEnded && data.length < mostBytes
    if (data.length > 0 || ended || performance.now() >= until || signal.aborted)
      return { data: data.toString('base64'), ended }
    await delay(pauseMs)
  }
}

function readAt(path: string, offset: number): Buffer {
  try {
    const file = openSync(path, 'r')
    try {
      const buffer = Buffer.allocUnsafe(mostBytes)
      return buffer.subarray(0, readSync(file, buffer, 0, mostBytes, offset))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
