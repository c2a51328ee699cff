import { type HoldKind, type HoldRecord, parseHold } from '../../src/holds/index.ts'

/** A hold of root's, as it would be recorded. */
export function hold(kind: HoldKind, more: Readonly<Record<string, unknown>>): HoldRecord {
  const { resource, node } = more
  const record = parseHold({
    id: [kind, resource, node].filter((word) => word !== undefined).join('-'),
    kind,
    owner: { kind: 'user', name: 'root', user: 'root', node: 'n1' },
    since: '2026-11-23T14:02:00.000Z',
    ...more,
  })
  if (record === undefined) throw new Error(`not a hold: ${kind} ${JSON.stringify(more)}`)
  return record
}
