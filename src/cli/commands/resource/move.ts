/**
 * `move`, `ban`, `clear`. A move is a preference that is held until the resource has moved, and that ends with this process:
 * what is left behind by moves is what administrators suffer from most.
 */
import { parseDurationMs } from '../../../base/index.ts'
import {
  banNode,
  type ConstraintOrigin,
  clearCliConstraints,
  type EditResult,
  enclosingClone,
  findResource,
  isSecretName,
  parseBoolean,
  preferNode,
  type Role,
  writtenValue,
  type XmlElement,
} from '../../../cib/index.ts'
import { describeHold, holdsIn, howToEnd } from '../../../holds/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, done, type Outcome, Refusal } from '../../call/command.ts'
import { applyChange, type Changed, changeCib, concernedBy, idsWithin, previewed } from '../../change/change.ts'
import type { WantedHold } from '../../change/kept-holds.ts'
import { afterwards, type PlannedAction, plannedActions } from '../../change/planned-actions.ts'
import { waitUntilSettled, withoutInstance } from '../../change/wait.ts'
import { promotedLocations, resourceLocations } from '../../facts/locations.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'
import { HeldMove } from './held-move.ts'
import { describeLocation, locationsOf, type Move, type Moving, whyNotMoved } from './moved.ts'

/** In a file, and while older versions take part, a preference ends after this time. */
const leaseMinutes = 15

const promotedFlag = { name: 'promoted', summary: 'Only the promoted role' }
const masterFlag = { name: 'master', summary: 'The same as --promoted' }

export const resourceMove: Command = {
  path: ['resource', 'move'],
  aliases: [['resource', 'migrate']],
  usage: '<resource> [<node>] [--promoted] [--wait[=<seconds>]]',
  summary: 'Move a resource to a node, or away from its current node, without leaving a constraint',
  details:
    'The resource stays there as long as its stickiness outweighs its preference for other nodes. A move that would be undone at once is refused.',
  flags: [
    ...changeFlags,
    promotedFlag,
    masterFlag,
    { name: 'strict', summary: 'Refuse if other resources would be affected' },
  ],
  completes: ['resource', 'node'],
  run: (call) => move(call),
}

async function move(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 2, usage: 'resource move <resource> [<node>]' })
  const [resource = '', node] = call.words
  await refusePart(call, resource)
  const { cib } = await call.cluster.readCib()
  const exists = findResource(cib, resource) !== undefined
  const role = roleOf(call)
  const current = exists ? locationsOf({ resource, role }, cib, call.terminal.now()) : []
  if (exists && node === undefined && current.length === 0)
    throw new Refusal({
      own: `'${resource}' is not ${role === undefined ? 'running' : 'promoted anywhere'}. Specify the node to move it to.`,
      about: { code: 'runs-nowhere' },
    })
  const constraint = {
    resource,
    ...(role === undefined ? {} : { role }),
    until: new Date(call.terminal.now().getTime() + leaseMinutes * 60_000).toISOString(),
    origin: origin(call),
  }
  const target = node ?? ''
  const edit = (document: XmlElement): EditResult =>
    node === undefined
      ? banNode(document, { ...constraint, node: current[0] ?? '' })
      : moveTo(call, document, { ...constraint, node }, current)
  if (node !== undefined && current.length === 1 && current[0] === node)
    return done(`${resource} already ${role === undefined ? 'runs' : 'is promoted'} on ${node}.\n`, {
      resource,
      node,
      moved: false,
    })
  const held = new HeldMove(call, (made) => wantedHold(made, { resource, node, from: current[0], role }))
  const changed = await applyChange(held.call, {
    edit,
    message: () => `${resource} moves ${node === undefined ? `away from ${current[0] ?? ''}` : `to ${node}`}.`,
    needsForce: (_before, edited, actions) => [
      ...(call.flags.has('strict') ? othersAffected(resource, edited.cib, actions) : []),
      ...(current.length === 0 ? [] : staysAway(call, { resource, role, edited: edited.cib, target })),
      ...returnsAtOnce(call, { resource, edited: edited.cib, target }),
    ],
  })
  if (changed.version === undefined) return previewed(changed, { message: changed.message, actions: changed.actions })
  if (!call.cluster.live)
    return done(`${changed.message}\n`, { message: changed.message, actions: changed.actions, preview: false })
  const asked = { resource, role, node, from: current, before: cib }
  return await settleAndClear(call, { changed, held, asked, version: changed.version, message: changed.message })
}

/** A preference for the node that was typed, or a ban from where it runs. */
function wantedHold(
  { attributes: { id = '' } }: XmlElement,
  move: {
    readonly resource: string
    readonly node: string | undefined
    readonly from: string | undefined
    readonly role: Role | undefined
  },
): WantedHold | undefined {
  const { resource, role } = move
  const kind = id.startsWith('cli-prefer-') ? 'prefer' : 'ban'
  const node = kind === 'prefer' ? move.node : move.from
  return node === undefined ? undefined : { kind, resource, node, ...(role !== undefined && { role }) }
}

/** pcs's --strict: nothing happens to what is not moved. */
function othersAffected(resource: string, cib: XmlElement, actions: readonly PlannedAction[]): readonly string[] {
  const moved = findResource(cib, resource)
  const own = new Set(moved === undefined ? [resource] : idsWithin(moved))
  return actions
    .filter((action) => action.resource !== undefined && !own.has(withoutInstance(action.resource)))
    .map(({ text }) => `Moving ${resource} would also: ${text.trim()}.`)
}

/**
 * Prefers the node; where that does not bring the resource there, as with a resource-stickiness of INFINITY, it is banned from
 * where it runs as well. Whoever types a move means it.
 */
function moveTo(
  call: Call,
  document: XmlElement,
  constraint: Parameters<typeof preferNode>[1],
  current: readonly string[],
): EditResult {
  const preferred = preferNode(document, constraint)
  const [from, other] = current
  if (!preferred.ok || from === undefined || other !== undefined) return preferred
  if (reaches(call, preferred.value.cib, constraint)) return preferred
  const banned = banNode(preferred.value.cib, { ...constraint, node: from })
  return banned.ok && reaches(call, banned.value.cib, constraint) ? banned : preferred
}

function reaches(
  call: Call,
  cib: XmlElement,
  { resource, role, node }: { readonly resource: string; readonly role?: Role | undefined; readonly node: string },
): boolean {
  const now = call.terminal.now()
  return locationsOf({ resource, role }, afterwards(cib, now), now).includes(node)
}

/** A move that other constraints do not allow must not be told as one. */
function staysAway(
  call: Call,
  moved: Moving & { readonly edited: XmlElement; readonly target: string },
): readonly string[] {
  const { resource, role, edited, target } = moved
  if (target === '' || reaches(call, edited, { resource, role, node: target })) return []
  const held = holdsIn(edited).find(({ kind, node }) => node === target && (kind === 'drain' || kind === 'standby'))
  if (held !== undefined)
    return [`${resource} would not move to ${target}: ${describeHold(held)}. ${howToEnd(held).replace(/\.?$/, '.')}`]
  return [
    `${resource} would not move to ${target}: another score outweighs the move. 'systole why ${resource}' shows the scores.`,
  ]
}

/** The constraint goes whether the move has worked or not: a move that is blocked now must not happen by surprise later. */
async function settleAndClear(
  call: Call,
  moved: {
    readonly changed: Changed
    readonly held: HeldMove
    readonly asked: Move
    readonly version: number
    readonly message: string
  },
): Promise<Outcome> {
  const settled = await waitUntilSettled(call, {
    wait: call.flags.get('wait') ?? true,
    version: moved.version,
    ...moved.held.revision,
    concerned: concernedBy(call, moved.changed),
  }).catch((error: unknown) => ({
    settled: false,
    message: error instanceof Error ? error.message : String(error),
  }))
  const released = await moved.held.release()
  const flags = new Map([...call.flags].filter(([name]) => name !== 'preview').concat([['force', true]]))
  const cleared = await applyChange(
    { ...call, flags },
    {
      edit: (cib) => clearCliConstraints(cib, { resource: moved.asked.resource }),
      message: () => 'The temporary constraint was removed.',
    },
  )
  const after =
    cleared.version === undefined
      ? settled
      : await waitUntilSettled(call, {
          wait: true,
          version: cleared.version,
          ...released,
          concerned: concernedBy(call, moved.changed),
        })
  const { cib } = await call.cluster.readCib()
  const now = call.terminal.now()
  const nodes = locationsOf(moved.asked, cib, now)
  const missed = settled.settled ? whyNotMoved(moved.asked, cib, now) : undefined
  const message = missed === undefined ? settled.message : `${settled.message} ${missed}`
  const facts = {
    resource: moved.asked.resource,
    nodes,
    moved: whyNotMoved(moved.asked, cib, now) === undefined,
    settled: settled.settled && after.settled,
    message,
  }
  const text = `${moved.message} ${message}\n${describeLocation(moved.asked, nodes)}\n`
  return done(text, facts, settled.settled && missed === undefined ? 0 : 1)
}

/** Whether it would go back once the preference is gone: simulated from the state after the move. */
function returnsAtOnce(
  call: Call,
  moved: { readonly resource: string; readonly edited: XmlElement; readonly target: string },
): readonly string[] {
  const after = afterwards(moved.edited, call.terminal.now())
  const cleared = clearCliConstraints(after, { resource: moved.resource })
  if (!cleared.ok) return []
  const back = plannedActions(after, cleared.value.cib, call.terminal.now()).filter(
    ({ resource }) => resource === moved.resource,
  )
  if (back.length === 0) return []
  return [
    `${moved.resource} would not stay${moved.target === '' ? '' : ` on ${moved.target}`}: ${back.map(({ text }) => text.trim()).join('; ')}. Raise its resource-stickiness or set a location constraint.`,
  ]
}

export const resourceBan: Command = {
  path: ['resource', 'ban'],
  usage: '<resource> [<node>] [--promoted] [lifetime=<duration>] [--wait[=<seconds>]]',
  summary: 'Ban a resource from a node until the ban is cleared or its lifetime ends',
  details:
    'The default node is the one where the resource runs. The ban records who created it and when. `resource clear` removes it.',
  examples: ['systole resource ban web n2 lifetime=1h'],
  flags: [...changeFlags, promotedFlag, masterFlag],
  completes: ['resource', 'node'],
  run: async (call) => {
    const pairs = parsePairs(
      call.words.filter((word) => word.startsWith('lifetime=')),
      'options',
    )
    const words = call.words.filter((word) => !word.startsWith('lifetime='))
    expectWords(words, { atLeast: 1, atMost: 2, usage: 'resource ban <resource> [<node>] [lifetime=<duration>]' })
    const [resource = ''] = words
    await refuseBan(call, resource)
    const node = words[1] ?? (await onlyNode(call, resource))
    const lifetime = pairs.get('lifetime')
    const until = hasLifetime(call, lifetime) ? endOfLifetime(lifetime, call.terminal.now()) : undefined
    const role = roleOf(call)
    return await changeCib(call, {
      edit: (cib) =>
        banNode(cib, {
          resource,
          node,
          origin: origin(call),
          ...(role === undefined ? {} : { role }),
          ...(until === undefined ? {} : { until }),
        }),
      notices: ({ created }) => [
        { code: 'banned', constraint: created[0] ?? '', resource, node, promoted: call.flags.has('promoted') },
      ],
      message: () =>
        `${resource} is banned from ${node}${until === undefined ? " until 'systole resource clear'" : ` until ${until}`}.`,
      facts: ({ created }) => ({ created, node, ...(until === undefined ? {} : { until }) }),
    })
  },
}

/** pcs bans what is inside a clone by its own id, as long as no role is meant. */
async function refuseBan(call: Call, id: string): Promise<void> {
  const { cib } = await call.cluster.readCib()
  const isCloned = ['clone', 'master'].includes(enclosingClone(cib, id)?.name ?? '')
  if (!(judgesAsPcs(call.speech) && isCloned && roleOf(call) === undefined)) await refusePart(call, id)
}

/**
 * Clones and bundles move as a whole: a constraint on what is inside them says nothing. Only what can be promoted has a promoted role;
 * a bundle has what it holds.
 */
export async function refusePart(call: Call, id: string): Promise<void> {
  const { cib } = await call.cluster.readCib()
  const outer = enclosingClone(cib, id)
  if (outer !== undefined) {
    const kind = outer.name === 'bundle' ? 'bundle' : 'clone'
    throw new Refusal(
      `'${id}' is inside the ${kind} '${outer.attributes.id}'. Specify '${outer.attributes.id}' instead.`,
    )
  }
  const resource = findResource(cib, id)
  if (roleOf(call) === undefined || resource === undefined || resource.name === 'bundle') return
  const isPromotable =
    resource.name === 'master' ||
    (resource.name === 'clone' && parseBoolean(writtenValue(resource, 'meta_attributes', 'promotable')) === true)
  if (!isPromotable) throw new Refusal(`'${id}' is not a promotable clone and has no promoted role. Omit --promoted.`)
}

/** Where it runs, if that is one node; of a clone with one promoted instance, the node of that. */
async function onlyNode(call: Call, resource: string): Promise<string> {
  const { cib } = await call.cluster.readCib()
  const now = call.terminal.now()
  const [node, other] = findResource(cib, resource) ? resourceLocations(cib, resource, now) : []
  if (node !== undefined && other === undefined) return node
  const [promoted, another] = node === undefined ? [] : promotedLocations(cib, resource, now)
  if (promoted !== undefined && another === undefined) return promoted
  if (!findResource(cib, resource))
    throw new Refusal({
      own: `There is no resource '${resource}'.`,
      about: { code: 'resource-not-found', id: resource, similar: [] },
    })
  throw new Refusal({
    own:
      node === undefined
        ? `'${resource}' is not running. Specify the node to ban it from.`
        : `'${resource}' runs on several nodes. Specify the node to ban it from.`,
    about: { code: 'runs-nowhere' },
  })
}

/** An empty one is none to pcs. */
export const hasLifetime = (call: Call, lifetime: string | undefined): lifetime is string =>
  lifetime !== undefined && !(lifetime === '' && judgesAsPcs(call.speech))

export function endOfLifetime(lifetime: string, now: Date): string {
  const durationMs = parseDurationMs(lifetime)
  if (durationMs !== undefined) return asPacemakerWrites(new Date(now.getTime() + durationMs))
  const moment = Date.parse(lifetime)
  if (!Number.isNaN(moment)) return asPacemakerWrites(new Date(moment))
  throw new Refusal(`'${lifetime}' is not a lifetime. Specify a duration such as 1h or PT30M, or a date.`)
}

/** `2026-11-23 16:15:45Z`. */
const asPacemakerWrites = (moment: Date): string =>
  moment
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')

export const resourceClear: Command = {
  path: ['resource', 'clear'],
  aliases: [
    ['resource', 'unmigrate'],
    ['resource', 'unmove'],
  ],
  usage: '<resource> [<node>] [--promoted] [--expired] [--wait[=<seconds>]]',
  summary: 'Remove the constraints that moves and bans created',
  flags: [
    ...changeFlags,
    promotedFlag,
    masterFlag,
    { name: 'expired', summary: 'Only remove constraints whose lifetime has ended' },
  ],
  completes: ['resource', 'node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 2, usage: 'resource clear <resource> [<node>]' })
    const [resource = '', node] = call.words
    const role = roleOf(call)
    const ended = await endHolds(call, { resource, node, role })
    return await changeCib(call, {
      edit: (cib) =>
        clearCliConstraints(cib, {
          resource,
          ...(node === undefined ? {} : { node }),
          ...(role === undefined ? {} : { role }),
          ...(call.flags.has('expired') ? { expiredAt: call.terminal.now().toISOString() } : {}),
        }),
      notices: ({ removed }) =>
        removed.length === 0 ? [] : [{ code: 'constraint-cleared', ids: removed.map(({ id }) => id).sort() }],
      message: ({ removed }) =>
        removed.length + ended.length === 0
          ? 'There is nothing to clear.'
          : `Removed: ${[...removed.map(({ id }) => id), ...ended].join(', ')}.`,
      facts: ({ removed }) => ({ removed, released: ended }),
    })
  },
}

/** Whoever clears what moves have left means also those that are under way. */
async function endHolds(
  call: Call,
  which: { readonly resource: string; readonly node: string | undefined; readonly role: Role | undefined },
): Promise<readonly string[]> {
  const { live } = call.cluster
  if (live === undefined || call.flags.has('expired') || call.flags.has('preview')) return []
  const held = holdsIn((await call.cluster.readCib()).cib).filter(
    ({ kind, resource, node, role }) =>
      (kind === 'ban' || kind === 'prefer') &&
      resource === which.resource &&
      (which.node === undefined || node === which.node) &&
      (which.role === undefined || role === which.role),
  )
  if (held.length === 0) return []
  const ids = held.map(({ id }) => id)
  const { holds } = await live.releaseHolds({ ids, force: true, user: call.terminal.user })
  return holds.map(({ id }) => id)
}

function origin(call: Call): ConstraintOrigin {
  const command = call.typed(isSecretName).replace(/^\S+ /, '')
  return { author: call.terminal.user, time: call.terminal.now().toISOString(), command }
}

function roleOf(call: Call): Role | undefined {
  return call.flags.has('promoted') || call.flags.has('master') ? 'Promoted' : undefined
}
