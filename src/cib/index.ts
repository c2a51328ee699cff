/** The CIB: configuration and recorded state as data. Reading, printing, typed views, pure edits, validation. */
export type * from './configuration.ts'
export {
  childElement,
  childElements,
  element,
  type MalformedXmlReport,
  type Place,
  parseXml,
  printXml,
  type XmlElement,
  type XmlNode,
  type XmlText,
} from './document.ts'
