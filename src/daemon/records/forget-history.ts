/**
 * `resource cleanup` and `resource refresh`: recorded operations and fail counts are forgotten, so that all is probed anew. A group, a clone or a
 * bundle has none of its own: its name stands for what it is made of.
 */
import {
  type CountedFailure,
  childElements,
  failuresIn,
  findResource,
  type OperationRecord,
  type XmlElement,
} from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { DeleteHistoryAnswerDeleted, DeleteHistoryRequest } from '../../rpc/index.ts'
import type { Write } from '../../store/index.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { keys } from './keys.ts'

export async function deleteHistory(
  node: SharedState,
  asked: DeleteHistoryRequest,
): Promise<readonly DeleteHistoryAnswerDeleted[]> {
  const { writes, deleted } = historyToDelete(node.view, asked)
  if (writes.length > 0) await node.store.transaction({ compare: [], writes })
  return deleted
}

/** Without an operation a resource's whole history on the node goes, so that it is probed; with one, that operation's part. */
export function historyToDelete(
  view: Pick<ClusterView, 'operations' | 'attributes' | 'shutdownLocks' | 'configuration'>,
  asked: DeleteHistoryRequest,
): { readonly writes: readonly Write[]; readonly deleted: readonly DeleteHistoryAnswerDeleted[] } {
  const means = meantBy(asked.resource, view.configuration?.cib)
  const wanted = [...view.operations.values()].filter((record) => matches(record, asked, means))
  const counts = [...view.attributes].filter(([, attribute]) => {
    if (asked.node !== undefined && attribute.node !== asked.node) return false
    const failed = failuresIn(attribute.name)
    return failed !== undefined && matchesFailCount(failed, asked, means)
  })
  const found = new Map<string, OperationRecord>()
  for (const record of wanted)
    if (!asked.onlyFailed || hasFailed(record)) found.set(keys.historyOfResource(record.node, record.resource), record)
  for (const [, { name, node: where }] of counts) {
    const { resource } = failuresIn(name) ?? {}
    const record = wanted.find((one) => one.node === where && baseName(one.resource) === baseName(resource ?? ''))
    if (record) found.set(keys.historyOfResource(record.node, record.resource), record)
  }
  // As Pacemaker does: a refresh also frees what waits for a node that was shut down.
  const locks = [...view.shutdownLocks].filter(
    ([, { node, resource }]) =>
      !asked.onlyFailed && (asked.node === undefined || asked.node === node) && means(resource),
  )
  const ofOneOperation = asked.operation !== undefined || asked.intervalMs !== undefined
  const records: readonly Write[] = ofOneOperation
    ? wanted
        .filter(({ node, resource }) => found.has(keys.historyOfResource(node, resource)))
        .map(({ node, resource, recordId }) => ({ kind: 'delete', key: keys.history(node, resource, recordId) }))
    : [...found.keys()].map((prefix) => ({ kind: 'delete-prefix', prefix }))
  return {
    writes: [...records, ...[...locks, ...counts].map(([key]) => ({ kind: 'delete', key }) as const)],
    deleted: [...found.values()].map(({ resource, node }) => ({ resource, node })),
  }
}

type Means = (resource: string) => boolean

function meantBy(asked: string | undefined, cib: XmlElement | undefined): Means {
  if (asked === undefined) return () => true
  const found = cib === undefined ? undefined : findResource(cib, asked)
  const names = new Set([asked, ...(found === undefined ? [] : primitivesIn(found))])
  const makes = found?.name === 'bundle' ? (name: string) => isMadeBy(asked, name) : () => false
  return (resource) => names.has(resource) || names.has(baseName(resource)) || makes(resource)
}

function primitivesIn(resource: XmlElement): readonly string[] {
  if (resource.name === 'primitive') return [resource.attributes.id ?? '']
  return childElements(resource).flatMap(primitivesIn)
}

/** A bundle’s containers, their addresses, and the connections to them. */
const isMadeBy = (bundle: string, name: string): boolean =>
  name.startsWith(`${bundle}-`) && /^(?:(?:docker|podman)-\d+|ip-.+|\d+)$/.test(name.slice(bundle.length + 1))

function matches(record: OperationRecord, asked: DeleteHistoryRequest, means: Means): boolean {
  if (asked.node !== undefined && record.node !== asked.node) return false
  if (!means(record.resource)) return false
  if (asked.operation !== undefined && record.attributes.operation !== asked.operation) return false
  return asked.intervalMs === undefined || Number(record.attributes.interval) === asked.intervalMs
}

/** The instance of a clone answers to the clone member's name. */
const baseName = (resource: string): string => resource.replace(/:\d+$/, '')

function matchesFailCount(failed: CountedFailure, asked: DeleteHistoryRequest, means: Means): boolean {
  if (!means(failed.resource)) return false
  if (asked.operation !== undefined && failed.operation !== asked.operation) return false
  return asked.intervalMs === undefined || failed.intervalMs === asked.intervalMs
}

function hasFailed(record: OperationRecord): boolean {
  return record.recordId.includes('_last_failure_')
}
