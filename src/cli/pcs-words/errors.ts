/** Lines of errors: those that a row knows in pcs's words, others in ours without our own name. */

import type { CallNames } from '../call/message.ts'
import { type Message, ownWords } from '../call/message.ts'
import type { Said } from './said.ts'
import { sentencesOf } from './sentences.ts'

export function errorsOf(
  messages: readonly (string | Message)[],
  call: CallNames,
): { readonly lines: readonly string[]; readonly closes: boolean } {
  const all = grouped(messages).map((group) => sayGroup(group, call))
  // Of an order or a colocation of two resources pcs ends at the first mistake.
  const said = /^constraint (order|colocation add)$/.test(call.typed) ? all.slice(0, 1) : all
  const lines = said.flatMap(({ before, errors, after }) => [
    ...(before ?? []),
    ...errors.map((error) => `Error: ${error}`),
    ...(after ?? []),
  ])
  // What pcs finds in a list it says of each of its words, and again of a word that comes twice.
  const isList = messages.some((message) => typeof message !== 'string' && message.about?.code === 'said-by-pcs')
  return { lines: isList ? lines : [...new Set(lines)], closes: said.some(({ closes }) => closes === true) }
}

/** Of these pcs puts several into one sentence. */
const together: ReadonlySet<string> = new Set([
  // The first is said, the others are not.
  'no-pair',
  'unknown-parameter',
  'missing-parameter',
  'unknown-option',
  'unknown-names',
  'given-twice',
  'property-not-set',
  'resource-not-found',
  'constraint-not-found',
  'no-such-item',
  'operation-alike',
])

/** Messages that pcs says together. */
function grouped(messages: readonly (string | Message)[]): readonly (readonly (string | Message)[])[] {
  const groups = new Map<string, (string | Message)[]>()
  messages.forEach((message, index) => {
    const code = typeof message === 'string' ? undefined : message.about?.code
    const key = code !== undefined && together.has(code) ? code : `${index}`
    groups.set(key, [...(groups.get(key) ?? []), message])
  })
  return [...groups.values()]
}

function sayGroup(group: readonly (string | Message)[], call: CallNames): Said {
  const abouts = group.flatMap((message) => (typeof message === 'string' ? [] : (message.about ?? [])))
  return sentencesOf(abouts, call) ?? { errors: group.map((message) => withoutOwnName(ownWords(message))) }
}

/** The program or its daemon, not a part of a path, of a file's name or of an agent's. */
const programName = /(?<![/\w.:-])systole(d?)(?![\w/-]|[.:]\w)/g

function withoutOwnName(text: string): string {
  return text
    .replace(/\s*Add --force to [^.]*\.$/, ', use --force to override')
    .replace(/\.(, use --force to override)$/, '$1')
    .replace(/\bSystole\b/g, (_, at: number) => (at === 0 ? 'This cluster' : 'this cluster'))
    .replace(programName, (_, isDaemon: string) => (isDaemon === '' ? 'pcs' : 'the daemon'))
}
