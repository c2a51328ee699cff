/** Operations of a primitive: adding, changing, removing, and what a new primitive gets from its agent's advice. */
import { failed, parseDurationMs } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { operationOptions } from '../options/operation-options.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { appended, replaceElement, withAttributes, withChildren } from '../tree.ts'
import { parseIntervalMs, parseRole } from '../values/attribute-text.ts'
import { findResource, kindOf, missingResource } from './find.ts'
import { checkNameValues, setNameValues, writtenValue } from './name-values.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export interface NewOperation {
  readonly name: string
  /** Of the `op` element: interval, timeout, role, on-fail, enabled … Unknown ones become parameters (`OCF_CHECK_LEVEL`). */
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * The operations of a new primitive: those asked for, the agent's advice for operations that are not asked for by name, and a monitor
 * every 60 s where neither has one. So whoever names one monitor names all of them, as with pcs.
 */
export function operationsForNew(
  asked: readonly NewOperation[],
  advised: readonly NewOperation[],
): readonly NewOperation[] {
  const all = [...asked, ...adviceTaken(asked, advised).map(({ operation }) => operation)]
  const hasMonitor = all.some(({ name }) => name === 'monitor')
  // Fence agents advise a monitor without saying how often.
  return (hasMonitor ? all : [...all, { name: 'monitor', attributes: {} }]).map(withInterval)
}

export interface TakenAdvice {
  readonly operation: NewOperation
  /** The interval that the agent advises, where another operation of this name has it already. */
  readonly movedFrom?: string
}

/** The advice that is taken. Operations of one name get different intervals, since their history is told apart by it: 15, 16, 17. */
export function adviceTaken(asked: readonly NewOperation[], advised: readonly NewOperation[]): readonly TakenAdvice[] {
  const taken: TakenAdvice[] = []
  for (const operation of advised.filter(({ name }) => !asked.some((other) => other.name === name)).map(withInterval)) {
    const used = new Set(
      taken
        .filter(({ operation: { name } }) => name === operation.name)
        .map(({ operation: { attributes } }) => parseIntervalMs(attributes.interval)),
    )
    const { interval } = operation.attributes
    const intervalMs = parseIntervalMs(interval)
    if (interval === undefined || !used.has(intervalMs)) taken.push({ operation })
    else {
      let free = Math.ceil(intervalMs / 1000)
      while (used.has(free * 1000)) free++
      const attributes = { ...operation.attributes, interval: String(free) }
      taken.push({ operation: { ...operation, attributes }, movedFrom: interval })
    }
  }
  return taken
}

/** A monitor of which nobody says how often runs every 60 s. */
const withInterval = (operation: NewOperation): NewOperation =>
  operation.name === 'monitor' ? { ...operation, attributes: { interval: '60s', ...operation.attributes } } : operation

/** As pcs names the parameters of an operation: in one way in a new resource, in another in one that is there. */
interface ParameterIds {
  readonly set: (op: string) => string
  readonly pair: (op: string, name: string, value: string) => string
}
const inNewResource: ParameterIds = {
  set: (op) => `${op}-instance_attributes`,
  pair: (op, name) => `${op}-instance_attributes-${name}`,
}
const inKnownResource: ParameterIds = {
  set: (op) => `params-${op}`,
  pair: (op, name, value) => `${op}-${name}-${value}`,
}

export function operationElement(
  resource: string,
  operation: NewOperation,
  ids: IdSource,
  parameterIds: ParameterIds = inNewResource,
): XmlElement {
  const { interval = '0s', id, ...others } = presentRole(operation.attributes)
  const known = Object.entries(others).filter(([name]) => isOperationAttribute(name))
  const extra = Object.entries(others).filter(([name]) => !isOperationAttribute(name))
  const opId = id ?? ids.free(`${resource}-${operation.name}-interval-${interval}`)
  const parameters = extra.map(([name, value]) =>
    element('nvpair', { id: ids.free(parameterIds.pair(opId, name, value)), name, value }),
  )
  return element(
    'op',
    { id: opId, interval, name: operation.name, ...Object.fromEntries(known) },
    parameters.length === 0
      ? []
      : [element('instance_attributes', { id: ids.free(parameterIds.set(opId)) }, parameters)],
  )
}

/** `Master` and `promoted` are written as `Promoted`. */
function presentRole(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const role = parseRole(attributes.role)
  return role === undefined ? attributes : { ...attributes, role }
}

const isOperationAttribute = (name: string): boolean => operationOptions.some((option) => option.name === name)

/** What is wrong with operations that are asked for: bad values, and the same name and interval twice. */
export function checkOperations(
  operations: readonly NewOperation[],
  anyDuration: boolean | undefined = false,
): readonly EditReport[] {
  const seen = new Set<string>()
  return operations.flatMap((operation) => {
    const key = `${operation.name} every ${parseIntervalMs(operation.attributes.interval)} ms`
    const twice: readonly EditReport[] = seen.has(key) ? [{ code: 'given-twice', id: operation.name }] : []
    seen.add(key)
    return [...twice, ...checkAttributes(operation.attributes, anyDuration)]
  })
}

function checkAttributes(attributes: Readonly<Record<string, string>>, anyDuration: boolean): readonly EditReport[] {
  // An upper-case name is a parameter of the agent's, such as OCF_CHECK_LEVEL; a misspelt attribute is in lower case.
  const own = Object.fromEntries(
    Object.entries(attributes).filter(
      ([name]) => !/^[A-Z]/.test(name) && !(anyDuration && /^(interval|timeout|start-delay)$/.test(name)),
    ),
  )
  return checkNameValues(own, { options: operationOptions, where: 'operation option', allowUnknown: false })
}

/** A second operation of a name may be a slip for `resource update … op`: without `force` it is refused unless it looks at something else. */
export function addOperation(
  cib: XmlElement,
  request: {
    readonly resource: string
    readonly operation: NewOperation
    readonly force?: boolean
    readonly anyDuration?: boolean
  },
): EditResult {
  const primitive = findResource(cib, request.resource)
  if (primitive === undefined) return failed(missingResource(cib, request.resource))
  const wrong = onlyPrimitives(primitive)
  const operation = withInterval(request.operation)
  const same = findOperation(primitive, operation.name, operation.attributes.interval ?? '0s')
  const twice: readonly EditReport[] = same
    ? [twiceIn(request.resource, same)]
    : request.force
      ? []
      : alikeOperations(primitive, operation).map((op) => ({
          code: 'operation-alike',
          resource: request.resource,
          operation: operation.name,
          id: op.attributes.id ?? '',
          line: lineOf(op),
        }))
  return unless([...wrong, ...twice, ...checkOperations([operation], request.anyDuration)], () => {
    const made = operationElement(request.resource, operation, idSource(cib), inKnownResource)
    const created = [made.attributes.id ?? '']
    return edited(
      replaceElement(cib, primitive, (found) => withOperation(found, made)),
      { created },
    )
  })
}

const twiceIn = (resource: string, op: XmlElement): EditReport => ({
  code: 'operation-twice',
  resource,
  id: op.attributes.id ?? '',
  line: lineOf(op),
})

/** `monitor interval=10s timeout=20s (web-monitor-interval-10s)`. */
function lineOf(op: XmlElement): string {
  const { id = '', name = '', ...others } = op.attributes
  const pairs = childElements(op, 'instance_attributes')
    .flatMap((set) => childElements(set, 'nvpair'))
    .map(({ attributes }) => [attributes.name ?? '', attributes.value ?? ''] as const)
  const all = [...Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1)), ...pairs]
  return [name, ...all.map(([key, value]) => `${key}=${value}`), `(${id})`].join(' ')
}

/** Operations of the same name; monitors only where they look at the same role as deeply. */
function alikeOperations(primitive: XmlElement, { name, attributes }: NewOperation): readonly XmlElement[] {
  const named = operationElements(primitive).filter((op) => op.attributes.name === name)
  if (name !== 'monitor') return named
  return named.filter(
    (op) =>
      roleOf(op.attributes.role) === roleOf(attributes.role) &&
      writtenValue(op, 'instance_attributes', 'OCF_CHECK_LEVEL') === attributes.OCF_CHECK_LEVEL,
  )
}

const roleOf = (role: string | undefined): string => parseRole(role) ?? 'Started'

/** By its id, or by name and, where given, interval. */
export type OperationSelector =
  | { readonly by: 'id'; readonly id: string }
  | {
      readonly by: 'name'
      readonly resource: string
      readonly name: string
      /** Of several of the name those that have these attributes. */
      readonly attributes: Readonly<Record<string, string>>
      /** As pcs understands it: all that they have, as they are written, and the first of them. */
      readonly exact?: boolean
    }

export function removeOperation(cib: XmlElement, selector: OperationSelector): EditResult {
  const { owner, operations, missing } = selectOperations(cib, selector)
  if (owner === undefined || operations.length === 0) return failed(missing)
  const without = operations.reduce((current, operation) => replaceElement(current, operation, []), cib)
  return edited(withoutEmptyOperations(without), {
    removed: operations.map(({ attributes }) => ({
      element: 'op',
      id: attributes.id ?? '',
      from: owner.attributes.id ?? '',
    })),
  })
}

function selectOperations(
  cib: XmlElement,
  selector: OperationSelector,
): { readonly owner?: XmlElement; readonly operations: readonly XmlElement[]; readonly missing: EditReport } {
  if (selector.by === 'name') {
    const owner = findResource(cib, selector.resource)
    if (owner === undefined) return { operations: [], missing: missingResource(cib, selector.resource) }
    const wanted = Object.keys(selector.attributes)
    const alike = operationElements(owner).filter(
      ({ attributes }) =>
        attributes.name === selector.name && wanted.every((name) => isAlike(name, attributes, selector.attributes)),
    )
    const whole = ({ attributes }: XmlElement): boolean =>
      Object.keys(attributes).every((name) => ['id', 'name', ...wanted].includes(name)) &&
      wanted.every((name) => attributes[name] === selector.attributes[name])
    const operations = selector.exact && wanted.length > 0 ? alike.filter(whole).slice(0, 1) : alike
    return {
      owner,
      operations,
      missing: {
        code: 'operation-not-found',
        resource: selector.resource,
        operation: selector.name,
        attributes: selector.attributes,
      },
    }
  }
  const missing: EditReport = { code: 'operation-not-found', resource: 'The configuration', operation: selector.id }
  const found = findOperationById(cib, selector.id)
  return found === undefined ? { operations: [], missing } : { owner: found.owner, operations: [found.op], missing }
}

function isAlike(
  name: string,
  is: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  if (name === 'role') return roleOf(is.role) === roleOf(wanted.role)
  const durations = [is[name], wanted[name]].map((text) => parseDurationMs(text ?? ''))
  return is[name] === wanted[name] || (durations[0] !== undefined && durations[0] === durations[1])
}

function findOperationById(
  cib: XmlElement,
  id: string,
): { readonly owner: XmlElement; readonly op: XmlElement } | undefined {
  const search = (parent: XmlElement): { readonly owner: XmlElement; readonly op: XmlElement } | undefined => {
    for (const child of childElements(parent)) {
      if (child.name === 'primitive' || child.name === 'template') {
        const op = operationElements(child).find(({ attributes }) => attributes.id === id)
        if (op) return { owner: child, op }
      }
      const below = search(child)
      if (below) return below
    }
    return undefined
  }
  return search(cib)
}

/** As pcs understands an update: the first operation of the name and role is made again, of what is named alone. */
export function withOperationMadeAgain(primitive: XmlElement, operation: NewOperation, ids: IdSource): XmlElement {
  const resource = primitive.attributes.id ?? ''
  const made = (source: IdSource): XmlElement =>
    operationElement(resource, withInterval(operation), source, inKnownResource)
  const target = firstOfNameAndRole(primitive, operation)
  if (target === undefined) return withOperation(primitive, made(ids))
  // Its own ids are free for it.
  const { id: own } = target.attributes
  const free = (wanted: string): string => (wanted === own ? wanted : ids.free(wanted))
  return replaceElement(primitive, target, [made({ ...ids, free })])
}

const firstOfNameAndRole = (primitive: XmlElement, { name, attributes }: NewOperation): XmlElement | undefined =>
  operationElements(primitive).find(
    (op) => op.attributes.name === name && parseRole(op.attributes.role) === parseRole(attributes.role),
  )

/** The same beside the one that is made again. */
export function clashesWithOthers(primitive: XmlElement, operation: NewOperation): readonly EditReport[] {
  const target = firstOfNameAndRole(primitive, operation)
  const { interval = '0s' } = withInterval(operation).attributes
  const other = operationElements(primitive).find(
    (op) =>
      op !== target &&
      op.attributes.name === operation.name &&
      parseIntervalMs(op.attributes.interval) === parseIntervalMs(interval),
  )
  return other === undefined ? [] : [twiceIn(primitive.attributes.id ?? '', other)]
}

/** Changes an operation of a primitive, or adds it. What is not named stays as it is. */
export function withChangedOperation(primitive: XmlElement, operation: NewOperation, ids: IdSource): XmlElement {
  const target = operationToChange(primitive, operation)
  const resource = primitive.attributes.id ?? ''
  if (target === undefined)
    return withOperation(primitive, operationElement(resource, withInterval(operation), ids, inKnownResource))
  const { interval, ...others } = presentRole(operation.attributes)
  const known = Object.entries(others).filter(([name]) => isOperationAttribute(name))
  const changes = Object.fromEntries(known.map(([name, value]) => [name, value === '' ? undefined : value]))
  const idWith = (every: string): string => `${resource}-${operation.name}-interval-${every}`
  const isOther = parseIntervalMs(interval) !== parseIntervalMs(target.attributes.interval)
  const renamed = isOther && target.attributes.id === idWith(target.attributes.interval ?? '')
  const parameters = Object.fromEntries(Object.entries(others).filter(([name]) => !isOperationAttribute(name)))
  return replaceElement(primitive, target, (found) => {
    const changed = withAttributes(found, {
      ...changes,
      ...(interval === undefined ? {} : { interval }),
      ...(renamed && interval !== undefined ? { id: ids.free(idWith(interval)) } : {}),
    })
    if (Object.keys(parameters).length === 0) return changed
    const setId = `${changed.attributes.id ?? idWith('')}-instance_attributes`
    return setNameValues(changed, { kind: 'instance_attributes', setId, values: parameters }, ids)
  })
}

/** The one with the interval, if its role is not another, or else the first of that name and role. */
function operationToChange(primitive: XmlElement, { name, attributes }: NewOperation): XmlElement | undefined {
  const { interval, role } = attributes
  const hasRole = (op: XmlElement): boolean => roleOf(op.attributes.role) === roleOf(role)
  const same = interval === undefined ? undefined : findOperation(primitive, name, interval)
  if (same && (role === undefined || hasRole(same))) return same
  return operationElements(primitive).find((op) => op.attributes.name === name && hasRole(op))
}

/** Two operations of a name never have the same interval: the history of a resource could not tell them apart. */
export function clashingOperations(primitive: XmlElement, operation: NewOperation): readonly EditReport[] {
  const target = operationToChange(primitive, operation)
  const { interval } = (target ? operation : withInterval(operation)).attributes
  const other = interval === undefined ? undefined : findOperation(primitive, operation.name, interval)
  if (other === undefined || other === target) return []
  return [twiceIn(primitive.attributes.id ?? '', other)]
}

function operationElements(primitive: XmlElement): readonly XmlElement[] {
  return childElements(primitive, 'operations').flatMap((operations) => childElements(operations, 'op'))
}

function findOperation(primitive: XmlElement, name: string, interval: string): XmlElement | undefined {
  const intervalMs = parseIntervalMs(interval)
  return operationElements(primitive).find(
    ({ attributes }) => attributes.name === name && parseIntervalMs(attributes.interval) === intervalMs,
  )
}

function withOperation(primitive: XmlElement, operation: XmlElement): XmlElement {
  const operations = childElement(primitive, 'operations')
  if (operations) return replaceElement(primitive, operations, (found) => appended(found, operation))
  return appended(primitive, element('operations', {}, [operation]))
}

function withoutEmptyOperations(root: XmlElement): XmlElement {
  return childElements(root).reduce((current, child) => {
    if (child.name === 'operations' && child.children.length === 0 && child.attributes['id-ref'] === undefined)
      return withChildren(
        current,
        current.children.filter((other) => other !== child),
      )
    const cleaned = withoutEmptyOperations(child)
    return cleaned === child ? current : replaceElement(current, child, [cleaned])
  }, root)
}

function onlyPrimitives(resource: XmlElement): readonly EditReport[] {
  if (resource.name === 'primitive') return []
  return [{ code: 'wrong-kind', id: resource.attributes.id ?? '', kind: kindOf(resource), wanted: 'primitive' }]
}
