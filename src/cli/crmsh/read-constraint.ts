/** crmsh's constraints as elements of the CIB. Sets of resources are written as XML. */
import { element, type LoadedElement, ruleOfNew, type XmlElement } from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import { readRole, readScore } from '../grammar/constraint-words.ts'
import { readRule } from '../grammar/rule-words.ts'
import { parsePairs, splitSections } from '../grammar/words.ts'

export function readLocation(words: readonly string[]): LoadedElement {
  const [head, ...sections] = splitSections(words, ['rule'])
  const [id = '', subject = '', ...rest] = head?.words ?? []
  if (subject === '') throw new Refusal(`Expected a resource after 'location ${id}'.`)
  const pattern = /^\/(.*)\/$/.exec(subject)?.[1]
  const options = parsePairs(
    rest.filter((word) => word.includes('=')),
    'options of a location',
  )
  const place = rest.filter((word) => !word.includes('='))
  const attributes = {
    id,
    ...(pattern === undefined ? { rsc: subject } : { 'rsc-pattern': pattern }),
    ...Object.fromEntries([...options].map(([name, value]) => [name, name === 'role' ? readRole(value) : value])),
  }
  const rules = sections.map(({ words: own }, index) =>
    readLocationRule(own, `${id}-rule${index === 0 ? '' : `-${index}`}`),
  )
  if (rules.length > 0) return { section: 'constraints', element: element('rsc_location', attributes, rules) }
  const [score = '', node = ''] = place
  if (!score.endsWith(':') || node === '')
    throw new Refusal(`After 'location ${id} ${subject}' comes '<score>: <node>' or 'rule <score>: <expression>'.`)
  return { section: 'constraints', element: element('rsc_location', { ...attributes, score: scoreOf(score), node }) }
}

function readLocationRule(words: readonly string[], id: string): XmlElement {
  const options = words.filter((word) => word.startsWith('$'))
  const role = options.find((word) => word.startsWith('$role='))?.slice('$role='.length)
  const [score = '', ...expression] = words.filter((word) => !word.startsWith('$'))
  if (!score.endsWith(':')) throw new Refusal("A rule begins with its score and a colon: 'rule -inf: #uname eq n1'.")
  const value = score.slice(0, -1)
  const isScore = /^[+-]?(\d+|inf(inity)?|mandatory)$/i.test(value)
  const typed = expression.flatMap((word) => {
    const match = /^(string|number|integer|version):(\w+)$/.exec(word)
    return match ? [match[2] ?? '', match[1] ?? ''] : [word]
  })
  return ruleOfNew(
    {
      ...readRule(typed),
      ...(isScore ? { score: readScore(scoreOf(score)) } : { scoreAttribute: value }),
      ...(role === undefined ? {} : { role: readRole(role) }),
    },
    id,
  )
}

/** `inf:`, `-inf:`, `100:`; crmsh also says mandatory and advisory. */
function scoreOf(word: string): string {
  return word
    .replace(/:$/, '')
    .replace(/^([+-]?)inf(inity)?$/i, '$1INFINITY')
    .replace(/^mandatory$/i, 'INFINITY')
    .replace(/^advisory$/i, '0')
}

function resourceAndRole(word: string | undefined): readonly [string, string | undefined] {
  const [id = '', role] = (word ?? '').split(':')
  return [id, role]
}

export function readColocation(words: readonly string[]): LoadedElement {
  const [id = '', score = '', ...rest] = words
  const [dependent, primary, extra] = rest.filter((word) => !word.includes('='))
  if (!score.endsWith(':') || primary === undefined || extra !== undefined)
    throw new Refusal(`Expected '<score>: <resource> <other resource>' after 'colocation ${id}'. Write sets as xml.`)
  const [rsc, role] = resourceAndRole(dependent)
  const [other, otherRole] = resourceAndRole(primary)
  const options = parsePairs(
    rest.filter((word) => word.includes('=')),
    'options of a colocation',
  )
  return {
    section: 'constraints',
    element: element('rsc_colocation', {
      id,
      score: scoreOf(score),
      rsc,
      ...(role === undefined ? {} : { 'rsc-role': readRole(role) }),
      'with-rsc': other,
      ...(otherRole === undefined ? {} : { 'with-rsc-role': readRole(otherRole) }),
      ...Object.fromEntries(options),
    }),
  }
}

export function readOrder(words: readonly string[]): LoadedElement {
  const [id = '', ...others] = words
  const kind = others[0]?.endsWith(':') ? others[0].slice(0, -1) : undefined
  const rest = kind === undefined ? others : others.slice(1)
  const [before, after, extra] = rest.filter((word) => !word.includes('='))
  if (after === undefined || extra !== undefined)
    throw new Refusal(`Expected '<kind>: <resource> <resource>' after 'order ${id}'. Write sets as xml.`)
  const [first, firstAction] = resourceAndRole(before)
  const [last, thenAction] = resourceAndRole(after)
  const options = parsePairs(
    rest.filter((word) => word.includes('=')),
    'options of an order',
  )
  // Older crmsh writes a score where newer ones write a kind.
  const isScore = kind !== undefined && /^[+-]?(\d+|inf(inity)?)$/i.test(kind)
  const attributes: Readonly<Record<string, string>> = {
    id,
    ...(kind === undefined ? {} : isScore ? { kind: /^0$/.test(kind) ? 'Optional' : 'Mandatory' } : { kind }),
    first,
    ...(firstAction === undefined ? {} : { 'first-action': firstAction }),
    // biome-ignore lint/suspicious/noThenProperty: `first` and `then` are the CIB's words, and this is never awaited.
    then: last,
    ...(thenAction === undefined ? {} : { 'then-action': thenAction }),
    ...Object.fromEntries(options),
  }
  return { section: 'constraints', element: element('rsc_order', attributes) }
}

export function readTicket(words: readonly string[]): LoadedElement {
  const [id = '', ticket = '', ...rest] = words
  const [resource, extra] = rest.filter((word) => !word.includes('='))
  if (!ticket.endsWith(':') || resource === undefined || extra !== undefined)
    throw new Refusal(`Expected '<ticket>: <resource>' after 'rsc_ticket ${id}'. Write sets as xml.`)
  const [rsc, role] = resourceAndRole(resource)
  const options = parsePairs(
    rest.filter((word) => word.includes('=')),
    'options of a ticket constraint',
  )
  return {
    section: 'constraints',
    element: element('rsc_ticket', {
      id,
      rsc,
      ...(role === undefined ? {} : { 'rsc-role': readRole(role) }),
      ticket: ticket.slice(0, -1),
      ...Object.fromEntries(options),
    }),
  }
}
