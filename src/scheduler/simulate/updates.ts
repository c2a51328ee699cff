/**
 * The version of a CIB that is changed step by step, as when each step is sent to the cluster: a change of the configuration is the next
 * epoch, one of the state the next update.
 */
import { childElement, childElements, configurationElement, sameDocument, type XmlElement } from '../../cib/index.ts'

/** One change, with what it brings: a node that has left loses its history and its attributes by a change each. */
export function countedUp(before: XmlElement, after: XmlElement): XmlElement {
  if (sameDocument(before, after)) return after
  const isConfigured = !sameDocument(configurationElement(before), configurationElement(after))
  const [stateBefore, stateAfter] = [statusOf(before), statusOf(after)]
  const isStateOther = stateAfter !== undefined && (stateBefore === undefined || !sameDocument(stateBefore, stateAfter))
  if (!isConfigured) return withUpdates(after, 1 + lostParts(before, after))
  const epoch = String(Number(after.attributes.epoch ?? 0) + 1)
  return { ...after, attributes: { ...after.attributes, epoch, num_updates: isStateOther ? '2' : '0' } }
}

export function withUpdates(cib: XmlElement, count: number): XmlElement {
  const updates = Number(cib.attributes.num_updates ?? 0) + count
  return { ...cib, attributes: { ...cib.attributes, num_updates: String(updates) } }
}

const statusOf = (cib: XmlElement): XmlElement | undefined => childElement(cib, 'status')

function lostParts(before: XmlElement, after: XmlElement): number {
  const now = new Map(statesOf(after).map((state) => [state.attributes.id, partsOf(state)]))
  return statesOf(before).reduce(
    (sum, state) => sum + Math.max(0, partsOf(state) - (now.get(state.attributes.id) ?? 0)),
    0,
  )
}

function statesOf(cib: XmlElement): readonly XmlElement[] {
  const status = statusOf(cib)
  return status === undefined ? [] : childElements(status, 'node_state')
}

/** What of a state is removed by a change of its own. */
export const partsOf = (state: XmlElement): number =>
  ['lrm', 'transient_attributes'].filter((name) => childElement(state, name) !== undefined).length
