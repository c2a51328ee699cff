/**
 * What agents of a clone with `notify` are told, as `OCF_RESKEY_CRM_meta_notify_…`: which instances have which role, what
 * happens to which of them, and on which nodes ("Clone Resource Agent Requirements" in Pacemaker Explained). Lists are
 * separated by blanks and sorted; an empty one is a single blank. Both the present and the former names of roles are told.
 */
import type { NodeStatus } from '../../../status/index.ts'
import type { AppliedOrderings } from '../apply-orderings/applied-orderings.ts'
import { isUnclean } from '../draft/draft.ts'
import { type PlannedClone, primitivesOf } from '../draft/planned-resource.ts'
import { nodeNamed, primitiveNamed } from '../draft/setting.ts'

/** What happens to whom, as every notify operation is told. */
export interface NotifyEntry {
  readonly resource: string
  readonly node: NodeStatus | undefined
}

export interface NotifyEntries {
  readonly active: NotifyEntry[]
  readonly inactive: NotifyEntry[]
  readonly promoted: NotifyEntry[]
  readonly unpromoted: NotifyEntry[]
  readonly start: NotifyEntry[]
  readonly stop: NotifyEntry[]
  readonly promote: NotifyEntry[]
  readonly demote: NotifyEntry[]
}

const listNames = ['active', 'promoted', 'unpromoted', 'start', 'stop', 'promote', 'demote'] as const
const formerNames: Readonly<Record<string, string>> = { promoted: 'master', unpromoted: 'slave' }

export function notifyMeta(
  applied: AppliedOrderings,
  clone: PlannedClone,
  all: NotifyEntries,
): ReadonlyMap<string, string> {
  const facts = new Map<string, string>()
  for (const name of listNames) {
    const entries = all[name].toSorted(byResourceAndNode)
    for (const told of [name, formerNames[name]].filter((known) => known !== undefined)) {
      facts.set(`notify_${told}_resource`, list(distinct(entries.map(({ resource }) => resource))))
      facts.set(`notify_${told}_uname`, list(entries.flatMap(({ node }) => (node ? [node.name] : []))))
    }
  }
  facts.set('notify_inactive_resource', list(distinct(all.inactive.map(({ resource }) => resource).toSorted())))
  facts.set('notify_available_uname', list(availableNodes(applied, clone).toSorted()))
  facts.set('notify_all_uname', list(applied.nodeList.map(({ name }) => name).toSorted()))
  if (clone.resource.meta.raw.get('container-attribute-target') === 'host') {
    const hosts = applied.nodeList.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((node) => hostOf(applied, node))
    facts.set('notify_all_hosts', list(hosts.map(({ name }) => name)))
  }
  return facts
}

/** Where the clone may be at all; with exclusive discovery, no node counts on which it was not to be looked for. */
function availableNodes(applied: AppliedOrderings, clone: PlannedClone): readonly string[] {
  const scoreOn = applied.assignment.collectives.get(clone.id)?.scoreOn
  const assigned = primitivesOf(clone)[0]?.assigned
  const isProbed = (node: NodeStatus): boolean => node.online && !isUnclean(applied, node) && node.discoveryEnabled
  const available = applied.nodeList.filter((node) => {
    if (scoreOn?.(node.name) === undefined) return false
    return !assigned?.exclusiveDiscovery || assigned.discoveryOn(node.name) === 'exclusive' || !isProbed(node)
  })
  return available.map(({ name }) => name)
}

/** A guest counts as the node that it is on; one that is nowhere as itself. */
function hostOf(applied: AppliedOrderings, node: NodeStatus): NodeStatus {
  if (node.kind !== 'guest') return node
  const host = primitiveNamed(applied, node.container)?.resource.state.active[0]?.node
  return host === undefined ? node : nodeNamed(applied, host)
}

function byResourceAndNode(a: NotifyEntry, b: NotifyEntry): number {
  const one = `${a.resource} ${a.node?.name ?? ''}`
  const other = `${b.resource} ${b.node?.name ?? ''}`
  return one < other ? -1 : Number(one > other)
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)]

const list = (names: readonly string[]): string => (names.length === 0 ? ' ' : names.join(' '))
