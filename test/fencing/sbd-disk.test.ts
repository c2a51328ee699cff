/** A disk that Debian's `sbd` has set up and written to, read and written by the daemon's own process for it. */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { Disk } from '../../src/daemon/watchdog/disk.ts'
import { parseAnswer } from '../../src/daemon/watchdog/disk-messages.ts'
import { performSlotRequest } from '../../src/daemon/watchdog/slot-requests.ts'
import {
  type FenceDevice,
  type FenceHost,
  headerBytes,
  isSameName,
  messageSectorOf,
  parseSbdHeader,
  parseSlot,
  parseSlotMessage,
  readFenceDevices,
  runDevice,
  type SbdHeader,
  slotOf,
  slotOffset,
} from '../../src/fencing/index.ts'
import type { SlotRequest } from '../../src/node/index.ts'
import { advanceSlot, nextSlotAt, type SlotTurn, takeSlotAnswer, unreadSlot } from '../../src/node/own-slot.ts'
import { SharedDisk, whyNoSharedDisk } from '../nodes/lab/shared-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-sbd-'))
let disk: SharedDisk
let program: ChildProcessByStdio<Writable, Readable, null>
let header: SbdHeader
const answers: string[] = []

const sbd = (...words: readonly string[]): string =>
  execFileSync('sbd', ['-d', disk.device, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const whyNot = whyNoSharedDisk()
if (whyNot !== undefined) console.warn(`SBD's disk is not tried: ${whyNot}.`)

describe.skipIf(whyNot !== undefined)('a disk of sbd', () => {
  beforeAll(async () => {
    disk = new SharedDisk(folder, 'disk')
    program = spawn(process.execPath, [resolve('dist/disk.mjs'), disk.device], { stdio: ['pipe', 'pipe', 'inherit'] })
    createInterface({ input: program.stdout }).on('line', (line) => answers.push(line))
    sbd('-1', '3', '-2', '1', '-3', '2', '-4', '1', 'create')
  })

  afterAll(() => {
    program?.kill()
    disk?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function ask(request: Readonly<Record<string, unknown>>): Promise<Buffer> {
    const count = answers.length
    program.stdin.write(`${JSON.stringify({ id: count, ...request })}\n`)
    await expect.poll(() => answers.length).toBe(count + 1)
    const answer = parseAnswer(answers.at(-1) ?? '')
    if ('error' in answer) throw new Error(answer.error)
    return Buffer.from(answer.data, 'base64')
  }

  const read = async (offset: number, length: number): Promise<Buffer> => await ask({ kind: 'read', offset, length })

  const sectorOf = async (slot: number, which: 'slot' | 'mailbox'): Promise<Buffer> =>
    await read(slotOffset(header, slot) + (which === 'slot' ? 0 : header.sectorSize), header.sectorSize)

  test('the header tells the times', async () => {
    expect(parseSbdHeader(await read(slotOffset({ sectorSize: 512 }, 3), headerBytes))).toBeUndefined()
    const parsed = parseSbdHeader(await read(0, headerBytes))
    expect(parsed).toMatchObject({
      sectorSize: 512,
      slots: 255,
      watchdogMs: 3000,
      allocateMs: 1000,
      loopMs: 2000,
      msgwaitMs: 1000,
    })
    if (!parsed) throw new Error('no header')
    header = parsed
    expect(sbd('dump').replaceAll('-', '')).toContain(header.uuid)
  })

  test('a message that sbd writes is read from the disk and not from memory', async () => {
    sbd('allocate', 'n1')
    expect(isSameName(parseSlot(await sectorOf(0, 'slot')), 'N1')).toBe(true)
    expect(parseSlot(await sectorOf(1, 'slot'))).toBeUndefined()
    const host = execFileSync('uname', ['-n'], { encoding: 'utf8' }).trim()
    const messages = ['test', 'reset', 'off', 'crashdump', 'exit', 'clear'] as const
    for (const message of messages.slice(0, 3)) {
      sbd('message', 'n1', message)
      expect(parseSlotMessage(await sectorOf(0, 'mailbox'))).toEqual({ message, from: host })
    }
    // The others without the second that each takes.
    for (const message of messages)
      expect(parseSlotMessage(messageSectorOf(header, message, host))).toEqual({ message, from: host })
  })

  test('sbd sees a slot that was taken and a message that was written here', async () => {
    const long = 'a'.repeat(70)
    for (const [slot, name] of [
      [1, 'n2'],
      [2, long],
    ] as const) {
      await ask({ kind: 'write', offset: slotOffset(header, slot), data: slotOf(header, name).toString('base64') })
      const received = messageSectorOf(header, slot === 1 ? 'crashdump' : 'exit', 'n9')
      const offset = slotOffset(header, slot) + header.sectorSize
      await ask({ kind: 'write', offset, data: received.toString('base64') })
    }
    expect(sbd('list').split('\n').slice(1, 3)).toEqual(['1\tn2\tcrashdump\tn9', `2\t${'a'.repeat(63)}\texit\tn9`])
    expect(isSameName(parseSlot(await sectorOf(2, 'slot')), long)).toBe(true)
  })

  describe('a node that is counted on', () => {
    // Beside this program is what reads a disk.
    process.argv[1] = resolve('dist/systoled.mjs')

    /** Reads as a node does, until a reading proves something or the disk cannot be used. */
    async function readingOf(had: boolean, isCountedOn: boolean, note = (): void => undefined) {
      const handle = new Disk(disk.device)
      const uuids = new Set(had ? [header.uuid] : [])
      const rules = { node: nodeName('n1'), misfit: () => undefined, isCountedOn, had: uuids }
      let [turn, clearedAt]: [SlotTurn, number | undefined] = [{ slot: unreadSlot(disk.device) }, undefined]
      try {
        for (let step = 0; step < 200 && turn.reading === undefined && turn.slot.error === undefined; step++) {
          const now = monotonicNow()
          if (turn.request === undefined) {
            await delay(Math.max(0, (nextSlotAt(turn.slot) ?? now) - now))
            turn = advanceSlot(turn.slot, monotonicNow())
            continue
          }
          const answer = await performSlotRequest({ node: 'n1', disk: handle, note }, turn.request)
          turn = takeSlotAnswer(turn.slot, answer, { ...rules, now: monotonicNow() })
          if (turn.cleared !== undefined) clearedAt = monotonicNow()
        }
        return { ...turn, clearedAt }
      } finally {
        handle.close()
      }
    }

    const cases = [
      {
        name: 'obeys what it finds on a disk that it has had',
        had: true,
        isCountedOn: true,
        message: 'reset',
        late: false,
      },
      {
        name: 'is late to trust one on which it first finds a message',
        had: false,
        isCountedOn: true,
        message: 'clear',
        late: true,
      },
      {
        name: 'trusts it at once where it is not counted on yet',
        had: false,
        isCountedOn: false,
        message: 'clear',
        late: false,
      },
    ] as const
    for (const { name, had, isCountedOn, message, late } of cases)
      test(name, async () => {
        const reset = messageSectorOf(header, 'reset', 'n9').toString('base64')
        await ask({ kind: 'write', offset: slotOffset(header, 0) + header.sectorSize, data: reset })
        const { reading, clearedAt } = await readingOf(had, isCountedOn)
        expect(reading?.received.message).toBe(message)
        if (late) expect((reading?.at ?? 0) - (clearedAt ?? 0)).toBeGreaterThanOrEqual(header.msgwaitMs - 1)
      })

    test('trusts none of which it cannot note that it has had it', async () => {
      const { reading, slot } = await readingOf(false, true, () => {
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      })
      expect(slot.error).toContain('cannot be noted')
      expect([reading, slot.open]).toEqual([undefined, undefined])
    })

    test('takes a slot that is free, which sbd sees', async () => {
      const handle = new Disk(disk.device)
      const note = (): void => undefined
      const perform = async (request: SlotRequest) =>
        await performSlotRequest({ node: 'n7', disk: handle, note }, request)
      try {
        expect(await perform({ kind: 'read-header' })).toEqual({ kind: 'header', header })
        const read = await perform({ kind: 'read-names', header })
        const free = read.kind === 'names' ? read.names.indexOf(undefined) : -1
        expect(await perform({ kind: 'take', header, slot: free })).toEqual({ kind: 'done' })
        expect(await perform({ kind: 'read-name', header, slot: free })).toEqual({ kind: 'name', name: 'n7' })
        sbd('message', 'n7', 'test')
        const seen = await perform({ kind: 'read-message', header, slot: free })
        expect(seen).toMatchObject({ received: { message: 'test' } })
        expect(await perform({ kind: 'clear', header, slot: free })).toEqual({ kind: 'done' })
        expect(sbd('list')).toMatch(/n7\tclear\tn7/)
      } finally {
        handle.close()
      }
    })
  })

  describe('off', () => {
    const host: FenceHost = {
      ocfRoot: '/usr/lib/ocf',
      moreAgentFolders: [],
      toolsFolder: '/nonexistent',
      toolsSocket: '/nonexistent',
      runFolder: folder,
      fenceFolders: [],
    }

    function deviceFor(devices: string): FenceDevice {
      const cib = parseXml(
        `<cib><configuration><crm_config/><nodes/><resources><primitive id="disk" class="stonith" type="fence_sbd"><instance_attributes id="i"><nvpair id="v" name="devices" value="${devices}"/></instance_attributes></primitive></resources><constraints/></configuration></cib>`,
      )
      const device = cib.ok ? readFenceDevices(readConfiguration(cib.value), { metadata: new Map() })[0] : undefined
      if (!device) throw new Error('the test has a mistake')
      return device
    }

    const off = async (devices: string) =>
      await runDevice({ device: deviceFor(devices), action: 'off', target: 'n1', timeoutMs: 20_000 }, host)

    test('is sent anew, and takes its time, where an earlier message lies there', async () => {
      const received = messageSectorOf(header, 'reset', 'n9').toString('base64')
      await ask({ kind: 'write', offset: slotOffset(header, 0) + header.sectorSize, data: received })
      const began = Date.now()
      expect(await off(disk.device)).toMatchObject({ succeeded: true })
      expect(Date.now() - began).toBeGreaterThanOrEqual(header.msgwaitMs)
      expect(parseSlotMessage(await sectorOf(0, 'mailbox'))).toMatchObject({ message: 'off' })
    })

    test('fails each time where one of two disks takes no message', async () => {
      const broken = new SharedDisk(folder, 'broken')
      try {
        for (const attempt of [1, 2])
          expect(await off(`${broken.device},${disk.device}`), `attempt ${attempt}`).toMatchObject({ succeeded: false })
        expect(parseSlotMessage(await sectorOf(0, 'mailbox'))).toMatchObject({ message: 'off' })
      } finally {
        broken.close()
      }
    })
  })

  test('what is no disk, or has ended, is said', async () => {
    await expect(read(1 << 30, 512)).rejects.toThrow(/ends too early/)
    disk.break()
    await expect(read(0, headerBytes)).rejects.toThrow(/ends too early|EIO/)
  })
})
