/**
 * Resources as they are configured (Pacemaker Explained, "Resources"): primitives with their template merged in, groups,
 * clones and the older `master` elements, bundles. What misses its child or its agent is left out; validation says so.
 */
import { flatMapInSteps, type ResourceId, resourceId, type Steps } from '../base/index.ts'
import type {
  Agent,
  BundleDefinition,
  CloneDefinition,
  GroupDefinition,
  NvSet,
  OperationDefinition,
  PrimitiveDefinition,
  ResourceDefinition,
} from './configuration.ts'
import { childElement, childElements, type XmlElement } from './document.ts'
import { presentValue } from './old-names.ts'
import { readNvSets } from './read-nvset.ts'
import type { References } from './references.ts'
import { parseIntervalMs, present } from './values/attribute-text.ts'

export function* resourceSteps(
  parent: XmlElement | undefined,
  references: References,
): Steps<readonly ResourceDefinition[]> {
  if (parent === undefined) return []
  return yield* flatMapInSteps(childElements(parent), (element): readonly ResourceDefinition[] => {
    switch (element.name) {
      case 'primitive':
        return readPrimitive(element, references)
      case 'group':
        return readGroup(element, references)
      case 'clone':
      case 'master':
        return readClone(element, references)
      case 'bundle':
        return readBundle(element, references)
      default:
        return []
    }
  })
}

/** Templates are primitives that are never started themselves. */
export function readTemplates(parent: XmlElement | undefined, references: References): readonly PrimitiveDefinition[] {
  if (parent === undefined) return []
  return childElements(parent, 'template').flatMap((element) => readPrimitive(element, references))
}

function readPrimitive(element: XmlElement, references: References): readonly PrimitiveDefinition[] {
  const templateId = element.attributes.template
  const template = templateId === undefined ? undefined : references.find('template', templateId)
  const agent = readAgent(template ?? element)
  if (agent === undefined || element.attributes.id === undefined) return []
  // The template's sets stand first: of sets with equal scores the later one wins, so that the primitive's own do.
  const sets = (kind: 'meta_attributes' | 'instance_attributes' | 'utilization'): readonly NvSet[] => [
    ...readNvSets(template, kind, references),
    ...readNvSets(element, kind, references),
  ]
  return [
    {
      kind: 'primitive',
      ...common(element),
      agent,
      meta: sets('meta_attributes'),
      parameters: sets('instance_attributes'),
      utilization: sets('utilization'),
      operations: mergeOperations(readOperations(element, references), readOperations(template, references)),
      ...present({ template: templateId }),
    },
  ]
}

function common(element: XmlElement): { readonly id: ResourceId; readonly place?: NonNullable<XmlElement['place']> } {
  return { id: resourceId(element.attributes.id ?? ''), ...present({ place: element.place }) }
}

function readAgent({ attributes }: XmlElement): Agent | undefined {
  const { class: agentClass, provider, type } = attributes
  if (agentClass === undefined || type === undefined) return undefined
  return { class: agentClass, type, ...present({ provider }) }
}

/** A primitive's operation replaces those of the template with its name and role, whatever their interval; the others are added. */
function mergeOperations(
  own: readonly OperationDefinition[],
  fromTemplate: readonly OperationDefinition[],
): readonly OperationDefinition[] {
  const key = ({ name, attributes }: OperationDefinition): string => `${name} ${attributes.role ?? 'Started'}`
  const written = new Set(own.map(key))
  return [...own, ...fromTemplate.filter((operation) => !written.has(key(operation)))]
}

function readOperations(parent: XmlElement | undefined, references: References): readonly OperationDefinition[] {
  if (parent === undefined) return []
  return childElements(parent, 'operations').flatMap((written) => {
    const meant = references.resolve(written)
    if (meant === undefined) return []
    return childElements(meant, 'op').flatMap((op) => {
      const operation = references.resolve(op)
      return operation === undefined ? [] : readOperation(operation, references)
    })
  })
}

function readOperation(element: XmlElement, references: References): readonly OperationDefinition[] {
  const { id, name, interval, 'id-ref': reference, description, ...rest } = element.attributes
  if (name === undefined) return []
  const attributes = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, presentValue(key, value)] as const),
  )
  return [
    {
      id: id ?? '',
      name,
      intervalMs: parseIntervalMs(interval),
      attributes,
      meta: readNvSets(element, 'meta_attributes', references),
      parameters: readNvSets(element, 'instance_attributes', references),
    },
  ]
}

function readGroup(element: XmlElement, references: References): readonly GroupDefinition[] {
  if (element.attributes.id === undefined) return []
  return [
    {
      kind: 'group',
      ...common(element),
      meta: readNvSets(element, 'meta_attributes', references),
      members: childElements(element, 'primitive').flatMap((member) => readPrimitive(member, references)),
      ...present(parametersOf(element, references)),
    },
  ]
}

function readClone(element: XmlElement, references: References): readonly CloneDefinition[] {
  const [child] = childElements(element).flatMap((inner): readonly (PrimitiveDefinition | GroupDefinition)[] =>
    inner.name === 'primitive'
      ? readPrimitive(inner, references)
      : inner.name === 'group'
        ? readGroup(inner, references)
        : [],
  )
  if (child === undefined || element.attributes.id === undefined) return []
  return [
    {
      kind: 'clone',
      ...common(element),
      meta: readNvSets(element, 'meta_attributes', references),
      child,
      isMasterElement: element.name === 'master',
      ...present(parametersOf(element, references)),
    },
  ]
}

function parametersOf(
  element: XmlElement,
  references: References,
): { readonly parameters: readonly NvSet[] | undefined } {
  const parameters = readNvSets(element, 'instance_attributes', references)
  return { parameters: parameters.length === 0 ? undefined : parameters }
}

const technologies = ['docker', 'podman', 'rkt'] as const

function readBundle(element: XmlElement, references: References): readonly BundleDefinition[] {
  const technology = technologies.find((name) => childElement(element, name) !== undefined)
  if (technology === undefined || element.attributes.id === undefined) return []
  const network = childElement(element, 'network')
  const storage = childElement(element, 'storage')
  const child = childElement(element, 'primitive')
  return [
    {
      kind: 'bundle',
      ...common(element),
      meta: readNvSets(element, 'meta_attributes', references),
      container: { technology, attributes: containerAttributes(childElement(element, technology)) },
      storage: storage === undefined ? [] : childElements(storage, 'storage-mapping'),
      ...present({
        network: network && {
          attributes: network.attributes,
          portMappings: childElements(network, 'port-mapping'),
        },
        child: child && readPrimitive(child, references)[0],
      }),
    },
  ]
}

/** `masters` is what `promoted-max` was called. */
function containerAttributes(container: XmlElement | undefined): Readonly<Record<string, string>> {
  const { masters, ...attributes } = container?.attributes ?? {}
  return masters === undefined || attributes['promoted-max'] !== undefined
    ? attributes
    : { ...attributes, 'promoted-max': masters }
}
