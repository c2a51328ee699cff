/**
 * What a description of the configuration (a cluster file) said when it was last applied, by its name: the next time the difference between the two is what is changed.
 * Written in the transaction of the change itself.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { parseXml } from '../../cib/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Store, Write } from '../../store/index.ts'
import { refuseUnfit } from '../records/fit-value.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { appliedKey, appliedPrefix } from '../records/keys.ts'
import { largestConfiguration } from '../records/limits.ts'

export interface AppliedDescription {
  readonly name: string
  readonly xml: string
}

export interface AppliedRecord extends AppliedDescription {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly user: string
}

const longestName = 100
const mostDescriptions = 100

export async function refuseApplied(store: Store, { name, xml }: AppliedDescription): Promise<void> {
  refuseUnfit({ 'The name of the description': name })
  if (name === '' || name.length > longestName)
    throw refuse('too-long', `The name of a description has 1 to ${longestName} characters.`)
  const [bytes, most] = [Buffer.byteLength(xml), largestConfiguration()]
  if (bytes > most) throw refuse('too-large', `The description has ${bytes} bytes. The limit is ${most}.`)
  const parsed = parseXml(xml)
  if (!parsed.ok || parsed.value.name !== 'configuration')
    throw refuse('not-a-cib', 'The description is not a configuration.')
  const { entries } = await store.list(appliedPrefix)
  if (entries.length >= mostDescriptions && !entries.some(({ key }) => key === appliedKey(name)))
    throw refuse('too-many', `The cluster remembers ${mostDescriptions} descriptions already.`)
}

export function appliedWrite(record: AppliedRecord): Write {
  return { kind: 'put', key: appliedKey(record.name), value: gzipSync(toBytes(record)) }
}

export const forgetApplied = (name: string): Write => ({ kind: 'delete', key: appliedKey(name) })

export async function readApplied(store: Store, name: string): Promise<AppliedRecord | undefined> {
  const entry = await store.get(appliedKey(name))
  if (entry === undefined) return undefined
  return parseApplied(name, fromBytes(gunzipSync(entry.value)))
}

export function parseApplied(name: string, value: unknown): AppliedRecord | undefined {
  const { xml, version, time, user } = value as Readonly<Record<string, unknown>>
  // One of a newer version that this does not read counts as none: then the file is compared with the cluster alone.
  if (typeof xml !== 'string' || typeof version !== 'number') return undefined
  return { name, xml, version, time: String(time), user: String(user) }
}
