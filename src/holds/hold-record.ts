/** One hold, as it is recorded at `holds/<id>`. Whoever wrote it takes it away; the DC does where that one is gone (hold-step.ts). */
import { type NodeName, nodeName, type ResourceId, resourceId } from '../base/index.ts'
import { parseRole, type Role } from '../cib/index.ts'

/**
 * `drain` and `standby` are the same to the scheduler. The words differ: a drain is what an operator asks of a node for a while. `maintenance` is of a node or of
 * a resource; `disable` of a resource; `ban` and `prefer` of a resource on a node, for a role where one is named.
 */
export const holdKinds = ['drain', 'standby', 'maintenance', 'disable', 'ban', 'prefer'] as const
export type HoldKind = (typeof holdKinds)[number]

export interface HoldOwner {
  /** `command`: one process of the command line, which renews the hold for as long as it runs. */
  readonly kind: 'user' | 'command' | 'rollout' | 'job'
  /** Of the rollout or job; of a command its words; of a user its own. */
  readonly name: string
  readonly user: string
  /** Where it was asked for. */
  readonly node: NodeName
}

export interface HoldRecord {
  readonly id: string
  readonly kind: HoldKind
  readonly node?: NodeName
  readonly resource?: ResourceId
  readonly role?: Role
  readonly owner: HoldOwner
  readonly reason?: string
  /** ISO 8601, by the clock of the owner's node. */
  readonly since: string
  /** Where it ends by itself. With a holder: so long after the last renewal. */
  readonly ttlMs?: number
  /** An id of the process that renews it. */
  readonly holder?: string
  /** ISO 8601: its last renewal. It says nothing to the scheduler. */
  readonly renewed?: string
}

export const mostHolds = 1000
export const longestHoldReason = 200
const longestHoldId = 64

/** It stands in ids of the CIB. */
export const isHoldId = (text: string): boolean => /^[A-Za-z0-9._-]+$/.test(text) && text.length <= longestHoldId

const needs: Readonly<Record<HoldKind, (hold: Pick<HoldRecord, 'node' | 'resource'>) => boolean>> = {
  drain: ({ node, resource }) => node !== undefined && resource === undefined,
  standby: ({ node, resource }) => node !== undefined && resource === undefined,
  maintenance: ({ node, resource }) => (node === undefined) !== (resource === undefined),
  disable: ({ node, resource }) => node === undefined && resource !== undefined,
  ban: ({ node, resource }) => node !== undefined && resource !== undefined,
  prefer: ({ node, resource }) => node !== undefined && resource !== undefined,
}

const ownerKinds: readonly HoldOwner['kind'][] = ['user', 'command', 'rollout', 'job']

type Fields = Readonly<Record<string, unknown>>
const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Undefined for what no version up to this one writes: this one cannot obey it. */
export function parseHold(value: unknown): HoldRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Fields
  const [id, since] = [textIn(fields, 'id'), textIn(fields, 'since')]
  const kind = holdKinds.find((one) => one === fields.kind)
  const owner = parseOwner(fields.owner)
  if (id === undefined || !isHoldId(id) || since === undefined || kind === undefined || owner === undefined)
    return undefined
  const role = parseRole(textIn(fields, 'role'))
  const [node, resource] = [textIn(fields, 'node'), textIn(fields, 'resource')]
  const [reason, holder, renewed] = [textIn(fields, 'reason'), textIn(fields, 'holder'), textIn(fields, 'renewed')]
  const { ttlMs } = fields
  const hold: HoldRecord = {
    id,
    kind,
    ...(node !== undefined && { node: nodeName(node) }),
    ...(resource !== undefined && { resource: resourceId(resource) }),
    ...(role !== undefined && { role }),
    owner,
    ...(reason !== undefined && { reason }),
    since,
    ...(typeof ttlMs === 'number' && ttlMs > 0 && { ttlMs }),
    ...(holder !== undefined && { holder }),
    ...(renewed !== undefined && { renewed }),
  }
  return needs[kind](hold) ? hold : undefined
}

function parseOwner(value: unknown): HoldOwner | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Fields
  const kind = ownerKinds.find((one) => one === fields.kind)
  const [name, user, node] = [textIn(fields, 'name'), textIn(fields, 'user'), textIn(fields, 'node')]
  if (kind === undefined || name === undefined || user === undefined || node === undefined) return undefined
  return { kind, name, user, node: nodeName(node) }
}

/** Whether a record was only renewed: then nothing is to be computed again. */
export function sameHold(a: HoldRecord | undefined, b: HoldRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const text = ({ renewed: _, ...hold }: HoldRecord): string => JSON.stringify(hold)
  return text(a) === text(b)
}
