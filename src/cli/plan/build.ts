/**
 * From the values of a cluster file to the configuration that they describe. Parts get no ids here: they are found by their names in what runs, and get ids where they are new.
 * What a schema cannot say is found here, each mistake with its field.
 */

import type { FieldPath } from '../../base/index.ts'
import { element, parseXml, type XmlElement } from '../../cib/index.ts'
import { constraintElement } from './build-constraint.ts'
import { resourceElement } from './build-resource.ts'
import { attributesOf, elementOfXml, fieldsOf, itemsOf, optionSet, type Report, references } from './parts.ts'
import type { Fields } from './read-file.ts'

export interface Built {
  readonly configuration: XmlElement
  readonly mistakes: readonly { readonly path: FieldPath; readonly sentence: string }[]
}

export function buildConfiguration(values: Fields): Built {
  const mistakes: { path: FieldPath; sentence: string }[] = []
  const report: Report = (path, sentence) => mistakes.push({ path, sentence })
  const builder = new Builder(report)
  const sections = [
    optionSection('crm_config', 'cluster_property_set', values.properties),
    builder.list('nodes', values.nodes, ['nodes'], nodeElement),
    builder.list('resources', values.resources, ['resources'], (id, body, path) =>
      resourceElement(id, body, { path, report }),
    ),
    builder.list('constraints', values.constraints, ['constraints'], (id, body, path) =>
      constraintElement(id, body, { path, report }),
    ),
    builder.list('tags', values.tags, ['tags'], (id, body) => element('tag', { id }, references('obj_ref', body))),
    builder.acls(values.acls),
    builder.list('fencing-topology', values['fencing-levels'], ['fencing-levels'], (id, body, path) =>
      levelElement(id, body, { path, report }),
    ),
    optionSection('rsc_defaults', 'meta_attributes', values['resource-defaults']),
    optionSection('op_defaults', 'meta_attributes', values['operation-defaults']),
    builder.list('alerts', values.alerts, ['alerts'], alertElement),
  ].flatMap((section) => section ?? [])
  const written = builder.sectionsAsXml(values.xml)
  const names = [...new Set([...sections, ...written].map(({ name }) => name))]
  const joined = names.map((name) => {
    const same = [...sections, ...written].filter((section) => section.name === name)
    return element(
      name,
      {},
      same.flatMap(({ children }) => children),
    )
  })
  return { configuration: element('configuration', {}, joined), mistakes }
}

type Build = (id: string, body: unknown, path: FieldPath) => XmlElement

class Builder {
  readonly #report: Report

  constructor(report: Report) {
    this.#report = report
  }

  list(section: string, bodies: unknown, around: FieldPath, build: Build): XmlElement | undefined {
    if (bodies === undefined) return undefined
    return element(section, {}, this.#items(bodies, around, build))
  }

  #items(bodies: unknown, around: FieldPath, build: Build): readonly XmlElement[] {
    return Object.entries(fieldsOf(bodies)).map(([id, body]) => {
      const path = [...around, id]
      const xml = fieldsOf(body).xml
      return xml === undefined ? build(id, body, path) : elementOfXml(xml, { id, body, path, report: this.#report })
    })
  }

  acls(body: unknown): XmlElement | undefined {
    if (body === undefined) return undefined
    const { roles, users, groups } = fieldsOf(body)
    return element('acls', {}, [
      ...this.#items(roles, ['acls', 'roles'], roleElement),
      ...this.#items(users, ['acls', 'users'], (id, list) => element('acl_target', { id }, references('role', list))),
      ...this.#items(groups, ['acls', 'groups'], (id, list) => element('acl_group', { id }, references('role', list))),
    ])
  }

  sectionsAsXml(body: unknown): readonly XmlElement[] {
    return Object.entries(fieldsOf(body)).flatMap(([section, text]) => {
      const parsed = parseXml(String(text).trim())
      if (!parsed.ok) {
        this.#report(['xml', section], `This is not well-formed XML: ${parsed.reports[0]?.message ?? ''}.`)
        return []
      }
      if (parsed.value.name === section) return [parsed.value]
      this.#report(['xml', section], `This is <${parsed.value.name}>, not <${section}>.`)
      return []
    })
  }
}

function optionSection(section: string, set: string, body: unknown): XmlElement | undefined {
  return body === undefined ? undefined : element(section, {}, optionSet(set, body))
}

function nodeElement(uname: string, body: unknown): XmlElement {
  const fields = fieldsOf(body)
  return element(
    'node',
    {
      ...attributesOf(fields, { id: 'id' }),
      uname,
      ...attributesOf(fields, { type: 'type', score: 'score', description: 'description' }),
    },
    [...optionSet('instance_attributes', fields.attributes), ...optionSet('utilization', fields.utilization)],
  )
}

function roleElement(id: string, body: unknown): XmlElement {
  const fields = fieldsOf(body)
  const permissions = itemsOf(fields.permissions).map((one) => {
    const names = ['id', 'kind', 'xpath', 'reference', 'object-type', 'attribute', 'description']
    return element('acl_permission', attributesOf(fieldsOf(one), Object.fromEntries(names.map((name) => [name, name]))))
  })
  return element('acl_role', { id, ...attributesOf(fields, { description: 'description' }) }, permissions)
}

function levelElement(
  id: string,
  body: unknown,
  { path, report }: { readonly path: FieldPath; readonly report: Report },
): XmlElement {
  const fields = fieldsOf(body)
  if (fields.level === undefined) report(path, "The field 'level' is missing.")
  if (fields.devices === undefined) report(path, "The field 'devices' is missing.")
  const targets = ['node', 'pattern', 'attribute'].filter((name) => fields[name] !== undefined)
  if (targets.length !== 1) report(path, 'Specify one of node, pattern, attribute (with value).')
  return element('fencing-level', {
    id,
    ...attributesOf(fields, {
      node: 'target',
      pattern: 'target-pattern',
      attribute: 'target-attribute',
      value: 'target-value',
      level: 'index',
    }),
    devices: itemsOf(fields.devices).map(String).join(','),
  })
}

function alertElement(id: string, body: unknown): XmlElement {
  const fields = fieldsOf(body)
  const recipients = Object.entries(fieldsOf(fields.recipients)).map(([own, one]) =>
    element(
      'recipient',
      { id: own, ...attributesOf(fieldsOf(one), { value: 'value', description: 'description' }) },
      optionsIn(fieldsOf(one)),
    ),
  )
  return element('alert', { id, ...attributesOf(fields, { path: 'path', description: 'description' }) }, [
    ...optionsIn(fields),
    ...recipients,
  ])
}

const optionsIn = (fields: Fields): readonly XmlElement[] => [
  ...optionSet('meta_attributes', fields.meta),
  ...optionSet('instance_attributes', fields.parameters),
]

/** The ids of a configuration with the fields that they stand in, for what is said of an element. */
export function fieldPaths(values: Fields): ReadonlyMap<string, FieldPath> {
  const found = new Map<string, FieldPath>()
  const visit = (bodies: unknown, path: FieldPath): void => {
    for (const [id, body] of Object.entries(fieldsOf(bodies))) {
      found.set(id, [...path, id])
      for (const holder of ['group', 'clone']) visit(fieldsOf(body)[holder], [...path, id, holder])
      visit(fieldsOf(fieldsOf(body).bundle).primitive, [...path, id, 'bundle', 'primitive'])
    }
  }
  for (const section of ['nodes', 'resources', 'constraints', 'tags', 'fencing-levels', 'alerts'])
    visit(values[section], [section])
  for (const part of ['roles', 'users', 'groups']) visit(fieldsOf(values.acls)[part], ['acls', part])
  return found
}
