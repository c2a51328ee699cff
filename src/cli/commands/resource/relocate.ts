/** `resource relocate`: resources go where they would be placed if they did not prefer to stay where they are. */
import {
  addRelocations,
  childElement,
  clearRelocations,
  type Relocation,
  readConfiguration,
  topLevelOf,
  withoutStickiness,
  type XmlElement,
} from '../../../cib/index.ts'
import { type Call, type Command, changeFlags, done, type Outcome } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { applyChange, changeCib, editedOrRefused, previewed } from '../../change/change.ts'
import { type PlannedAction, plannedActions, printPlannedActions } from '../../change/planned-actions.ts'
import { waitUntilSettled, withoutInstance } from '../../change/wait.ts'
import { resourceLocations } from '../../facts/locations.ts'
import { expectWords } from '../../grammar/words.ts'
import { HeldMove } from './held-move.ts'

/** While older versions take part, a constraint ends after this time. */
const leaseMinutes = 15

/** pcs prints nothing then. */
const nothingToSay = ({ speech }: Call): string => (speech.program === 'pcs' ? '' : nothing)
const nothing = 'Every resource already runs where it would run without stickiness.\n'

export const resourceRelocateShow: Command = {
  path: ['resource', 'relocate', 'show'],
  usage: '',
  summary: 'Show where resources would run without stickiness',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'resource relocate show' })
    const { actions } = await relocations(call)
    return done(actions.length === 0 ? nothingToSay(call) : printPlannedActions(actions), { actions })
  },
}

export const resourceRelocateDryRun: Command = {
  path: ['resource', 'relocate', 'dry-run'],
  usage: '[<resource>...]',
  summary: 'Show which resources relocate run would move, and where',
  completes: ['resource'],
  run: async (call) => {
    const { moves } = await relocations(call)
    return done(moves.length === 0 ? nothingToSay(call) : moves.map((move) => `${describe(move)}\n`).join(''), {
      moves,
    })
  },
}

export const resourceRelocateRun: Command = {
  path: ['resource', 'relocate', 'run'],
  usage: '[<resource>...] [--preview]',
  summary: 'Move resources to where they would run without stickiness, without leaving constraints',
  details: "Works like 'resource move': each resource is held on its node until it has moved.",
  flags: changeFlags,
  completes: ['resource'],
  run: (call) => relocate(call),
}

export const resourceRelocateClear: Command = {
  path: ['resource', 'relocate', 'clear'],
  usage: '',
  summary: "Remove the constraints that an interrupted 'relocate run' left behind",
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'resource relocate clear' })
    return await changeCib(call, {
      edit: clearRelocations,
      message: ({ removed }) =>
        removed.length === 0 ? 'There is nothing to clear.' : `Removed: ${removed.map(({ id }) => id).join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

async function relocations(
  call: Call,
): Promise<{ readonly moves: readonly Relocation[]; readonly actions: readonly PlannedAction[] }> {
  const { cib } = await call.cluster.readCib()
  const resources = call.words.length > 0 ? call.words : readConfiguration(cib).resources.map(({ id }) => String(id))
  const free = editedOrRefused(withoutStickiness(cib, { resources })).cib
  const actions = plannedActions(cib, free, call.terminal.now())
  return { actions, moves: movesOf(cib, actions) }
}

/** A member of a group takes the group along, and an instance its clone. */
function movesOf(cib: XmlElement, actions: readonly PlannedAction[]): readonly Relocation[] {
  const configuration = readConfiguration(cib)
  const moves = actions.flatMap(({ kind, resource, node }): readonly Relocation[] => {
    const top = resource === undefined ? undefined : topLevelOf(configuration, withoutInstance(resource))
    if (top === undefined || node === undefined) return []
    if (kind === 'promote') return [{ resource: top, node, role: 'Promoted' }]
    return kind === 'move' || kind === 'migrate' ? [{ resource: top, node }] : []
  })
  return moves.filter((move, index) => moves.findIndex((other) => describe(other) === describe(move)) === index)
}

function describe({ resource, node, role }: Relocation): string {
  return `${resource} prefers ${node}${role === undefined ? '' : ` for the role ${role}`}`
}

async function relocate(call: Call): Promise<Outcome> {
  if (!call.flags.has('preview')) liveCluster(call)
  const { moves } = await relocations(call)
  if (moves.length === 0) return done(nothing, { moves })
  const until = new Date(call.terminal.now().getTime() + leaseMinutes * 60_000).toISOString()
  const held = new HeldMove(call, (made) => {
    const role = childElement(made, 'rule')?.attributes.role
    const move = moves.find((one) => one.resource === made.attributes.rsc && one.role === role)
    return move && { kind: 'prefer', ...move }
  })
  const changed = await applyChange(held.call, {
    edit: (cib) => addRelocations(cib, { relocations: moves, until }),
    message: () => `${moves.map(describe).join('; ')}.`,
  })
  if (changed.version === undefined) return previewed(changed, { moves })
  const concerned = new Set(moves.map(({ resource }) => resource))
  const wait = call.flags.get('wait') ?? true
  const settled = await waitUntilSettled(call, { wait, version: changed.version, ...held.revision, concerned }).catch(
    (error: unknown) => ({ settled: false, message: error instanceof Error ? error.message : String(error) }),
  )
  const released = await held.release()
  // They go whether all have moved or not: a move that is blocked now must not happen by surprise later.
  const flags = new Map(call.flags).set('force', true)
  const cleared = await applyChange(
    { ...call, flags },
    { edit: clearRelocations, message: () => 'Constraints removed.' },
  )
  if (cleared.version !== undefined)
    await waitUntilSettled(call, { wait: true, version: cleared.version, ...released, concerned })
  const { cib } = await call.cluster.readCib()
  const places = [...concerned].map((resource) => ({
    resource,
    nodes: resourceLocations(cib, resource, call.terminal.now()),
  }))
  const where = places.map(
    ({ resource, nodes }) => `${resource} ${nodes.length === 0 ? 'runs nowhere' : `runs on ${nodes.join(', ')}`}.\n`,
  )
  return done(
    `${settled.message}\n${where.join('')}`,
    { moves, places, settled: settled.settled },
    settled.settled ? 0 : 1,
  )
}
