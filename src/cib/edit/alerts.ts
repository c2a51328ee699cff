/** Alerts: programs that the cluster calls when something happens, and their recipients. */
import { failed, longestId, similarWords } from '../../base/index.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { appended, editSection, replaceElement, withAttributes } from '../tree.ts'
import { badNewId } from './find.ts'
import { type NameValues, setNameValues } from './name-values.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'

export interface AlertValues {
  readonly description?: string
  readonly options: NameValues
  readonly meta: NameValues
}

export function createAlert(
  cib: XmlElement,
  request: AlertValues & { readonly id?: string; readonly path: string },
): EditResult {
  const ids = idSource(cib)
  const reports = request.id === undefined ? [] : badNewId(ids, request.id)
  return unless(reports, () => {
    const id = request.id ?? ids.free('alert')
    const alert = withValues(element('alert', { id, path: request.path }), request, ids)
    return edited(
      editSection(cib, 'alerts', (section) => appended(section, alert)),
      { created: [id] },
    )
  })
}

export function updateAlert(
  cib: XmlElement,
  request: AlertValues & { readonly id: string; readonly path?: string },
): EditResult {
  const alert = alertsOf(cib).find((candidate) => idOf(candidate) === request.id)
  if (alert === undefined) return failed(missing('alert', request.id, alertsOf(cib)))
  const ids = idSource(cib)
  return edited(
    replaceElement(cib, alert, (found) =>
      withValues(request.path === undefined ? found : withAttributes(found, { path: request.path }), request, ids),
    ),
  )
}

export function deleteAlerts(cib: XmlElement, request: { readonly ids: readonly string[] }): EditResult {
  return remove(cib, request.ids, { what: 'alert', all: alertsOf(cib) })
}

export function addRecipient(
  cib: XmlElement,
  request: AlertValues & {
    readonly alert: string
    readonly id?: string
    readonly value: string
    /** Take a second recipient with the same value. */
    readonly force?: boolean
  },
): EditResult {
  const alert = alertsOf(cib).find((candidate) => idOf(candidate) === request.alert)
  if (alert === undefined) return failed(missing('alert', request.alert, alertsOf(cib)))
  const ids = idSource(cib)
  const same = childElements(alert, 'recipient').find(({ attributes }) => attributes.value === request.value)
  const reports: readonly EditReport[] = [
    ...(request.id === undefined ? [] : badNewId(ids, request.id, longestId)),
    ...(same && !request.force ? [{ code: 'already-exists', what: 'recipient', id: idOf(same) } as const] : []),
  ]
  return unless(reports, () => {
    const id = request.id ?? ids.free(`${request.alert}-recipient`)
    const recipient = withValues(element('recipient', { id, value: request.value }), request, ids)
    return edited(
      replaceElement(cib, alert, (found) => appended(found, recipient)),
      { created: [id] },
    )
  })
}

export function updateRecipient(
  cib: XmlElement,
  request: AlertValues & { readonly id: string; readonly value?: string },
): EditResult {
  const recipient = recipientsOf(cib).find((candidate) => idOf(candidate) === request.id)
  if (recipient === undefined) return failed(missing('recipient', request.id, recipientsOf(cib)))
  const ids = idSource(cib)
  return edited(
    replaceElement(cib, recipient, (found) =>
      withValues(request.value === undefined ? found : withAttributes(found, { value: request.value }), request, ids),
    ),
  )
}

export function deleteRecipients(cib: XmlElement, request: { readonly ids: readonly string[] }): EditResult {
  return remove(cib, request.ids, { what: 'recipient', all: recipientsOf(cib) })
}

const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''

function alertsOf(cib: XmlElement): readonly XmlElement[] {
  const section = childElement(configurationElement(cib), 'alerts')
  return section === undefined ? [] : childElements(section, 'alert')
}

const recipientsOf = (cib: XmlElement): readonly XmlElement[] =>
  alertsOf(cib).flatMap((alert) => childElements(alert, 'recipient'))

/** Options are given to the program as environment, meta-attributes say when it is called. An empty value unsets. */
function withValues(target: XmlElement, values: AlertValues, ids: IdSource): XmlElement {
  const id = idOf(target)
  const { description } = values
  const described =
    description === undefined ? target : withAttributes(target, { description: description || undefined })
  const withMeta = setNameValues(
    described,
    { kind: 'meta_attributes', setId: `${id}-meta_attributes`, values: values.meta },
    ids,
  )
  return setNameValues(
    withMeta,
    { kind: 'instance_attributes', setId: `${id}-instance_attributes`, values: values.options },
    ids,
  )
}

function remove(
  cib: XmlElement,
  wanted: readonly string[],
  from: { readonly what: string; readonly all: readonly XmlElement[] },
): EditResult {
  const known = from.all.map(idOf)
  const reports: readonly EditReport[] = [
    ...(wanted.length === 0 ? [{ code: 'nothing-given', what: from.what } as const] : []),
    ...wanted.filter((id) => !known.includes(id)).map((id) => missing(from.what, id, from.all)),
  ]
  return unless(reports, () => {
    const leaving = from.all.filter((item) => wanted.includes(idOf(item)))
    return edited(
      leaving.reduce((current, item) => replaceElement(current, item, []), cib),
      { removed: leaving.map((item) => ({ element: item.name, id: idOf(item) })) },
    )
  })
}

function missing(what: string, id: string, all: readonly XmlElement[]): EditReport {
  return { code: 'not-found', what, id, similar: similarWords(id, all.map(idOf)) }
}
