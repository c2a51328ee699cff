/** cibadmin --query: the CIB, a section of it, or what a path finds in it (cibadmin(8)). */
import { childElement, element, printXml, type XmlElement } from '../cib/index.ts'
import { section } from './attributes.ts'
import { hasOption, type OptionSpec, optionValue, parseOptions } from './options.ts'
import { exitCodes, printed, refused, type ToolCall, type ToolReply, type ToolWorld } from './world.ts'
import { selectXpath } from './xpath.ts'

const changes = ['create', 'modify', 'replace', 'delete', 'patch', 'erase', 'upgrade', 'bump', 'empty'] as const

const options: readonly OptionSpec[] = [
  { names: ['query', 'Q'], value: 'none' },
  { names: ['xpath', 'A'], value: 'required' },
  { names: ['scope', 'o', 'obj_type'], value: 'required' },
  { names: ['local', 'l'], value: 'none' },
  { names: ['no-children', 'n'], value: 'none' },
  { names: ['node-path', 'e'], value: 'none' },
  { names: ['sync-call', 's'], value: 'none' },
  { names: ['force', 'f'], value: 'none' },
  { names: ['verbose', 'V'], value: 'none' },
  { names: ['create', 'C'], value: 'none' },
  { names: ['modify', 'M'], value: 'none' },
  { names: ['replace', 'R'], value: 'none' },
  { names: ['delete', 'D', 'd', 'delete-all'], value: 'none' },
  { names: ['patch', 'P'], value: 'none' },
  { names: ['erase', 'E'], value: 'none' },
  { names: ['upgrade', 'u'], value: 'none' },
  { names: ['bump', 'B'], value: 'none' },
  { names: ['empty', 'a'], value: 'none' },
  { names: ['xml-text', 'X'], value: 'required' },
  { names: ['xml-file', 'x'], value: 'required' },
  { names: ['xml-pipe', 'p'], value: 'none' },
]

export function cibadmin(call: ToolCall, world: ToolWorld): ToolReply {
  const parsed = parseOptions(options, call.arguments)
  if (!parsed.ok) return refused(exitCodes.usage, `cibadmin: ${parsed.reports.join('; ')}`)
  const given = parsed.value
  const change = changes.find((name) => hasOption(given, name))
  if (change !== undefined)
    return refused(exitCodes.unimplemented, `cibadmin: --${change} is not there yet; use 'systole cluster cib-push'.`)
  if (!hasOption(given, 'query')) return refused(exitCodes.usage, 'cibadmin: a command is needed: --query.')
  const cib = world.cib()
  const scope = optionValue(given, 'scope')
  const from = scope === undefined ? cib : scoped(cib, scope)
  if (from === undefined) return nothing()
  const xpath = optionValue(given, 'xpath')
  if (xpath === undefined) return printed(printXml(hasOption(given, 'no-children') ? { ...from, children: [] } : from))
  const found = selectXpath(from, xpath)
  if (!found.ok) return refused(exitCodes.usage, `cibadmin: ${found.reports.join(' ')}`)
  if (found.value.length === 0) return nothing()
  const shown = hasOption(given, 'no-children') ? found.value.map(withoutChildren) : found.value
  const [only] = shown
  // Several are wrapped, as Pacemaker does.
  return printed(printXml(shown.length === 1 && only ? only : element('xpath-query', {}, shown)))
}

function withoutChildren(found: XmlElement): XmlElement {
  return { ...found, children: [] }
}

function scoped(cib: XmlElement, scope: string): XmlElement | undefined {
  if (scope === 'cib' || scope === 'all') return cib
  if (scope === 'configuration' || scope === 'status') return childElement(cib, scope)
  return section(cib, scope)
}

function nothing(): ToolReply {
  return refused(exitCodes.noSuchObject, 'Call failed: No such device or address')
}
