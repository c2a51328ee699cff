/** The fencing topology: which devices are tried together, and in which order, for a node or a kind of node. */
import { failed, longestId } from '../../base/index.ts'
import type { FencingLevel } from '../configuration.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement, fencingTarget } from '../read-configuration.ts'
import { idPart, idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement } from '../tree.ts'
import { present, splitWords } from '../values/attribute-text.ts'
import { badNewId, findResource, missingNodes, missingResource } from './find.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export type LevelTarget = FencingLevel['target']

export interface NewFencingLevel {
  readonly index: number
  /** The index as it is to be written: `02`. */
  readonly writtenIndex?: string
  readonly target: LevelTarget
  readonly devices: readonly string[]
  readonly id?: string
  /** Take nodes and devices that are not there yet. A service that is there is refused all the same: it will be no device. */
  readonly force?: boolean
  /** As pcs up to 0.11, which takes such a service. */
  readonly forceTakesServices?: boolean
}

/** A second one with the same index adds its devices to the level: all of them must succeed. */
export function addFencingLevel(cib: XmlElement, level: NewFencingLevel): EditResult {
  const ids = idSource(cib)
  const same = levelsOf(cib).find(
    (candidate) =>
      hasTarget(candidate, level.target) &&
      candidate.attributes.index === String(level.index) &&
      splitWords(candidate.attributes.devices).join() === level.devices.join(),
  )
  const reports: readonly EditReport[] = [
    ...(Number.isInteger(level.index) && level.index >= 1 && level.index <= 9
      ? []
      : [
          {
            code: 'bad-value',
            name: 'level',
            value: String(level.index),
            expected: 'a whole number from 1 to 9',
          } as const,
        ]),
    ...(level.devices.length === 0 ? [{ code: 'nothing-given', what: 'fence device' } as const] : []),
    ...level.devices
      .filter((device, i) => level.devices.indexOf(device) !== i)
      .map((id) => ({ code: 'given-twice', id }) as const),
    ...level.devices.flatMap((device) => notADevice(cib, device)).filter((report) => !isForced(report, level)),
    ...(level.force || level.target.by !== 'node' ? [] : missingNodes(cib, [level.target.node])),
    ...(level.id === undefined ? [] : badNewId(ids, level.id, longestId)),
    ...(same ? [{ code: 'already-exists', what: 'fencing level', id: same.attributes.id ?? '' } as const] : []),
  ]
  return unless(reports, () => {
    const index = level.writtenIndex ?? String(level.index)
    const id = level.id ?? ids.free(`fl-${idPart(nameOfTarget(level.target))}-${index}`)
    const made = element('fencing-level', {
      id,
      ...targetAttributes(level.target),
      index,
      devices: level.devices.join(','),
    })
    return edited(
      editSection(cib, 'fencing-topology', (section) => appended(section, made)),
      { created: [id] },
    )
  })
}

function nameOfTarget(target: LevelTarget): string {
  return target.by === 'node' ? target.node : target.by === 'pattern' ? target.pattern : target.name
}

function isForced(report: EditReport, { force = false, forceTakesServices = false }: NewFencingLevel): boolean {
  const isService = report.code === 'wrong-kind' && report.kind === 'primitive'
  return force && (forceTakesServices || !isService)
}

function notADevice(cib: XmlElement, id: string): readonly EditReport[] {
  const resource = findResource(cib, id)
  if (resource === undefined) return [missingResource(cib, id)]
  const agentClass = resource.attributes.class
  if (resource.name === 'primitive' && (agentClass === 'stonith' || resource.attributes.template !== undefined))
    return []
  return [{ code: 'wrong-kind', id, kind: resource.name, wanted: 'fence device' }]
}

export interface LevelSelector {
  /** As typed where it is none. */
  readonly index?: number | string
  readonly target?: LevelTarget
  /** Only levels with exactly these devices. */
  readonly devices?: readonly string[]
}

/** Removes the levels that fit all that is given; with nothing given, the whole topology. */
export function removeFencingLevels(cib: XmlElement, selector: LevelSelector): EditResult {
  const leaving = levelsOf(cib).filter(
    (level) =>
      (selector.index === undefined || level.attributes.index === String(selector.index)) &&
      (selector.target === undefined || hasTarget(level, selector.target)) &&
      (selector.devices === undefined || splitWords(level.attributes.devices).join(',') === selector.devices.join(',')),
  )
  const anything = selector.index === undefined && selector.target === undefined && selector.devices === undefined
  if (leaving.length === 0 && !anything)
    return failed({
      code: 'level-not-found',
      ...present({
        index: selector.index,
        target: selector.target && describeTarget(selector.target),
        devices: selector.devices,
      }),
    })
  return edited(
    leaving.reduce((current, level) => replaceElement(current, level, []), cib),
    { removed: leaving.map(({ attributes }) => ({ element: 'fencing-level', id: attributes.id ?? '' })) },
  )
}

function levelsOf(cib: XmlElement): readonly XmlElement[] {
  const topology = childElement(configurationElement(cib), 'fencing-topology')
  return topology === undefined ? [] : childElements(topology, 'fencing-level')
}

function hasTarget(level: XmlElement, target: LevelTarget): boolean {
  const written = fencingTarget(level.attributes)
  return written !== undefined && JSON.stringify(written) === JSON.stringify(target)
}

/** `alpha`, `regexp%node-.*` or `attrib%rack=1`, as on the command line. */
export function describeTarget(target: LevelTarget): string {
  switch (target.by) {
    case 'node':
      return target.node
    case 'pattern':
      return `regexp%${target.pattern}`
    case 'attribute':
      return `attrib%${target.name}=${target.value}`
  }
}

function targetAttributes(target: LevelTarget): Readonly<Record<string, string>> {
  switch (target.by) {
    case 'node':
      return { target: target.node }
    case 'pattern':
      return { 'target-pattern': target.pattern }
    case 'attribute':
      return { 'target-attribute': target.name, 'target-value': target.value }
  }
}
