/**
 * What messages are made of. Whoever sends one has a certificate, which says who it is and not that it is right: everything that
 * comes in is measured here before anything else sees it (docs/adr/0033-messages-are-checked-at-the-door.md).
 */
import * as v from 'valibot'
import { nodeName, resourceId } from '../../base/index.ts'

/** It is not of the form that both sides have agreed on. The connection that it came on ends. */
export class BadMessageError extends Error {
  override readonly name = 'BadMessageError'
}

export type Form<Value> = v.GenericSchema<unknown, Value>

/** Characters of a text of which nothing else is known. */
const longestText = 64 * 1024
/** A configuration of an older version may have longer ones than are taken today (base/name-length.ts): what it has must be carried out. */
const longestName = 4096

const nothingHidden = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s/]+$/u

const nameText = v.pipe(
  v.string(),
  v.maxLength(longestName, 'a name is too long'),
  v.regex(nothingHidden, 'a name is empty or has characters that no name has'),
)

/** Of a node, as a certificate or the configuration has it. */
export const nodeForm = v.pipe(nameText, v.transform(nodeName))
/** Of a resource or an instance: `web`, `ping:1`. */
export const resourceForm = v.pipe(nameText, v.transform(resourceId))
/** Of an operation, a record, an agent: one word. */
export const wordForm = nameText

export const textForm = v.pipe(v.string(), v.maxLength(longestText, 'a text is too long'))
export const textUpTo = (characters: number) =>
  v.pipe(v.string(), v.maxLength(characters, `a text has more than ${characters} characters`))

/** Whole and exact: a revision, a term, milliseconds. */
export const countForm = v.pipe(
  v.number(),
  v.safeInteger('a number is not whole'),
  v.minValue(0, 'a number is negative'),
)
/** Anything that can be counted with. */
export const numberForm = v.pipe(v.number(), v.finite('a number is not finite'))

export const listUpTo = <Item extends v.GenericSchema>(items: number, item: Item) =>
  v.pipe(v.array(item), v.maxLength(items, `a list has more than ${items} entries`))

/** Names to texts, as attributes and parameters are. A name that means something to JavaScript's objects is left out. */
export const textsForm = (characters: number) =>
  v.pipe(
    v.record(v.pipe(v.string(), v.minLength(1), v.maxLength(longestName)), textUpTo(characters)),
    v.maxEntries(10_000, 'a map has too many entries'),
  )

/** Throws a BadMessageError that says which part is wrong, and never what it holds: it may be secret, or long. */
export function checked<Value>(form: Form<Value>, what: string, value: unknown): Value {
  const result = v.safeParse(form, value, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  throw new BadMessageError(
    `${what}${placeOf(issue)}: ${issue.type === 'custom' || isOurs(issue.message) ? issue.message : `not ${issue.expected ?? 'as expected'}`}`,
  )
}

export function checkedJson<Value>(form: Form<Value>, what: string, text: string): Value {
  return checked(form, what, jsonIn(what, text))
}

function jsonIn(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadMessageError(`${what} is not JSON`)
    throw error
  }
}

/** Keys of a message's own fields; a key of a map is the sender's, and may be anything. */
function placeOf(issue: v.BaseIssue<unknown>): string {
  const path = (issue.path ?? []).map(({ key }) => String(key)).filter((key) => /^[A-Za-z0-9_-]{1,40}$/.test(key))
  return path.length === 0 ? '' : `, ${path.join('.')}`
}

const isOurs = (message: string): boolean => !message.startsWith('Invalid ')
