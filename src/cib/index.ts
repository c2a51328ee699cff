/** The CIB: configuration and recorded state as data. Reading, printing, typed views, pure edits, validation. */

export {
  parseBoolean,
  parseIntervalMs,
  parseOrderAction,
  parseOrderKind,
  parseRole,
  splitWords,
} from './attribute-text.ts'
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
export { configurationElement, readConfiguration } from './read-configuration.ts'
export { nvSetsByPrecedence } from './read-nvset.ts'
export { addScores, clampScore, formatScore, INFINITY_SCORE, isInfinite, parseScore } from './score.ts'
