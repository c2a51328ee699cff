/**
 * Everything that is wrong with a CIB, with its place, in document order. Errors are what makes no sense or what Pacemaker
 * refuses; warnings are what works and is probably not meant. The recorded state is not looked at: nobody writes it by hand.
 */
import { doneAtOnce, type Steps, shortened } from '../../base/index.ts'
import { childElement, childElements, type XmlElement } from '../document.ts'
import { constraintsOf } from '../edit/constraints.ts'
import { configurationElement, configurationSteps } from '../read-configuration.ts'
import type { AddReport, CibReport, Where } from './report.ts'
import { validateForm } from './validate-form.ts'
import { validateLoops } from './validate-loops.ts'
import { validateNames } from './validate-names.ts'
import { validateObsolete } from './validate-obsolete.ts'
import { validateOptions } from './validate-options.ts'
import { validateIds, validateReferences } from './validate-references.ts'
import { validateStructure } from './validate-structure.ts'

export function validateCib(cib: XmlElement): readonly CibReport[] {
  return doneAtOnce(validationSteps(cib))
}

/** The same in pieces, for whoever has other work to do between them: a large CIB takes some 200 ms in one. */
export function* validationSteps(cib: XmlElement): Steps<readonly CibReport[]> {
  if (cib.name !== 'configuration' && childElement(cib, 'configuration') === undefined)
    return [{ code: 'missing-section', section: 'configuration', severity: 'error', ...whereOf(cib, `/${cib.name}`) }]
  const configuration = configurationElement(cib)
  const map = mapElements(configuration, cib.name === 'cib' ? '/cib' : '')
  const found: { readonly position: number; readonly report: CibReport }[] = []
  const whereIs = (element: XmlElement): Where => map.get(element)?.where ?? whereOf(element, `/${element.name}`)
  const add: AddReport = (severity, at, finding) => {
    const { path, place } = whereIs(at)
    const report: CibReport = { ...finding, severity, path, ...(place && { place }) }
    found.push({ position: map.get(at)?.position ?? 0, report })
  }
  yield
  validateObsolete(cib, configuration, add)
  yield
  validateForm(configuration, add)
  yield
  validateNames(configuration, add)
  yield
  validateIds(configuration, whereIs, (element) => map.get(element)?.parent, add)
  yield
  validateReferences(configuration, add)
  yield
  validateOptions(configuration, add)
  yield
  validateStructure(configuration, add)
  yield
  const constraints = constraintsOf(configuration)
  const typed = yield* configurationSteps(configuration)
  yield
  validateLoops(typed, (id) => constraints.find(({ attributes }) => attributes.id === id), add)
  return found.sort((a, b) => a.position - b.position).map(({ report }) => report)
}

interface Mapped {
  readonly where: Where
  readonly position: number
  readonly parent?: XmlElement
}

/** Path, order and parent of every element. */
function mapElements(root: XmlElement, above: string): ReadonlyMap<XmlElement, Mapped> {
  const map = new Map<XmlElement, Mapped>()
  const visit = (element: XmlElement, path: string, parent?: XmlElement): void => {
    map.set(element, { where: whereOf(element, path), position: map.size, ...(parent ? { parent } : {}) })
    for (const child of childElements(element)) visit(child, `${path}/${step(child)}`, element)
  }
  visit(root, `${above}/${root.name}`)
  return map
}

function step({ name, attributes }: XmlElement): string {
  const { id, 'id-ref': reference } = attributes
  if (id !== undefined) return `${name}[@id='${shortened(id)}']`
  return reference === undefined ? name : `${name}[@id-ref='${reference}']`
}

function whereOf(element: XmlElement, path: string): Where {
  return element.place === undefined ? { path } : { path, place: element.place }
}
