/** Name/value pairs by what they belong to: cluster options, meta-attributes, operation options, utilization, node attributes. */
import { parseDurationMs, similarWords } from '../../base/index.ts'
import { childElements, type XmlElement } from '../document.ts'
import { oldValues } from '../old-names.ts'
import { clusterOptions } from '../options/cluster-options.ts'
import {
  boolean,
  describeValues,
  duration,
  isValueOf,
  type OptionDefinition,
  type OptionType,
} from '../options/definition.ts'
import { fenceDeviceOptions } from '../options/fencing-options.ts'
import { findOption, metaOptionsFor, type ResourceKind } from '../options/lookup.ts'
import { operationOptions } from '../options/operation-options.ts'
import { cloneMetaOptions, nodeAttributes } from '../options/resource-options.ts'
import { parseBoolean } from '../values/attribute-text.ts'
import type { AddReport } from './report.ts'
import { isObsoleteOption } from './validate-obsolete.ts'

interface Family {
  readonly where: string
  readonly options: readonly OptionDefinition[]
  /** Whether other names have no meaning at all, or may be somebody's own. */
  readonly closed: boolean
}

export function validateOptions(parent: XmlElement, add: AddReport): void {
  for (const child of childElements(parent)) {
    for (const [name, value] of Object.entries(child.attributes))
      checkTaken(child, { name, value }, attributesTaken.get(`${child.name} ${name}`), add)
    const family = familyOf(parent, child)
    if (family) for (const pair of childElements(child, 'nvpair')) checkPair(pair, family, add)
    else if (child.name === 'instance_attributes' && parent.attributes.class === 'stonith')
      for (const pair of childElements(child, 'nvpair')) checkFenceParameter(pair, add)
    else if (child.name === 'meta_attributes' && (parent.name === 'alert' || parent.name === 'recipient'))
      for (const pair of childElements(child, 'nvpair')) {
        const { name = '', value = '' } = pair.attributes
        checkTaken(pair, { name, value }, alertMeta.get(name), add)
      }
    else if (child.name === 'op')
      for (const [name, value] of Object.entries(child.attributes))
        checkEffect(child, findOption(operationOptions, name), value, add)
    validateOptions(child, add)
  }
}

function checkFenceParameter(pair: XmlElement, add: AddReport): void {
  const { name = '', value = '' } = pair.attributes
  const definition = findOption(fenceDeviceOptions, name)
  if (definition === undefined) return
  checkEffect(pair, definition, value, add)
  const wanted = formsOfText[name] ?? {
    expected: describeValues(definition),
    takes: (text) => text === '' || isValueOf(definition, text),
  }
  checkTaken(pair, { name, value }, wanted, add)
}

/** Pacemaker takes any value, and uses the default or fails later where it makes no sense: no reason to refuse the configuration, but to say so. */
function checkTaken(
  at: XmlElement,
  { name, value }: { readonly name: string; readonly value: string },
  wanted: TextForm | undefined,
  add: AddReport,
): void {
  if (wanted === undefined || wanted.takes(value)) return
  add('warning', at, { code: 'bad-value', name, value, expected: wanted.expected, similar: [] })
}

interface TextForm {
  readonly expected: string
  readonly takes: (value: string) => boolean
}

const formOf = (type: OptionType): TextForm => {
  const definition = { name: '', type, description: '' }
  return { expected: describeValues(definition), takes: (value) => isValueOf(definition, value) }
}

const port: TextForm = {
  expected: 'a port from 1 to 65535',
  // Other than whole numbers the schema refuses.
  takes: (value) => !/^\+?\d+$/.test(value) || (Number(value) >= 1 && Number(value) <= 65535),
}

/** By element and attribute. */
const attributesTaken: ReadonlyMap<string, TextForm> = new Map([
  [
    'alert path',
    {
      expected: 'an absolute path, such as /usr/share/pacemaker/alerts/alert_file.sh',
      takes: (value: string) => value.startsWith('/'),
    },
  ],
  ['network control-port', port],
  ['port-mapping port', port],
  ['port-mapping internal-port', port],
])

const upToADay: TextForm = {
  expected: 'a duration such as 10min, of at most 24h',
  takes: (value) => (parseDurationMs(value) ?? Number.POSITIVE_INFINITY) <= 86_400_000,
}

const alertMeta: ReadonlyMap<string, TextForm> = new Map([
  ['timeout', formOf(duration)],
  ['enabled', formOf(boolean)],
  ['retry-for', upToADay],
  ['repeat-interval', upToADay],
])

const entriesOf = (value: string): readonly string[] => value.split(/[;\s]+/).filter((entry) => entry !== '')

const formsOfText: Readonly<Record<string, TextForm>> = {
  pcmk_delay_base: {
    expected: 'a duration such as 5s, or one for each node, such as alpha:0;beta:5s',
    takes: (value) =>
      entriesOf(value).every((entry) => parseDurationMs(entry.replace(/^[^:=]+[:=]/, '')) !== undefined),
  },
  pcmk_host_map: {
    expected: 'nodes with their names at the device, such as alpha:1;beta:2,3',
    takes: (value) => entriesOf(value).every((entry) => /^[^:=]+[:=].+$/.test(entry)),
  },
}

function familyOf(parent: XmlElement, set: XmlElement): Family | undefined {
  // Agents keep what they share in sets of their own; the cluster's options are in this one.
  if (set.name === 'cluster_property_set')
    return { where: 'cluster option', options: clusterOptions, closed: set.attributes.id === 'cib-bootstrap-options' }
  if (set.name === 'instance_attributes' && parent.name === 'node')
    return { where: 'node attribute', options: nodeAttributes, closed: false }
  if (set.name === 'utilization') return { where: 'utilization', options: [], closed: false }
  if (set.name !== 'meta_attributes') return undefined
  if (parent.name === 'op' || parent.name === 'op_defaults')
    return { where: 'operation option', options: operationOptions, closed: true }
  if (parent.name === 'rsc_defaults')
    return {
      where: 'resource default',
      options: [...metaOptionsFor('primitive'), ...cloneMetaOptions],
      closed: true,
    }
  const kind = resourceKind(parent.name)
  return (
    kind && {
      where: `meta-attribute of a ${kind}`,
      options: [...metaOptionsFor(kind), ...cloneMetaOptions],
      closed: true,
    }
  )
}

function resourceKind(name: string): ResourceKind | undefined {
  switch (name) {
    case 'primitive':
    case 'template':
      return 'primitive'
    case 'group':
      return 'group'
    case 'clone':
    case 'master':
      return 'clone'
    case 'bundle':
      return 'bundle'
    default:
      return undefined
  }
}

function checkPair(pair: XmlElement, family: Family, add: AddReport): void {
  const { name, value } = pair.attributes
  if (name === undefined || value === undefined) return
  if (family.where === 'utilization') {
    const definition: OptionDefinition = { name, type: { kind: 'integer' }, description: '' }
    if (!isValueOf(definition, value)) addBadValue(pair, definition, value, add)
    return
  }
  const definition = findOption(family.options, name)
  if (definition === undefined && isObsoleteOption(name)) return
  if (definition === undefined) {
    const names = family.options.flatMap((option) => [option.name, ...(option.otherNames ?? [])])
    const similar = similarWords(name, names)
    // A name of somebody's own is worth a word only where it looks like one of ours.
    if (family.closed || similar.length > 0)
      add('warning', pair, { code: 'unknown-option', name, where: family.where, similar })
    return
  }
  checkEffect(pair, definition, value, add)
  const isOldWord = Object.hasOwn(oldValues[definition.name] ?? {}, value.toLowerCase())
  if (value !== '#default' && !isOldWord && !isValueOf(definition, value)) addBadValue(pair, definition, value, add)
}

/** A switch that stands where it would stand by itself asks for nothing. */
function checkEffect(at: XmlElement, option: OptionDefinition | undefined, value: string, add: AddReport): void {
  if (option?.withoutEffect === undefined) return
  if (option.type.kind === 'boolean' && parseBoolean(value) === parseBoolean(option.default ?? '')) return
  add('warning', at, { code: 'without-effect', name: option.name, value, reason: option.withoutEffect })
}

function addBadValue(pair: XmlElement, definition: OptionDefinition, value: string, add: AddReport): void {
  const similar = definition.type.kind === 'one-of' ? similarWords(value, definition.type.values) : []
  add('error', pair, {
    code: 'bad-value',
    name: definition.name,
    value,
    expected: describeValues(definition),
    similar,
  })
}
