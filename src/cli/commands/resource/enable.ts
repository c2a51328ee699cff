import {
  disableResources,
  type EditResult,
  enableResources,
  findResource,
  manageResources,
  sameDocument,
  unmanageResources,
  withoutTags,
  type XmlElement,
} from '../../../cib/index.ts'
import { describeHold, holdsIn, howToEnd, withoutHolds } from '../../../holds/index.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import type { Notice } from '../../call/message.ts'
import { type Change, changeCib, idsWithin } from '../../change/change.ts'
import { takesLastFencing } from '../../change/fencing-left.ts'
import type { PlannedAction } from '../../change/planned-actions.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

const safeFlags = [
  ...changeFlags,
  { name: 'safe', summary: 'Refuse if other resources would be affected' },
  { name: 'no-strict', summary: 'With --safe: allow other resources to be moved or restarted, but not stopped' },
  { name: 'simulate', summary: 'The same as --preview' },
  {
    name: 'brief',
    summary: 'Without effect, accepted for compatibility with pcs: the output is always one line for each resource',
    withoutEffect: 'the output is always one line for each resource.',
  },
]
const monitorFlags = [...changeFlags, { name: 'monitor', summary: 'Also switch the monitors on or off' }]

export const resourceEnable: Command = {
  path: ['resource', 'enable'],
  aliases: [
    ['resource', 'start'],
    ['stonith', 'enable'],
  ],
  usage: '<resource | tag>... [--wait[=<seconds>]]',
  summary: 'Allow the cluster to start resources',
  flags: changeFlags,
  completes: ['resource'],
  run: async (call) => {
    await refuseHeld(call)
    return await change(call, (cib) => enableResources(cib, { ids: withoutTags(cib, call.words) }), 'enabled')
  },
}

export const resourceDisable: Command = {
  path: ['resource', 'disable'],
  aliases: [
    ['resource', 'stop'],
    ['stonith', 'disable'],
  ],
  usage: '<resource | tag>... [--safe] [--wait[=<seconds>]]',
  summary: 'Stop resources and keep them stopped',
  flags: safeFlags,
  completes: ['resource'],
  run: (call) => {
    const flags = call.flags.has('simulate') ? new Map([...call.flags, ['preview', true] as const]) : call.flags
    return change(
      { ...call, flags },
      (cib) => disableResources(cib, { ids: withoutTags(cib, call.words) }),
      'disabled',
      call.flags.has('safe') ? (_before, _edited, actions) => othersAffected(call, actions) : undefined,
    )
  },
}

export const resourceSafeDisable: Command = {
  path: ['resource', 'safe-disable'],
  usage: '<resource | tag>... [--no-strict] [--simulate] [--wait[=<seconds>]] [--force]',
  summary: 'Stop resources and keep them stopped, if no other resource is affected',
  flags: safeFlags.map((flag) => (flag.name === 'safe' ? { ...flag, withoutEffect: 'this is the default.' } : flag)),
  completes: ['resource'],
  run: (call) => resourceDisable.run({ ...call, flags: new Map([...call.flags, ['safe', true] as const]) }),
}

export const resourceManage: Command = {
  path: ['resource', 'manage'],
  usage: '<resource | tag>... [--monitor]',
  summary: 'Allow the cluster to manage resources again',
  flags: monitorFlags,
  completes: ['resource'],
  run: (call) =>
    change(
      call,
      (cib) => manageResources(cib, { ids: withoutTags(cib, call.words), monitors: call.flags.has('monitor') }),
      'managed',
    ),
}

export const resourceUnmanage: Command = {
  path: ['resource', 'unmanage'],
  usage: '<resource | tag>... [--monitor]',
  summary: 'Unmanage resources: the cluster does not start, stop or move them',
  flags: monitorFlags,
  completes: ['resource'],
  run: (call) =>
    change(
      call,
      (cib) => unmanageResources(cib, { ids: withoutTags(cib, call.words), monitors: call.flags.has('monitor') }),
      'unmanaged',
    ),
}

/** Where only holds keep them stopped there is nothing to change, and its end is not this command's. */
async function refuseHeld(call: Call): Promise<void> {
  if (call.cluster.live === undefined) return
  const { cib } = await call.cluster.readCib()
  const named = new Set(withoutTags(cib, call.words))
  const held = holdsIn(cib).filter(({ kind, resource }) => kind === 'disable' && named.has(resource ?? ''))
  if (held.length === 0) return
  const own = withoutHolds(cib)
  const made = enableResources(own, { ids: withoutTags(own, call.words) })
  if (made.ok && sameDocument(made.value.cib, own))
    throw new Refusal(...held.map((hold) => `${describeHold(hold)}. ${howToEnd(hold)}`))
}

async function change(
  call: Call,
  edit: (cib: XmlElement) => EditResult,
  what: string,
  needsForce?: Change['needsForce'],
): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, usage: `${call.command.path.join(' ')} ${call.command.usage}` })
  return await changeCib(call, {
    edit,
    message: () => `${call.words.join(', ')}: ${what}.`,
    advisesAgainst: (before, after) => takesLastFencing(call, before, after),
    notices: ({ cib }) => (/abled$/.test(what) ? unmanaged(call, cib) : []),
    ...(needsForce ? { needsForce } : {}),
  })
}

/** What is enabled or disabled and stays as it is. */
function unmanaged(call: Call, cib: XmlElement): readonly Notice[] {
  const primitives = [...statusOf(call, cib).primitivesById.values()].filter(({ state }) => !state.managed)
  const isUnmanaged = (id: string): boolean => {
    const within = idsWithin(findResource(cib, id))
    return primitives.some(({ configuredId }) => within.includes(configuredId))
  }
  const ids = withoutTags(cib, call.words).filter(isUnmanaged)
  return ids.length === 0 ? [] : [{ code: 'unmanaged', ids }]
}

/** pcs's --safe: nothing but the named resources may stop; with --no-strict, others may move or restart. */
function othersAffected(call: Call, actions: readonly PlannedAction[]): readonly string[] {
  const harmless = call.flags.has('no-strict') ? ['start', 'move', 'restart', 'reload', 'promote'] : ['start']
  return actions
    .filter(
      ({ resource, kind }) => resource !== undefined && !call.words.includes(resource) && !harmless.includes(kind),
    )
    .map(({ text }) => `Disabling ${call.words.join(', ')} would also: ${text.trim()}.`)
}
