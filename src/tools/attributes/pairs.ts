/**
 * Name/value pairs where crm_attribute looks for them: cluster options, defaults, attributes and utilization of nodes, transient
 * attributes. Written as Pacemaker's tools write them: a pair that is there is changed in its place, a new one goes into the
 * set that such pairs have by convention, and an empty set stays.
 */
import type { NodeName } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../../cib/index.ts'
import { appended, nodeElement, nodeState, removed, replaced, sectionOf, withSection } from '../cib/tree.ts'

export type PairScope =
  | { readonly kind: 'status'; readonly node: NodeName }
  | { readonly kind: 'nodes'; readonly node: NodeName; readonly utilization: boolean }
  | { readonly kind: 'crm_config' | 'rsc_defaults' | 'op_defaults' | 'tickets' }

export interface PairQuery {
  readonly scope: PairScope
  readonly name?: string
  /** The id of the set that it must be in. */
  readonly set?: string
  /** The pair's own id. */
  readonly id?: string
}

export interface FoundPair {
  readonly pair: XmlElement
  readonly id: string
  readonly name: string
  readonly value: string
}

const setKinds = {
  status: 'instance_attributes',
  crm_config: 'cluster_property_set',
  rsc_defaults: 'meta_attributes',
  op_defaults: 'meta_attributes',
  tickets: 'instance_attributes',
} as const

function setKind(scope: PairScope): string {
  if (scope.kind !== 'nodes') return setKinds[scope.kind]
  return scope.utilization ? 'utilization' : 'instance_attributes'
}

/** The element whose sets are meant. */
function holderOf(cib: XmlElement, scope: PairScope): XmlElement | undefined {
  switch (scope.kind) {
    case 'nodes':
      return nodeElement(cib, scope.node)
    case 'status': {
      const state = nodeState(cib, scope.node)
      return state && childElement(state, 'transient_attributes')
    }
    case 'tickets': {
      const status = childElement(cib, 'status')
      return status && childElement(status, 'tickets')
    }
    default:
      return sectionOf(cib, scope.kind)
  }
}

export function findPairs(cib: XmlElement, { scope, name, set, id }: PairQuery): readonly FoundPair[] {
  const holder = holderOf(cib, scope)
  const sets = holder === undefined ? [] : childElements(holder, setKind(scope))
  return sets
    .filter(({ attributes }) => set === undefined || attributes.id === set)
    .flatMap((one) => childElements(one, 'nvpair'))
    .filter(({ attributes }) => name === undefined || attributes.name === name)
    .filter(({ attributes }) => id === undefined || attributes.id === id)
    .map((pair) => ({
      pair,
      id: pair.attributes.id ?? '',
      name: pair.attributes.name ?? '',
      value: pair.attributes.value ?? '',
    }))
}

/** The transient attributes of a node. */
export function transientPairs(cib: XmlElement, node: NodeName): ReadonlyMap<string, string> {
  return new Map(findPairs(cib, { scope: { kind: 'status', node } }).map(({ name, value }) => [name, value]))
}

export function writePair(cib: XmlElement, query: PairQuery & { readonly name: string }, value: string): XmlElement {
  const { name, ...others } = query
  // An id says which pair is meant, whatever its name was.
  const [found] = findPairs(cib, query.id === undefined ? query : others)
  if (found !== undefined)
    return replaced(cib, found.pair, { ...found.pair, attributes: { ...found.pair.attributes, name, value } })
  const [whole, holder] = withHolder(cib, query.scope)
  if (holder === undefined) return cib
  const kind = setKind(query.scope)
  const setId = query.set ?? conventionalSet(whole, query.scope)
  const pair = element('nvpair', { id: query.id ?? xmlId(`${setId}-${name}`), name, value })
  const set = childElements(holder, kind).find(({ attributes }) => attributes.id === setId)
  return set === undefined
    ? replaced(whole, holder, appended(holder, element(kind, { id: setId }, [pair])))
    : replaced(whole, set, appended(set, pair))
}

/** Several under one name all go. */
export function deletePairs(cib: XmlElement, query: PairQuery): XmlElement {
  return findPairs(cib, query).reduce((current, { pair }) => removed(current, pair), cib)
}

function withHolder(cib: XmlElement, scope: PairScope): readonly [XmlElement, XmlElement | undefined] {
  const there = holderOf(cib, scope)
  if (there !== undefined) return [cib, there]
  const made =
    scope.kind === 'status'
      ? withTransientAttributes(cib, scope.node)
      : scope.kind === 'nodes'
        ? withNode(cib, scope.node)
        : scope.kind === 'tickets'
          ? withTickets(cib)
          : withSection(cib, scope.kind)
  return [made, holderOf(made, scope)]
}

function withTickets(cib: XmlElement): XmlElement {
  const withStatus = withSection(cib, 'status')
  const status = childElement(withStatus, 'status')
  return status === undefined ? withStatus : replaced(withStatus, status, appended(status, element('tickets')))
}

/** Cluster nodes have an entry; remote nodes get one with the first that is written of them. */
function withNode(cib: XmlElement, node: NodeName): XmlElement {
  const whole = withSection(cib, 'nodes')
  const section = sectionOf(whole, 'nodes')
  const entry = element('node', { id: node, uname: node, type: 'remote' })
  return section === undefined ? whole : replaced(whole, section, appended(section, entry))
}

function withTransientAttributes(cib: XmlElement, node: NodeName): XmlElement {
  const withStatus = withSection(cib, 'status')
  const status = childElement(withStatus, 'status') ?? element('status')
  const id = nodeId(cib, node)
  const attributes = element('transient_attributes', { id })
  const state = nodeState(withStatus, node)
  return state === undefined
    ? replaced(withStatus, status, appended(status, element('node_state', { id, uname: node }, [attributes])))
    : replaced(withStatus, state, appended(state, attributes))
}

/** Remote nodes may have no entry: their name is their id. */
function nodeId(cib: XmlElement, node: NodeName): string {
  return nodeElement(cib, node)?.attributes.id ?? nodeState(cib, node)?.attributes.id ?? node
}

function conventionalSet(cib: XmlElement, scope: PairScope): string {
  switch (scope.kind) {
    case 'crm_config':
      return 'cib-bootstrap-options'
    case 'rsc_defaults':
    case 'op_defaults':
      return `${scope.kind}-options`
    case 'nodes':
      return `nodes-${nodeId(cib, scope.node)}${scope.utilization ? '-utilization' : ''}`
    case 'tickets':
      return 'status-tickets'
    case 'status':
      return `status-${nodeId(cib, scope.node)}`
  }
}

/** Whatever is not allowed in an XML id becomes a dot, as in `nodes-1-.health-disk`. */
function xmlId(text: string): string {
  return text.replace(/[^\p{L}\p{N}_.-]/gu, '.')
}
