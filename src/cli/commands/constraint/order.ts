import {
  createOrder,
  createOrderSets,
  type OrderAction,
  type OrderKind,
  parseOrderKind,
  type WrittenTruth,
} from '../../../cib/index.ts'
import { tellForcedParts } from '../../as-pcs/forced-parts.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { readWrittenTruth, truthReader } from '../../as-pcs/written-truth.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import type { Message } from '../../call/message.ts'
import type { Speech } from '../../call/speech.ts'
import { changeCib } from '../../change/change.ts'
import { onlyKnown, readAction, readScore, readSetOptions, readSets } from '../../grammar/constraint-words.ts'
import { expectWords, parsePairs, wrongCall } from '../../grammar/words.ts'

const usage =
  '[<action>] <resource> then [<action>] <resource> [kind=Optional|Mandatory|Serialize] [symmetrical=false] [require-all=false] [id=<id>]'

export const constraintOrder: Command = {
  path: ['constraint', 'order'],
  usage,
  summary: 'Set the order in which two resources start; they stop in reverse order',
  details: 'Actions are start (the default), stop, promote and demote.',
  examples: [
    'systole constraint order db then web',
    'systole constraint order promote db then start web kind=Optional',
  ],
  flags: changeFlags,
  completes: ['resource', { words: ['then'] }, 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: `constraint order ${usage}` })
    const at = call.words.indexOf('then')
    if (at < 0) throw new Refusal(wrongCall("Put 'then' between the two resources: constraint order db then web."))
    const [firstAction, first] = actionAndResource(call.words.slice(0, at))
    const rest = call.words.slice(at + 1)
    if (rest.includes('then')) throw new Refusal(thenTwice)
    const [thenAction, last] = actionAndResource(rest.filter((word) => !word.includes('=')))
    const pairs = parsePairs(
      rest.filter((word) => word.includes('=')),
      'options of an order',
    )
    onlyKnown(pairs, ['kind', 'symmetrical', 'require-all', 'id', 'score'], 'An order')
    const score = pairs.get('score')
    if (score !== undefined && pairs.has('kind')) throw new Refusal('kind and score exclude each other.')
    if (score !== undefined)
      call.tell({
        code: 'deprecated',
        text: "option 'score' is deprecated and might be removed in a future release, therefore it should not be used",
      })
    const request = {
      first,
      // The name is the CIB's; nothing awaits this object.
      // biome-ignore lint/suspicious/noThenProperty: see above
      then: last,
      force: call.flags.has('force'),
      groupsHold: judgesAsPcs(call.speech),
      ...(firstAction === undefined ? {} : { firstAction }),
      // In the CIB a second action that is not written is the first one; in pcs's words it is start.
      ...(thenAction ? { thenAction } : firstAction && firstAction !== 'start' ? { thenAction: 'start' as const } : {}),
      ...readOrderOptions(pairs, call.speech),
      // Of before there were kinds: 0 is Optional, all others are Mandatory.
      ...(score === undefined ? {} : { score: readScore(score) }),
    }
    return await changeCib(call, {
      edit: (cib) => createOrder(cib, request),
      message: ({ created }) => `Order ${created[0] ?? ''}: ${first} then ${last}.`,
      notices: () => [
        {
          code: 'order-added',
          first,
          // biome-ignore lint/suspicious/noThenProperty: see above
          then: last,
          strength: score === undefined ? `kind: ${pairs.get('kind') ?? 'Mandatory'}` : `score: ${score}`,
          options: [
            ...[...pairs]
              .filter(([name]) => name !== 'kind' && name !== 'score' && name !== 'symmetrical')
              .map(([name, value]) => `${name}=${value}`),
            `first-action=${firstAction ?? 'start'}`,
            `then-action=${thenAction ?? 'start'}`,
            ...(pairs.has('symmetrical') ? [`symmetrical=${pairs.get('symmetrical')?.toLowerCase()}`] : []),
          ],
        },
      ],
      facts: ({ created }) => ({ created }),
    })
  },
}

function readOrderOptions(
  pairs: ReadonlyMap<string, string>,
  speech: Speech,
): {
  readonly kind?: OrderKind
  readonly symmetrical?: WrittenTruth
  readonly requireAll?: WrittenTruth
  readonly id?: string
} {
  const [kind, symmetrical, requireAll, id] = ['kind', 'symmetrical', 'require-all', 'id'].map((name) =>
    pairs.get(name),
  )
  return {
    ...(kind === undefined ? {} : { kind: readKind(kind) }),
    ...(symmetrical === undefined ? {} : { symmetrical: readWrittenTruth('symmetrical', symmetrical, { speech }) }),
    ...(requireAll === undefined
      ? {}
      : { requireAll: readWrittenTruth('require-all', requireAll, { speech, wantsWords: false }) }),
    ...(id === undefined ? {} : { id }),
  }
}

function readKind(text: string): OrderKind {
  const kind = parseOrderKind(text)
  if (kind === undefined)
    throw new Refusal({
      own: `'${text}' is not an order kind. Specify Optional, Mandatory or Serialize.`,
      about: { code: 'bad-choice', name: 'kind', value: text, choices: ['Mandatory', 'Optional', 'Serialize'] },
    })
  return kind
}

const thenTwice: Message = {
  own: "Specify two resources with one 'then' between them. `systole constraint order set` orders more than two.",
  about: {
    code: 'wrong-call',
    error: "Multiple 'then's cannot be specified.",
    hint: "Use the 'pcs constraint order set' command if you want to create a constraint for more than two resources.",
  },
}

/** `promote db` or `db`. */
function actionAndResource(words: readonly string[]): readonly [OrderAction | undefined, string] {
  const [first, second, extra] = words
  if (first === undefined)
    throw new Refusal(
      wrongCall(
        'A resource is missing. Usage: systole constraint order [<action>] <resource> then [<action>] <resource>',
      ),
    )
  if (extra !== undefined)
    throw new Refusal(wrongCall(`Unexpected argument '${extra}'. Specify [<action>] <resource>.`))
  if (second === undefined) return [undefined, first]
  return [readAction(first), second]
}

export const constraintOrderSet: Command = {
  path: ['constraint', 'order', 'set'],
  usage:
    '<resource>... [sequential=false] [require-all=false] [action=<action>] [role=<role>] [set <resource>...]... [setoptions kind=<kind> symmetrical=false id=<id>]',
  summary: 'Order sets of resources',
  flags: changeFlags,
  completes: ['resource'],
  run: (call) => orderSets(call),
}

async function orderSets(call: Call): Promise<Outcome> {
  const { sets, options } = readSets(['set', ...call.words])
  onlyKnown(options, ['kind', 'symmetrical', 'id'], 'An order of sets')
  await tellForcedParts(
    call,
    sets.flatMap(({ members }) => members),
  )
  return await changeCib(call, {
    edit: (cib) =>
      createOrderSets(cib, {
        force: call.flags.has('force'),
        groupsHold: judgesAsPcs(call.speech),
        takesRepeats: call.cluster.live === undefined,
        ...readOrderOptions(options, call.speech),
        sets: sets.map((set) => readSetOptions(set, 'A set in an order', truthReader(call.speech))),
      }),
    message: ({ created }) => `Order ${created[0] ?? ''} is configured.`,
    facts: ({ created }) => ({ created }),
  })
}
