/**
 * XML of a command line that ends before its tags do, closed as Pacemaker 2.1 closes it: scripts leave out the last end tag and
 * never notice. Whatever else is wrong with it stays wrong.
 */

const tag = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g
/** The text breaks off in its last tag, behind its name or a whole attribute. */
const begun = /<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)$/

/** Undefined where more is missing than ends of tags. */
export function closed(text: string): string | undefined {
  const written = begun.test(text) ? `${text.trimEnd()}>` : text
  const open: string[] = []
  for (const [, isEnd, name = '', , isEmpty] of written.matchAll(tag)) {
    if (isEnd === '/') {
      if (open.pop() !== name) return undefined
    } else if (isEmpty !== '/') open.push(name)
  }
  const ends = open.toReversed().map((name) => `</${name}>`)
  return written === text && ends.length === 0 ? undefined : `${written}${ends.join('')}`
}
