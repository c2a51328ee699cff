/** Measures this host: a few seconds of one processor, of its memory, and of the disk with the cluster's data. */
import { createHash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchmarkPart, BenchmarkResult } from '../../hardware/index.ts'

const forMs = 1500
const mebibyte = 1024 * 1024
const bufferMib = 64
const blockMib = 4
/** Where a disk is so fast that this is written in less time, that is enough. */
const mostWrittenMib = 512

/** In MiB a second: hashed by one processor, copied in memory, written to the disk and flushed. */
export function benchmarkHere(parts: readonly BenchmarkPart[], folder: string): BenchmarkResult {
  return {
    ...(parts.includes('cpu') ? { cpu: hashing() } : {}),
    ...(parts.includes('memory') ? { memory: copying() } : {}),
    ...(parts.includes('disk') ? { disk: writing(folder) } : {}),
  }
}

function hashing(): number {
  const block = Buffer.alloc(mebibyte, 'systole')
  return perSecond(() => {
    createHash('sha256').update(block).digest()
    return 1
  })
}

/** Larger than the caches of a processor. */
function copying(): number {
  const from = Buffer.alloc(bufferMib * mebibyte, 1)
  const to = Buffer.alloc(bufferMib * mebibyte)
  return perSecond(() => {
    from.copy(to)
    return bufferMib
  })
}

function writing(folder: string): number {
  const file = join(folder, `benchmark-${process.pid}`)
  const block = Buffer.alloc(blockMib * mebibyte, 'systole')
  const open = openSync(file, 'wx', 0o600)
  try {
    return perSecond((soFar) => {
      writeSync(open, block, 0, block.length, soFar % (mostWrittenMib * mebibyte))
      fdatasyncSync(open)
      return blockMib
    }, mostWrittenMib)
  } finally {
    closeSync(open)
    rmSync(file, { force: true })
  }
}

/** `once` returns the MiB that it has done. */
function perSecond(once: (bytesSoFar: number) => number, most = Number.POSITIVE_INFINITY): number {
  const begun = performance.now()
  let done = 0
  do done += once(done * mebibyte)
  while (performance.now() - begun < forMs && done < most)
  return Math.round((done * 1000) / (performance.now() - begun))
}
