/**
 * A configuration as the values of a cluster file. Every part is built again as it will be read; where that does not give the same, it is carried as XML,
 * so that nothing is lost.
 */
import {
  canonicalTextIn,
  childElement,
  childElements,
  configurationElement,
  configurationSections,
  element,
  emptiedConfiguration,
  mergeThreeWays,
  printXml,
  readConfiguration,
  type XmlElement,
} from '../../cib/index.ts'
import { describeRule } from '../facts/describe-rule.ts'
import { buildConfiguration } from './build.ts'
import {
  constraintKinds,
  containerFields,
  networkFields,
  operationFields,
  portFields,
  setFields,
  storageFields,
} from './fields.ts'
import type { Fields } from './read-file.ts'

export function exportConfiguration(cib: XmlElement): Fields {
  const exporter = new Exporter(cib)
  const values: Record<string, unknown> = {}
  const xml: Record<string, string> = {}
  for (const section of configurationSections) {
    const found = childElement(configurationElement(cib), section)
    if (found === undefined || childElements(found).length === 0) continue
    const own = exporter.section(found)
    if (own !== undefined && isWhole(cib, found, own)) Object.assign(values, own)
    else xml[section] = printXml(found)
  }
  return { ...values, ...(Object.keys(xml).length > 0 ? { xml } : {}) }
}

/** Whether the section comes out the same: put into what runs, and into nothing. */
function isWhole(cib: XmlElement, section: XmlElement, values: Fields): boolean {
  const { configuration, mistakes } = buildConfiguration(values)
  if (mistakes.length > 0) return false
  const sides = { base: element('configuration'), wanted: configuration }
  if (mergeThreeWays(cib, sides).cib !== cib) return false
  const others = configurationSections.filter((name) => name !== section.name)
  const rebuilt = mergeThreeWays(emptiedConfiguration(cib, others), sides).cib
  const found = childElement(configurationElement(rebuilt), section.name) ?? element(section.name)
  const canonical = canonicalTextIn(cib)
  return canonical(withoutOperationIds(section)) === canonical(withoutOperationIds(found))
}

/** An operation is found by its name and interval: its id is nobody's but that of who refers to it. */
function withoutOperationIds(part: XmlElement): XmlElement {
  const children = part.children.map((child) => (child.kind === 'element' ? withoutOperationIds(child) : child))
  if (part.name !== 'op') return { ...part, children }
  const { id: _id, ...attributes } = part.attributes
  return { ...part, attributes, children }
}

class Exporter {
  readonly #cib: XmlElement
  readonly #canonical: (part: XmlElement) => string

  constructor(cib: XmlElement) {
    this.#cib = cib
    this.#canonical = canonicalTextIn(cib)
  }

  section(section: XmlElement): Fields | undefined {
    switch (section.name) {
      case 'crm_config':
        return onlySet('properties', section)
      case 'rsc_defaults':
        return onlySet('resource-defaults', section)
      case 'op_defaults':
        return onlySet('operation-defaults', section)
      case 'nodes':
        return { nodes: this.#bodies('nodes', childElements(section), nodeBody) }
      case 'resources':
        return { resources: this.#bodies('resources', childElements(section), (one) => this.#resource(one)) }
      case 'constraints':
        return { constraints: this.#bodies('constraints', childElements(section), (one) => this.#constraint(one)) }
      case 'tags':
        return { tags: this.#bodies('tags', childElements(section), (tag) => childElements(tag, 'obj_ref').map(idOf)) }
      case 'acls':
        return { acls: this.#acls(section) }
      case 'fencing-topology':
        return { 'fencing-levels': this.#bodies('fencing-levels', childElements(section), levelBody) }
      case 'alerts':
        return { alerts: this.#bodies('alerts', childElements(section), alertBody) }
      default:
        return undefined
    }
  }

  /** Each by itself: one that would not come back the same is XML. */
  #bodies(
    field: string,
    parts: readonly XmlElement[],
    bodyOf: (part: XmlElement) => unknown,
    around: (bodies: Fields) => Fields = (bodies) => ({ [field]: bodies }),
  ): Fields {
    return Object.fromEntries(
      parts.map((part) => {
        const key = part.name === 'node' ? (part.attributes.uname ?? '') : idOf(part)
        const body = bodyOf(part)
        const isXml = typeof body === 'object' && body !== null && 'xml' in body
        if (isXml || !this.#comesBack(part, around({ [key]: body }))) return [key, { xml: printXml(part) }]
        return [key, body]
      }),
    )
  }

  #comesBack(part: XmlElement, values: Fields): boolean {
    if (hasRemarks(part)) return false
    const { configuration, mistakes } = buildConfiguration(values)
    const built = childElements(childElements(configuration)[0] ?? element('none'))[0]
    if (mistakes.length > 0 || built === undefined) return false
    return this.#canonical(withoutOperationIds(built)) === this.#canonical(withoutOperationIds(part))
  }

  #acls(section: XmlElement): Fields {
    const part = (field: string, name: string, bodyOf: (one: XmlElement) => unknown): Fields => {
      const parts = childElements(section, name)
      if (parts.length === 0) return {}
      return { [field]: this.#bodies(field, parts, bodyOf, (bodies) => ({ acls: { [field]: bodies } })) }
    }
    const roles = (one: XmlElement): readonly string[] => childElements(one, 'role').map(idOf)
    return {
      ...part('roles', 'acl_role', roleBody),
      ...part('users', 'acl_target', roles),
      ...part('groups', 'acl_group', roles),
    }
  }

  #resource(resource: XmlElement): Fields {
    const { description } = resource.attributes
    const common = {
      ...(description === undefined ? {} : { description }),
      ...setFieldsOf(resource),
    }
    const inner = (): Fields =>
      this.#bodies('resources', childElements(resource).filter(isResource), (one) => this.#resource(one))
    switch (resource.name) {
      case 'primitive':
        return { ...agentFields(resource), ...common, ...operationList(resource) }
      case 'group':
        return { group: inner(), ...common }
      case 'clone':
        return { clone: inner(), ...common }
      case 'bundle':
        return { bundle: bundleBody(resource, inner()), ...common }
      default:
        return { xml: '' }
    }
  }

  #constraint(constraint: XmlElement): Fields {
    const kind = constraintKinds.find((one) => one.element === constraint.name)
    if (kind === undefined) return { xml: '' }
    const subject = constraint.attributes[kind.attribute]
    const sets = childElements(constraint, 'resource_set').map((one) => ({
      resources: childElements(one, 'resource_ref').map(idOf),
      ...fieldsFrom(one, setFields),
    }))
    const of = subject ?? (sets.length > 0 ? sets : undefined)
    const rules = childElements(constraint, 'rule').length > 0 ? { rules: this.#rules(constraint) } : {}
    return { ...(of === undefined ? {} : { [kind.subject]: of }), ...fieldsFrom(constraint, kind.fields), ...rules }
  }

  #rules(constraint: XmlElement): readonly Fields[] {
    const alone = element('cib', this.#cib.attributes, [
      element('configuration', {}, [element('constraints', {}, [constraint])]),
    ])
    const [read] = readConfiguration(alone).constraints.filter((one) => one.kind === 'location')
    return childElements(constraint, 'rule').map((rule, at) => {
      const { score, role, 'score-attribute': scoreAttribute, id } = rule.attributes
      const typed = read?.kind === 'location' && read.where.by === 'rules' ? read.where.rules[at] : undefined
      return {
        ...(id === undefined ? {} : { id }),
        when: typed === undefined ? '' : describeRule(typed),
        ...(score === undefined ? {} : { score }),
        ...(scoreAttribute === undefined ? {} : { 'score-attribute': scoreAttribute }),
        ...(role === undefined ? {} : { role }),
      }
    })
  }
}

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''
const isResource = ({ name }: XmlElement): boolean => ['primitive', 'group', 'clone', 'master', 'bundle'].includes(name)

const hasRemarks = (part: XmlElement): boolean =>
  part.children.some((child) => (child.kind === 'element' ? hasRemarks(child) : child.text.trim() !== ''))

function fieldsFrom(part: XmlElement, names: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    Object.entries(names).flatMap(([field, name]) => {
      const value = part.attributes[name]
      return value === undefined ? [] : [[field, value]]
    }),
  )
}

/** The first set of each kind; others show when it is built again. */
function optionsOf(parent: XmlElement, name: string): Fields | undefined {
  const set = childElement(parent, name)
  if (set === undefined) return undefined
  return Object.fromEntries(
    childElements(set, 'nvpair').map(({ attributes }) => [attributes.name ?? '', attributes.value ?? '']),
  )
}

function setFieldsOf(part: XmlElement): Fields {
  const found = [
    ['parameters', optionsOf(part, 'instance_attributes')],
    ['meta', optionsOf(part, 'meta_attributes')],
    ['utilization', optionsOf(part, 'utilization')],
  ] as const
  return Object.fromEntries(found.filter(([, options]) => options !== undefined && Object.keys(options).length > 0))
}

function onlySet(field: string, section: XmlElement): Fields | undefined {
  const [set, ...others] = childElements(section)
  if (set === undefined || others.length > 0 || Object.keys(set.attributes).some((name) => name !== 'id'))
    return undefined
  return { [field]: optionsOf(section, set.name) ?? {} }
}

function nodeBody(node: XmlElement): Fields {
  const { id, type, score, description } = node.attributes
  const sets = setFieldsOf(node)
  return {
    ...(id === undefined ? {} : { id }),
    ...(type === undefined ? {} : { type }),
    ...(score === undefined ? {} : { score }),
    ...(description === undefined ? {} : { description }),
    ...(sets.parameters === undefined ? {} : { attributes: sets.parameters }),
    ...(sets.utilization === undefined ? {} : { utilization: sets.utilization }),
  }
}

function agentFields({ attributes }: XmlElement): Fields {
  const { class: agentClass = '', provider, type = '', template } = attributes
  if (template !== undefined) return { template }
  return { agent: [agentClass, ...(provider === undefined ? [] : [provider]), type].join(':') }
}

function operationList(resource: XmlElement): Fields {
  const operations = childElement(resource, 'operations')
  const list = childElements(operations ?? element('operations'), 'op').map((one) => {
    const { utilization: _none, ...sets } = setFieldsOf(one)
    return { ...fieldsFrom(one, operationFields), ...sets }
  })
  return list.length === 0 ? {} : { operations: list }
}

function bundleBody(bundle: XmlElement, primitive: Fields): Fields {
  const container = childElements(bundle).find(({ name }) => name === 'docker' || name === 'podman')
  const network = childElement(bundle, 'network')
  const storage = childElement(bundle, 'storage')
  const mappings = (parent: XmlElement, names: Readonly<Record<string, string>>): Fields =>
    Object.fromEntries(childElements(parent).map((one) => [idOf(one), fieldsFrom(one, names)]))
  const ports = network === undefined ? {} : mappings(network, portFields)
  return {
    ...(container === undefined ? {} : { [container.name]: fieldsFrom(container, containerFields) }),
    ...(network === undefined
      ? {}
      : { network: { ...fieldsFrom(network, networkFields), ...(Object.keys(ports).length > 0 ? { ports } : {}) } }),
    ...(storage === undefined ? {} : { storage: mappings(storage, storageFields) }),
    ...(Object.keys(primitive).length > 0 ? { primitive } : {}),
  }
}

function roleBody(role: XmlElement): Fields {
  const { description } = role.attributes
  const names = ['kind', 'xpath', 'reference', 'object-type', 'attribute', 'description']
  const fields = Object.fromEntries(names.map((name) => [name, name]))
  const permissions = childElements(role).map((one) => fieldsFrom(one, fields))
  return { ...(description === undefined ? {} : { description }), ...(permissions.length > 0 ? { permissions } : {}) }
}

function levelBody(level: XmlElement): Fields {
  const { index, devices = '' } = level.attributes
  const target = { node: 'target', pattern: 'target-pattern', attribute: 'target-attribute', value: 'target-value' }
  return { ...fieldsFrom(level, target), ...(index === undefined ? {} : { level: index }), devices: devices.split(',') }
}

function alertBody(alert: XmlElement): Fields {
  const own = (part: XmlElement): Fields => {
    const { utilization: _none, ...sets } = setFieldsOf(part)
    return sets
  }
  const recipients = childElements(alert, 'recipient').map(
    (one) => [idOf(one), { ...fieldsFrom(one, { value: 'value', description: 'description' }), ...own(one) }] as const,
  )
  return {
    ...fieldsFrom(alert, { path: 'path', description: 'description' }),
    ...own(alert),
    ...(recipients.length > 0 ? { recipients: Object.fromEntries(recipients) } : {}),
  }
}
