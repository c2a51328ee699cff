/** Everything but resources and constraints as commands. */
import { childElements, element, readConfiguration, type XmlElement } from '../../cib/index.ts'
import { describeRule } from '../facts/describe-rule.ts'
import { attributeWords, idOf, pairWords, section } from './words-of.ts'

type Line = readonly string[]

export function otherCommands(name: string, part: XmlElement): readonly Line[] | undefined {
  switch (part.name) {
    case 'cluster_property_set':
      return options(part)
    case 'meta_attributes':
      return defaults(name, part)
    case 'node':
      return node(part)
    case 'fencing-level':
      return level(part)
    case 'tag':
      return [['tag', 'create', idOf(part), ...childElements(part, 'obj_ref').map(idOf)]]
    case 'acl_role':
      return role(part)
    case 'acl_target':
      return [['acl', 'user', 'create', idOf(part), ...childElements(part, 'role').map(idOf)]]
    case 'acl_group':
      return [['acl', 'group', 'create', idOf(part), ...childElements(part, 'role').map(idOf)]]
    case 'alert':
      return alert(part)
    default:
      return undefined
  }
}

function options(set: XmlElement): readonly Line[] | undefined {
  const words = pairWords(element('crm_config', {}, [set]), 'cluster_property_set')
  if (!words || words.length === 0 || idOf(set) !== 'cib-bootstrap-options') return undefined
  return [['property', 'set', ...words, '--force']]
}

function defaults(sectionName: string, set: XmlElement): readonly Line[] | undefined {
  const path = sectionName === 'rsc_defaults' ? ['resource', 'defaults'] : ['resource', 'op', 'defaults']
  const pairs = childElements(set, 'nvpair').map(
    ({ attributes }) => `${attributes.name ?? ''}=${attributes.value ?? ''}`,
  )
  const alone = element('configuration', {}, [element('rsc_defaults', {}, [set])])
  const rule = readConfiguration(alone).resourceDefaults[0]?.rule
  const own = attributeWords(set, [])
  return [
    [
      ...path,
      'set',
      'create',
      ...own,
      ...section('meta', pairs),
      ...section('rule', rule ? [describeRule(rule)] : []),
      '--force',
    ],
  ]
}

/** A node is what the membership makes of it; its attributes are the administrator's. */
function node(part: XmlElement): readonly Line[] | undefined {
  const { id = '', uname = '' } = part.attributes
  const attributes = pairWords(part, 'instance_attributes')
  const utilization = pairWords(part, 'utilization')
  if (!attributes || !utilization) return undefined
  const words = Object.entries(part.attributes).map(([name, value]) => `${name}="${escaped(value)}"`)
  return [
    ['cib', 'element', 'create', 'nodes', `<node ${words.join(' ')}/>`, '--force'],
    ...(attributes.length > 0 ? [['node', 'attribute', uname || id, ...attributes]] : []),
    ...(utilization.length > 0 ? [['node', 'utilization', uname || id, ...utilization]] : []),
  ]
}

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function level(part: XmlElement): readonly Line[] | undefined {
  const {
    index = '',
    target,
    'target-pattern': pattern,
    'target-attribute': name,
    'target-value': value,
    devices = '',
  } = part.attributes
  const on =
    target ??
    (pattern !== undefined
      ? `regexp%${pattern}`
      : name !== undefined && value !== undefined
        ? `attrib%${name}=${value}`
        : undefined)
  if (on === undefined) return undefined
  return [['stonith', 'level', 'add', index, on, ...devices.split(','), `id=${idOf(part)}`, '--force']]
}

function role(part: XmlElement): readonly Line[] | undefined {
  const { description } = part.attributes
  const permissions = childElements(part).map(({ attributes }) =>
    attributes.xpath !== undefined
      ? [attributes.kind ?? '', 'xpath', attributes.xpath]
      : attributes.reference !== undefined
        ? [attributes.kind ?? '', 'id', attributes.reference]
        : undefined,
  )
  if (permissions.some((words) => words === undefined)) return undefined
  const described = description === undefined ? [] : [`description=${description}`]
  return [['acl', 'role', 'create', idOf(part), ...described, ...permissions.flatMap((words) => words ?? [])]]
}

function alert(part: XmlElement): readonly Line[] | undefined {
  const own = values(part)
  const recipients = childElements(part, 'recipient').map((recipient) => {
    const words = values(recipient)
    return words && ['alert', 'recipient', 'add', idOf(part), ...attributeWords(recipient, []), ...words, '--force']
  })
  if (!own || recipients.some((words) => words === undefined)) return undefined
  return [
    ['alert', 'create', ...attributeWords(part, []), ...own],
    ...recipients.flatMap((words) => (words ? [words] : [])),
  ]
}

function values(part: XmlElement): readonly string[] | undefined {
  const given = pairWords(part, 'instance_attributes')
  const meta = pairWords(part, 'meta_attributes')
  return given && meta && [...section('options', given), ...section('meta', meta)]
}
