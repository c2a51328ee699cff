/** Creating and changing primitives, fence devices among them. */
import { compareText, failed } from '../../base/index.ts'
import type { Agent } from '../configuration.ts'
import { element, type XmlElement } from '../document.ts'
import { metaOptionsFor } from '../options/lookup.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement } from '../tree.ts'
import { type ClonePlacement, cloneAround, withoutInstances } from './clones.ts'
import { badNewId, childResources, findResource, kindOf, missingResource } from './find.ts'
import { type GroupPlacement, placeInGroup } from './groups.ts'
import { checkMeta, metaKindOf } from './meta.ts'
import { type NameValues, setNameValues } from './name-values.ts'
import {
  checkOperations,
  clashesWithOthers,
  clashingOperations,
  type NewOperation,
  operationElement,
  operationsForNew,
  withChangedOperation,
  withOperationMadeAgain,
} from './operations.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export interface NewPrimitive {
  readonly id: string
  readonly agent: Agent
  readonly parameters: NameValues
  readonly meta: NameValues
  readonly operations: readonly NewOperation[]
  /** The operations that the agent's metadata advises; the caller reads it. */
  readonly advisedOperations: readonly NewOperation[]
  readonly utilization?: NameValues
  readonly disabled?: boolean
  readonly inside?:
    | ({ readonly kind: 'group' } & GroupPlacement)
    | ({ readonly kind: 'clone' } & ClonePlacement)
    | { readonly kind: 'bundle'; readonly id: string }
  /** Take meta-attributes that are not known. */
  readonly force?: boolean
  /** Meta-attributes without a value are written, as pcs writes them. */
  readonly keepsEmpty?: boolean
}

export function createPrimitive(cib: XmlElement, request: NewPrimitive): EditResult {
  const ids = idSource(cib)
  const reports = [
    ...badNewId(ids, request.id),
    ...Object.entries(request.parameters).flatMap(([name, value]) =>
      value === '' ? [{ code: 'no-value', name } as const] : [],
    ),
    ...checkMeta('primitive', request.meta, request.force),
    ...checkOperations(request.operations),
  ]
  return unless(reports, () => {
    ids.free(request.id)
    const primitive = primitiveElement(request, ids)
    const created = [request.id]
    const { inside } = request
    switch (inside?.kind) {
      case undefined:
        return edited(
          editSection(cib, 'resources', (section) => appended(section, primitive)),
          { created },
        )
      case 'group':
        return placeInGroup(cib, { placement: inside, members: [primitive], ids, created })
      case 'clone': {
        const { keepsEmpty = false } = request
        const clone = cloneAround(primitive, { ...inside, keepsEmpty }, ids)
        if (!clone.ok) return clone
        const cloneId = clone.value.attributes.id ?? ''
        return edited(
          editSection(cib, 'resources', (section) => appended(section, clone.value)),
          { created: [...created, cloneId] },
        )
      }
      case 'bundle':
        return placeInBundle(cib, inside.id, primitive)
    }
  })
}

function primitiveElement(request: NewPrimitive, ids: IdSource): XmlElement {
  const { id, agent } = request
  const identity = {
    id,
    class: agent.class,
    ...(agent.provider === undefined ? {} : { provider: agent.provider }),
    type: agent.type,
  }
  const meta = request.disabled ? { ...request.meta, 'target-role': 'Stopped' } : request.meta
  const sets = [
    { kind: 'instance_attributes', values: request.parameters },
    { kind: 'meta_attributes', values: meta },
    { kind: 'utilization', values: request.utilization ?? {} },
  ] as const
  const withSets = sets.reduce(
    (current, { kind, values }) =>
      setNameValues(
        current,
        { kind, setId: `${id}-${kind}`, values: byName(values), keepsEmpty: request.keepsEmpty },
        ids,
      ),
    element('primitive', identity),
  )
  const operations = operationsForNew(request.operations, request.advisedOperations)
    .toSorted((a, b) => compareText(a.name, b.name))
    .map((operation) => operationElement(id, operation, ids))
  return appended(withSets, element('operations', {}, operations))
}

/** As pcs writes a new set, whatever the order in which it was typed. */
function byName(values: NameValues): NameValues {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => compareText(a, b)))
}

function placeInBundle(cib: XmlElement, bundleId: string, primitive: XmlElement): EditResult {
  const bundle = findResource(cib, bundleId)
  if (bundle === undefined) return failed(missingResource(cib, bundleId))
  if (bundle.name !== 'bundle')
    return failed({ code: 'wrong-kind', id: bundleId, kind: kindOf(bundle), wanted: 'bundle' })
  const inner = bundle.children.find((child) => child.kind === 'element' && child.name === 'primitive')
  if (inner?.kind === 'element')
    return failed({ code: 'already-inside', id: inner.attributes.id ?? '', kind: 'bundle', parent: bundleId })
  const created = [primitive.attributes.id ?? '']
  return edited(
    replaceElement(cib, bundle, (found) => appended(found, primitive)),
    { created },
  )
}

export interface PrimitiveChange {
  readonly id: string
  /** An empty value takes the name away. */
  readonly parameters?: NameValues
  readonly meta?: NameValues
  readonly utilization?: NameValues
  readonly operations?: readonly NewOperation[]
  /** An operation keeps nothing that is not named. */
  readonly operationsAnew?: boolean
  readonly anyDuration?: boolean
  readonly force?: boolean
  /** A promotable clone of an old schema, `<master>`, becomes a clone, as pcs does it with whatever it changes. */
  readonly modernizes?: boolean
}

/** Changes a primitive. Groups, clones and bundles have meta-attributes only, and parameters that their members inherit. */
export function updateResource(cib: XmlElement, change: PrimitiveChange): EditResult {
  const resource = findResource(cib, change.id)
  if (resource === undefined) return failed(missingResource(cib, change.id))
  const operations = change.operations ?? []
  const wrong: readonly EditReport[] =
    resource.name !== 'primitive' && (operations.length > 0 || change.utilization !== undefined)
      ? [{ code: 'wrong-kind', id: change.id, kind: kindOf(resource), wanted: 'primitive' }]
      : []
  const reports = [
    ...wrong,
    ...checkMeta(metaKindOf(resource), change.meta ?? {}, change.force),
    ...(metaKindOf(resource) === 'clone'
      ? withoutInstances(childResources(resource), { promotable: false, cloneMeta: change.meta ?? {} })
      : []),
    ...checkOperations(operations, change.anyDuration),
    ...operations.flatMap((operation) =>
      (change.operationsAnew ? clashesWithOthers : clashingOperations)(resource, operation),
    ),
  ]
  return unless(reports, () => {
    const ids = idSource(cib)
    return edited(
      replaceElement(cib, resource, (found) =>
        withChanges(change.modernizes && found.name === 'master' ? asClone(found, ids) : found, change, ids),
      ),
    )
  })
}

function asClone(master: XmlElement, ids: IdSource): XmlElement {
  return setNameValues(
    { ...master, name: 'clone' },
    { kind: 'meta_attributes', setId: `${master.attributes.id ?? ''}-meta_attributes`, values: { promotable: 'true' } },
    ids,
  )
}

function withChanges(resource: XmlElement, change: PrimitiveChange, ids: IdSource): XmlElement {
  const sets = [
    { kind: 'instance_attributes', values: change.parameters },
    { kind: 'meta_attributes', values: change.meta },
    { kind: 'utilization', values: change.utilization },
  ] as const
  const withSets = sets.reduce(
    (current, { kind, values }) =>
      values === undefined
        ? current
        : setNameValues(
            current,
            {
              kind,
              setId: `${change.id}-${kind}`,
              values,
              ...(kind === 'meta_attributes' ? { options: metaOptionsFor(metaKindOf(resource)) } : {}),
            },
            ids,
          ),
    resource,
  )
  return (change.operations ?? []).reduce<XmlElement>(
    (current, operation) =>
      (change.operationsAnew ? withOperationMadeAgain : withChangedOperation)(current, operation, ids),
    withSets,
  )
}

/** Sets or, with an empty value, unsets meta-attributes of any kind of resource. */
export function setResourceMeta(
  cib: XmlElement,
  request: {
    readonly id: string
    readonly meta: NameValues
    readonly force?: boolean
    readonly modernizes?: boolean
  },
): EditResult {
  return updateResource(cib, request)
}
