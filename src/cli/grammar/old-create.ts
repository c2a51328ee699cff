/**
 * `resource create … --clone a=b` and `… --master a=b` of pcs 0.9 in present words. What follows `--clone` are options of the
 * clone, while `meta` stays with the primitive; with `--master` every `meta` goes to the clone, wherever it stands, and the
 * clone is called `<id>-master`. Flags stay where they are.
 */

/** Undefined where the line has neither. `rest` begins with the id. */
export function presentCreate(rest: readonly string[]): readonly string[] | undefined {
  const promotable = rest.includes('--master')
  if (!promotable && !rest.includes('--clone')) return undefined
  const [id = ''] = rest.filter((word) => !word.startsWith('-'))
  const { kept, meta, clone } = sort(rest)
  if (!promotable) return [...kept, ...(meta.length > 0 ? ['meta', ...meta] : []), 'clone', ...clone]
  const all = [...meta, ...clone].map(presentName)
  return [...kept, 'promotable', `${id}-master`, ...all]
}

interface Sorted {
  /** Id, agent, parameters, operations and flags. */
  readonly kept: readonly string[]
  readonly meta: readonly string[]
  readonly clone: readonly string[]
}

function sort(rest: readonly string[]): Sorted {
  const sorted = { kept: [] as string[], meta: [] as string[], clone: [] as string[] }
  let section: keyof typeof sorted = 'kept'
  for (const word of rest) {
    if (word === '--clone' || word === '--master') section = 'clone'
    else if (word === 'meta') section = 'meta'
    else if (word === 'op') {
      section = 'kept'
      sorted.kept.push(word)
    } else if (word.startsWith('--')) sorted.kept.push(word)
    else sorted[section].push(word)
  }
  return sorted
}

/** Both dialects leave the same names in the CIB. */
export function presentName(pair: string): string {
  return pair.replace(/^master-(max|node-max)=/, 'promoted-$1=')
}
