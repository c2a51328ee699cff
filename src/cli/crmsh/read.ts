/** crmsh's statements as elements of the CIB: `primitive web ocf:heartbeat:nginx params … op monitor …`. */
import { childElements, element, type LoadedElement, parseXml, setPairs, type XmlElement } from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import { splitShellLine } from '../call/shell-words.ts'
import { readOperations } from '../grammar/resource-words.ts'
import { parsePairs, type Section, splitSections } from '../grammar/words.ts'
import { readColocation, readLocation, readOrder, readTicket } from './read-constraint.ts'

/** Every statement of a text. A backslash at the end of a line goes on in the next; `#` begins a line that says nothing. */
export function readStatements(text: string): readonly LoadedElement[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && line !== 'commit')
    .flatMap((line) => {
      if (/^xml\s/.test(line)) return [readXml(line.replace(/^xml\s+/, ''))]
      const words = splitWords(line)
      return words[0] === 'fencing_topology' ? readTopology(words.slice(1)) : [readStatement(words)]
    })
}

export const splitWords = splitShellLine

export function readStatement(words: readonly string[]): LoadedElement {
  const [keyword = '', ...rest] = words
  const read = Object.hasOwn(readers, keyword) ? readers[keyword] : undefined
  if (read) return read(rest)
  throw new Refusal(
    `'${keyword}' does not begin a statement. The statements are ${Object.keys(readers).join(', ')} and xml.`,
  )
}

const readers: Readonly<Record<string, (words: readonly string[]) => LoadedElement>> = {
  node: readNode,
  primitive: (words) => readPrimitive('primitive', words),
  rsc_template: (words) => readPrimitive('template', words),
  group: (words) => readCollection('group', words),
  clone: (words) => readCollection('clone', words),
  ms: (words) => readPromotable(words),
  master: (words) => readPromotable(words),
  location: readLocation,
  colocation: readColocation,
  collocation: readColocation,
  order: readOrder,
  rsc_ticket: readTicket,
  tag: readTag,
  property: (words) => readSettings('crm_config', words),
  rsc_defaults: (words) => readSettings('rsc_defaults', words),
  op_defaults: (words) => readSettings('op_defaults', words),
}

function readXml(text: string): LoadedElement {
  const parsed = parseXml(text.replace(/^'(.*)'$/s, '$1'))
  if (!parsed.ok) throw new Refusal(`The XML after 'xml' is not well-formed: ${parsed.reports[0]?.message}.`)
  const [inside] = childElements(parsed.value)
  if (parsed.value.name === 'op_defaults' && inside) return { section: 'op_defaults', element: inside }
  const section = sectionOf[parsed.value.name]
  if (section === undefined)
    throw new Refusal(`<${parsed.value.name}> does not belong to any section of the configuration.`)
  return { section, element: parsed.value }
}

const sectionOf: Readonly<Record<string, string>> = {
  node: 'nodes',
  ...Object.fromEntries(
    ['primitive', 'template', 'group', 'clone', 'master', 'bundle'].map((name) => [name, 'resources']),
  ),
  ...Object.fromEntries(
    ['rsc_location', 'rsc_colocation', 'rsc_order', 'rsc_ticket'].map((name) => [name, 'constraints']),
  ),
  tag: 'tags',
  'fencing-level': 'fencing-topology',
  ...Object.fromEntries(['acl_role', 'acl_target', 'acl_group', 'acl_user'].map((name) => [name, 'acls'])),
  alert: 'alerts',
  cluster_property_set: 'crm_config',
  meta_attributes: 'rsc_defaults',
}

function idWord(words: readonly string[], what: string): string {
  const id = words[0]?.replace(/:$/, '')
  if (id === undefined || id === '') throw new Refusal(`Expected an id after '${what}'.`)
  return id
}

function pairsOf(sections: readonly Section[], ...keywords: readonly string[]): Readonly<Record<string, string>> {
  const words = sections.filter(({ keyword }) => keywords.includes(keyword)).flatMap((section) => section.words)
  return Object.fromEntries(
    parsePairs(
      words.filter((word) => !word.startsWith('$id=')),
      keywords.join(' and '),
    ),
  )
}

function readNode(words: readonly string[]): LoadedElement {
  const [head, ...sections] = splitSections(words, ['attributes', 'utilization'])
  const names = head?.words ?? []
  const id = idWord(names, 'node')
  const [, name = id] = names
  const base = element('node', { id, uname: name.replace(/:(normal|member|remote)$/, '') })
  const withAttributes = setPairs(base, {
    kind: 'instance_attributes',
    setId: `nodes-${id}`,
    values: pairsOf(sections, 'attributes'),
  })
  return {
    section: 'nodes',
    element: setPairs(withAttributes, {
      kind: 'utilization',
      setId: `nodes-${id}-utilization`,
      values: pairsOf(sections, 'utilization'),
    }),
  }
}

function readPrimitive(name: 'primitive' | 'template', words: readonly string[]): LoadedElement {
  const sections = splitSections(words, ['params', 'meta', 'utilization', 'op', 'operations'])
  const [head, ...others] = sections
  const [id = '', agent = '', ...rest] = head?.words ?? []
  const isDescription = (word: string): boolean => word.startsWith('description=')
  const description = rest.find(isDescription)?.slice('description='.length)
  const plain = rest.filter((word) => !isDescription(word))
  if (agent === '') throw new Refusal(`Expected an agent such as ocf:heartbeat:IPaddr2 after '${name} ${id}'.`)
  const parts = agent.split(':')
  const [agentClass = '', second, third] = parts.length === 1 ? ['ocf', 'heartbeat', agent] : parts
  const identity = agent.startsWith('@')
    ? { id, template: agent.slice(1) }
    : {
        id,
        class: agentClass,
        ...(third === undefined ? { type: second ?? '' } : { provider: second ?? '', type: third }),
      }
  const sets = [
    // Parameters may follow the agent without 'params'.
    {
      kind: 'instance_attributes',
      values: { ...pairsOf([{ keyword: 'params', words: plain }], 'params'), ...pairsOf(others, 'params') },
    },
    { kind: 'meta_attributes', values: pairsOf(others, 'meta') },
    { kind: 'utilization', values: pairsOf(others, 'utilization') },
  ] as const
  const withSets = sets.reduce(
    (current, { kind, values }) => setPairs(current, { kind, setId: `${id}-${kind}`, values }),
    element(name, { ...identity, ...(description === undefined ? {} : { description }) }),
  )
  const operations = others
    .filter(({ keyword }) => keyword === 'op')
    .flatMap((section) => readOperations(section.words))
    .map((operation) => operationOf(id, operation))
  const children = operations.length === 0 ? [] : [element('operations', {}, operations)]
  return { section: 'resources', element: { ...withSets, children: [...withSets.children, ...children] } }
}

const operationAttributes =
  /^(interval|timeout|start-delay|interval-origin|role|on-fail|enabled|record-pending|requires|description)$/

function operationOf(
  resource: string,
  operation: { readonly name: string; readonly attributes: ReadonlyMap<string, string> },
): XmlElement {
  const interval = operation.attributes.get('interval') ?? '0s'
  const id =
    operation.attributes.get('id') ?? `${resource}-${operation.name}-${interval}${roleSuffix(operation.attributes)}`
  const all = [...operation.attributes].filter(([name]) => name !== 'id' && name !== '$id')
  const own = all.filter(([name]) => operationAttributes.test(name))
  const parameters = all.filter(([name]) => !operationAttributes.test(name))
  const op = element('op', { id, name: operation.name, interval, ...Object.fromEntries(own) })
  return setPairs(op, {
    kind: 'instance_attributes',
    setId: `${id}-instance_attributes`,
    values: Object.fromEntries(parameters),
  })
}

function roleSuffix(attributes: ReadonlyMap<string, string>): string {
  const role = attributes.get('role')
  return role === undefined ? '' : `-${role}`
}

function readCollection(name: 'group' | 'clone', words: readonly string[]): LoadedElement {
  const [head, ...sections] = splitSections(words, ['params', 'meta'])
  const [id = '', ...members] = head?.words ?? []
  if (members.length === 0 || (name === 'clone' && members.length > 1))
    throw new Refusal(
      `After '${name} ${id}' ${name === 'clone' ? 'comes the resource that is cloned' : 'come its members'}.`,
    )
  const withMeta = setPairs(element(name, { id }), {
    kind: 'meta_attributes',
    setId: `${id}-meta_attributes`,
    values: pairsOf(sections, 'meta'),
  })
  const collection = setPairs(withMeta, {
    kind: 'instance_attributes',
    setId: `${id}-instance_attributes`,
    values: pairsOf(sections, 'params'),
  })
  return { section: 'resources', element: collection, members }
}

/** `ms` of older crmsh. */
function readPromotable(words: readonly string[]): LoadedElement {
  const hasMeta = words.includes('meta')
  const present = hasMeta
    ? words.flatMap((word) => (word === 'meta' ? ['meta', 'promotable=true'] : [word]))
    : [...words, 'meta', 'promotable=true']
  return readCollection(
    'clone',
    present.map((word) => word.replace(/^master-(max|node-max)=/, 'promoted-$1=')),
  )
}

function readTag(words: readonly string[]): LoadedElement {
  const id = idWord(words, 'tag')
  const members = words.slice(1).map((member) => element('obj_ref', { id: member }))
  return { section: 'tags', element: element('tag', { id }, members) }
}

const settingsIds: Readonly<Record<string, string>> = {
  crm_config: 'cib-bootstrap-options',
  rsc_defaults: 'rsc-options',
  op_defaults: 'op-options',
}

function readSettings(section: string, words: readonly string[]): LoadedElement {
  const [first = ''] = words
  const named = first.endsWith(':')
  const id = named ? first.slice(0, -1) : (settingsIds[section] ?? '')
  const pairs = parsePairs(named ? words.slice(1) : words, 'options')
  const kind = section === 'crm_config' ? 'cluster_property_set' : 'meta_attributes'
  const nvpairs = [...pairs].map(([name, value]) => element('nvpair', { id: `${id}-${name}`, name, value }))
  return { section, element: element(kind, { id }, nvpairs) }
}

/** `fencing_topology n1: ipmi-n1 pdu-a,pdu-b n2: ipmi-n2`: levels by blanks, devices of one level by commas. */
function readTopology(words: readonly string[]): readonly LoadedElement[] {
  let target = ''
  let index = 0
  return words.flatMap((word) => {
    if (word.endsWith(':')) {
      target = word.slice(0, -1)
      index = 0
      return []
    }
    index++
    if (target === '')
      throw new Refusal("Expected a node and a colon after 'fencing_topology': 'fencing_topology n1: ipmi-n1'.")
    return [
      {
        section: 'fencing-topology',
        element: element('fencing-level', {
          id: `fl-${target}-${index}`,
          target,
          index: String(index),
          devices: word,
        }),
      },
    ]
  })
}
