/**
 * The commands that make a configuration again: `--output-format cmd`. Each element is written as the commands that an
 * administrator would type, these are tried on a copy, and where the result is not that element to the last attribute, it is
 * written as XML instead. So the commands always rebuild what was there.
 */
import {
  canonicalText,
  childElement,
  childElements,
  configurationElement,
  element,
  printXml,
  type XmlElement,
} from '../../cib/index.ts'
import { scratchAccess } from '../access/scratch-access.ts'
import { type Call, Refusal } from '../call/command.ts'
import { constraintCommands } from './constraint-commands.ts'
import { otherCommands } from './other-commands.ts'
import { resourceCommands } from './resource-commands.ts'

export type Line = readonly string[]

/** In the order in which they can be made: constraints need resources, tags may name constraints. */
export const rebuiltSections = [
  'crm_config',
  'rsc_defaults',
  'op_defaults',
  'nodes',
  'resources',
  'constraints',
  'fencing-topology',
  'tags',
  'acls',
  'alerts',
] as const
export type RebuiltSection = (typeof rebuiltSections)[number]

export interface Wanted {
  readonly sections: readonly RebuiltSection[]
  /** Only the top-level elements with these ids, or with something inside that has one. */
  readonly ids?: readonly string[]
  readonly keep?: (element: XmlElement) => boolean
}

export async function rebuildingCommands(call: Call, cib: XmlElement, wanted: Wanted): Promise<readonly Line[]> {
  const lines: Line[] = []
  let made = withoutSections(cib, wanted.sections)
  for (const section of rebuiltSections.filter((name) => wanted.sections.includes(name)))
    for (const part of childElements(childElement(configurationElement(cib), section) ?? element(section))) {
      const rebuilt = await rebuild(call, { cib, made, section, part })
      made = rebuilt.made
      if (isWanted(part, wanted)) lines.push(...rebuilt.lines)
    }
  return lines
}

function isWanted(part: XmlElement, { ids, keep }: Wanted): boolean {
  const named = ids === undefined || ids.some((id) => hasId(part, id))
  return named && (keep === undefined || keep(part))
}

function hasId(part: XmlElement, id: string): boolean {
  return part.attributes.id === id || childElements(part).some((child) => hasId(child, id))
}

interface Piece {
  readonly cib: XmlElement
  readonly made: XmlElement
  readonly section: RebuiltSection
  readonly part: XmlElement
}

async function rebuild(
  call: Call,
  piece: Piece,
): Promise<{ readonly lines: readonly Line[]; readonly made: XmlElement }> {
  const typed = commandsFor(piece.section, piece.part)
  const tried = typed && (await attempt(call, piece, typed))
  if (typed && tried) return { lines: typed, made: tried }
  const xml = asXml(piece.section, piece.part)
  const made = await run(call, piece.made, [xml])
  return { lines: [xml], made }
}

function commandsFor(section: RebuiltSection, part: XmlElement): readonly Line[] | undefined {
  if (section === 'resources') return resourceCommands(part)
  if (section === 'constraints') return constraintCommands(part)
  return otherCommands(section, part)
}

/** The CIB after the commands, if they have added exactly the element. */
async function attempt(call: Call, piece: Piece, lines: readonly Line[]): Promise<XmlElement | undefined> {
  const before = sectionOf(piece.made, piece.section).length
  try {
    const made = await run(call, piece.made, lines)
    const after = sectionOf(made, piece.section)
    const last = after.at(-1)
    if (after.length !== before + 1 || last === undefined) return undefined
    return canonicalText(last, piece.cib) === canonicalText(piece.part, piece.cib) ? made : undefined
  } catch (error) {
    // The command refuses what the element says; XML is not asked for its meaning.
    if (error instanceof Refusal) return undefined
    throw error
  }
}

async function run(call: Call, start: XmlElement, lines: readonly Line[]): Promise<XmlElement> {
  const scratch = scratchAccess(start)
  for (const line of lines) {
    const outcome = await call.runOn(line, scratch)
    if (outcome.kind === 'refused') throw new Refusal(...outcome.sentences)
  }
  return scratch.current()
}

function asXml(section: RebuiltSection, part: XmlElement): Line {
  const text = printXml(part)
    .replace(/<!--.*?-->/gs, '')
    .replace(/>\s*\n\s*</g, '><')
    .trim()
  return ['cib', 'element', 'create', section, text, '--force']
}

function sectionOf(cib: XmlElement, name: string): readonly XmlElement[] {
  const section = childElement(configurationElement(cib), name)
  return section === undefined ? [] : childElements(section)
}

function withoutSections(cib: XmlElement, sections: readonly string[]): XmlElement {
  const emptied = (parent: XmlElement): XmlElement => ({
    ...parent,
    children: parent.children.map((child) =>
      child.kind !== 'element' || !sections.includes(child.name) ? child : { ...child, children: [] },
    ),
  })
  if (cib.name === 'configuration') return emptied(cib)
  return {
    ...cib,
    children: cib.children.map((child) =>
      child.kind === 'element' && child.name === 'configuration' ? emptied(child) : child,
    ),
  }
}
