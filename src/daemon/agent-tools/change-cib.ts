/**
 * A change of the CIB by a command: computed on what this node sees, saved if that is still what the store has, computed again on
 * the newer one otherwise. So a command that found something changes just that. The configuration is one record; of the recorded
 * state, transient attributes, tickets and what is left of nodes that are gone may be changed, each in its own record and all in one
 * transaction. A change of both saves the configuration first.
 */
import { longestAttributeName, longestName, type NodeName, tooLong } from '../../base/index.ts'
import { configurationElement, element, printXml, sameDocument, splitCib, type XmlElement } from '../../cib/index.ts'
import { type ClusterView, cibOfView } from '../../controller/index.ts'
import {
  changedHolds,
  contradictedHolds,
  describeHold,
  endsByRemoval,
  howToEnd,
  splitHolds,
  withoutHolds,
} from '../../holds/index.ts'
import { type Comparison, unchanged, type Write } from '../../store/index.ts'
import { type CibChange, refused, type ToolReply } from '../../tools/index.ts'
import type { GuardedCib } from '../access/guarded-cib.ts'
import { readConfigurationToPush, saveConfiguration } from '../configuration/configuration-edit.ts'
import { refuseUnfit } from '../records/fit-value.ts'
import { deleteHold, storedHolds, together } from '../records/hold-records.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { refuseManyAttributes, refuseManyTickets } from '../records/record-room.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { untilState } from '../shared-state/until-state.ts'

type SplitCib = ReturnType<typeof splitCib>

/** An agent's own time limit is longer. */
const seenTimeoutMs = 5000
const attempts = 10
const unsafe = 107

export async function changeCib(
  node: SharedState,
  change: CibChange,
  how: {
    readonly command: string
    readonly whole?: boolean
    /** It puts a document in the place of what is there: what that does not have of holds is no change of them. */
    readonly replaces?: boolean
    /** Who makes it, and on which node; root, and this one, where it is not said. */
    readonly by?: { readonly user: string; readonly node?: NodeName; readonly guarded?: GuardedCib }
  },
): Promise<ToolReply | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { view } = node
    const stored = view.stored?.cib
    if (stored === undefined) return refused(1, 'The cluster has no configuration yet. Try again.')
    const before = how.whole === true ? (cibOfView(view, node.quorate) ?? stored) : stored
    const made = await changedBesideHolds(node, { before, change, how })
    if ('exitCode' in made) return made
    const { after, released } = made
    const state = how.whole === true ? stateWrites(view, before, after) : []
    if ('exitCode' in state) return state
    const { command, by = { user: 'root' } } = how
    const outcome = await save(node, { before, after, stored, state, command, user: by.user, by: by.node ?? node.name })
    if (outcome === 'outdated' || !(await release(node, released))) continue
    return undefined
  }
  throw new Error('Other users keep changing the CIB. Try again.')
}

interface BesideHolds {
  readonly after: XmlElement
  /** Ids of holds that the change ends. */
  readonly released: readonly string[]
}

/**
 * Of holds nothing is stored, so that a change of what is composed of one ends it, or is refused with its remedy. A command that looks for what it changes (as
 * crm_standby does) changes what is stored, unless it would also change what is held: then it would not do what it says.
 */
async function changedBesideHolds(
  { view }: SharedState,
  asked: {
    readonly before: XmlElement
    readonly change: CibChange
    readonly how: {
      readonly whole?: boolean
      readonly replaces?: boolean
      readonly by?: { readonly guarded?: GuardedCib }
    }
  },
): Promise<BesideHolds | ToolReply> {
  const { before, change, how } = asked
  const composed = how.whole === true ? before : (view.configuration?.cib ?? before)
  const seen =
    view.holds.size === 0 || how.whole === true ? undefined : await changedBy(how.by?.guarded, composed, change)
  const after = await changedBy(how.by?.guarded, before, change)
  const meant = seen ?? after
  const changes = 'exitCode' in meant ? [] : changedHolds(composed, meant)
  const counted = changes.filter((one) => one.change === 'changed' || how.replaces !== true)
  const ended = counted.filter(endsByRemoval)
  const contradicted =
    'exitCode' in after || how.replaces === true || view.holds.size === 0
      ? []
      : contradictedHolds(splitHolds(composed).held, { before: withoutHolds(before), after: withoutHolds(after) })
  const [hold] = [...counted.filter((one) => !ended.includes(one)).map((one) => one.hold), ...contradicted]
  if (hold !== undefined) return refused(unsafe, `${describeHold(hold)}. ${howToEnd(hold)}`)
  if ('exitCode' in after && ended.length === 0) return after
  return { after: 'exitCode' in after ? before : after, released: ended.map(({ hold }) => hold.id) }
}

/** False where one of them has changed meanwhile. */
async function release(node: SharedState, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return true
  const stored = (await storedHolds(node.store)).filter(({ hold }) => hold !== undefined && ids.includes(hold.id))
  const { applied, revision } = await node.store.transaction(together(stored.map(deleteHold)))
  await untilState(node, () => node.view.revision >= revision, seenTimeoutMs)
  return applied
}

/** Somebody with roles changes what is shown to him. */
async function changedBy(
  guarded: GuardedCib | undefined,
  whole: XmlElement,
  change: CibChange,
): Promise<XmlElement | ToolReply> {
  if (guarded === undefined) return change(whole)
  const shown = await guarded.see(whole)
  const after = change(shown.cib)
  return 'exitCode' in after ? after : await guarded.changed(whole, shown, after)
}

async function save(
  node: SharedState,
  change: {
    readonly before: XmlElement
    readonly after: XmlElement
    readonly stored: XmlElement
    readonly state: readonly StateWrite[]
    readonly command: string
    readonly user: string
    readonly by: NodeName
  },
): Promise<'saved' | 'outdated'> {
  const { before, after, stored, command, user, by } = change
  const version = node.view.configuration?.version ?? 0
  if (changesConfiguration(before, after)) {
    // What the cluster itself says in the root element is not the configuration's.
    const { 'have-quorum': _, 'dc-uuid': __, ...attributes } = after.attributes
    const cib = element('cib', { ...stored.attributes, ...attributes }, [configurationElement(after)])
    const read = readConfigurationToPush(printXml(cib))
    const pushed = await saveConfiguration(node, { ...read, expectedVersion: version, user, by, command })
    await untilState(node, () => (node.view.configuration?.version ?? 0) >= pushed.version, seenTimeoutMs)
    if (pushed.kind !== 'saved') return 'outdated'
  }
  return change.state.length === 0 ? 'saved' : await saveState(node, change.state)
}

function changesConfiguration(whole: XmlElement, changed: XmlElement): boolean {
  const [before, after] = [withoutHolds(whole), withoutHolds(changed)]
  const written = ({ attributes }: XmlElement): readonly (string | undefined)[] => [
    attributes['validate-with'],
    attributes.epoch,
    attributes.admin_epoch,
  ]
  const [old, current] = [written(before), written(after)]
  return (
    old.some((value, i) => value !== current[i]) ||
    !sameDocument(configurationElement(before), configurationElement(after))
  )
}

interface StateWrite {
  readonly key: string
  /** As this node saw it; undefined where there was nothing. */
  readonly before: unknown
  /** Undefined deletes it. */
  readonly after: unknown
}

/** What differs, record by record; or why the difference is none that a command may make. */
function stateWrites(view: ClusterView, before: XmlElement, after: XmlElement): readonly StateWrite[] | ToolReply {
  const [old, current] = [splitCib(before), splitCib(after)]
  const known = new Map<string, unknown>([...view.attributes, ...view.operations])
  for (const [id, ticket] of view.tickets) known.set(keys.ticket(id), ticket)
  for (const [node, state] of view.nodeStates) known.set(keys.nodeState(node), state)
  const writes = [
    ...differences(old.transientAttributes, current.transientAttributes, ({ node, set, name }) =>
      keys.attribute(node, set, name),
    ),
    ...differences(old.tickets, current.tickets, ({ id }) => keys.ticket(id)),
    ...differences(old.operations, current.operations, ({ node, resource, recordId }) =>
      keys.history(node, resource, recordId),
    ),
    ...differences(old.nodeStates, current.nodeStates, ({ node }) => keys.nodeState(node)),
  ]
  const states = new Set([...old.nodeStates, ...current.nodeStates].map(({ node }) => keys.nodeState(node)))
  const members = new Set([...view.members.keys()].map((node) => keys.nodeState(node)))
  const forbidden = writes.find(({ key, after: value }) => states.has(key) && (value !== undefined || members.has(key)))
  if (forbidden !== undefined)
    return refused(
      unsafe,
      'Node state is recorded by the cluster and cannot be written. Only the leftover state of a removed node can be deleted.',
    )
  const sentence = tooLongIn(old, current)
  if (sentence !== undefined) return refused(unsafe, sentence)
  for (const { key, after: record } of writes)
    for (const [name, value] of Object.entries(record ?? {}))
      refuseUnfit({ 'The name of a record': key, [`The ${name} of a record`]: typeof value === 'string' ? value : '' })
  refuseManyAttributes(old.transientAttributes, current.transientAttributes)
  refuseManyTickets(old.tickets, current.tickets)
  return writes.map((write) => ({ ...write, before: known.get(write.key) }))
}

/** Names that this change brings in: of what was there before, nobody is told here. */
function tooLongIn(before: SplitCib, after: SplitCib): string | undefined {
  const sentences = ({ tickets, transientAttributes }: SplitCib): readonly (string | undefined)[] => [
    ...tickets.map(({ id }) => tooLong('name of the ticket', id, longestName)),
    ...transientAttributes.map(({ name }) => tooLong('name of the node attribute', name, longestAttributeName)),
  ]
  const known = new Set(sentences(before))
  return sentences(after).find((sentence) => sentence !== undefined && !known.has(sentence))
}

function differences<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): readonly { readonly key: string; readonly after: Item | undefined }[] {
  const text = (item: Item): string => JSON.stringify(item)
  const old = new Map(before.map((item) => [keyOf(item), text(item)]))
  const current = new Map(after.map((item) => [keyOf(item), item]))
  return [
    ...[...current].filter(([key, item]) => old.get(key) !== text(item)).map(([key, item]) => ({ key, after: item })),
    ...[...old.keys()].filter((key) => !current.has(key)).map((key) => ({ key, after: undefined })),
  ]
}

/** Nothing is written unless the store still has all that this node saw. */
async function saveState(node: SharedState, writes: readonly StateWrite[]): Promise<'saved' | 'outdated'> {
  const compare: Comparison[] = []
  for (const { key, before } of writes) {
    const entry = await node.store.get(key)
    const isSeen = sameRecord(entry === undefined ? undefined : fromBytes(entry.value), before)
    if (!isSeen) {
      const revision = entry?.modRevision ?? node.view.revision + 1
      await untilState(node, () => node.view.revision >= revision, seenTimeoutMs)
      return 'outdated'
    }
    compare.push(unchanged(key, entry))
  }
  const made = writes.map(
    ({ key, after }): Write =>
      after === undefined ? { kind: 'delete', key } : { kind: 'put', key, value: toBytes(after) },
  )
  const { applied, revision } = await node.store.transaction({ compare, writes: made })
  await untilState(node, () => node.view.revision >= revision, seenTimeoutMs)
  return applied ? 'saved' : 'outdated'
}

/** The order of the members apart. */
function sameRecord(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), Object.entries(b)].map((pairs) =>
    pairs.filter(([, value]) => value !== undefined),
  )
  const others = new Map(right ?? [])
  return left?.length === right?.length && (left ?? []).every(([name, value]) => sameRecord(value, others.get(name)))
}
