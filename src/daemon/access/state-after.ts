/** The recorded state as it will be: by it, a change of records is judged as one of the CIB. */
import type { TransientAttributeRecord } from '../../cib/index.ts'
import { type ClusterView, type Observation, observe } from '../../controller/index.ts'
import type { Write } from '../../store/index.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'

export function viewAfter(view: ClusterView, writes: readonly Write[]): ClusterView {
  return observe(
    view,
    writes.flatMap((write) => observations(view, write)),
    view.revision,
  ).view
}

function observations(view: ClusterView, write: Write): readonly Observation[] {
  if (write.kind === 'put')
    return [{ kind: 'put', key: write.key, createRevision: view.revision, value: fromBytes(write.value) }]
  if (write.kind === 'delete') return [{ kind: 'delete', key: write.key }]
  const known = [...view.operations.keys(), ...view.attributes.keys(), ...view.shutdownLocks.keys()]
  return known.filter((key) => key.startsWith(write.prefix)).map((key) => ({ kind: 'delete', key }))
}

/** One that has the value already is deleted: that needs the same permission. */
export function viewWithAttribute(
  view: ClusterView,
  { value, ...which }: Omit<TransientAttributeRecord, 'value'> & { readonly value?: string },
): ClusterView {
  const key = keys.attribute(which.node, which.set, which.name)
  const isGone = value === undefined || view.attributes.get(key)?.value === value
  return viewAfter(view, [isGone ? { kind: 'delete', key } : { kind: 'put', key, value: toBytes({ ...which, value }) }])
}
