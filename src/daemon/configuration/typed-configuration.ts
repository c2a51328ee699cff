/** The configuration's text as the controller's view holds it: read once, whole. */
import { parseXml, readConfiguration } from '../../cib/index.ts'
import type { ReplicatedConfiguration } from '../../controller/index.ts'

export class UnreadableConfigurationError extends Error {
  override readonly name = 'UnreadableConfigurationError'
  constructor(version: number, message: string) {
    super(`Version ${version} of the configuration cannot be read (${message}): a newer Systole may have written it.`)
  }
}

export function typedConfiguration(text: { readonly version: number; readonly xml: string }): ReplicatedConfiguration {
  const parsed = parseXml(text.xml)
  if (!parsed.ok) throw new UnreadableConfigurationError(text.version, parsed.reports[0]?.message ?? '')
  return { version: text.version, cib: parsed.value, typed: readConfiguration(parsed.value) }
}
