/** What has changed between two answers of `status`: pure. Lists are compared by the names in them, everything else as a whole. */

export interface Change {
  /** The part of `status --json`: nodes, resources, quorum, dc … */
  readonly part: string
  /** Of a node or resource. */
  readonly key?: string
  /** As it is now; null where it is gone. */
  readonly value: unknown
}

type Facts = Readonly<Record<string, unknown>>

/** By what the things in a list are known. Instances of a clone share their id, and are told apart by their place in the list. */
const keyOf: Readonly<Record<string, string>> = { nodes: 'name', resources: 'id', fencing: 'id', holds: 'id' }

export function changesBetween(before: Facts, after: Facts): readonly Change[] {
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return parts.flatMap((part): readonly Change[] => {
    if (isSame(before[part], after[part])) return []
    const name = keyOf[part]
    const [old, fresh] = [before[part], after[part]]
    if (name === undefined || !Array.isArray(old) || !Array.isArray(fresh)) return [{ part, value: fresh ?? null }]
    return changesInList(part, byKey(old, name), byKey(fresh, name))
  })
}

function changesInList(
  part: string,
  before: ReadonlyMap<string, readonly unknown[]>,
  after: ReadonlyMap<string, readonly unknown[]>,
): readonly Change[] {
  const gone = [...before.keys()].filter((key) => !after.has(key))
  const changed = [...after].filter(([key, values]) => !isSame(before.get(key), values))
  return [
    ...gone.map((key) => ({ part, key, value: null })),
    // One of that name is told as it is, several (instances of a clone) as a list.
    ...changed.map(([key, values]) => ({ part, key, value: values.length === 1 ? values[0] : values })),
  ]
}

function byKey(list: readonly unknown[], name: string): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>()
  for (const one of list) {
    const key = String((one as Facts)[name])
    found.set(key, [...(found.get(key) ?? []), one])
  }
  return found
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
