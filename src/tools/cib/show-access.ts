/**
 * `cibadmin --query --user alice --show-access`: the CIB with what a user may do marked on it (cibadmin(8)), by the access control list that it has.
 * An element is marked where something else holds for it than for the one around it. Whoever asks sees no more than without it.
 */
import { printable } from '../../base/index.ts'
import {
  accessTo,
  childElements,
  permissionsOf,
  printXml,
  superusers,
  UnreadablePermissionError,
  type XmlElement,
} from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { type GivenOption, hasOption, optionValue } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { selectXpath } from './xpath.ts'

const levels = ['writable', 'readable', 'denied'] as const
type Level = (typeof levels)[number]

const forms = ['auto', 'color', 'namespace', 'text'] as const

const banners: Readonly<Record<Level, string>> = { writable: 'WRITABLE', readable: 'READABLE', denied: '~DENIED~' }
/** Of a terminal: green, blue, red. */
const colours: Readonly<Record<Level, string>> = {
  writable: '\u001b[32m',
  readable: '\u001b[34m',
  denied: '\u001b[31m',
}
const plain = '\u001b[0m'

/** Of any other command the option asks for nothing. */
export const asksForAccess = (given: readonly GivenOption[]): boolean =>
  hasOption(given, 'show-access') && hasOption(given, 'query')

/** Why it cannot be shown, before the CIB is looked at. */
export function whyNoAccess(given: readonly GivenOption[]): ToolReply | undefined {
  const form = optionValue(given, 'show-access')
  if (form !== undefined && !forms.some((one) => one === form))
    return refused(exitCodes.usage, `cibadmin: Invalid value '${form}' for option '--show-access'`)
  if (!hasOption(given, 'show-access') || !hasOption(given, 'query') || hasOption(given, 'user')) return undefined
  return refused(exitCodes.usage, 'cibadmin: The supplied command requires -U user specified.')
}

/** `found`: what the query finds. */
export function shownAccess(
  given: readonly GivenOption[],
  found: readonly XmlElement[],
  isTerminal: boolean,
): ToolReply {
  const user = optionValue(given, 'user') ?? ''
  const [cib] = found
  const not = (why: string): ToolReply =>
    refused(exitCodes.configuration, `cibadmin: Could not evaluate access per request (${user}, error: ${why})`)
  if (user === '' || superusers.includes(user)) return not('Already in requested state')
  if (found.length !== 1 || cib?.name !== 'cib') return not('Update does not conform to the configured schema')
  const hasConfiguration = cib.children.length > 0
  try {
    const permissions = hasConfiguration ? (permissionsOf(cib, { name: user, groups: [] }) ?? []) : []
    const access = accessTo(cib, permissions, (within, xpath) => {
      const selected = selectXpath(within, xpath)
      return selected.ok ? selected.value : undefined
    })
    const levelOf = (element: XmlElement): Level => {
      const kind = access.of(element)
      return kind === 'write' ? 'writable' : kind === 'read' ? 'readable' : 'denied'
    }
    const form = optionValue(given, 'show-access') ?? 'auto'
    const isColoured = form === 'color' || (form === 'auto' && isTerminal)
    const head = `<!-- ACLs as evaluated for user ${printable(user)} -->\n`
    if (isColoured) return { ...printed(head + inColours(cib, levelOf)), isColoured: true }
    return printed(head + (form === 'namespace' ? inNamespaces : inText)(cib, levelOf))
  } catch (error) {
    if (error instanceof UnreadablePermissionError) return not(error.message)
    throw error
  }
}

type LevelOf = (element: XmlElement) => Level

const nameOf = (level: Level, name: string): string => `pcmk-access-${level}:${name}`

/** Where something else holds than around it, or everywhere. */
function marked(element: XmlElement, levelOf: LevelOf, around: Level | 'everywhere' | undefined): XmlElement {
  const level = levelOf(element)
  const inside = around === 'everywhere' ? around : level
  const name = level === around ? element.name : nameOf(level, element.name)
  const children = element.children.map((child) => (child.kind === 'element' ? marked(child, levelOf, inside) : child))
  return { ...element, name, children }
}

function inNamespaces(cib: XmlElement, levelOf: LevelOf): string {
  const root = marked(cib, levelOf, undefined)
  const used = new Set<string>()
  const look = (element: XmlElement): void => {
    used.add(element.name.split(':')[0] ?? '')
    for (const child of childElements(element)) look(child)
  }
  look(root)
  const declared = levels
    .filter((level) => used.has(nameOf(level, '').slice(0, -1)))
    .map((level) => [`xmlns:pcmk-access-${level}`, `http://clusterlabs.org/ns/pacemaker/access/${level}`] as const)
  return printXml({ ...root, attributes: { ...root.attributes, ...Object.fromEntries(declared) } })
}

/** Of the printed lines, whose values have no `<` of their own. */
const opening = /^( *)<pcmk-access-(writable|readable|denied):/gm
const closing = /<\/pcmk-access-(writable|readable|denied):/g

function inText(cib: XmlElement, levelOf: LevelOf): string {
  return printXml(marked(cib, levelOf, undefined))
    .replaceAll(opening, (_, indent: string, level: Level, at: number) => {
      const above = at === 0 ? '' : `${indent}\n`
      return `${above}${indent}vvv---[ ${banners[level]} ]---vvv\n${indent}<`
    })
    .replaceAll(closing, '</')
}

function inColours(cib: XmlElement, levelOf: LevelOf): string {
  return printable(printXml(marked(cib, levelOf, 'everywhere')))
    .replaceAll(/<pcmk-access-(writable|readable|denied):[^\n]*?(\/?)>$/gm, (tag, _level: Level, end: string) =>
      end === '' ? tag : `${tag}${plain}`,
    )
    .replaceAll(opening, (_, indent: string, level: Level) => `${indent}${colours[level]}<`)
    .replaceAll(
      /<\/pcmk-access-(writable|readable|denied):([^>]*)>/g,
      (_, level: Level, name: string) => `${colours[level]}</${name}>${plain}`,
    )
}
