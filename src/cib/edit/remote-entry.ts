/** The entry of a remote or guest node among the nodes, which it has once there is something to keep of it. */
import { element, type XmlElement } from '../document.ts'
import { appended, editSection } from '../tree.ts'

/** A remote node's entry has the node's name as its id, as its connection has. */
export function addRemoteEntry(cib: XmlElement, name: string): XmlElement {
  return editSection(cib, 'nodes', (section) =>
    appended(section, element('node', { id: name, uname: name, type: 'remote' })),
  )
}
