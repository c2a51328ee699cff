/**
 * What the cluster knows of its transient attributes: the values written into the CIB, and those kept back from it, because
 * they are private or because their dampening still runs. Both are gone when their node leaves; what an attribute is (its
 * dampening, whether it is private) stays with its name.
 */
import type { AttributeTraitsRecord, TransientAttributeRecord, WithheldAttributeRecord } from '../cib/index.ts'

export interface KnownAttributes {
  readonly written: readonly TransientAttributeRecord[]
  readonly withheld: readonly WithheldAttributeRecord[]
  /** By the attribute's name. */
  readonly traits: ReadonlyMap<string, AttributeTraitsRecord>
}

/** As `attrd_updater --query` and the next `value++` see them: what is kept back holds over what the CIB says. */
export function liveAttributes(known: KnownAttributes, node: string): ReadonlyMap<string, string> {
  const live = new Map<string, string>()
  for (const attribute of known.written) if (attribute.node === node) live.set(attribute.name, attribute.value)
  for (const { node: of, name, value } of known.withheld) {
    if (of !== node) continue
    if (value === undefined) live.delete(name)
    else live.set(name, value)
  }
  return live
}
