/**
 * Two cases as one cluster: what the second runs, under names of its own, beside what the first runs, on the first one's nodes. Its
 * options, defaults and fencing topology stay behind: a cluster has those once.
 */
import {
  allNamed,
  childNamed,
  configurationOf,
  descendants,
  ensureChild,
  nodeStatesOf,
  nodesOf,
  statusOf,
  type Tree,
} from './cib-tree.ts'

export function join(first: Tree, second: Tree): Tree {
  const cib = structuredClone(first)
  const guest = renamed(structuredClone(second), membersOf(cib))
  for (const section of ['resources', 'constraints', 'tags'] as const) {
    const from = childNamed(configurationOf(guest), section)
    if (from !== undefined) ensureChild(configurationOf(cib), section).children.push(...from.children)
  }
  for (const remote of nodesOf(guest)) if (remote.attributes.type === 'remote') addNode(cib, remote)
  for (const state of nodeStatesOf(guest)) joinState(cib, state)
  const tickets = childNamed(statusOf(guest), 'tickets')
  if (tickets !== undefined) ensureChild(statusOf(cib), 'tickets').children.push(...tickets.children)
  return cib
}

interface Member {
  readonly id: string
  readonly uname: string
}

function membersOf(cib: Tree): readonly Member[] {
  return nodesOf(cib).flatMap(({ attributes: { id = '', uname = '', type = 'member' } }) =>
    /^(member|normal)$/i.test(type) ? [{ id, uname }] : [],
  )
}

/** Its members become those of the other cluster in their order, as far as there are any; every other name gets a prefix. */
function renamed(cib: Tree, hosts: readonly Member[]): Tree {
  const names = namesIn(cib)
  const ids = new Map<string, string>()
  for (const [index, { id, uname }] of membersOf(cib).entries()) {
    ids.set(id, hosts[index]?.id ?? `${prefix}${id}`)
    names.set(uname, hosts[index]?.uname ?? `${prefix}${uname}`)
  }
  const bundles = allNamed(configurationOf(cib), 'bundle').map(({ attributes }) => attributes.id ?? '')
  const present = (text: string): string => presentName(text, names, bundles)
  for (const { name, attributes } of descendants(cib))
    for (const [key, value] of Object.entries(attributes))
      if (name === 'nvpair' && key === 'name') attributes[key] = ofAttribute(value, present)
      // The id of a member is a number more often than not, and numbers say other things elsewhere.
      else attributes[key] = (key === 'id' ? ids.get(value) : undefined) ?? present(value)
  return cib
}

function namesIn(cib: Tree): Map<string, string> {
  const found = [
    ...[...descendants(cib)].map(({ attributes }) => attributes.id),
    ...allNamed(cib, 'rsc_ticket').map(({ attributes }) => attributes.ticket),
    ...[...nodesOf(cib), ...nodeStatesOf(cib)].map(({ attributes }) => attributes.uname),
    ...allNamed(cib, 'nvpair').flatMap(({ attributes }) =>
      attributes.name === 'remote-node' ? [attributes.value] : [],
    ),
  ]
  return new Map(
    found.flatMap((name) => (name === undefined || /^\d+$/.test(name) ? [] : [[name, `${prefix}${name}`]])),
  )
}

const prefix = 'joined-'

/** Also of an instance, an operation and a part of a bundle. */
function presentName(text: string, names: ReadonlyMap<string, string>, bundles: readonly string[]): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const [, resource, rest] = /^(.+?)((?::\d+)?_[a-z_]+_\d+|:\d+)$/.exec(text) ?? []
  if (resource !== undefined) return `${presentName(resource, names, bundles)}${rest}`
  return bundles.some((bundle) => text.startsWith(`${bundle}-`)) ? `${prefix}${text}` : text
}

/** Fail counts, failures and promotion scores are attributes that are named after a resource. */
function ofAttribute(name: string, present: (text: string) => string): string {
  const [, kind, resource, rest = ''] = /^(fail-count-|last-failure-|master-)([^#]+)(#.*)?$/.exec(name) ?? []
  return resource === undefined ? name : `${kind}${present(resource)}${rest}`
}

function addNode(cib: Tree, node: Tree): void {
  ensureChild(configurationOf(cib), 'nodes').children.push(node)
}

/** What happened on a node of both happened beside what is there; a node of the second alone has nowhere to be, unless it is remote. */
function joinState(cib: Tree, state: Tree): void {
  const host = nodeStatesOf(cib).find(({ attributes }) => attributes.id === state.attributes.id)
  if (host === undefined) {
    if (state.attributes.remote_node !== undefined) statusOf(cib).children.push(state)
    return
  }
  const list = ensureChild(ensureChild(host, 'lrm', { id: host.attributes.id ?? '' }), 'lrm_resources')
  list.children.push(...allNamed(state, 'lrm_resource'))
  const sets = childNamed(state, 'transient_attributes')?.children ?? []
  for (const pair of sets.flatMap(({ children }) => children)) {
    if (!/^(fail-count|last-failure|master)-/.test(pair.attributes.name ?? '')) continue
    const transient = ensureChild(host, 'transient_attributes', { id: host.attributes.id ?? '' })
    ensureChild(transient, 'instance_attributes', { id: `joined-status-${host.attributes.id}` }).children.push(pair)
  }
}
