/** What the form allows and makes no sense: collections without members, constraints without a subject, operations twice. */
import { readPattern } from '../../base/index.ts'
import { childElements, type XmlElement } from '../document.ts'
import { childResources } from '../edit/find.ts'
import { descendants } from '../tree.ts'
import { parseIntervalMs } from '../values/attribute-text.ts'
import type { AddReport, CibFinding } from './report.ts'

export function validateStructure(configuration: XmlElement, add: AddReport): void {
  for (const element of descendants(configuration)) {
    checkElement(element, add)
  }
}

function checkElement(element: XmlElement, add: AddReport): void {
  const id = element.attributes.id ?? ''
  const empty = (needs: string): CibFinding => ({ code: 'empty', element: element.name, id, needs })
  switch (element.name) {
    case 'primitive':
      checkPrimitive(element, add)
      checkOperations(element, add)
      return
    case 'template':
      checkOperations(element, add)
      return
    case 'group':
      if (childResources(element).length === 0) add('error', element, empty('member'))
      return
    case 'clone':
    case 'master': {
      const inside = childResources(element).length
      if (inside === 0) add('error', element, empty('resource in it'))
      if (inside > 1) add('error', element, { code: 'too-many', element: element.name, id, what: 'resource in it' })
      return
    }
    case 'bundle': {
      const containers = ['docker', 'podman', 'rkt'].flatMap((name) => childElements(element, name)).length
      if (containers === 0) add('error', element, empty('container (docker, podman or rkt)'))
      if (containers > 1) add('error', element, { code: 'too-many', element: 'bundle', id, what: 'container' })
      return
    }
    case 'rsc_location':
      checkLocation(element, empty, add)
      return
    case 'rsc_colocation':
      checkPair(element, { a: 'rsc', b: 'with-rsc', inA: 'rsc-role', inB: 'with-rsc-role' }, add)
      return
    case 'rsc_order':
      checkPair(element, { a: 'first', b: 'then', inA: 'first-action', inB: 'then-action' }, add)
      return
    case 'rsc_ticket':
      if (element.attributes.rsc === undefined && !hasSets(element)) add('error', element, empty('resource'))
      return
    case 'resource_set':
      if (element.attributes['id-ref'] === undefined && childElements(element, 'resource_ref').length === 0)
        add('error', element, empty('member'))
      return
    case 'tag':
      if (childElements(element, 'obj_ref').length === 0) add('error', element, empty('member'))
      return
    case 'fencing-level':
      if (!['target', 'target-pattern', 'target-attribute'].some((name) => element.attributes[name] !== undefined))
        add('error', element, empty('target'))
      checkPattern(element, 'target-pattern', add)
      return
    default:
      return
  }
}

function checkPrimitive(element: XmlElement, add: AddReport): void {
  const { template, class: agentClass, type, provider } = element.attributes
  if (template === undefined)
    for (const [attribute, value] of Object.entries({ class: agentClass, type }))
      if (value === undefined) add('error', element, { code: 'missing-attribute', attribute, element: 'primitive' })
  if (agentClass === 'ocf' && provider === undefined)
    add('error', element, { code: 'missing-attribute', attribute: 'provider', element: 'primitive' })
}

/** Of two with one name and one interval, nobody knows which is meant. */
function checkOperations(owner: XmlElement, add: AddReport): void {
  const seen = new Map<string, string>()
  for (const op of childElements(owner, 'operations').flatMap((operations) => childElements(operations, 'op'))) {
    const { id = '', name = '', interval = '0' } = op.attributes
    const key = `${name} ${parseIntervalMs(interval)}`
    const first = seen.get(key)
    if (first === undefined) seen.set(key, id)
    else
      add('warning', op, {
        code: 'same-operation',
        resource: owner.attributes.id ?? '',
        operation: name,
        interval,
        id,
        first,
      })
  }
}

function checkLocation(element: XmlElement, empty: (needs: string) => CibFinding, add: AddReport): void {
  const { rsc, 'rsc-pattern': pattern, node, score } = element.attributes
  if (rsc === undefined && pattern === undefined && !hasSets(element)) add('error', element, empty('resource'))
  checkPattern(element, 'rsc-pattern', add)
  const rules = childElements(element, 'rule').length
  if (node === undefined && rules === 0) add('error', element, empty('node and no rule'))
  else if (node !== undefined && rules === 0 && score === undefined)
    add('error', element, { code: 'missing-attribute', attribute: 'score', element: 'rsc_location' })
}

function checkPattern(element: XmlElement, attribute: string, add: AddReport): void {
  const pattern = element.attributes[attribute]
  if (pattern === undefined) return
  const read = readPattern(attribute === 'rsc-pattern' ? pattern.replace(/^!/, '') : pattern)
  if (!read.ok) add('error', element, { code: 'bad-pattern', attribute, pattern, why: read.reports.join(', ') })
}

function checkPair(
  element: XmlElement,
  names: { readonly a: string; readonly b: string; readonly inA: string; readonly inB: string },
  add: AddReport,
): void {
  if (hasSets(element)) return
  const { attributes } = element
  for (const attribute of [names.a, names.b])
    if (attributes[attribute] === undefined)
      add('error', element, { code: 'missing-attribute', attribute, element: element.name })
  const same = attributes[names.a] !== undefined && attributes[names.a] === attributes[names.b]
  if (same && attributes[names.inA] === attributes[names.inB])
    add('warning', element, {
      code: 'refers-to-itself',
      id: attributes[names.a] ?? '',
      constraint: attributes.id ?? '',
    })
}

const hasSets = (element: XmlElement): boolean => childElements(element, 'resource_set').length > 0
