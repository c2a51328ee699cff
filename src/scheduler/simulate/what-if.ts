/**
 * Questions of the form "what if": a CIB in, the CIB as it would be out. The words are crm_simulate's: a node that is *down* has left
 * cleanly, one that *fails* is lost and must be fenced.
 */
import {
  childElement,
  childElements,
  element,
  readConfiguration,
  type XmlElement,
  type XmlNode,
} from '../../cib/index.ts'

export interface WhatIf {
  readonly nodesUp: readonly string[]
  readonly nodesDown: readonly string[]
  readonly nodesFailed: readonly string[]
  readonly quorate?: boolean
}

export const nothingElse: WhatIf = { nodesUp: [], nodesDown: [], nodesFailed: [] }

const memberStates = {
  up: { in_ccm: 'true', crmd: 'online', join: 'member', expected: 'member' },
  down: { in_ccm: 'false', crmd: 'offline', join: 'down', expected: 'down' },
  failed: { in_ccm: 'false', crmd: 'offline', join: 'down', expected: 'member' },
} as const

/** The nodes of a question that the CIB does not have. */
export function unknownNodes(cib: XmlElement, { nodesUp, nodesDown, nodesFailed }: WhatIf): readonly string[] {
  const known = new Set(readConfiguration(cib).nodes.map(({ name }): string => name))
  return [...nodesUp, ...nodesDown, ...nodesFailed].filter((node) => !known.has(node))
}

export function suppose(cib: XmlElement, question: WhatIf): XmlElement {
  const states = [
    ...question.nodesUp.map((node) => ({ node, state: memberStates.up })),
    ...question.nodesDown.map((node) => ({ node, state: memberStates.down })),
    ...question.nodesFailed.map((node) => ({ node, state: memberStates.failed })),
  ]
  const withNodes = states.reduce((current, { node, state }) => withNodeState(current, node, state), cib)
  if (question.quorate === undefined) return withNodes
  const quorum = { 'have-quorum': question.quorate ? '1' : '0' }
  return { ...withNodes, attributes: { ...withNodes.attributes, ...quorum } }
}

/** Sets the membership of a node; one that was never seen gets its first entry. */
function withNodeState(cib: XmlElement, node: string, state: Readonly<Record<string, string>>): XmlElement {
  const status = childElement(cib, 'status') ?? element('status')
  const known = childElements(status, 'node_state').find(({ attributes }) => attributes.uname === node)
  const id = readConfiguration(cib).nodes.find(({ name }) => name === node)?.id ?? node
  const before = known ?? element('node_state', { id, uname: node })
  const after: XmlElement = { ...before, attributes: { ...before.attributes, ...state } }
  const children: readonly XmlNode[] = known
    ? status.children.map((child) => (child === known ? after : child))
    : [...status.children, after]
  const others = cib.children.filter((child) => child.kind !== 'element' || child.name !== 'status')
  return { ...cib, children: [...others, { ...status, children }] }
}
