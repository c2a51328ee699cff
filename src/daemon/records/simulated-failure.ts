/** `crm_resource --fail`: an administrator's word that a resource has failed on a node is recorded like a failed monitor. */
import { randomUUID } from 'node:crypto'
import { failureEdits } from '../../attributes/index.ts'
import type { NodeName } from '../../base/index.ts'
import { type OperationRecord, recordsOfResult } from '../../cib/index.ts'
import { type ClusterView, writesOfEdits } from '../../controller/index.ts'
import type { Write } from '../../store/index.ts'
import type { SharedState } from '../shared-state/shared-state.ts'
import { storeWrite } from './guarded-writes.ts'
import { toBytes } from './json-value.ts'
import { keys } from './keys.ts'
import { nextCallId } from './result-store.ts'

interface Asked {
  /** As the history calls it. */
  readonly resource: string
  readonly node: NodeName
}

/** False where the node has no history of the resource: what it never ran cannot have failed there. */
export async function failResource(node: SharedState, asked: Asked): Promise<boolean> {
  const writes = simulatedFailure(node.view, asked, Math.floor(Date.now() / 1000))
  if (writes.length === 0) return false
  await node.store.transaction({ compare: [], writes })
  return true
}

/** Pacemaker's name for a failure that was noticed between monitors; it is counted as such. */
const operation = 'asyncmon'

export function simulatedFailure(
  view: Pick<ClusterView, 'operations' | 'attributes'>,
  { resource, node }: Asked,
  now: number,
): readonly Write[] {
  const known = [...view.operations.values()]
  const last = known.find((record) => record.node === node && record.resource === resource)
  if (last === undefined) return []
  const records = recordsOfResult({
    node,
    resource: last.resource,
    agent: last.agent,
    operation,
    intervalMs: 0,
    key: { action: 0, transition: -1, expectedExitCode: 0, uuid: randomUUID() },
    callId: nextCallId(known, node),
    status: 'done',
    exitCode: 1,
    exitReason: 'Simulated failure',
    lastChange: now,
    execTimeMs: 0,
    queueTimeMs: 0,
    ...(last.container === undefined ? {} : { container: last.container }),
  })
  const failure = { node, resource: last.resource, operation, intervalMs: 0, at: now, by: 'one' } as const
  const counts = failureEdits(view.attributes.values(), [failure])
  return [...records.map((record) => written(record, known)), ...writesOfEdits(counts).map(storeWrite)]
}

/** With the digests of what was there, so that the parameters do not seem to have changed. */
function written(record: OperationRecord, known: readonly OperationRecord[]): Write {
  const before = known.findLast(
    ({ node, resource, attributes }) =>
      node === record.node && resource === record.resource && attributes['op-digest'] !== undefined,
  )
  const digests = Object.entries(before?.attributes ?? {}).filter(([name]) =>
    /^op-.*(?:digest|params|restart)$/.test(name),
  )
  const attributes = { ...record.attributes, ...Object.fromEntries(digests) }
  return {
    kind: 'put',
    key: keys.history(record.node, record.resource, record.recordId),
    value: toBytes({ ...record, attributes }),
  }
}
