/**
 * This node's watchdog, as the main thread decides about it: armed once this node is registered, and told to the others only then; given
 * up only when the DC has taken note that nobody may count on it any more. While it is armed the pulse thread, which feeds it by its own rules
 * (`quorum/watchdog.ts`), is given the permit to let this node live again and again.
 *
 * With disks of SBD's (`own-disks.ts`) it is armed as soon as enough of them were read, if possible before this node registers. What is read of them is
 * handed on to the pulse thread, and a message there ends this node.
 */
import { assertNever, type MonotonicMs, monotonicMs } from '../base/index.ts'
import { clusterOptionValue } from '../cib/index.ts'
import { diskWatchOf, watchdogMsOf } from '../controller/index.ts'
import { endingOf, type SlotMessage } from '../fencing/index.ts'
import {
  allTellStore,
  type DiskTimes,
  diskPatienceMs,
  endByDiskFencing,
  keepsResources,
  otherOfTwo,
  permitIntervalMs,
  type WatchdogPermit,
} from '../quorum/index.ts'
import {
  advanceDisks,
  type DisksTurn,
  diskTimes,
  nextDiskAt,
  pathsOf,
  takeDiskAnswer,
  unreadDisks,
} from './own-disks.ts'
import {
  type DiskReading,
  type OwnWatchdog,
  type OwnWatchdogEffect,
  type OwnWatchdogInput,
  type OwnWatchdogPhase,
  runningMs,
} from './own-watchdog-state.ts'
import { andThen, log, type NodeEffect, type NodeState, type NodeTurn, type SelfEnd, turn } from './state.ts'
import { isCountedOn, type WatchdogSetting, watchdogSetting } from './watchdog-setting.ts'

const throughDisks = 'the cluster fences this node through its disks'

const withWatchdog = (state: NodeState, changed: Partial<OwnWatchdog>): NodeState => ({
  ...state,
  watchdog: { ...state.watchdog, ...changed },
})

const tell = (effect: OwnWatchdogEffect): NodeEffect => ({ kind: 'watchdog', effect })

/** Why this node must not be sent messages through a disk with these times; before it is armed, the watchdog is to have the header's own. */
function diskMisfit(watchdog: OwnWatchdog, header: DiskTimes): string | undefined {
  const watchdogMs = runningMs(watchdog) ?? header.watchdogMs
  return diskPatienceMs({ ...header, watchdogMs }) === undefined ? timesDoNotFit(header, watchdogMs) : undefined
}

function timesDoNotFit({ msgwaitMs, loopMs }: Pick<DiskTimes, 'msgwaitMs' | 'loopMs'>, watchdogMs: number): string {
  const [watchdog, msgwait, loop] = [watchdogMs, msgwaitMs, loopMs].map((ms) => `${ms / 1000} s`)
  return `a node counts as fenced after ${msgwait} (msgwait), which is too short for a watchdog timeout of ${watchdog} and reads every ${loop}. Initialize the disks again with a msgwait of twice the watchdog timeout (stonith sbd device setup)`
}

export function takeWatchdogInput(state: NodeState, input: OwnWatchdogInput, now: MonotonicMs): NodeTurn {
  const { watchdog } = state
  const { phase } = watchdog
  switch (input.kind) {
    case 'prepared':
      return phase.kind === 'preparing' && watchdog.departs === undefined
        ? arm(state, { ...phase, timeoutMs: input.timeoutMs }, now)
        : turn(state)
    case 'unusable':
      return phase.kind === 'preparing' ? fail(state, phase.setting, input.why) : turn(state)
    case 'armed':
      if (phase.kind !== 'arming') return turn(state)
      return turn(
        become(state, { ...phase, kind: 'armed' }),
        log('info', 'the watchdog is armed', { timeoutMs: phase.timeoutMs }),
      )
    case 'stopped':
      return stopped(state, input.error)
    case 'disk-answered':
      return diskAnswered(state, input, now)
    case 'fenced-through-disks':
      return doom(state, 'reset', throughDisks)
    default:
      return assertNever(input)
  }
}

/** The view is there. A word of the store means this boot only if it has had a slot, and has not stopped in order since. */
export function beginWatchdog(state: NodeState): NodeState {
  const { view, self, slotsOfBoot } = state
  const obeyedWord = slotsOfBoot === undefined ? view.diskFencing.get(self) : undefined
  const had = new Set(slotsOfBoot)
  return withWatchdog(state, { begun: true, had, ...(obeyedWord === undefined ? {} : { obeyedWord }) })
}

/** With disks to read this node is fenced through those: it had better read them before it takes part. */
export function readsDisksFirst(state: NodeState): boolean {
  const { phase, begun } = state.watchdog
  const disks = begun && state.isolated !== true ? wantedBy(state)?.disks : undefined
  return disks !== undefined && phase.kind !== 'armed' && phase.kind !== 'failed'
}

/** What is due, whatever has happened. */
export function advanceWatchdog(state: NodeState, now: MonotonicMs): NodeTurn {
  const { begun, doomed } = state.watchdog
  if (!begun || doomed) return turn(state)
  const { view, self, incarnation } = state
  if (view.selfFencing.get(self) === incarnation)
    return doom(state, 'reset', 'the cluster fences this node by its watchdog')
  // The others write the message only once this word is in the store, so that a node that is here need not wait for it.
  const word = view.diskFencing.get(self)
  const ending = word === state.watchdog.obeyedWord ? undefined : endByDiskFencing(word, state.bootId)
  if (ending !== undefined) return doom(state, ending, throughDisks)
  const wanted = wantedBy(state)
  return [
    (next: NodeState) => readDisks(next, wanted),
    (next: NodeState) => diskTurn(next, advanceDisks(next.watchdog, now)),
    (next: NodeState) => settle(next, wanted),
    (next: NodeState) => permitDue(next, now),
  ].reduce(andThen, turn(state))
}

export function nextWatchdogTimes({ watchdog }: NodeState): readonly MonotonicMs[] {
  const { doomed, begun, permitAt } = watchdog
  return doomed ? [] : [permitAt, begun ? nextDiskAt(watchdog) : undefined].filter((time) => time !== undefined)
}

/** Nothing of the cluster's runs here any more, and the others know: the node goes (`depart`) once its watchdog is stopped. */
export function departWithoutWatchdog(state: NodeState, lease: string | undefined): NodeTurn {
  const departs = lease === undefined ? {} : { lease }
  const left = withWatchdog(state, { departs })
  if (state.watchdog.doomed || runningMs(state.watchdog) === undefined)
    return turn(left, { kind: 'depart', ...departs, disarm: true })
  return turn(left, tell({ kind: 'disarm' }))
}

function wantedBy({ watchdog, view, self }: NodeState): WatchdogSetting | undefined {
  return watchdog.exitedBy === undefined ? watchdogSetting(view.configuration?.typed, self) : undefined
}

/** Those that are read already stay so: what was read of them still holds. */
function readDisks(state: NodeState, wanted: WatchdogSetting | undefined): NodeTurn {
  const { phase, disks, departs } = state.watchdog
  if (phase.kind !== 'off' && phase.kind !== 'failed') return turn(state)
  const paths = state.isolated === true || departs !== undefined ? [] : (wanted?.disks ?? [])
  if (JSON.stringify(paths) === JSON.stringify(pathsOf(disks))) return turn(state)
  const { disks: _before, ...rest } = state.watchdog
  const opened = paths.length === 0 ? rest : { ...rest, disks: unreadDisks(paths) }
  return turn({ ...state, watchdog: opened }, tell({ kind: 'read-disks', paths }))
}

function settle(state: NodeState, wanted: WatchdogSetting | undefined): NodeTurn {
  const { phase, disks, departs } = state.watchdog
  const times = diskTimes(disks)
  const setting = wanted === undefined ? '' : JSON.stringify([wanted, times])
  switch (phase.kind) {
    case 'off':
    case 'failed':
      if (wanted === undefined) return turn(become(state, { kind: 'off' }, whyExited(state.watchdog)))
      if (departs !== undefined || (phase.kind === 'failed' && phase.setting === setting)) return turn(state)
      if (wanted.disks === undefined && leaseOfRecord(state) === undefined) return turn(state)
      if (state.isolated === true) return fail(state, setting, 'this node shares its machine (SYSTOLE_ROOT)')
      if (wanted.disks !== undefined && times === undefined) return turn(state)
      return prepare(state, wanted, setting)
    case 'armed':
      return turn(phase.setting === setting ? state : become(state, { ...phase, kind: 'giving-up' }))
    case 'giving-up':
      if (phase.setting === setting) return turn(become(state, { ...phase, kind: 'armed' }))
      return isForgotten(state) ? turn(state, tell({ kind: 'disarm' })) : turn(state)
    case 'preparing':
    case 'arming':
      return turn(state)
    default:
      return assertNever(phase)
  }
}

function prepare(state: NodeState, wanted: WatchdogSetting, setting: string): NodeTurn {
  const { device } = wanted
  const timeoutMs = diskTimes(state.watchdog.disks)?.watchdogMs ?? wanted.timeoutMs
  const effect = { kind: 'prepare', device, ...(timeoutMs === undefined ? {} : { timeoutMs }) } as const
  return turn(become(state, { kind: 'preparing', setting, device }), tell(effect))
}

/** What of the disks was read before counts, and the pulse thread is told at once that this node may live. */
function arm(
  state: NodeState,
  { setting, device, timeoutMs }: Extract<OwnWatchdogPhase, { kind: 'preparing' }> & { readonly timeoutMs: number },
  now: MonotonicMs,
): NodeTurn {
  const { disks } = state.watchdog
  const times = diskTimes(disks)
  const patienceMs = times && diskPatienceMs({ ...times, watchdogMs: timeoutMs })
  if (times && patienceMs === undefined) return fail(state, setting, timesDoNotFit(times, timeoutMs))
  const rule = patienceMs === undefined ? {} : { disks: { count: disks?.slots.length ?? 0, patienceMs } }
  const arming = withWatchdog(become(state, { kind: 'arming', setting, timeoutMs }), { permitAt: now })
  const readings = [...(disks?.clean ?? [])].flatMap(([disk, reading]) => goodUntil(disk, reading, timeoutMs))
  return turn(arming, tell({ kind: 'arm', device, timeoutMs, ...rule }), ...readings)
}

function stopped(state: NodeState, error: string | undefined): NodeTurn {
  const { permitAt: _before, ...watchdog } = state.watchdog
  const reported = error === undefined ? [] : [log('error', 'the watchdog does not work', { error })]
  const { phase, departs } = watchdog
  const next = { ...state, watchdog }
  const ended =
    phase.kind === 'arming'
      ? fail(next, phase.setting, error ?? 'it was not opened')
      : turn(become(next, { kind: 'off' }))
  const gone =
    departs === undefined || runningMs(state.watchdog) === undefined
      ? []
      : [log('info', 'the watchdog is stopped'), { kind: 'depart', ...departs, disarm: true } as const]
  return turn(ended.state, ...reported, ...ended.effects, ...gone)
}

/** Under which the store shows this very life of this node. */
function leaseOfRecord({ view, self, incarnation }: NodeState): string | undefined {
  const record = view.members.get(self)
  return record?.incarnation === incarnation ? record.lease : undefined
}

function isForgotten({ view, self }: NodeState): boolean {
  const record = view.members.get(self)
  const state = view.nodeStates.get(self)
  const tells = record?.watchdogMs !== undefined || record?.sbd !== undefined
  return !tells && watchdogMsOf(state) === undefined && diskWatchOf(state) === undefined
}

// ------------------------------------------------------------------ that this node may live

function permitDue(state: NodeState, now: MonotonicMs): NodeTurn {
  const timeoutMs = runningMs(state.watchdog)
  const { permitAt } = state.watchdog
  if (timeoutMs === undefined || permitAt === undefined || now < permitAt) return turn(state)
  const permit = permitOf(state, now)
  const next = withWatchdog(state, { permitAt: monotonicMs(now + permitIntervalMs(timeoutMs)) })
  return permit === undefined ? turn(next) : turn(next, tell({ kind: 'permit', permit }))
}

function permitOf(state: NodeState, at: MonotonicMs): WatchdogPermit | undefined {
  const { list, self, view, watchdog, twoNode } = state
  if (watchdog.disks !== undefined) {
    // The other of two nodes may fence this one without the store.
    const isOneOfTwo = otherOfTwo(list, self)?.votes === true
    return { at, storeKnows: !isOneOfTwo && allTellStore([...view.members.values()]) }
  }
  const lease = leaseOfRecord(state)
  if (lease !== undefined) return { lease, at }
  // One of two nodes, which keeps what it runs without a majority.
  const option = clusterOptionValue(view.configuration?.typed, 'fencing-watchdog-timeout')
  return keepsResources(twoNode) && !isCountedOn(option) ? { at } : undefined
}

// ------------------------------------------------------------------ disks

function diskAnswered(
  state: NodeState,
  input: Extract<OwnWatchdogInput, { kind: 'disk-answered' }>,
  now: MonotonicMs,
): NodeTurn {
  const { watchdog, self: node } = state
  if (watchdog.doomed) return turn(state)
  const rules = {
    node,
    misfit: (header: DiskTimes) => diskMisfit(watchdog, header),
    isCountedOn: runningMs(watchdog) !== undefined,
    now,
  }
  return diskTurn(state, takeDiskAnswer(watchdog, input, rules))
}

function diskTurn(state: NodeState, { watchdog, effects, reading }: DisksTurn): NodeTurn {
  const known = turn(watchdog === state.watchdog ? state : { ...state, watchdog }, ...effects)
  if (reading === undefined) return known
  const { disk, received, header, at, isNews } = reading
  const timeoutMs = runningMs(watchdog)
  const lives =
    timeoutMs === undefined || endingOf(received) !== undefined ? [] : goodUntil(disk, { times: header, at }, timeoutMs)
  return andThen(
    andThen(known, (next) => turn(next, ...lives)),
    (next) => (isNews ? diskMessage(next, disk, received) : turn(next)),
  )
}

/** A disk whose times do not fit lets nobody live. */
function goodUntil(disk: string, { times, at }: DiskReading, watchdogMs: number): readonly NodeEffect[] {
  const patienceMs = diskPatienceMs({ ...times, watchdogMs })
  return patienceMs === undefined ? [] : [tell({ kind: 'disk-read', disk, until: monotonicMs(at + patienceMs) })]
}

function diskMessage(state: NodeState, disk: string, received: SlotMessage): NodeTurn {
  const { message, from } = received
  const read = turn(
    state,
    log('warn', 'a message was read on a disk of SBD', { disk, message: message ?? 'unknown', from }),
  )
  const ending = endingOf(received)
  if (ending !== undefined)
    return andThen(read, (next) => doom(next, ending, `${from} has sent '${ending}' through ${disk}`))
  return message === 'exit' ? andThen(read, (next) => turn(withWatchdog(next, { exitedBy: disk }))) : read
}

const whyExited = ({ exitedBy }: OwnWatchdog): string | undefined =>
  exitedBy === undefined ? undefined : `a message on ${exitedBy} stopped it (restart systoled to start it again)`

// ------------------------------------------------------------------ what all have in common

/** The reboot is the quick way; the watchdog is the sure one. */
function doom(state: NodeState, how: SelfEnd, why: string): NodeTurn {
  if (state.watchdog.doomed) return turn(state)
  return turn(withWatchdog(state, { doomed: true }), { kind: 'end-self', how, why })
}

function fail(state: NodeState, setting: string, why: string): NodeTurn {
  return turn(
    become(state, { kind: 'failed', setting }, why),
    log('error', 'this node has no watchdog although one is configured', { why }),
  )
}

function become(state: NodeState, phase: OwnWatchdogPhase, trouble?: string): NodeState {
  const { trouble: before, ...rest } = state.watchdog
  if (phase.kind === 'off' && rest.phase.kind === 'off' && trouble === before) return state
  return { ...state, watchdog: { ...rest, phase, ...(trouble === undefined ? {} : { trouble }) } }
}
