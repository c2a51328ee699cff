/** What is typed after `systole`, as the request that the API takes: pure. Which commands there are, and their options, is the API's own description. */
import type { ActBody } from '../base/api.ts'

export interface Command {
  /** `resource move`. */
  readonly name: string
  readonly path: string
  readonly summary: string
  readonly usage: string
  readonly canPreview: boolean
  /** Its words name files, whose texts go along. */
  readonly takesFiles: boolean
}

interface Description {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post?: {
          readonly summary: string
          readonly description: string
          readonly parameters?: readonly { readonly name: string }[]
          readonly requestBody?: {
            readonly content: Readonly<
              Record<string, { readonly schema: { readonly properties?: Readonly<Record<string, unknown>> } }>
            >
          }
        }
      }
    >
  >
}

const root = '/api/v1'

/** Those that change something. */
export function commandsIn(description: unknown): readonly Command[] {
  return Object.entries((description as Description).paths).flatMap(([path, { post }]) => {
    if (post === undefined || !path.startsWith(`${root}/`) || path === `${root}/session`) return []
    const short = path.slice(root.length)
    return {
      name: short.slice(1).replaceAll('/', ' '),
      path: short,
      summary: post.summary,
      usage: /^`(.*?)`/.exec(post.description)?.[1] ?? '',
      canPreview: post.parameters?.some(({ name }) => name === 'dry-run') === true,
      takesFiles: post.requestBody?.content['application/json']?.schema.properties?.files !== undefined,
    }
  })
}

export type Read =
  | { readonly kind: 'request'; readonly command: Command; readonly body: ActBody; readonly words: readonly string[] }
  | { readonly kind: 'unfinished'; readonly sentence: string }

export function readLine(line: string, commands: readonly Command[]): Read {
  const words = splitWords(line)
  if (words === undefined) return { kind: 'unfinished', sentence: 'A quotation mark is open.' }
  const said = words[0] === 'systole' || words[0] === 'pcs' ? words.slice(1) : words
  if (said.length === 0) return { kind: 'unfinished', sentence: 'Type a command, such as: resource move web n2' }
  const command = commands
    .filter(({ name }) => name.split(' ').every((word, at) => said[at] === word))
    .toSorted((one, other) => other.name.length - one.name.length)[0]
  if (command === undefined) return { kind: 'unfinished', sentence: suggestion(said, commands) }
  const rest = said.slice(command.name.split(' ').length)
  const flags: Record<string, string | boolean | readonly string[]> = {}
  const plain: string[] = []
  for (const word of rest) {
    const [, name, value] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    if (name === undefined) plain.push(word)
    else flags[name] = withValue(flags[name], value ?? true)
  }
  return { kind: 'request', command, body: { words: plain, flags }, words: plain }
}

function withValue(before: string | boolean | readonly string[] | undefined, value: string | true) {
  if (before === undefined || value === true || typeof before === 'boolean') return value
  return [...(typeof before === 'string' ? [before] : before), value]
}

const mostNamed = 6

function suggestion(said: readonly string[], commands: readonly Command[]): string {
  const begun = said.join(' ')
  const fitting = commands.filter(({ name }) => name.startsWith(begun) || name.startsWith(said[0] ?? ''))
  const better = fitting.filter(({ name }) => name.startsWith(begun))
  const shown = (better.length > 0 ? better : fitting).map(({ name }) => name)
  if (shown.length === 0) return `There is no command '${begun}' that changes something.`
  const more = shown.length - mostNamed
  return `Go on with: ${shown.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** As a shell does it with quotation marks; undefined while one is open. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (const letter of line) {
    if (quote !== '') {
      if (letter === quote) quote = ''
      else word = `${word ?? ''}${letter}`
    } else if (letter === "'" || letter === '"') {
      quote = letter
      word ??= ''
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ''}${letter}`
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

/** What cuts something off is typed once more: the last word of these. */
const dangerous = new Set([
  'stonith fence',
  'stonith confirm',
  'cluster stop',
  'cluster node remove',
  'cluster node clear',
  'quorum unblock',
])

export function confirmationOf({ command, words }: { readonly command: Command; readonly words: readonly string[] }) {
  return dangerous.has(command.name) ? (words.at(-1) ?? 'yes') : undefined
}

/** Commands that pcs does not have, by how they begin. */
const ownOnly =
  `alert test|apply|plan|cib element create|cluster certificates|cluster token|config confirm|config revert|config undo|configure |console |fleet |hold |job |lock |node drain|node undrain|pki |play |profile |recipe |role |rollout |service |ticket |token |utilization `.split(
    '|',
  )
const ownFlags = new Set(['confirm-within', 'reason'])

/** The line, word for word, is one of pcs 0.12 and does the same there. */
export const isOfPcs = ({ command, body }: { readonly command: Command; readonly body: ActBody }): boolean =>
  !ownOnly.some((beginning) => `${command.name} `.startsWith(beginning)) &&
  !Object.keys(body.flags ?? {}).some((flag) => ownFlags.has(flag))
