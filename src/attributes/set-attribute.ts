/**
 * What is written when a transient attribute is set, as Pacemaker's attribute manager does it (attrd_updater(8), observed on
 * 2.1.5):
 *
 * - Without dampening a changed value goes into the CIB at once. With it, the value is kept back and the DC writes it when
 *   the attribute has been quiet for that long on every node (dampening.ts). A value that is there already changes nothing.
 * - Dampening belongs to the name, on all nodes. Only `--update-both` and `--update-delay` set it; `--update` leaves it as it
 *   is. Where it changes, everything that waits under the name is written at once, before the new value begins to wait.
 * - Private is what was private when it was made; it never goes into the CIB. The set, too, is that of its first value.
 */
import type { NodeName } from '../base/index.ts'
import type { AttributeTraitsRecord, TransientAttributeRecord, WithheldAttributeRecord } from '../cib/index.ts'
import { type KnownAttributes, liveAttributes } from './known.ts'
import { expandValue } from './merge.ts'

export interface AttributeRequest {
  readonly node: NodeName
  readonly set: string
  readonly name: string
  /** undefined deletes the attribute. `value++` and `value+=n` add to what is there. */
  readonly value?: string
  /** The attribute's dampening from now on (`--update-both`); undefined leaves it as it was. */
  readonly delayMs?: number
  /** Counts only where nobody has the attribute yet. */
  readonly isPrivate?: boolean
}

export type AttributeWrite =
  | { readonly kind: 'put-attribute'; readonly record: TransientAttributeRecord }
  | { readonly kind: 'delete-attribute'; readonly node: NodeName; readonly set: string; readonly name: string }
  | { readonly kind: 'withhold-attribute'; readonly record: WithheldAttributeRecord }
  /** It is kept back no longer. */
  | { readonly kind: 'release-attribute'; readonly node: NodeName; readonly set: string; readonly name: string }
  | { readonly kind: 'put-traits'; readonly record: AttributeTraitsRecord }

export function setAttribute(known: KnownAttributes, request: AttributeRequest): readonly AttributeWrite[] {
  const { node, name } = request
  const before = traitsOf(known, name)
  const exists = isKnown(known, name)
  const traits: AttributeTraitsRecord = {
    name,
    delayMs: request.delayMs ?? before.delayMs,
    isPrivate: exists ? before.isPrivate : (request.isPrivate ?? false),
  }
  const isNew = traits.isPrivate !== before.isPrivate || traits.delayMs !== before.delayMs
  const settled = traits.delayMs === before.delayMs ? [] : releaseAll(known, name)
  const live = liveAttributes(known, node).get(name)
  const value = request.value === undefined ? undefined : expandValue(live, request.value)
  const changed = value === live ? [] : changeValue(known, traits, { node, set: setOf(known, request), name, value })
  return lastOfEach([...(isNew ? [{ kind: 'put-traits', record: traits } as const] : []), ...settled, ...changed])
}

/** `--update-delay`: nothing where there is no such attribute. */
export function setDampening(known: KnownAttributes, name: string, delayMs: number): readonly AttributeWrite[] {
  const before = traitsOf(known, name)
  if (!isKnown(known, name) || before.delayMs === delayMs) return []
  return [{ kind: 'put-traits', record: { ...before, delayMs } }, ...releaseAll(known, name)]
}

/** Everything that waits is written: of one attribute when it has been quiet, of all with `--refresh`. */
export function releaseAll(known: KnownAttributes, only?: string): readonly AttributeWrite[] {
  return known.withheld
    .filter(({ name }) => (only === undefined || name === only) && !traitsOf(known, name).isPrivate)
    .flatMap(({ node, set, name, value }): readonly AttributeWrite[] => [
      { kind: 'release-attribute', node, set, name },
      value === undefined
        ? { kind: 'delete-attribute', node, set, name }
        : { kind: 'put-attribute', record: { node, set, name, value } },
    ])
}

type Place = Pick<TransientAttributeRecord, 'node' | 'set' | 'name'>

function changeValue(
  known: KnownAttributes,
  { isPrivate, delayMs }: AttributeTraitsRecord,
  { value, ...place }: Place & { readonly value: string | undefined },
): readonly AttributeWrite[] {
  if (isPrivate && value === undefined) return [{ kind: 'release-attribute', ...place }]
  if (isPrivate || delayMs > 0)
    return [{ kind: 'withhold-attribute', record: { ...place, ...(value === undefined ? {} : { value }) } }]
  const isWithheld = known.withheld.some((other) => isAt(other, place))
  return [
    ...(isWithheld ? [{ kind: 'release-attribute', ...place } as const] : []),
    value === undefined
      ? { kind: 'delete-attribute', ...place }
      : { kind: 'put-attribute', record: { ...place, value } },
  ]
}

export function traitsOf({ traits }: KnownAttributes, name: string): AttributeTraitsRecord {
  return traits.get(name) ?? { name, delayMs: 0, isPrivate: false }
}

function isKnown({ written, withheld, traits }: KnownAttributes, name: string): boolean {
  return traits.has(name) || [...written, ...withheld].some((attribute) => attribute.name === name)
}

function setOf({ written, withheld }: KnownAttributes, { name, set }: AttributeRequest): string {
  return [...written, ...withheld].find((attribute) => attribute.name === name)?.set ?? set
}

function isAt(one: Place, other: Place): boolean {
  return one.node === other.node && one.set === other.set && one.name === other.name
}

/** What was to be written may change once more by the same request: the store takes each key once. */
function lastOfEach(writes: readonly AttributeWrite[]): readonly AttributeWrite[] {
  const byKey = new Map<string, AttributeWrite>()
  for (const write of writes) {
    const { name, ...place } = 'record' in write ? write.record : write
    const where = 'node' in place ? [place.node, place.set] : []
    const folder = { 'put-attribute': 1, 'delete-attribute': 1, 'withhold-attribute': 2, 'release-attribute': 2 }
    const key = JSON.stringify([write.kind === 'put-traits' ? 3 : folder[write.kind], ...where, name])
    byKey.set(key, write)
  }
  return [...byKey.values()]
}
