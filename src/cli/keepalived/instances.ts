/** One keepalived.conf as what it means to the cluster: units that are on one node together, their checks, and the priority of this host for each. */
import { addressMember, idOf, type Member, routeMember } from './addresses.ts'
import { ofProcesses } from './keywords.ts'
import type { Notes } from './notes.ts'
import type { Statement } from './read-blocks.ts'
import { type Check, interfaceCheck, processCheck, scriptCheck, type Track, tracksOf } from './tracks.ts'

/** A VRRP instance, or a sync group, whose instances change together. */
export interface Unit {
  readonly id: string
  readonly place: string
  readonly members: readonly Member[]
  readonly tracks: readonly Track[]
  readonly isSticky: boolean
  readonly priority: number
  readonly priorityPlace: Statement
}

const usualPriority = 100

interface Around {
  readonly notes: Notes
  readonly findCheck: (name: string, line: Statement) => Check | undefined
  readonly findInterface: (name: string, line: Statement) => Check | undefined
  readonly repeat: string | undefined
}

export function readUnits(statements: readonly Statement[], notes: Notes): readonly Unit[] {
  const blocks = statements.filter((statement) => notes.isMapped(statement, 'top'))
  const named = (keyword: string): readonly Statement[] => blocks.filter((block) => block.keyword === keyword)
  const globals = named('global_defs').flatMap(({ inner }) => inner ?? [])
  for (const one of globals) noteGlobal(one, notes)
  const global = (keyword: string): string | undefined => globals.find((one) => one.keyword === keyword)?.words[0]
  const checks = checksOf(blocks, global('script_user'), notes)
  const links = new Map<string, Check>()
  const around: Around = {
    notes,
    repeat: global('vrrp_garp_master_repeat'),
    findCheck: (name, line) => {
      if (!checks.has(name)) notes.wrong(line, `There is no vrrp_script or vrrp_track_process '${name}'.`)
      return checks.get(name)
    },
    findInterface: (name, line) => {
      const known = links.get(name) ?? interfaceCheck(name, line, notes)
      if (known !== undefined) links.set(name, known)
      return known
    },
  }
  const instances = new Map<string, Unit>()
  for (const block of named('vrrp_instance')) {
    const [name] = block.words
    if (name === undefined) notes.wrong(block, 'A vrrp_instance needs a name.')
    else if (instances.has(name)) notes.wrong(block, `There is another vrrp_instance '${name}'.`)
    else instances.set(name, instanceOf(name, block, { ...around, repeat: around.repeat, ...ownGlobals(global) }))
  }
  return joined(named('vrrp_sync_group'), instances, around)
}

const ownGlobals = (
  global: (keyword: string) => string | undefined,
): { readonly defaultInterface: string | undefined } => ({
  defaultInterface: global('default_interface'),
})

/** Versions of keepalived have words of their own here: one that is not known is named, and stops nobody. */
function noteGlobal(statement: Statement, notes: Notes): void {
  const { keyword } = statement
  if (ofProcesses.has(keyword)) notes.leave(statement)
  else if (notes.isKnown(keyword, 'global_defs')) notes.isMapped(statement, 'global_defs')
  else
    notes.leave(
      statement,
      'This word of global_defs is not known here. keepalived.conf(5) of your version says what it does.',
    )
}

function checksOf(
  blocks: readonly Statement[],
  user: string | undefined,
  notes: Notes,
): ReadonlyMap<string, Check | undefined> {
  const checks = new Map<string, Check | undefined>()
  for (const block of blocks) {
    if (block.keyword !== 'vrrp_script' && block.keyword !== 'vrrp_track_process') continue
    const [name = ''] = block.words
    if (checks.has(name)) notes.wrong(block, `There is another check '${name}'.`)
    checks.set(name, block.keyword === 'vrrp_script' ? scriptCheck(block, user, notes) : processCheck(block, notes))
  }
  return checks
}

function instanceOf(
  name: string,
  block: Statement,
  around: Around & { readonly defaultInterface: string | undefined },
): Unit {
  const { notes } = around
  const lines = (block.inner ?? []).filter((statement) => notes.isMapped(statement, 'vrrp_instance'))
  const named = (keyword: string): readonly Statement[] => lines.filter((line) => line.keyword === keyword)
  const [own] = named('interface')
  const [priority] = named('priority')
  const [repeat] = named('garp_master_repeat')
  const of = {
    name,
    interfaceName: own?.words[0] ?? around.defaultInterface,
    repeat: repeat?.words[0] ?? around.repeat,
  }
  const addresses = [...named('virtual_ipaddress'), ...named('virtual_ipaddress_excluded')]
  const members = [
    ...addresses.flatMap(({ inner }) => inner ?? []).flatMap((line) => addressMember(line, of, notes) ?? []),
    ...named('virtual_routes')
      .flatMap(({ inner }) => inner ?? [])
      .flatMap((line) => routeMember(line, of, notes) ?? []),
  ]
  if (members.length === 0) notes.wrong(block, `vrrp_instance ${name} has no virtual_ipaddress.`)
  const link =
    own?.words[0] !== undefined && named('dont_track_primary').length === 0
      ? around.findInterface(own.words[0], own)
      : undefined
  return {
    id: idOf(name),
    place: block.place,
    members: withoutDoubles(members),
    tracks: [
      ...(link && own ? [{ check: link, weight: link.weight, place: own.place }] : []),
      ...tracksIn(lines, around),
    ],
    isSticky: named('nopreempt').length > 0,
    priority: priority === undefined ? usualPriority : (notes.number(priority, { from: 1, to: 255 }) ?? usualPriority),
    priorityPlace: priority ?? { keyword: 'priority', words: [String(usualPriority)], place: block.place },
  }
}

const tracksIn = (lines: readonly Statement[], { notes, findCheck, findInterface }: Around): readonly Track[] =>
  lines.flatMap((line) => {
    if (line.keyword === 'track_interface') return tracksOf(line, findInterface, notes)
    return line.keyword === 'track_script' || line.keyword === 'track_process' ? tracksOf(line, findCheck, notes) : []
  })

const withoutDoubles = (members: readonly Member[]): readonly Member[] => [
  ...new Map(members.map((member) => [member.id, member])).values(),
]

/** Instances of a sync group are one unit; their checks have no weights, as with keepalived. */
function joined(groups: readonly Statement[], instances: Map<string, Unit>, around: Around): readonly Unit[] {
  const { notes } = around
  const units: Unit[] = []
  for (const block of groups) {
    const names: Statement[] = []
    const lines: Statement[] = []
    for (const line of block.inner ?? [])
      if (line.keyword === 'group') names.push(...(line.inner ?? []))
      else if (instances.has(line.keyword)) names.push(line)
      else if (notes.isMapped(line, 'vrrp_sync_group')) lines.push(line)
    const members = names.flatMap((line) => {
      const unit = instances.get(line.keyword)
      if (unit === undefined) notes.wrong(line, `There is no vrrp_instance '${line.keyword}', or another group has it.`)
      instances.delete(line.keyword)
      return unit ?? []
    })
    const [first] = members
    if (first === undefined) {
      notes.wrong(block, 'A vrrp_sync_group needs a name and instances.')
      continue
    }
    for (const { priority, priorityPlace } of members)
      if (priority !== first.priority)
        notes.leave(
          priorityPlace,
          `The instances of a group are on one node. Its score is the priority of the first one, ${first.priority}.`,
        )
    const keepsWeights = lines.some(({ keyword }) => keyword === 'sync_group_tracking_weight')
    const unweighted = (track: Track): Track =>
      keepsWeights ? track : { ...track, weight: { points: 0, isReverse: track.weight.isReverse } }
    units.push({
      ...first,
      id: idOf(block.words[0] ?? ''),
      place: block.place,
      members: members.flatMap((unit) => unit.members),
      tracks: [...members.flatMap((unit) => unit.tracks.map(unweighted)), ...tracksIn(lines, around)],
      isSticky: members.some(({ isSticky }) => isSticky),
    })
  }
  return [...units, ...instances.values()]
}
