/** The text of which Pacemaker makes the digest of a CIB. */
import { printXml, type XmlElement } from '../../cib/index.ts'

/** Of a file: as libxml2 prints an element without white space, after one blank. */
export function writtenText(given: XmlElement): string {
  return ` ${flat(given)}\n`
}

/** Of a difference: without what tells who wrote it, and when. */
export function versionedText(given: XmlElement): string {
  return flat(withoutOrigin(given))
}

const origin = new Set(['crm-debug-origin', 'cib-last-written', 'update-origin', 'update-client', 'update-user'])

function withoutOrigin(given: XmlElement): XmlElement {
  return {
    ...given,
    attributes: Object.fromEntries(Object.entries(given.attributes).filter(([name]) => !origin.has(name))),
    children: given.children.map((child) => (child.kind === 'element' ? withoutOrigin(child) : child)),
  }
}

function flat(given: XmlElement): string {
  return printXml(given)
    .split('\n')
    .map((line) => line.trim())
    .join('')
}
