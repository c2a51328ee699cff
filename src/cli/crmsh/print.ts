/**
 * The configuration as crmsh writes it. Each statement is read back and compared before it is printed; what it would not say
 * in full is printed as XML, as crmsh does.
 */
import {
  canonicalText,
  childElement,
  childElements,
  configurationElement,
  element,
  printXml,
  readConfiguration,
  type XmlElement,
} from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import { describeRule } from '../facts/describe-rule.ts'
import { pairWords } from '../replay/words-of.ts'
import { readStatement, splitWords } from './read.ts'

const sections = [
  'nodes',
  'resources',
  'constraints',
  'tags',
  'fencing-topology',
  'acls',
  'alerts',
  'crm_config',
  'rsc_defaults',
  'op_defaults',
]

export interface Statement {
  readonly id: string
  readonly text: string
}

export function statementsOf(cib: XmlElement): readonly Statement[] {
  return sections.flatMap((section) => {
    const list = childElement(configurationElement(cib), section)
    const statements = (list ? childElements(list) : []).flatMap((part) => statementsOfPart(section, part, cib))
    return statements
  })
}

/** What is inside stands first, so that a group or clone finds it. */
function statementsOfPart(section: string, part: XmlElement, cib: XmlElement): readonly Statement[] {
  const id = part.attributes.id ?? ''
  const inner = childElements(part).filter(({ name }) => ['primitive', 'group'].includes(name))
  const lines = wordsFor(section, part)
  if (lines && saysAll({ section, part, lines, cib }))
    return [...inner.flatMap((child) => statementsOfPart(section, child, cib)), { id, text: format(lines) }]
  // Defaults of resources and of operations look alike: the section says which they are.
  const whole = section === 'op_defaults' ? element('op_defaults', {}, [part]) : part
  return [{ id, text: `xml ${onOneLine(whole)}\n` }]
}

type Lines = readonly (readonly string[])[]

function saysAll(said: {
  readonly section: string
  readonly part: XmlElement
  readonly lines: Lines
  readonly cib: XmlElement
}): boolean {
  try {
    const read = readStatement(splitWords(said.lines.map((line) => line.map(quoted).join(' ')).join(' ')))
    const isInner = ({ name }: XmlElement): boolean => ['primitive', 'group'].includes(name)
    const outside = {
      ...said.part,
      children: said.part.children.filter((child) => child.kind !== 'element' || !isInner(child)),
    }
    const text = (part: XmlElement): string =>
      // Names of operations and levels are made anew.
      canonicalText(part, said.cib).replace(/(<(?:op|fencing-level)\b[^>]*?) id="[^"]*"/g, '$1')
    return read.section === said.section && text(read.element) === text(outside)
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function wordsFor(section: string, part: XmlElement): Lines | undefined {
  const id = part.attributes.id ?? ''
  switch (part.name) {
    case 'node':
      return withSets(part, [`node`, `${id}:`, part.attributes.uname ?? id], {
        attributes: 'instance_attributes',
        utilization: 'utilization',
      })
    case 'primitive':
    case 'template':
      return primitive(part)
    case 'group':
      return withSets(part, ['group', id, ...childElements(part, 'primitive').map(idOf)], {
        params: 'instance_attributes',
        meta: 'meta_attributes',
      })
    case 'clone': {
      const inner = childElements(part).find(({ name }) => ['primitive', 'group'].includes(name))
      return (
        inner && withSets(part, ['clone', id, idOf(inner)], { params: 'instance_attributes', meta: 'meta_attributes' })
      )
    }
    case 'rsc_location':
      return location(part)
    case 'rsc_colocation':
      return colocation(part)
    case 'rsc_order':
      return order(part)
    case 'rsc_ticket':
      return ticket(part)
    case 'tag':
      return [['tag', `${id}:`, ...childElements(part, 'obj_ref').map(idOf)]]
    case 'cluster_property_set':
    case 'meta_attributes':
      return settings(section, part)
    default:
      return undefined
  }
}

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''

function withSets(
  part: XmlElement,
  head: readonly string[],
  sets: Readonly<Record<string, string>>,
): Lines | undefined {
  const lines: (readonly string[])[] = [head]
  for (const [keyword, kind] of Object.entries(sets)) {
    const pairs = pairWords(part, kind)
    if (!pairs) return undefined
    if (pairs.length > 0) lines.push([keyword, ...pairs])
  }
  return lines
}

function primitive(part: XmlElement): Lines | undefined {
  const { class: agentClass, provider, type, template, description } = part.attributes
  const described = description === undefined ? [] : [`description=${description}`]
  const agent =
    template === undefined
      ? [agentClass, provider, type].filter((word) => word !== undefined).join(':')
      : `@${template}`
  const word = part.name === 'template' ? 'rsc_template' : 'primitive'
  const lines = withSets(part, [word, idOf(part), agent, ...described], {
    params: 'instance_attributes',
    meta: 'meta_attributes',
    utilization: 'utilization',
  })
  const operations = childElements(part, 'operations').flatMap((list) => childElements(list, 'op'))
  const written = operations.map((operation) => {
    const { id, name = '', ...others } = operation.attributes
    const parameters = pairWords(operation, 'instance_attributes')
    return parameters && ['op', name, ...Object.entries(others).map(([key, value]) => `${key}=${value}`), ...parameters]
  })
  if (!lines || written.some((words) => words === undefined)) return undefined
  return [...lines, ...written.flatMap((words) => (words ? [words] : []))]
}

function scoreWord(score: string | undefined): string {
  return (score ?? '0').replace(/INFINITY/i, 'inf').replace(/^\+/, '')
}

function location(part: XmlElement): Lines | undefined {
  const { id = '', rsc, 'rsc-pattern': pattern, role, node, score, 'resource-discovery': discovery } = part.attributes
  const subject = rsc ?? (pattern === undefined ? undefined : `/${pattern}/`)
  if (subject === undefined) return undefined
  const head = [
    'location',
    id,
    subject,
    ...(role === undefined ? [] : [`role=${role}`]),
    ...(discovery === undefined ? [] : [`resource-discovery=${discovery}`]),
  ]
  if (node !== undefined) return [[...head, `${scoreWord(score)}:`, node]]
  const alone = element('configuration', {}, [element('constraints', {}, [part])])
  const [read] = readConfiguration(alone).constraints
  if (read?.kind !== 'location' || read.where.by !== 'rules') return undefined
  const rules = childElements(part, 'rule').map((rule, index) => {
    const { role: ruleRole, score: ruleScore, 'score-attribute': attribute } = rule.attributes
    const typed = read.where.by === 'rules' ? read.where.rules[index] : undefined
    const expression = typed ? describeRule(typed) : ''
    return [
      'rule',
      ...(ruleRole === undefined ? [] : [`$role=${ruleRole}`]),
      `${attribute ?? scoreWord(ruleScore)}:`,
      ...expression.split(' ').filter((word) => word !== ''),
    ]
  })
  return [head, ...rules.map(typesFirst)]
}

/** pcs writes `cpu gt number 4`, crmsh `cpu number:gt 4`. */
function typesFirst(words: readonly string[]): readonly string[] {
  const line = words.join(' ')
  return line.replace(/ (lt|gt|lte|gte|eq|ne) (string|number|integer|version) (?=\S)/g, ' $2:$1 ').split(' ')
}

const withRole = (id: string | undefined, role: string | undefined): string =>
  role === undefined ? (id ?? '') : `${id ?? ''}:${role}`

function colocation({ attributes, children }: XmlElement): Lines | undefined {
  const {
    id = '',
    rsc,
    'with-rsc': primary,
    'rsc-role': role,
    'with-rsc-role': primaryRole,
    score,
    ...others
  } = attributes
  if (children.length > 0 || rsc === undefined) return undefined
  const options = Object.entries(others).map(([name, value]) => `${name}=${value}`)
  return [['colocation', id, `${scoreWord(score)}:`, withRole(rsc, role), withRole(primary, primaryRole), ...options]]
}

function order({ attributes, children }: XmlElement): Lines | undefined {
  const {
    id = '',
    first,
    then: last,
    'first-action': firstAction,
    'then-action': thenAction,
    kind,
    ...others
  } = attributes
  if (children.length > 0 || first === undefined) return undefined
  const options = Object.entries(others).map(([name, value]) => `${name}=${value}`)
  const before = kind === undefined ? [] : [`${kind}:`]
  return [['order', id, ...before, withRole(first, firstAction), withRole(last, thenAction), ...options]]
}

function ticket({ attributes, children }: XmlElement): Lines | undefined {
  const { id = '', rsc, 'rsc-role': role, ticket: name = '', ...others } = attributes
  if (children.length > 0 || rsc === undefined) return undefined
  const options = Object.entries(others).map(([key, value]) => `${key}=${value}`)
  return [['rsc_ticket', id, `${name}:`, withRole(rsc, role), ...options]]
}

function settings(section: string, part: XmlElement): Lines | undefined {
  const word = section === 'crm_config' ? 'property' : section
  const { id = '', ...others } = part.attributes
  const pairs = childElements(part)
  if (Object.keys(others).length > 0 || pairs.some(({ name }) => name !== 'nvpair')) return undefined
  return [[word, `${id}:`], ...pairs.map(({ attributes }) => [`${attributes.name ?? ''}=${attributes.value ?? ''}`])]
}

/** The first line, and one line for each part, as crmsh breaks them. */
function format(lines: Lines): string {
  return `${lines.map((line) => line.map(quoted).join(' ')).join(' \\\n\t')}\n`
}

function quoted(word: string): string {
  const at = word.indexOf('=')
  const [name, value] = at < 0 ? ['', word] : [word.slice(0, at + 1), word.slice(at + 1)]
  return /^[^\s"'\\]+$/.test(value) ? word : `${name}"${value.replace(/["\\]/g, '\\$&')}"`
}

function onOneLine(part: XmlElement): string {
  return printXml(part)
    .replace(/<!--.*?-->/gs, '')
    .replace(/>\s*\n\s*</g, '><')
    .trim()
}
