/** The disks of SBD's that this node reads, each by itself (`own-slot.ts`): what was read of them, their times, and what is wrong with any of them. */
import { type MonotonicMs, monotonicMs } from '../base/index.ts'
import { endingOf } from '../fencing/index.ts'
import { type DiskTimes, diskPatienceMs, disksToRead } from '../quorum/index.ts'
import {
  advanceSlot,
  nextSlotAt,
  type SlotReading,
  type SlotRules,
  type SlotTurn,
  takeSlotAnswer,
  unreadSlot,
} from './own-slot.ts'
import type { OwnSlot, SlotAnswer } from './own-slot-state.ts'
import type { OwnDisks, OwnWatchdog } from './own-watchdog-state.ts'
import { log, type NodeEffect } from './state.ts'

export interface DisksTurn {
  readonly watchdog: OwnWatchdog
  readonly effects: readonly NodeEffect[]
  /** With whether its message is another one than was read there last. */
  readonly reading?: SlotReading & { readonly disk: string; readonly isNews: boolean }
}

/** Before any of them could be read. */
const firstPatienceMs = 5000

export const unreadDisks = (paths: readonly string[]): OwnDisks => ({
  slots: paths.map(unreadSlot),
  clean: new Map(),
  read: new Map(),
})

export const pathsOf = (disks: OwnDisks | undefined): readonly string[] => disks?.slots.map(({ path }) => path) ?? []

/** The shortest of each, so that no disk is read too late; undefined: too few of them were read until now. */
export function diskTimes(disks: OwnDisks | undefined): DiskTimes | undefined {
  const headers = disks?.slots.flatMap(({ open }) => (open === undefined ? [] : [open.header])) ?? []
  if (disks === undefined || headers.length < disksToRead(disks.slots.length)) return undefined
  return {
    watchdogMs: Math.min(...headers.map(({ watchdogMs }) => watchdogMs)),
    msgwaitMs: Math.min(...headers.map(({ msgwaitMs }) => msgwaitMs)),
    loopMs: Math.max(...headers.map(({ loopMs }) => loopMs)),
  }
}

/** What is wrong with any of them now, for people; a request that takes longer than the patience hangs. */
export function diskTroubles({ disks }: OwnWatchdog, now: MonotonicMs): readonly string[] {
  const times = diskTimes(disks)
  const patienceMs = (times && diskPatienceMs(times)) ?? firstPatienceMs
  return (disks?.slots ?? []).flatMap(({ path, error, askedAt }) => {
    if (error !== undefined) return [`${path} cannot be used: ${error}`]
    const sinceMs = askedAt === undefined ? 0 : now - askedAt
    return sinceMs > patienceMs ? [`${path} has not answered for ${Math.round(sinceMs / 1000)} s`] : []
  })
}

export const diskErrors = ({ disks }: OwnWatchdog): readonly (string | undefined)[] =>
  disks?.slots.map(({ error }) => error) ?? []

export function nextDiskAt({ disks }: OwnWatchdog): MonotonicMs | undefined {
  const times = (disks?.slots ?? []).flatMap((slot) => nextSlotAt(slot) ?? [])
  return times.length === 0 ? undefined : monotonicMs(Math.min(...times))
}

/** Those that are due are read again. */
export function advanceDisks(watchdog: OwnWatchdog, now: MonotonicMs): DisksTurn {
  const { disks } = watchdog
  const due = disks?.slots.filter((slot) => (nextSlotAt(slot) ?? Number.POSITIVE_INFINITY) <= now) ?? []
  return due.reduce(
    (done: DisksTurn, slot) => {
      const { watchdog: next, effects } = slotIs(done.watchdog, slot, advanceSlot(slot, now))
      return { watchdog: next, effects: [...done.effects, ...effects] }
    },
    { watchdog, effects: [] },
  )
}

export function takeDiskAnswer(
  watchdog: OwnWatchdog,
  { disk, call, answer }: { readonly disk: string; readonly call: number; readonly answer: SlotAnswer },
  rules: Omit<SlotRules, 'had'>,
): DisksTurn {
  const slot = watchdog.disks?.slots.find(({ path }) => path === disk)
  if (slot === undefined || slot.call !== call) return { watchdog, effects: [] }
  const { call: _answered, ...answered } = slot
  return slotIs(watchdog, slot, takeSlotAnswer(answered, answer, { ...rules, had: watchdog.had }))
}

function slotIs(watchdog: OwnWatchdog, before: OwnSlot, turn: SlotTurn): DisksTurn {
  const { disks, had } = watchdog
  if (disks === undefined) return { watchdog, effects: [] }
  const { request, reading, has } = turn
  const { path: disk } = before
  const lastCall = request === undefined ? watchdog.lastCall : watchdog.lastCall + 1
  const slot = request === undefined ? turn.slot : { ...turn.slot, call: lastCall }
  const message = reading === undefined ? undefined : JSON.stringify(reading.received)
  const next: OwnDisks = {
    slots: disks.slots.map((one) => (one.path === disk ? slot : one)),
    clean: isClean(reading)
      ? new Map([...disks.clean, [disk, { times: reading.header, at: reading.at }]])
      : disks.clean,
    read: message === undefined ? disks.read : new Map([...disks.read, [disk, message]]),
  }
  const isNews = reading?.received.message !== 'clear' && disks.read.get(disk) !== message
  const asked: readonly NodeEffect[] =
    request === undefined ? [] : [{ kind: 'watchdog', effect: { kind: 'disk', disk, call: lastCall, request } }]
  const tested: readonly NodeEffect[] =
    turn.answeredTest === undefined ? [] : [{ kind: 'watchdog', effect: { kind: 'ask-fenced' } }]
  return {
    watchdog: { ...watchdog, disks: next, lastCall, had: has === undefined ? had : new Set([...had, has]) },
    effects: [...reports(before, turn), ...asked, ...tested],
    ...(reading === undefined ? {} : { reading: { ...reading, disk, isNews } }),
  }
}

const isClean = (reading: SlotReading | undefined): reading is SlotReading =>
  reading !== undefined && endingOf(reading.received) === undefined

/** For people. */
function reports(before: OwnSlot, { slot, cleared, has }: SlotTurn): readonly NodeEffect[] {
  const { path: disk, error } = slot
  const { message, from } = cleared ?? {}
  return [
    ...(cleared === undefined
      ? []
      : [log('info', 'an old message on a disk of SBD is cleared', { disk, message, from })]),
    ...(has === undefined
      ? []
      : [log('info', 'this node has a slot on a disk of SBD', { disk, slot: slot.open?.slot })]),
    ...(error !== undefined && error !== before.error
      ? [log('error', 'a disk of SBD cannot be used', { disk, error })]
      : []),
    ...(error === undefined && before.error !== undefined ? [log('info', 'a disk of SBD is read', { disk })] : []),
  ]
}
