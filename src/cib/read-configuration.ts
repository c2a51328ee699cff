/**
 * The typed view of a CIB's configuration. Reading never fails: a piece that makes no sense is left out or takes the
 * documented default, so that one mistake does not hide the rest of the cluster; `validateCib` reports it.
 */
import { doneAtOnce, nodeName, type Steps } from '../base/index.ts'
import type { Configuration, FencingLevel, NodeDefinition, Tag } from './configuration.ts'
import { childElement, childElements, type XmlElement } from './document.ts'
import { hasOldSchema, withPresentSchema } from './old-schemas.ts'
import { readAlerts } from './read-alerts.ts'
import { constraintSteps } from './read-constraint.ts'
import { readNvSets } from './read-nvset.ts'
import { readTemplates, resourceSteps } from './read-resource.ts'
import { indexReferences, type References } from './references.ts'
import { present, splitWords } from './values/attribute-text.ts'
import { parseScore } from './values/score.ts'

/** From a whole `cib` element or from its `configuration` alone. */
export const readConfiguration = (cib: XmlElement): Configuration => doneAtOnce(configurationSteps(cib))

/** The same in pieces: thousands of resources take some hundred milliseconds where nothing was compiled yet. */
export function* configurationSteps(cib: XmlElement): Steps<Configuration> {
  const written = configurationElement(cib)
  const configuration = hasOldSchema(cib) ? withPresentSchema(written) : written
  yield
  const references = indexReferences(configuration)
  yield
  const section = (name: string): XmlElement | undefined => childElement(configuration, name)
  const nodes = readNodes(section('nodes'), references)
  yield
  const resources = yield* resourceSteps(section('resources'), references)
  yield
  const templates = readTemplates(section('resources'), references)
  yield
  const constraints = yield* constraintSteps(section('constraints'), references)
  yield
  return {
    options: readNvSets(section('crm_config'), 'cluster_property_set', references),
    nodes,
    resources,
    templates,
    constraints,
    resourceDefaults: readNvSets(section('rsc_defaults'), 'meta_attributes', references),
    operationDefaults: readNvSets(section('op_defaults'), 'meta_attributes', references),
    tags: readTags(section('tags')),
    fencingLevels: readFencingLevels(section('fencing-topology')),
    alerts: readAlerts(section('alerts'), references),
  }
}

/** The `configuration` element of a CIB, or an empty one. */
export function configurationElement(cib: XmlElement): XmlElement {
  if (cib.name === 'configuration') return cib
  return childElement(cib, 'configuration') ?? { kind: 'element', name: 'configuration', attributes: {}, children: [] }
}

function readNodes(parent: XmlElement | undefined, references: References): readonly NodeDefinition[] {
  if (parent === undefined) return []
  return childElements(parent, 'node').flatMap((element) => {
    const { id, uname, type } = element.attributes
    if (id === undefined || type === 'ping') return []
    return [
      {
        id,
        name: nodeName(uname ?? id),
        type: type === 'remote' ? ('remote' as const) : ('member' as const),
        attributes: readNvSets(element, 'instance_attributes', references),
        utilization: readNvSets(element, 'utilization', references),
        ...present({ place: element.place, score: parseScore(element.attributes.score ?? '0') || undefined }),
      },
    ]
  })
}

function readTags(parent: XmlElement | undefined): readonly Tag[] {
  if (parent === undefined) return []
  return childElements(parent, 'tag').map((element) => ({
    id: element.attributes.id ?? '',
    members: childElements(element, 'obj_ref').flatMap((member) => member.attributes.id ?? []),
  }))
}

/** Levels outside 1 … 9 have no meaning and are left out. */
function readFencingLevels(parent: XmlElement | undefined): readonly FencingLevel[] {
  if (parent === undefined) return []
  return childElements(parent, 'fencing-level').flatMap((element) => {
    const target = fencingTarget(element.attributes)
    const index = Number(element.attributes.index)
    if (target === undefined || !Number.isInteger(index) || index < 1 || index > 9) return []
    return [{ id: element.attributes.id ?? '', index, devices: splitWords(element.attributes.devices), target }]
  })
}

export function fencingTarget(attributes: Readonly<Record<string, string>>): FencingLevel['target'] | undefined {
  const { target, 'target-pattern': pattern, 'target-attribute': name, 'target-value': value } = attributes
  if (target !== undefined) return { by: 'node', node: target }
  if (pattern !== undefined) return { by: 'pattern', pattern }
  return name !== undefined && value !== undefined ? { by: 'attribute', name, value } : undefined
}
