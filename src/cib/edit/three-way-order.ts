/** The order of members that two sides may have changed: the description's where it has changed it, else the cluster's; who is new comes after whom it follows. */
export function orderedAlike(
  present: readonly string[],
  sides: Readonly<Record<'base' | 'running' | 'wanted', readonly string[]>>,
): readonly string[] {
  const { base, running, wanted } = sides
  const common = (list: readonly string[], other: readonly string[]): string =>
    JSON.stringify(list.filter((one) => other.includes(one) && running.includes(one)))
  const isReordered = common(wanted, running) !== common(running, wanted)
  const takesWanted = isReordered && common(base, wanted) !== common(wanted, base)
  const isThere = new Set(present)
  const [first, second] = (takesWanted ? [wanted, running] : [running, wanted]).map((list) =>
    list.filter((one) => isThere.has(one)),
  )
  return inserted(first ?? [], second ?? [], present)
}

function inserted(first: readonly string[], second: readonly string[], all: readonly string[]): readonly string[] {
  const known = new Set(first)
  const after = new Map<string | undefined, string[]>()
  let last: string | undefined
  for (const one of second) {
    if (!known.has(one)) after.set(last, [...(after.get(last) ?? []), one])
    else last = one
  }
  // Who follows nobody that is known comes last: a section grows at its end.
  const ordered = first.flatMap((one) => [one, ...(after.get(one) ?? [])])
  const placed = new Set(ordered)
  return [
    ...ordered,
    ...(after.get(undefined) ?? []),
    ...all.filter((one) => !placed.has(one) && !second.includes(one)),
  ]
}
