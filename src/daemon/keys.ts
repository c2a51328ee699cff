/** The keys of the replicated store (ARCHITECTURE.md, "What is replicated"). */
import type { NodeName } from '../base/index.ts'

export const allKeys = '/systole/'
export const currentConfigKey = '/systole/config/current'
export const configHistoryPrefix = '/systole/config/history/'
export const dcKey = '/systole/dc'
export const transitionKey = '/systole/transition'
export const membersPrefix = '/systole/members/'
export const nodeStatePrefix = '/systole/node-state/'
export const operationsPrefix = '/systole/history/'
export const attributesPrefix = '/systole/attributes/'
export const ticketsPrefix = '/systole/tickets/'
export const fencingHistoryPrefix = '/systole/fencing/history/'
export const fencingConfirmedPrefix = '/systole/fencing/confirmed/'

/** Any text may be part of a key; a slash in it must not make a path. */
const part = (text: string): string => encodeURIComponent(text)

export const configVersionKey = (version: number): string =>
  `${configHistoryPrefix}${String(version).padStart(10, '0')}`
export const memberKey = (node: NodeName): string => `${membersPrefix}${part(node)}`
export const nodeStateKey = (node: string): string => `${nodeStatePrefix}${part(node)}`
export const operationsOfNode = (node: string): string => `${operationsPrefix}${part(node)}/`
export const operationsOfResource = (node: string, resource: string): string =>
  `${operationsOfNode(node)}${part(resource)}/`
export const operationKey = (node: string, resource: string, recordId: string): string =>
  `${operationsOfResource(node, resource)}${part(recordId)}`
export const attributesOfNode = (node: string): string => `${attributesPrefix}${part(node)}/`
/** The usual set has no name, and a path has no empty parts. */
export const attributeKey = (node: string, set: string, name: string): string =>
  `${attributesOfNode(node)}${set === '' ? '-' : part(set)}/${part(name)}`
export const ticketKey = (id: string): string => `${ticketsPrefix}${part(id)}`
export const fencingHistoryKey = (id: string): string => `${fencingHistoryPrefix}${part(id)}`
export const fencingConfirmedKey = (node: string): string => `${fencingConfirmedPrefix}${part(node)}`

/** The last part of a key, as it was before it became part of one. */
export const lastPart = (key: string): string => decodeURIComponent(key.slice(key.lastIndexOf('/') + 1))
