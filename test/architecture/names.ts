/**
 * Words of our own that a term of Pacemaker's, or of the field, has replaced: none comes back in the rooms that decide, nor as the name of a file.
 * ARCHITECTURE.md's glossary has the terms.
 */
export const replaced: Readonly<Record<string, string>> = {
  hands: 'driver',
  wishes: 'what is asked for',
  awake: 'affected',
  asleep: 'unchanged',
  settling: 'orderings',
  placing: 'assignment',
  obtain: 'find or create',
  mend: 'repair',
  reign: 'term',
  absorb: 'merge',
  pursue: 'advance',
  deaf: 'what hears nothing',
}

/** Words that an identifier or a file's name is made of. */
export const wordsIn = (name: string): readonly string[] =>
  name
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')

/** Without comments and texts. */
export function identifiersOf(source: string): ReadonlySet<string> {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'|`[^`$]*`/gm, ' ')
  return new Set(code.match(/[A-Za-z_$][\w$]*/g))
}
