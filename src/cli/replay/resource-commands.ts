/** Resources as commands. Undefined where no command says it; what a command would say wrongly is noticed when it is tried. */
import { childElement, childElements, type XmlElement } from '../../cib/index.ts'
import { attributeWords, idOf, pairWords, section } from './words-of.ts'

type Line = readonly string[]

export function resourceCommands(resource: XmlElement): readonly Line[] | undefined {
  const lines = commandsOf(resource)
  return lines && [...lines, ...descriptions(resource)]
}

function commandsOf(resource: XmlElement): readonly Line[] | undefined {
  switch (resource.name) {
    case 'primitive':
      return primitive(resource, [])
    case 'group':
      return group(resource)
    case 'clone':
      return clone(resource)
    case 'bundle':
      return bundle(resource)
    default:
      return undefined
  }
}

function primitive(resource: XmlElement, inside: readonly string[]): readonly Line[] | undefined {
  const { class: agentClass, provider, type, template } = resource.attributes
  const parameters = pairWords(resource, 'instance_attributes')
  const meta = pairWords(resource, 'meta_attributes')
  const utilization = pairWords(resource, 'utilization')
  const operations = childElements(resource, 'operations').flatMap((list) => childElements(list, 'op'))
  const written = operations.map(operationWords)
  if (template !== undefined || agentClass === undefined || type === undefined) return undefined
  if (!parameters || !meta || !utilization || written.some((words) => words === undefined)) return undefined
  const id = idOf(resource)
  const isFencing = agentClass === 'stonith'
  const agent = isFencing ? type : [agentClass, ...(provider === undefined ? [] : [provider]), type].join(':')
  const create = [
    isFencing ? 'stonith' : 'resource',
    'create',
    id,
    agent,
    ...parameters,
    ...section(
      'op',
      written.flatMap((words) => words ?? []),
    ),
    ...section('meta', meta),
    ...inside,
    '--no-default-ops',
    '--force',
  ]
  const hasMonitor = operations.some(({ attributes }) => attributes.name === 'monitor')
  return [
    create,
    // A new resource is monitored; this one is not.
    ...(hasMonitor ? [] : [[isFencing ? 'stonith' : 'resource', 'op', 'remove', id, 'monitor']]),
    ...(utilization.length > 0 ? [['resource', 'utilization', id, ...utilization]] : []),
  ]
}

function operationWords(operation: XmlElement): readonly string[] | undefined {
  const parameters = pairWords(operation, 'instance_attributes')
  if (!parameters || childElements(operation, 'meta_attributes').length > 0) return undefined
  return [operation.attributes.name ?? '', ...attributeWords(operation, ['name']), ...parameters]
}

function group(resource: XmlElement): readonly Line[] | undefined {
  const id = idOf(resource)
  const members = childElements(resource, 'primitive').map((member) => primitive(member, ['--group', id]))
  const meta = pairWords(resource, 'meta_attributes')
  const parameters = pairWords(resource, 'instance_attributes')
  if (!meta || !parameters || members.some((lines) => lines === undefined)) return undefined
  return [
    ...members.flatMap((lines) => lines ?? []),
    ...(meta.length > 0 ? [['resource', 'meta', id, ...meta, '--force']] : []),
    ...(parameters.length > 0 ? [['resource', 'update', id, ...parameters, '--force']] : []),
  ]
}

function clone(resource: XmlElement): readonly Line[] | undefined {
  const id = idOf(resource)
  const meta = pairWords(resource, 'meta_attributes')
  const parameters = pairWords(resource, 'instance_attributes')
  if (!meta || !parameters) return undefined
  const promotable = meta.includes('promotable=true')
  const others = promotable ? meta.filter((word) => word !== 'promotable=true') : meta
  const verb = promotable ? 'promotable' : 'clone'
  const own = parameters.length > 0 ? [['resource', 'update', id, ...parameters, '--force']] : []
  const inner = childElement(resource, 'primitive')
  if (inner) {
    // On create pcs 0.12 takes what follows `meta` for the resource's own.
    const lines = primitive(inner, [verb, id, ...others])
    return lines && [...lines, ...own]
  }
  const innerGroup = childElement(resource, 'group')
  const lines = innerGroup && group(innerGroup)
  return lines && [...lines, ['resource', verb, idOf(innerGroup), id, ...section('meta', others), '--force'], ...own]
}

function bundle(resource: XmlElement): readonly Line[] | undefined {
  const id = idOf(resource)
  const meta = pairWords(resource, 'meta_attributes')
  const container = ['docker', 'podman', 'rkt'].flatMap((type) => childElement(resource, type) ?? [])[0]
  if (!meta || !container || childElements(resource, 'instance_attributes').length > 0) return undefined
  const network = childElement(resource, 'network')
  const ports = childElements(network ?? container, 'port-mapping')
  const storage = childElements(childElement(resource, 'storage') ?? container, 'storage-mapping')
  const create = [
    'resource',
    'bundle',
    'create',
    id,
    'container',
    container.name,
    ...attributeWords(container, []),
    ...section('network', network ? attributeWords(network, ['id']) : []),
    ...ports.flatMap((port) => ['port-map', ...attributeWords(port, [])]),
    ...storage.flatMap((mapping) => ['storage-map', ...attributeWords(mapping, [])]),
    ...section('meta', meta),
    '--force',
  ]
  const inner = childElement(resource, 'primitive')
  const member = inner === undefined ? [] : primitive(inner, ['bundle', id])
  return member && [create, ...member]
}

function descriptions(resource: XmlElement): readonly Line[] {
  const { description } = resource.attributes
  const own = description === undefined ? [] : [['cib', 'element', 'description', idOf(resource), description]]
  return [...own, ...childElements(resource).flatMap(descriptions)]
}
