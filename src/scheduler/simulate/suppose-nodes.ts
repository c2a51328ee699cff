/**
 * What if a node were up, down, lost or joining: its `node_state`. The words are crm_simulate's: a node that is *down* has left cleanly
 * and nothing of it is left, one that *failed* is lost and must be fenced, one that is *pending* is in the membership and not ready.
 */
import { childElement, childElements, element, readConfiguration, type XmlElement } from '../../cib/index.ts'
import type { Supposed } from './supposed.ts'

export type NodeFate = 'up' | 'down' | 'failed' | 'pending'

const memberStates: Readonly<Record<NodeFate, Readonly<Record<string, string>>>> = {
  up: { in_ccm: 'true', crmd: 'online', join: 'member', expected: 'member' },
  down: { in_ccm: 'false', crmd: 'offline', join: 'down', expected: 'down' },
  failed: { in_ccm: 'false', crmd: 'online', join: 'member', expected: 'member' },
  pending: { in_ccm: 'true', crmd: 'online', join: 'pending', expected: 'member' },
}

const words: Readonly<Record<NodeFate, (node: string) => string>> = {
  up: (node) => `Bringing node ${node} online`,
  down: (node) => `Taking node ${node} offline`,
  failed: (node) => `Failing node ${node}`,
  pending: (node) => `Making node ${node} pending`,
}

export function supposeNode(cib: XmlElement, name: string, fate: NodeFate): Supposed {
  const id = readConfiguration(cib).nodes.find((node) => node.name === name)?.id ?? name
  const state = (before: XmlElement): XmlElement => ({
    ...before,
    attributes: { ...before.attributes, uname: name, ...memberStates[fate], 'crm-debug-origin': 'crm_simulate' },
    children: fate === 'down' ? [] : before.children,
  })
  return { cib: withNodeState(cib, { id, name }, state), lines: [words[fate](name)] }
}

/** A node that the configuration does not have yet. */
export function supposeNewNode(cib: XmlElement, name: string): Supposed {
  const added = inConfiguration(cib, (nodes) => ({
    ...nodes,
    children: [...nodes.children, element('node', { id: name, uname: name })],
  }))
  return { cib: supposeNode(added, name, 'up').cib, lines: [`Adding node ${name}`, words.up(name)] }
}

function inConfiguration(cib: XmlElement, edit: (nodes: XmlElement) => XmlElement): XmlElement {
  const within = (parent: XmlElement, name: string, change: (child: XmlElement) => XmlElement): XmlElement => {
    const child = childElement(parent, name)
    return child
      ? { ...parent, children: parent.children.map((other) => (other === child ? change(child) : other)) }
      : { ...parent, children: [...parent.children, change(element(name))] }
  }
  return within(cib, 'configuration', (configuration) => within(configuration, 'nodes', edit))
}

interface StateOwner {
  readonly id: string
  readonly name: string
  readonly kind?: 'member' | 'remote' | 'guest'
}

/** Changes the state of a node; one that was never seen gets its first entry. */
export function withNodeState(
  cib: XmlElement,
  { id, name, kind = 'member' }: StateOwner,
  change: (state: XmlElement) => XmlElement,
): XmlElement {
  const status = childElement(cib, 'status') ?? element('status')
  const states = childElements(status, 'node_state')
  // A member that has only just appeared has an entry without its name.
  const known =
    states.find(({ attributes }) => (attributes.uname ?? attributes.id) === name) ??
    states.find(({ attributes }) => attributes.uname === undefined && attributes.id === id)
  const fresh = kind === 'member' ? { id, uname: name } : { id: name, uname: name, remote_node: 'true' }
  const after = change(known ?? element('node_state', fresh))
  const children = known
    ? status.children.map((child) => (child === known ? after : child))
    : [...status.children, after]
  const others = cib.children.filter((child) => child.kind !== 'element' || child.name !== 'status')
  return { ...cib, children: [...others, { ...status, children }] }
}
