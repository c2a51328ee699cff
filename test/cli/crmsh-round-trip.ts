/** A CIB in crmsh's words, and the words loaded into an empty one: whether the same configuration comes out. */
import {
  canonicalText,
  configurationElement,
  emptiedConfiguration,
  loadElements,
  type XmlElement,
} from '../../src/cib/index.ts'
import { statementsOf } from '../../src/cli/crmsh/print.ts'
import { readStatements } from '../../src/cli/crmsh/read.ts'

export function crmshRoundTrip(cib: XmlElement): {
  readonly same: boolean
  readonly text: string
  readonly asXml: number
  readonly problem?: string
} {
  const text = statementsOf(cib)
    .map((statement) => statement.text)
    .join('')
  const asXml = text.split('\n').filter((line) => line.startsWith('xml ')).length
  const loaded = loadElements(emptiedConfiguration(cib, []), readStatements(text))
  if (!loaded.ok) return { same: false, text, asXml, problem: JSON.stringify(loaded.reports) }
  return { same: withoutOpIds(cib) === withoutOpIds(loaded.value.cib), text, asXml }
}

/** crmsh names operations by itself. */
function withoutOpIds(cib: XmlElement): string {
  return canonicalText(configurationElement(cib), cib).replace(/(<op\b[^>]*?) id="[^"]*"/g, '$1')
}
