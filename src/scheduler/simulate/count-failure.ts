/**
 * Fail counts of supposed failures: the transient attributes `fail-count-RSC#OP_INTERVAL` and `last-failure-…` of a `node_state`, as
 * the cluster would write them (Pacemaker Explained, "Handling Resource Failure"): a failed stop, and a failed start where
 * start-failure-is-fatal, counts as INFINITY, every other failure as one more.
 */
import {
  addScores,
  childElement,
  childElements,
  element,
  failCountName,
  failureNamesOf,
  formatScore,
  lastFailureName,
  parseScore,
  type XmlElement,
} from '../../cib/index.ts'

export interface CountedFailure {
  /** The resource as the history calls it. */
  readonly name: string
  readonly operation: string
  readonly intervalMs: number
  /** Seconds since the epoch. */
  readonly now: number
  readonly startFailureIsFatal: boolean
}

/** A probe that finds nothing has not failed; nor has what succeeded at another time than expected. */
export function isCounted({
  intervalMs,
  exitCode,
}: {
  readonly intervalMs: number
  readonly exitCode: number
}): boolean {
  return exitCode !== 0 && !(exitCode === 7 && intervalMs === 0)
}

export function withFailureCounted(state: XmlElement, failure: CountedFailure): XmlElement {
  const [count, last] = attributeNames(failure)
  const written = attributeOf(state, count)
  const value = isFinal(failure) ? 'INFINITY' : formatScore(addScores(parseScore(written ?? '0') ?? 0, 1))
  return withAttribute(withAttribute(state, count, value), last, String(failure.now))
}

/** Neither the counts of the resource on the node nor the record of its last failure. */
export function withoutFailures(state: XmlElement, resource: string): XmlElement {
  const counts = failureNamesOf(resource)
  const isFailure = ({ attributes: { id, name } }: XmlElement): boolean =>
    id === `${resource}_last_failure_0` || counts.some((prefix) => name?.startsWith(prefix) === true)
  const without = (parent: XmlElement): XmlElement => ({
    ...parent,
    children: parent.children
      .filter((child) => child.kind !== 'element' || !isFailure(child))
      .map((child) => (child.kind === 'element' ? without(child) : child)),
  })
  return without(state)
}

export interface CountedOn {
  /** What it counts now is read from here. */
  readonly cib: XmlElement
  readonly node: string
  readonly nodeId: string
}

/** What was done, in crm_simulate's words. */
export function describeCounting(failure: CountedFailure, { cib, node, nodeId }: CountedOn): readonly string[] {
  const [count, last] = attributeNames(failure)
  const status = childElement(cib, 'status')
  const states = status ? childElements(status, 'node_state') : []
  const state = states.find(({ attributes }) => (attributes.uname ?? attributes.id) === node)
  const line = (assignment: string): string => `Injecting attribute ${assignment} into /node_state '${nodeId}'`
  return [line(`${count}=${state && attributeOf(state, count)}`), line(`${last}=${failure.now}`)]
}

function isFinal({ operation, startFailureIsFatal }: CountedFailure): boolean {
  return operation === 'stop' || (operation === 'start' && startFailureIsFatal)
}

function attributeNames({ name, operation, intervalMs }: CountedFailure): readonly [string, string] {
  const failing = { resource: name, operation, intervalMs }
  return [failCountName(failing), lastFailureName(failing)]
}

function attributeOf(state: XmlElement, name: string): string | undefined {
  return pairsOf(state).find(({ attributes }) => attributes.name === name)?.attributes.value
}

function pairsOf(state: XmlElement): readonly XmlElement[] {
  const transient = childElement(state, 'transient_attributes')
  const set = transient && childElement(transient, 'instance_attributes')
  return set?.children.filter((child): child is XmlElement => child.kind === 'element') ?? []
}

function withAttribute(state: XmlElement, name: string, value: string): XmlElement {
  const id = state.attributes.id ?? ''
  const transient = childElement(state, 'transient_attributes') ?? element('transient_attributes', { id })
  const set = childElement(transient, 'instance_attributes') ?? element('instance_attributes', { id })
  const pair = element('nvpair', { id: asId(`${set.attributes.id}-${name}`), name, value })
  const others = set.children.filter((child) => !(child.kind === 'element' && child.attributes.name === name))
  return withChild(state, withChild(transient, { ...set, children: [...others, pair] }))
}

/** An XML id has neither a colon nor a hash, and no digit at its start: Pacemaker writes a dot or an underscore instead. */
const asId = (text: string): string => text.replaceAll(/[:#]/g, '.').replace(/^[^A-Za-z_]/, '_')

/** In place of the child of that name, or as a new one. */
export function withChild(parent: XmlElement, child: XmlElement): XmlElement {
  const isOld = (other: XmlElement['children'][number]): boolean =>
    other.kind === 'element' && other.name === child.name
  return parent.children.some(isOld)
    ? { ...parent, children: parent.children.map((other) => (isOld(other) ? child : other)) }
    : { ...parent, children: [...parent.children, child] }
}
