/** How an alert agent that comes with Systole is described to people, and how what they write for it is read. */
import { isIPv6 } from 'node:net'
import * as v from 'valibot'
import { failed, ok, type Result, similarWords } from '../base/index.ts'

export interface AgentOption {
  readonly name: string
  readonly summary: string
  /** What counts where nothing is given, in words. */
  readonly default?: string
}

export interface AgentDefinition<Settings = unknown> {
  readonly name: string
  readonly summary: string
  /** What the value of a recipient is. */
  readonly recipient: string
  readonly example: string
  readonly options: readonly AgentOption[]
  /** Each report is a sentence. `recipient` is undefined while there is none. */
  readonly read: (options: Readonly<Record<string, string>>, recipient: string | undefined) => Result<Settings, string>
}

/** Options as an environment or the CIB has them. */
export function readOptions<Schema extends v.GenericSchema>(
  schema: Schema,
  agent: string,
  known: readonly AgentOption[],
  given: Readonly<Record<string, string>>,
): Result<v.InferOutput<Schema>, string> {
  const names = known.map(({ name }) => name)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  if (unknown.length > 0)
    return failed(
      ...unknown.map((name) => {
        const [similar] = similarWords(name, names)
        return `The alert agent ${agent} has no option '${name}'.${similar === undefined ? '' : ` Did you mean ${similar}?`}`
      }),
    )
  const read = v.safeParse(schema, given)
  if (read.success) return ok(read.output)
  return failed(...read.issues.map((issue) => `${v.getDotPath(issue) ?? 'An option'} ${issue.message}.`))
}

export const oneLine = v.pipe(
  v.string(),
  v.maxLength(1024, 'is longer than 1024 characters'),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused.
  v.regex(/^[^\u0000-\u001f\u007f]*$/, 'has control characters'),
)

export const filePath = v.pipe(oneLine, v.regex(/^\//, 'is not an absolute path'))

export const port = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/, 'is not a port: a number from 1 to 65535'),
  v.transform(Number),
  v.check((number) => number >= 1 && number <= 65_535, 'is not a port: a number from 1 to 65535'),
)

export const answer = v.pipe(
  v.picklist(['true', 'false', 'yes', 'no', '1', '0'], 'must be true or false'),
  v.transform((word) => ['true', 'yes', '1'].includes(word)),
)

/** A name, an IPv4 address or an IPv6 address. */
export const isHost = (text: string): boolean => /^[a-z0-9]([a-z0-9_.-]{0,252}[a-z0-9.])?$/i.test(text) || isIPv6(text)

export const host = v.pipe(v.string(), v.check(isHost, 'is not the name or address of a host'))

/** Nothing leaves the machine on the way there. */
export const isOwnHost = (name: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(name)
