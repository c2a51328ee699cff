/**
 * This node's slot on one of SBD's disks (sbd(8)): found or taken, and read again and again. One request to the disk is under way at a time; one that
 * hangs holds up nothing but this disk.
 *
 * A message that ends a node stays where it is, so that whoever asks sees that it was given. It is cleared by the next boot, as `sbd` does at
 * its start. A daemon that is started again in the same boot has ended nothing yet, and obeys it. On a disk that is first read when this node can
 * be fenced through it already, nobody can tell whether it is an old one: it is cleared, and the disk proves nothing for as long as its sender
 * may wait.
 */
import { assertNever, type MonotonicMs, monotonicMs, type NodeName } from '../base/index.ts'
import { endingOf, isSameName, type SbdHeader, type SlotMessage } from '../fencing/index.ts'
import type { OpenSlot, OwnSlot, SlotAnswer, SlotPhase, SlotRequest } from './own-slot-state.ts'

/** What a slot is judged by, beside what is on the disk. */
export interface SlotRules {
  readonly node: NodeName
  /** Why this node must not be sent messages through a disk with these times; undefined: it may. */
  readonly misfit: (header: SbdHeader) => string | undefined
  /** This node can be fenced through its disks now. */
  readonly isCountedOn: boolean
  /** Disks whose slot this machine has had since it booted, by their UUIDs. */
  readonly had: ReadonlySet<string>
  readonly now: MonotonicMs
}

export interface SlotReading {
  readonly header: SbdHeader
  readonly received: SlotMessage
  /** When it was begun: whatever was written before is in it. */
  readonly at: MonotonicMs
}

export interface SlotTurn {
  readonly slot: OwnSlot
  readonly request?: SlotRequest
  readonly reading?: SlotReading
  /** A slot was taken or found; this boot has had it from now on. */
  readonly has?: string
  /** An old message was cleared. */
  readonly cleared?: SlotMessage
  /** A test message was cleared, which shows that it was read. */
  readonly answeredTest?: true
}

/** One whose loop is not known; as `sbd` does with one that failed. */
const retryMs = 5000

const never = monotonicMs(Number.NEGATIVE_INFINITY)

export const unreadSlot = (path: string): OwnSlot => ({ path, phase: { kind: 'rests', until: never } })

/** When it is due; undefined: the disk is waited for. */
export const nextSlotAt = ({ phase }: OwnSlot): MonotonicMs | undefined =>
  phase.kind === 'rests' || phase.kind === 'lets-others-take' ? phase.until : undefined

export function advanceSlot(slot: OwnSlot, now: MonotonicMs): SlotTurn {
  const { phase } = slot
  const at = nextSlotAt(slot)
  if (at === undefined || now < at) return { slot }
  if (phase.kind === 'lets-others-take') return readNames(slot, phase.header)
  return asks({ ...slot, askedAt: now }, { kind: 'reads-header' }, { kind: 'read-header' })
}

export function takeSlotAnswer(slot: OwnSlot, answer: SlotAnswer, rules: SlotRules): SlotTurn {
  const { now } = rules
  if (answer.kind === 'failed') return failed(slot, answer.why, now)
  const { phase } = slot
  switch (phase.kind) {
    case 'reads-header':
      return answer.kind === 'header' ? headerRead(slot, answer.header, rules) : { slot }
    case 'checks-slot':
      if (answer.kind !== 'name') return { slot }
      return isSameName(answer.name, rules.node)
        ? readMessage(slot, phase.open, now)
        : find(slot, phase.open.header, rules)
    case 'reads-names':
      return answer.kind === 'names' ? namesRead(slot, { header: phase.header, names: answer.names }, rules) : { slot }
    case 'takes':
      return {
        slot: at(slot, { kind: 'lets-others-take', header: phase.header, until: later(now, phase.header.allocateMs) }),
      }
    case 'reads-old':
      return answer.kind === 'message'
        ? oldRead(slot, { open: phase.open, received: answer.received }, rules)
        : { slot }
    case 'clears-old':
      return { ...cleared(slot, phase, now), cleared: phase.received }
    case 'notes':
      return { ...opened(slot, phase, now), has: phase.open.header.uuid }
    case 'reads-message':
      return answer.kind === 'message' ? messageRead(slot, { ...phase, received: answer.received }, now) : { slot }
    case 'reads-test':
      if (answer.kind !== 'message') return { slot }
      return answer.received.message === 'test'
        ? asks(slot, { ...phase, kind: 'clears-test' }, { kind: 'clear', ...phase.open })
        : { slot: rests(slot, now) }
    case 'clears-test':
      return { slot: rests(slot, now), answeredTest: true }
    case 'rests':
    case 'lets-others-take':
      return { slot }
    default:
      return assertNever(phase)
  }
}

// ------------------------------------------------------------------ finding or taking it

function headerRead(slot: OwnSlot, header: SbdHeader | undefined, rules: SlotRules): SlotTurn {
  if (header === undefined)
    return failed(slot, 'it is not initialized for SBD (systole stonith sbd device setup)', rules.now)
  const { open } = slot
  // Set up anew, it has no slot for this node, or another one.
  if (open === undefined || JSON.stringify(header) !== JSON.stringify(open.header)) return find(slot, header, rules)
  return asks(slot, { kind: 'checks-slot', open }, { kind: 'read-name', ...open })
}

/** Without a slot nobody can send a message that would count too soon. */
function find(slot: OwnSlot, header: SbdHeader, { misfit, now }: SlotRules): SlotTurn {
  const obstacle = misfit(header)
  if (obstacle === undefined) return readNames(slot, header)
  const { open: _given, ...rest } = slot
  return failed(rest, obstacle, now)
}

const readNames = (slot: OwnSlot, header: SbdHeader): SlotTurn =>
  asks(slot, { kind: 'reads-names', header }, { kind: 'read-names', header })

/** Several nodes may take the same one at once: whoever wrote last has it. */
function namesRead(
  slot: OwnSlot,
  { header, names }: { readonly header: SbdHeader; readonly names: readonly (string | undefined)[] },
  { node, now }: SlotRules,
): SlotTurn {
  const own = names.findIndex((name) => isSameName(name, node))
  if (own !== -1) {
    const open = { header, slot: own }
    return asks(slot, { kind: 'reads-old', open }, { kind: 'read-message', ...open })
  }
  const free = names.indexOf(undefined)
  if (free === -1) return failed(slot, `all of its ${header.slots} slots are taken`, now)
  return asks(slot, { kind: 'takes', header }, { kind: 'take', header, slot: free })
}

function oldRead(
  slot: OwnSlot,
  { open, received }: { readonly open: OpenSlot; readonly received: SlotMessage },
  { had, isCountedOn }: SlotRules,
): SlotTurn {
  const ends = endingOf(received) !== undefined
  if (received.message === 'clear' || (ends && had.has(open.header.uuid))) return note(slot, { open })
  const doubted = ends && isCountedOn
  return asks(slot, { kind: 'clears-old', open, received, doubted }, { kind: 'clear', ...open })
}

function cleared(
  slot: OwnSlot,
  { open, doubted }: Extract<SlotPhase, { kind: 'clears-old' }>,
  now: MonotonicMs,
): SlotTurn {
  return note(slot, { open, ...(doubted ? { provesFrom: later(now, open.header.msgwaitMs) } : {}) })
}

/** Without the note the next daemon of this boot would take a message for it for an old one. */
function note(slot: OwnSlot, given: Omit<Extract<SlotPhase, { kind: 'notes' }>, 'kind'>): SlotTurn {
  return asks(slot, { kind: 'notes', ...given }, { kind: 'note', uuid: given.open.header.uuid })
}

function opened(
  slot: OwnSlot,
  { open, provesFrom }: Extract<SlotPhase, { kind: 'notes' }>,
  now: MonotonicMs,
): SlotTurn {
  const has = { ...slot, open, ...(provesFrom === undefined ? {} : { provesFrom }) }
  return readMessage(has, open, now)
}

// ------------------------------------------------------------------ reading it

const readMessage = (slot: OwnSlot, open: OpenSlot, now: MonotonicMs): SlotTurn =>
  asks(slot, { kind: 'reads-message', open, at: now }, { kind: 'read-message', ...open })

function messageRead(
  slot: OwnSlot,
  { open, at: begun, received }: Extract<SlotPhase, { kind: 'reads-message' }> & { readonly received: SlotMessage },
  now: MonotonicMs,
): SlotTurn {
  const { error: _mended, ...works } = slot
  const proves = slot.provesFrom === undefined || begun >= slot.provesFrom
  const reading =
    proves || endingOf(received) !== undefined ? { reading: { header: open.header, received, at: begun } } : {}
  if (received.message === 'test')
    return { ...asks(works, { kind: 'reads-test', open }, { kind: 'read-message', ...open }), ...reading }
  return { slot: rests(works, now), ...reading }
}

// ------------------------------------------------------------------ what all have in common

function failed(slot: OwnSlot, why: string, now: MonotonicMs): SlotTurn {
  const { open, ...without } = slot
  const kept = slot.phase.kind === 'notes' || open === undefined ? without : slot
  return { slot: { ...rests(kept, now), error: why } }
}

function rests(slot: OwnSlot, now: MonotonicMs): OwnSlot {
  const { askedAt: _asked, ...rest } = slot
  return { ...rest, phase: { kind: 'rests', until: later(now, slot.open?.header.loopMs ?? retryMs) } }
}

const at = (slot: OwnSlot, phase: SlotPhase): OwnSlot => ({ ...slot, phase })

const asks = (slot: OwnSlot, phase: SlotPhase, request: SlotRequest): SlotTurn => ({ slot: at(slot, phase), request })

const later = (now: MonotonicMs, ms: number): MonotonicMs => monotonicMs(now + ms)
