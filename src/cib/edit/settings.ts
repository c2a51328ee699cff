/** Cluster options, defaults of resources and operations, node attributes: name/value pairs outside of resources. */
import { failed } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { clusterOptions } from '../options/cluster-options.ts'
import { operationOptions } from '../options/operation-options.ts'
import { cloneMetaOptions, commonMetaOptions } from '../options/resource-options.ts'
import { configurationElement } from '../read-configuration.ts'
import { idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement } from '../tree.ts'
import { withoutComputed } from './auto-utilization.ts'
import { missingNodes } from './find.ts'
import { checkNameValues, isMisspelt, type NameValues, setNameValues } from './name-values.ts'
import { addRemoteEntry } from './remote-entry.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

/** As everywhere, an empty value takes the name away. */
export interface SettingsChange {
  readonly values: NameValues
  /** Take names that are not known. */
  readonly force?: boolean
}

/** An option under its old name is replaced when the new one is set, and the other way round: one of them stands. */
export function setClusterOptions(
  cib: XmlElement,
  change: SettingsChange & { readonly onlyFirst?: boolean },
): EditResult {
  const reports = checkNameValues(change.values, {
    options: clusterOptions,
    where: 'cluster option',
    allowUnknown: change.force === true,
  })
  return unless(reports, () =>
    edited(
      editSection(cib, 'crm_config', (section) =>
        setNameValues(
          section,
          {
            kind: 'cluster_property_set',
            setId: 'cib-bootstrap-options',
            values: change.values,
            onlyFirst: change.onlyFirst === true,
            options: clusterOptions,
          },
          idSource(cib),
        ),
      ),
    ),
  )
}

export type DefaultsOf = 'resource' | 'operation'

export const defaultsSections = {
  resource: {
    section: 'rsc_defaults',
    options: [...commonMetaOptions, ...cloneMetaOptions],
    where: 'resource default',
  },
  operation: { section: 'op_defaults', options: operationOptions, where: 'operation default' },
} as const

/** As among meta-attributes, a name of one's own is no mistake. */
export function checkDefaults(of: DefaultsOf, values: NameValues, force: boolean | undefined): readonly EditReport[] {
  const { options, where } = defaultsSections[of]
  return checkNameValues(values, { options, where, allowUnknown: force === true }).filter(isMisspelt)
}

export function setDefaults(cib: XmlElement, change: SettingsChange & { readonly of: DefaultsOf }): EditResult {
  const { section, options } = defaultsSections[change.of]
  return unless(checkDefaults(change.of, change.values, change.force), () =>
    edited(
      editSection(cib, section, (found) =>
        setNameValues(
          found,
          {
            kind: 'meta_attributes',
            setId: `${section}-meta_attributes`,
            values: change.values,
            options,
            shortIds: true,
          },
          idSource(cib),
        ),
      ),
    ),
  )
}

export interface NodeChange {
  readonly nodes: readonly string[]
  readonly kind?: 'instance_attributes' | 'utilization'
  readonly values: NameValues
  /** See NvSetEdit. */
  readonly inOwnSet?: boolean
}

/** Permanent attributes or utilization. A remote or guest node that has no entry yet gets one. */
export function setNodeAttributes(cib: XmlElement, change: NodeChange): EditResult {
  const kind = change.kind ?? 'instance_attributes'
  const reports = missingNodes(cib, change.nodes)
  if (change.nodes.length === 0) return failed({ code: 'nothing-given', what: 'node' })
  return unless(reports, () => {
    const ids = idSource(cib)
    return edited(
      change.nodes.reduce((current, name) => {
        const withEntry = findNode(current, name) ? current : addRemoteEntry(current, name)
        const node = findNode(withEntry, name)
        if (node === undefined) return withEntry
        const setId = kind === 'utilization' ? `nodes-${idOf(node)}-utilization` : `nodes-${idOf(node)}`
        return replaceElement(withEntry, node, (found) => {
          const typed = kind === 'utilization' ? withoutComputed(found, Object.keys(change.values)) : { node: found }
          const changed = setNameValues(
            typed.node,
            { kind, setId, values: change.values, inOwnSet: change.inOwnSet },
            ids,
          )
          return 'auto' in typed ? appended(changed, typed.auto) : changed
        })
      }, cib),
    )
  })
}

/** `standby=on`, or the attribute taken away. */
export function setStandby(cib: XmlElement, request: { readonly nodes: readonly string[]; readonly standby: boolean }) {
  return setNodeAttributes(cib, { nodes: request.nodes, values: { standby: request.standby ? 'on' : '' } })
}

/** `maintenance=on`, or the attribute taken away. */
export function setNodeMaintenance(
  cib: XmlElement,
  request: { readonly nodes: readonly string[]; readonly maintenance: boolean },
): EditResult {
  return setNodeAttributes(cib, { nodes: request.nodes, values: { maintenance: request.maintenance ? 'on' : '' } })
}

/** A new cluster node's entry. One that is there already stays as it is. */
export function addNode(cib: XmlElement, node: { readonly id: string; readonly name: string }): EditResult {
  if (findNode(cib, node.name)) return edited(cib)
  const nodes = childElement(configurationElement(cib), 'nodes') ?? element('nodes')
  if (childElements(nodes, 'node').some((other) => idOf(other) === node.id))
    return failed({ code: 'id-in-use', id: node.id, by: 'a node' })
  return edited(
    editSection(cib, 'nodes', (section) => appended(section, element('node', { id: node.id, uname: node.name }))),
    { created: [node.id] },
  )
}

/** Takes a node's entry away, with the constraints and fencing levels that name the node. */
export function removeNode(cib: XmlElement, request: { readonly name: string }): EditResult {
  const node = findNode(cib, request.name)
  if (node === undefined) return failed(...missingNodes(cib, [request.name]))
  const configuration = configurationElement(cib)
  const named = (section: string, attribute: string): readonly XmlElement[] =>
    childElements(childElement(configuration, section) ?? element(section)).filter(
      ({ attributes }) => attributes[attribute] === request.name,
    )
  const leaving = [node, ...named('constraints', 'node'), ...named('fencing-topology', 'target')]
  return edited(
    leaving.reduce((current, item) => replaceElement(current, item, []), cib),
    { removed: leaving.map((item) => ({ element: item.name, id: idOf(item) })) },
  )
}

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''

function findNode(cib: XmlElement, name: string): XmlElement | undefined {
  const nodes = childElement(configurationElement(cib), 'nodes')
  return nodes && childElements(nodes, 'node').find(({ attributes }) => attributes.uname === name)
}
