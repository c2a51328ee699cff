/** Words that constraints share: scores, roles, resource sets. */
import {
  type NewResourceSet,
  type OrderAction,
  parseBoolean,
  parseOrderAction,
  parseRole,
  parseScore,
  type Role,
  type Score,
  type WrittenTruth,
} from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import { parsePairs, wrongCall } from './words.ts'

export function readScore(text: string): Score {
  const score = parseScore(text)
  if (score === undefined)
    throw new Refusal({
      own: `'${text}' is not a score. Specify a whole number, INFINITY or -INFINITY.`,
      about: { code: 'bad-score', value: text },
    })
  return score
}

export function readRole(text: string): Role {
  const role = parseRole(text)
  if (role === undefined)
    throw new Refusal({
      own: `'${text}' is not a role. The roles are Started, Promoted, Unpromoted and Stopped.`,
      about: {
        code: 'bad-choice',
        name: 'role',
        value: text,
        choices: ['Stopped', 'Started', 'Promoted', 'Unpromoted'],
      },
    })
  return role
}

export function readBoolean(name: string, text: string): boolean {
  const value = parseBoolean(text)
  if (value === undefined)
    throw new Refusal({
      own: `'${text}' is not a value for ${name}. Specify true or false.`,
      about: { code: 'bad-choice', name, value: text, choices: 'boolean' },
    })
  return value
}

/** Refuses names that a command does not know, all of them at once. */
export function onlyKnown(pairs: ReadonlyMap<string, string>, known: readonly string[], what: string): void {
  const wrong = [...pairs.keys()].filter((name) => !known.includes(name))
  if (wrong.length > 0)
    throw new Refusal(
      ...wrong.map((name) => ({
        own: `${what} has no option '${name}'. The options are ${known.join(', ')}.`,
        about: { code: 'unknown-names', names: wrong, known, what } as const,
      })),
    )
}

export interface WrittenSet {
  readonly members: readonly string[]
  readonly options: ReadonlyMap<string, string>
}

/** `set a b sequential=false set c setoptions score=5`. */
export function readSets(words: readonly string[]): {
  readonly sets: readonly WrittenSet[]
  readonly options: ReadonlyMap<string, string>
} {
  const [first, ...rest] = words
  if (first !== 'set') throw new Refusal(`A list of sets begins with 'set', not '${first ?? ''}'.`)
  const optionsAt = rest.indexOf('setoptions')
  const setWords = optionsAt < 0 ? rest : rest.slice(0, optionsAt)
  const groups: string[][] = [[]]
  for (const word of setWords) {
    if (word === 'set') groups.push([])
    else groups.at(-1)?.push(word)
  }
  const sets = groups.map((group) => ({
    members: group.filter((word) => !word.includes('=')),
    options: parsePairs(
      group.filter((word) => word.includes('=')),
      'options of a set',
    ),
  }))
  if (sets.some(({ members }) => members.length === 0)) throw new Refusal(wrongCall("Expected resources after 'set'."))
  return { sets, options: parsePairs(optionsAt < 0 ? [] : rest.slice(optionsAt + 1), 'setoptions') }
}

/** A set of a constraint with its options. Which of them count depends on the kind of constraint; all may be written. */
export function readSetOptions(
  { members, options }: WrittenSet,
  what: string,
  read: (name: string, text: string) => WrittenTruth,
): NewResourceSet {
  onlyKnown(options, ['sequential', 'require-all', 'role', 'action'], what)
  const [sequential, requireAll, role, action] = ['sequential', 'require-all', 'role', 'action'].map((name) =>
    options.get(name),
  )
  return {
    members,
    ...(sequential === undefined ? {} : { sequential: read('sequential', sequential) }),
    ...(requireAll === undefined ? {} : { requireAll: read('require-all', requireAll) }),
    ...(role === undefined ? {} : { role: readRole(role) }),
    ...(action === undefined ? {} : { action: readAction(action) }),
  }
}

export function readAction(text: string): OrderAction {
  const action = parseOrderAction(text)
  if (action === undefined)
    throw new Refusal({
      own: `'${text}' is not an order action. Specify start, stop, promote or demote.`,
      about: { code: 'bad-choice', name: 'action', value: text, choices: ['start', 'promote', 'demote', 'stop'] },
    })
  return action
}
