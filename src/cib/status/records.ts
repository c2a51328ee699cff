/**
 * The recorded state: many small records, each with one writer, which `composeCib` turns into the CIB's `status` section
 * (Pacemaker Explained, "Status -- Here be dragons"). They are JSON in the store, so that the parsers here read `unknown`.
 */
import { type NodeName, nodeName, type ResourceId, resourceId } from '../../base/index.ts'
import type { Agent } from '../configuration.ts'
import { present } from '../values/attribute-text.ts'

/** What the DC knows of a node's membership. */
export interface NodeStateRecord {
  readonly node: NodeName
  readonly id: string
  /** In the cluster's membership: yes, no, or since when (seconds since the epoch). */
  readonly inCcm: boolean | number
  /** Whether the node's controller takes part. */
  readonly crmd: 'online' | 'offline'
  readonly join: 'member' | 'pending' | 'down'
  /** Whether it should be here: `down` after a clean shutdown or a fencing. */
  readonly expected: 'member' | 'down'
  /** Why the state is what it is, for people. */
  readonly reason?: string
  /** The term of the DC that wrote it. */
  readonly term?: number
  /** Further attributes of `node_state`: `remote_node`, `node_fenced`, `shutdown`, `crm-debug-origin` … */
  readonly attributes?: Readonly<Record<string, string>>
}

/** The last result of one kind of operation of a resource on a node: one `lrm_rsc_op`. */
export interface OperationRecord {
  readonly node: NodeName
  /** The name in the history: `web`, `ping:1`; anonymous clones leave the number out. */
  readonly resource: ResourceId
  readonly agent: Agent
  /** `web_last_0`, `web_last_failure_0`, `web_monitor_10000`: one record each for a resource on a node. */
  readonly recordId: string
  /** Every attribute of `lrm_rsc_op` but its id. */
  readonly attributes: Readonly<Record<string, string>>
  /** The resource that is the container of this guest node connection. */
  readonly container?: ResourceId
}

/** A node attribute that lasts until the node leaves. */
export interface TransientAttributeRecord {
  readonly node: NodeName
  /** The set it is kept in; '' is the usual one. */
  readonly set: string
  readonly name: string
  readonly value: string
}

/** A transient attribute that is not in the CIB: a private one, or a change of another whose dampening still runs. */
export interface WithheldAttributeRecord {
  readonly node: NodeName
  readonly set: string
  readonly name: string
  /** undefined: that it is deleted waits. */
  readonly value?: string
}

/** What an attribute is, on all nodes. */
export interface AttributeTraitsRecord {
  readonly name: string
  /** Dampening: how long the attribute must be quiet before a change is written. */
  readonly delayMs: number
  readonly isPrivate: boolean
}

export interface TicketRecord {
  readonly id: string
  readonly granted: boolean
  readonly standby?: boolean
  /** Seconds since the epoch. */
  readonly lastGranted?: number
  readonly attributes?: Readonly<Record<string, string>>
}

/** A resource that waits for a node which was shut down cleanly (`shutdown-lock`). */
export interface ShutdownLockRecord {
  readonly node: NodeName
  readonly resource: ResourceId
  readonly agent: Agent
  /** Seconds since the epoch. */
  readonly since: number
}

type Json = Readonly<Record<string, unknown>>

/** A record of the store's JSON; undefined where it is none, so that the caller can name the key in its error. */
export function parseNodeStateRecord(value: unknown): NodeStateRecord | undefined {
  if (!isJson(value)) return undefined
  const { node, id, inCcm, reason, term } = value
  const crmd = oneOf(['online', 'offline'] as const, value.crmd)
  const join = oneOf(['member', 'pending', 'down'] as const, value.join)
  const expected = oneOf(['member', 'down'] as const, value.expected)
  const membership = typeof inCcm === 'boolean' || typeof inCcm === 'number' ? inCcm : undefined
  if (typeof node !== 'string' || typeof id !== 'string') return undefined
  if (membership === undefined || crmd === undefined || join === undefined || expected === undefined) return undefined
  return {
    node: nodeName(node),
    id,
    inCcm: membership,
    crmd,
    join,
    expected,
    ...present({ reason: asText(reason), term: asNumber(term), attributes: asTexts(value.attributes) }),
  }
}

export function parseOperationRecord(value: unknown): OperationRecord | undefined {
  if (!isJson(value)) return undefined
  const { node, resource, recordId, container } = value
  const agent = parseAgent(value.agent)
  const attributes = asTexts(value.attributes)
  if (typeof node !== 'string' || typeof resource !== 'string' || typeof recordId !== 'string') return undefined
  if (agent === undefined || attributes === undefined) return undefined
  const where = { node: nodeName(node), resource: resourceId(resource), agent, recordId, attributes }
  return typeof container === 'string' ? { ...where, container: resourceId(container) } : where
}

export function parseShutdownLockRecord(value: unknown): ShutdownLockRecord | undefined {
  if (!isJson(value)) return undefined
  const { node, resource, since } = value
  const agent = parseAgent(value.agent)
  if (typeof node !== 'string' || typeof resource !== 'string' || typeof since !== 'number') return undefined
  return agent === undefined ? undefined : { node: nodeName(node), resource: resourceId(resource), agent, since }
}

export function parseTransientAttributeRecord(value: unknown): TransientAttributeRecord | undefined {
  if (!isJson(value)) return undefined
  const { node, set, name, value: text } = value
  if (typeof node !== 'string' || typeof set !== 'string') return undefined
  if (typeof name !== 'string' || typeof text !== 'string') return undefined
  return { node: nodeName(node), set, name, value: text }
}

export function parseWithheldAttributeRecord(value: unknown): WithheldAttributeRecord | undefined {
  if (!isJson(value)) return undefined
  const { node, set, name } = value
  if (typeof node !== 'string' || typeof set !== 'string' || typeof name !== 'string') return undefined
  return { node: nodeName(node), set, name, ...present({ value: asText(value.value) }) }
}

export function parseAttributeTraitsRecord(value: unknown): AttributeTraitsRecord | undefined {
  if (!isJson(value)) return undefined
  const { name, delayMs, isPrivate } = value
  if (typeof name !== 'string' || typeof delayMs !== 'number' || typeof isPrivate !== 'boolean') return undefined
  return { name, delayMs, isPrivate }
}

export function parseTicketRecord(value: unknown): TicketRecord | undefined {
  if (!isJson(value)) return undefined
  const { id, granted, standby, lastGranted } = value
  if (typeof id !== 'string' || typeof granted !== 'boolean') return undefined
  return {
    id,
    granted,
    ...present({
      standby: typeof standby === 'boolean' ? standby : undefined,
      lastGranted: asNumber(lastGranted),
      attributes: asTexts(value.attributes),
    }),
  }
}

function parseAgent(value: unknown): Agent | undefined {
  if (!isJson(value)) return undefined
  const { class: agentClass, provider, type } = value
  if (typeof agentClass !== 'string' || typeof type !== 'string') return undefined
  return { class: agentClass, type, ...present({ provider: asText(provider) }) }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value)
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function asTexts(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJson(value)) return undefined
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(entries)
}
