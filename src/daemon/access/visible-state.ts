/** The state of the cluster for somebody who does not see all resources: what names a hidden one is left out. Pure. */
import {
  type Access,
  childElement,
  childElements,
  configurationElement,
  mayRead,
  type XmlElement,
} from '../../cib/index.ts'
import type { ClusterState } from '../../rpc/index.ts'

export function visibleState(state: ClusterState, cib: XmlElement, access: Access): ClusterState {
  const hidden = hiddenResources(cib, access)
  if (hidden.length === 0) return state
  const isVisible = (text: string): boolean => !hidden.some((id) => text.includes(id))
  const { transition } = state
  return {
    ...state,
    transition: {
      ...transition,
      pending: transition.pending.filter(isVisible),
      blockedBy: transition.blockedBy.filter(isVisible),
      blockedResources: transition.blockedResources.filter(isVisible),
    },
    // What a fence agent said names what it was given.
    fencing: state.fencing.map(({ device, message, ...record }) =>
      device !== undefined && isVisible(device)
        ? { ...record, device, ...(message === undefined ? {} : { message }) }
        : record,
    ),
    notes: state.notes.filter(isVisible),
  }
}

/** Ids of resources, of whatever kind, that may not be read. */
function hiddenResources(cib: XmlElement, access: Access): readonly string[] {
  const section = childElement(configurationElement(cib), 'resources')
  const within = (element: XmlElement): readonly string[] =>
    childElements(element)
      .filter(({ name }) => resources.has(name))
      .flatMap((child) => [
        ...(mayRead(access.of(child)) || child.attributes.id === undefined ? [] : [child.attributes.id]),
        ...within(child),
      ])
  return section === undefined ? [] : within(section)
}

const resources = new Set(['primitive', 'group', 'clone', 'master', 'bundle', 'template'])
