/**
 * Reads and writes one disk for the daemon, directly: what is in the page cache may be older than the disk. It is a process and no thread,
 * because a reading that hangs in the kernel cannot be ended, and a process does not end before all of its threads do.
 * A request is a line of JSON, and so is its answer; the end of the input ends the process.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { DiskAnswer, DiskRequest } from './disk-messages.ts'

/** Its memory begins at a page, as the kernel wants it for direct reading. */
const pages = 4
const buffer = Buffer.from(new WebAssembly.Memory({ initial: pages }).buffer)

const disk = process.argv[2] ?? ''

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line) as DiskRequest))}\n`)

function answer(request: DiskRequest): DiskAnswer {
  try {
    return { id: request.id, data: perform(request) }
  } catch (error) {
    return { id: request.id, error: error instanceof Error ? error.message : String(error) }
  }
}

/** Opened each time: a disk that went and came again is another one to the kernel. */
function perform(request: DiskRequest): string {
  const { O_RDONLY, O_RDWR, O_DIRECT, O_SYNC } = constants
  const open = openSync(disk, (request.kind === 'read' ? O_RDONLY : O_RDWR) | O_DIRECT | O_SYNC)
  try {
    if (!fstatSync(open).isBlockDevice()) throw new Error('it is not a block device')
    if (request.kind === 'read') {
      const { offset, length } = request
      if (readSync(open, buffer, 0, length, offset) !== length) throw new Error('it ends too early')
      return buffer.toString('base64', 0, length)
    }
    const length = buffer.write(request.data, 'base64')
    if (writeSync(open, buffer, 0, length, request.offset) !== length) throw new Error('it accepts no more data')
    return ''
  } finally {
    closeSync(open)
  }
}
