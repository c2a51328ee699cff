/** In what the options of pcs 0.11 differ from those of 0.12: facts of its interface. */
import type { Dialect } from '../call/speech.ts'

/** That 0.11 does not know at all: it answers them as words that nobody knows. */
const unknownThen: ReadonlySet<string> = new Set(['future', 'quiet', 'yes'])

/** Known then, and given up since. */
export const givenUp: readonly string[] = ['master']

/** Every other listing was text alone. */
const listedInForms: ReadonlySet<string> = new Set([
  'cluster config',
  'cluster config show',
  'resource config',
  'stonith config',
])

const besides: Readonly<Record<string, readonly string[]>> = {
  'resource defaults': ['force'],
  'resource op defaults': ['force'],
  'stonith defaults': ['force'],
  'stonith op defaults': ['force'],
  'resource move': ['autodelete'],
  'stonith create': ['after', 'before', 'group'],
  'stonith disable': ['brief', 'no-strict', 'safe', 'simulate'],
}

/** Commands that 0.12 has given up. */
const listedBefore: ReadonlyMap<string, readonly string[]> = new Map([
  ['property list', ['all', 'defaults', 'f']],
  ['property show', ['all', 'defaults', 'f']],
  ['constraint list', ['all', 'f', 'full']],
  ['constraint show', ['all', 'f', 'full']],
  ['alert show', ['f']],
  ['tag list', ['f']],
  ['acl show', ['f']],
])

export const optionsBefore = (command: string): ReadonlySet<string> | undefined => {
  const options = listedBefore.get(command)
  return options && new Set(options)
}

/** The options of a command by those that 0.12 takes. The defaults were set with --force, and shown without. */
export function inOlderOptions(command: string, options: ReadonlySet<string>, hasWords: boolean): ReadonlySet<string> {
  const kept = [...options].filter((name) => {
    if (unknownThen.has(name)) return false
    if (name === 'output-format') return listedInForms.has(command)
    return name !== 'overwrite' || command !== 'cluster report'
  })
  const more = besides[command]?.filter((name) => hasWords || name !== 'force' || !command.endsWith(' defaults')) ?? []
  return new Set([...kept, ...more, ...(options.has('promoted') ? ['master'] : [])])
}

/** Of 0.12, where the line is one of 0.11: other options that only Systole has are taken with any line. */
export const isOfLater = (option: string, dialect: Dialect): boolean => dialect === '0.11' && option === 'future'

export const wasKnown = (option: string): boolean => !unknownThen.has(option)
