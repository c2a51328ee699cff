/** A resource of a cluster file as the CIB has it, with those in it. */

import type { FieldPath } from '../../base/index.ts'
import { element, type XmlElement } from '../../cib/index.ts'
import { containerFields, networkFields, operationFields, portFields, storageFields } from './fields.ts'
import { attributesOf, elementOfXml, fieldsOf, itemsOf, optionSet, type Report } from './parts.ts'
import type { Fields } from './read-file.ts'

interface Around {
  readonly path: FieldPath
  readonly report: Report
}

const kinds = ['agent', 'template', 'group', 'clone', 'bundle'] as const
const ofPrimitives = ['utilization', 'operations', 'parameters']

export function resourceElement(id: string, body: unknown, around: Around): XmlElement {
  const { path, report } = around
  const fields = fieldsOf(body)
  const given = kinds.filter((kind) => fields[kind] !== undefined)
  const [kind] = given
  if (kind === undefined || given.length > 1) {
    report(path, `Specify one of ${kinds.join(', ')}, or xml.`)
    return element('primitive', { id })
  }
  if (kind === 'bundle' || kind === 'clone' || kind === 'group')
    for (const field of ofPrimitives)
      if (fields[field] !== undefined && !(field === 'parameters' && kind !== 'bundle'))
        report([...path, field], `A ${kind} has no field '${field}'. Specify it for the resource in it.`)
  const described = attributesOf(fields, { description: 'description' })
  const sets = [...optionSet('meta_attributes', fields.meta), ...optionSet('instance_attributes', fields.parameters)]
  switch (kind) {
    case 'agent':
    case 'template':
      return element('primitive', { id, ...agentOf(fields), ...described }, [
        ...sets,
        ...optionSet('utilization', fields.utilization),
        ...operationsOf(fields.operations),
      ])
    case 'group':
      return element('group', { id, ...described }, [
        ...sets,
        ...inner(fields.group, { path: [...path, 'group'], report }),
      ])
    case 'clone':
      return element('clone', { id, ...described }, [
        ...sets,
        ...inner(fields.clone, { path: [...path, 'clone'], report }),
      ])
    case 'bundle':
      return bundleElement({ id, ...described }, fields, { path: [...path, 'bundle'], report })
  }
}

function agentOf({ agent, template }: Fields): Readonly<Record<string, string>> {
  if (agent === undefined) return { template: String(template) }
  const [agentClass = '', ...rest] = String(agent).split(':')
  const [provider, ...type] = agentClass === 'ocf' ? rest : [undefined, ...rest]
  return { class: agentClass, ...(provider === undefined ? {} : { provider }), type: type.join(':') }
}

function inner(bodies: unknown, { path, report }: Around): readonly XmlElement[] {
  const members = Object.entries(fieldsOf(bodies))
  if (members.length === 0) report(path, 'There is no resource in it.')
  return members.map(([id, body]) => {
    const around = { path: [...path, id], report }
    const { xml } = fieldsOf(body)
    return xml === undefined ? resourceElement(id, body, around) : elementOfXml(xml, { id, body, ...around })
  })
}

function operationsOf(list: unknown): readonly XmlElement[] {
  if (list === undefined) return []
  const operations = itemsOf(list).map((one) => {
    const fields = fieldsOf(one)
    return element('op', attributesOf({ interval: '0', ...fields }, operationFields), [
      ...optionSet('meta_attributes', fields.meta),
      ...optionSet('instance_attributes', fields.parameters),
    ])
  })
  return operations.length === 0 ? [] : [element('operations', {}, operations)]
}

function bundleElement(
  attributes: Readonly<Record<string, string>>,
  fields: Fields,
  { path, report }: Around,
): XmlElement {
  const bundle = fieldsOf(fields.bundle)
  const containers = ['docker', 'podman'].filter((name) => bundle[name] !== undefined)
  if (containers.length !== 1) report(path, 'Specify one of docker, podman.')
  const { network, storage } = bundle
  const mappings = (
    body: unknown,
    { name, names }: { readonly name: string; readonly names: Readonly<Record<string, string>> },
  ): readonly XmlElement[] =>
    Object.entries(fieldsOf(body)).map(([id, one]) => element(name, { id, ...attributesOf(fieldsOf(one), names) }))
  return element('bundle', attributes, [
    ...optionSet('meta_attributes', fields.meta),
    ...containers.map((name) => element(name, attributesOf(fieldsOf(bundle[name]), containerFields))),
    ...(network === undefined
      ? []
      : [
          element(
            'network',
            attributesOf(fieldsOf(network), networkFields),
            mappings(fieldsOf(network).ports, { name: 'port-mapping', names: portFields }),
          ),
        ]),
    ...(storage === undefined
      ? []
      : [element('storage', {}, mappings(storage, { name: 'storage-mapping', names: storageFields }))]),
    ...(bundle.primitive === undefined ? [] : inner(bundle.primitive, { path: [...path, 'primitive'], report })),
  ])
}
