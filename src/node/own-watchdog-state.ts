/** What is known of this node's own watchdog, and what is asked of whoever drives it. */
import type { MonotonicMs } from '../base/index.ts'
import type { DiskFencing, ReportedWatchdog } from '../controller/index.ts'
import type { DiskRule, DiskTimes, WatchdogPermit } from '../quorum/index.ts'
import type { OwnSlot, SlotAnswer, SlotRequest } from './own-slot-state.ts'

export type OwnWatchdogPhase =
  | { readonly kind: 'off' }
  /** It could not be armed as it is set; another setting is tried. */
  | { readonly kind: 'failed'; readonly setting: string }
  /** The device is looked at, and has not been opened. */
  | { readonly kind: 'preparing'; readonly setting: string; readonly device: string }
  | { readonly kind: 'arming'; readonly setting: string; readonly timeoutMs: number }
  | { readonly kind: 'armed'; readonly setting: string; readonly timeoutMs: number }
  /** Not told any more; fed until the DC has noted that. */
  | { readonly kind: 'giving-up'; readonly setting: string; readonly timeoutMs: number }

/** Of SBD's, which this node reads. */
export interface OwnDisks {
  readonly slots: readonly OwnSlot[]
  /** The last readings of those without a message that ends this node. */
  readonly clean: ReadonlyMap<string, DiskReading>
  /** The message of each as it was read last. */
  readonly read: ReadonlyMap<string, string>
}

export interface DiskReading {
  readonly times: Pick<DiskTimes, 'msgwaitMs' | 'loopMs'>
  /** When it was begun: whatever was written before is in it. */
  readonly at: MonotonicMs
}

export interface OwnWatchdog {
  /** The view is there: from then on it is known what is wanted. */
  readonly begun: boolean
  readonly phase: OwnWatchdogPhase
  readonly trouble?: string
  readonly disks?: OwnDisks
  /** Requests to disks are counted. */
  readonly lastCall: number
  /** Disks whose slot this machine has had since it booted, by their UUIDs. */
  readonly had: ReadonlySet<string>
  /** Asked to end: nothing keeps the watchdog from resetting this machine any more. */
  readonly doomed: boolean
  /** A word of the store for what this boot ran before it stopped in order. */
  readonly obeyedWord?: DiskFencing
  /** A message on this disk has ended the reading. */
  readonly exitedBy?: string
  /** When the pulse thread is told next that this node may live. */
  readonly permitAt?: MonotonicMs
  /** The node has left: it goes once the watchdog is stopped. */
  readonly departs?: { readonly lease?: string }
}

export type OwnWatchdogInput =
  | { readonly kind: 'prepared'; readonly timeoutMs: number }
  | { readonly kind: 'unusable'; readonly why: string }
  | { readonly kind: 'armed' }
  /** Or it could not be opened, or be written to. */
  | { readonly kind: 'stopped'; readonly error?: string }
  | { readonly kind: 'disk-answered'; readonly disk: string; readonly call: number; readonly answer: SlotAnswer }
  /** Asked after a test, the store said that this node is fenced through its disks. */
  | { readonly kind: 'fenced-through-disks' }

export type OwnWatchdogEffect =
  /** Sets the device's time where it can be set. Answered with `prepared` and the time that it has, or with `unusable`. */
  | { readonly kind: 'prepare'; readonly device: string; readonly timeoutMs?: number }
  /** Opens it, which starts it. Answered with `armed` or `stopped`. */
  | { readonly kind: 'arm'; readonly device: string; readonly timeoutMs: number; readonly disks?: DiskRule }
  | { readonly kind: 'permit'; readonly permit: WatchdogPermit }
  | { readonly kind: 'disk-read'; readonly disk: string; readonly until: MonotonicMs }
  /** Answered with `stopped`. */
  | { readonly kind: 'disarm' }
  /** These, and no others, from now on. */
  | { readonly kind: 'read-disks'; readonly paths: readonly string[] }
  | { readonly kind: 'disk'; readonly disk: string; readonly call: number; readonly request: SlotRequest }
  /**
   * A test message was cleared. What was written at that very moment is lost with it; but if that was the DC, the store knows: answered with
   * `fenced-through-disks` where it does.
   */
  | { readonly kind: 'ask-fenced' }
  /** For people: how it is with the watchdog. */
  | { readonly kind: 'changed' }

export const initialOwnWatchdog: OwnWatchdog = {
  begun: false,
  phase: { kind: 'off' },
  doomed: false,
  lastCall: 0,
  had: new Set(),
}

/** What this node says of it to the others. */
export function reportedWatchdog({ phase, disks }: OwnWatchdog): ReportedWatchdog {
  if (phase.kind !== 'armed') return {}
  const { timeoutMs } = phase
  if (disks === undefined) return { watchdogMs: timeoutMs }
  const reported = disks.slots.map(({ path, open }) => ({ path, ...(open && { uuid: open.header.uuid }) }))
  return { sbd: { watchdogMs: timeoutMs, disks: reported } }
}

/** Why there is none, where one is wanted. */
export const watchdogTrouble = ({ trouble, disks, phase }: OwnWatchdog): string | undefined =>
  trouble ?? (disks && phase.kind === 'off' ? 'too few of its disks were read yet' : undefined)

/** The time of the watchdog that runs, or is being started. */
export const runningMs = ({ phase }: OwnWatchdog): number | undefined =>
  'timeoutMs' in phase ? phase.timeoutMs : undefined
