/** `resource cleanup` and `refresh` beforehand: what would be forgotten, and what follows if the probes find what is recorded. */
import { didYouMean, similarWords } from '../../base/index.ts'
import { childElements, failuresIn, findResource, nodeNamesOf, type XmlElement } from '../../cib/index.ts'
import type { Messages } from '../../rpc/index.ts'
import type { WhatIf } from '../../scheduler/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import { Refusal } from '../call/command.ts'
import { withoutInstance } from '../change/wait.ts'
import { statusOf } from '../facts/status-view.ts'
import { type Foreseen, listed, type Scene, supposed } from './scene.ts'

type Asked = Messages['DeleteHistoryRequest']

interface Place {
  readonly resource: string
  readonly node: string
}

export function forgettingHistory(asked: Asked, scene: Scene): Foreseen {
  const { cib } = scene
  refuseUnknown(asked, cib)
  const means = meantBy(asked.resource, cib)
  const places = placesIn(cib, asked, means)
  const what = asked.onlyFailed ? 'failures' : 'recorded operations'
  if (places.length === 0) return { sentence: `There are no ${what} to forget.`, after: cib, facts: { deleted: [] } }
  const where = places.map(({ resource, node }) => `${resource} on ${node}`)
  if (isOfOneOperation(asked))
    return {
      sentence: `It would forget the ${what} of ${operationIn(asked)} of ${listed(where)}. The rest of the history stays, and nothing is probed.`,
      after: withoutOperation(cib, asked, places),
      facts: { deleted: places },
    }
  return {
    sentence: `It would forget the ${what} of ${listed(where)}, and probe there again.`,
    after: probed(scene, places),
    facts: { deleted: places },
  }
}

function refuseUnknown({ resource, node }: Asked, cib: XmlElement): void {
  const nodes = nodeNamesOf(cib)
  if (node !== undefined && !nodes.includes(node as never) && statesOf(cib).every((state) => nameOf(state) !== node))
    throw new Refusal(`There is no node '${node}'.${didYouMean(similarWords(node, nodes))}`)
  if (resource === undefined || findResource(cib, resource) !== undefined) return
  const hasHistory = statesOf(cib).some((state) =>
    historiesIn(state).some(({ attributes: { id = '' } }) => id === resource),
  )
  if (!hasHistory) throw new Refusal(`There is no resource '${resource}'.`)
}

function placesIn(cib: XmlElement, asked: Asked, means: (resource: string) => boolean): readonly Place[] {
  return statesOf(cib).flatMap((state) => {
    const node = nameOf(state)
    if (asked.node !== undefined && asked.node !== node) return []
    const counted = failuresCounted(state, asked)
    return historiesIn(state).flatMap((history): readonly Place[] => {
      const { id: resource = '' } = history.attributes
      const operations = childElements(history, 'lrm_rsc_op').filter((operation) => fits(operation, asked))
      if (!means(resource) || operations.length === 0) return []
      const failed = operations.some(({ attributes: { id = '' } }) => id.includes('_last_failure_'))
      const isMeant = !asked.onlyFailed || failed || counted.has(withoutInstance(resource))
      return isMeant ? [{ resource, node }] : []
    })
  })
}

function fits({ attributes }: XmlElement, { operation, intervalMs }: Asked): boolean {
  if (operation !== undefined && attributes.operation !== operation) return false
  return intervalMs === undefined || Number(attributes.interval) === intervalMs
}

const isOfOneOperation = ({ operation, intervalMs }: Asked): boolean =>
  operation !== undefined || intervalMs !== undefined

const operationIn = ({ operation = 'operations', intervalMs }: Asked): string =>
  intervalMs === undefined ? operation : `${operation} every ${intervalMs / 1000} s`

/** As the daemon means a name: of a group or clone its primitives, of a bundle also what is made for it. */
function meantBy(asked: string | undefined, cib: XmlElement): (resource: string) => boolean {
  if (asked === undefined) return () => true
  const found = findResource(cib, asked)
  const names = new Set([asked, ...(found === undefined ? [] : primitivesIn(found))])
  const isMade = (resource: string): boolean =>
    found?.name === 'bundle' &&
    resource.startsWith(`${asked}-`) &&
    /^(?:(?:docker|podman)-\d+|ip-.+|\d+)$/.test(resource.slice(asked.length + 1))
  return (resource) => names.has(resource) || names.has(withoutInstance(resource)) || isMade(resource)
}

function primitivesIn(resource: XmlElement): readonly string[] {
  if (resource.name === 'primitive') return [resource.attributes.id ?? '']
  return childElements(resource).flatMap(primitivesIn)
}

/** The probes find what runs where it is known to run, with the parameters that it has: what is looked at again is not started twice. */
function probed(scene: Scene, places: readonly Place[]): XmlElement {
  const status = statusOf(scene.call, scene.cib)
  const active = places.filter((place) => isActive(status, place))
  const others = places.filter((place) => !active.includes(place))
  const results = others.map(({ resource, node }): NonNullable<WhatIf['results']>[number] => ({
    ...{ resource, node, operation: 'monitor', intervalMs: 0, exitCode: notRunning },
  }))
  return supposed(scene, without(scene.cib, { places, active }), { results })
}

const notRunning = 7

/** Of an anonymous clone the history has the name without a number. */
function isActive({ primitivesById }: ClusterStatus, { resource, node }: Place): boolean {
  return [...primitivesById.values()]
    .filter(({ id }) => id === resource || withoutInstance(id) === resource)
    .some(({ state }) => state.active.some((one) => one.node === node))
}

interface Forgotten {
  readonly places: readonly Place[]
  /** Of these it stays how they were started. */
  readonly active: readonly Place[]
}

function without(cib: XmlElement, { places, active }: Forgotten): XmlElement {
  const isAmong = (among: readonly Place[], node: string, resource: string): boolean =>
    among.some((place) => place.node === node && place.resource === resource)
  const isCounted = (node: string, resource: string): boolean =>
    places.some((place) => place.node === node && withoutInstance(place.resource) === withoutInstance(resource))
  const inState = (parent: XmlElement, node: string): XmlElement => ({
    ...parent,
    children: parent.children.flatMap((child) => {
      if (child.kind !== 'element') return child
      const { id = '' } = child.attributes
      if (child.name === 'lrm_resource' && isAmong(places, node, id))
        return isAmong(active, node, id) ? [withoutFailures(child)] : []
      const counted = child.name === 'nvpair' ? failuresIn(child.attributes.name ?? '') : undefined
      return counted !== undefined && isCounted(node, counted.resource) ? [] : inState(child, node)
    }),
  })
  return mapStates(cib, (state) => inState(state, nameOf(state)))
}

/** The rest of the history stays, as the daemon keeps it: where a resource runs is known after it as before. */
function withoutOperation(cib: XmlElement, asked: Asked, places: readonly Place[]): XmlElement {
  const isMeant = (node: string, resource: string): boolean =>
    places.some((place) => place.node === node && withoutInstance(place.resource) === withoutInstance(resource))
  const inState = (parent: XmlElement, node: string): XmlElement => ({
    ...parent,
    children: parent.children.flatMap((child) => {
      if (child.kind !== 'element') return child
      const { id = '', name = '' } = child.attributes
      if (child.name === 'lrm_resource' && isMeant(node, id))
        return {
          ...child,
          children: child.children.filter((record) => record.kind !== 'element' || !fits(record, asked)),
        }
      const counted = child.name === 'nvpair' ? failuresIn(name) : undefined
      return counted !== undefined && isMeant(node, counted.resource) && isCountOf(counted, asked)
        ? []
        : inState(child, node)
    }),
  })
  return mapStates(cib, (state) => inState(state, nameOf(state)))
}

function isCountOf(
  counted: { readonly operation: string; readonly intervalMs: number },
  { operation, intervalMs }: Asked,
): boolean {
  if (operation !== undefined && counted.operation !== operation) return false
  return intervalMs === undefined || counted.intervalMs === intervalMs
}

const withoutFailures = (history: XmlElement): XmlElement => ({
  ...history,
  children: history.children.filter(
    (child) =>
      child.kind !== 'element' ||
      (child.attributes.interval === '0' && !(child.attributes.id ?? '').includes('_last_failure_')),
  ),
})

function failuresCounted(state: XmlElement, asked: Asked): ReadonlySet<string> {
  const pairs = childElements(state, 'transient_attributes').flatMap((sets) =>
    childElements(sets).flatMap((set) => childElements(set, 'nvpair')),
  )
  const counted = pairs.flatMap(({ attributes: { name = '' } }) => failuresIn(name) ?? [])
  return new Set(counted.filter((one) => isCountOf(one, asked)).map(({ resource }) => withoutInstance(resource)))
}

const historiesIn = (state: XmlElement): readonly XmlElement[] =>
  childElements(state, 'lrm')
    .flatMap((lrm) => childElements(lrm, 'lrm_resources'))
    .flatMap((resources) => childElements(resources, 'lrm_resource'))

export const nameOf = ({ attributes: { uname, id = '' } }: XmlElement): string => uname ?? id

const statesOf = (cib: XmlElement): readonly XmlElement[] =>
  childElements(cib, 'status').flatMap((status) => childElements(status, 'node_state'))

export function mapStates(cib: XmlElement, changed: (state: XmlElement) => XmlElement): XmlElement {
  const inStatus = (status: XmlElement): XmlElement => ({
    ...status,
    children: status.children.map((child) =>
      child.kind === 'element' && child.name === 'node_state' ? changed(child) : child,
    ),
  })
  return {
    ...cib,
    children: cib.children.map((child) =>
      child.kind === 'element' && child.name === 'status' ? inStatus(child) : child,
    ),
  }
}
