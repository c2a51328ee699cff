import { createColocation, createColocationSets } from '../../../cib/index.ts'
import { tellForcedParts } from '../../as-pcs/forced-parts.ts'
import { truthReader } from '../../as-pcs/written-truth.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import {
  onlyKnown,
  readBoolean,
  readRole,
  readScore,
  readSetOptions,
  readSets,
} from '../../grammar/constraint-words.ts'
import { expectWords, parsePairs, wrongCall } from '../../grammar/words.ts'

const usage =
  '[<role>] <resource> with [<role>] <other resource> [<score>] [influence=true|false] [node-attribute=<name>] [id=<id>]'

export const constraintColocationAdd: Command = {
  path: ['constraint', 'colocation', 'add'],
  usage,
  summary: 'Keep a resource on the same node as another, or on a different node',
  details:
    'The first resource depends on the second: with a score of INFINITY, the first cannot run if the second cannot.',
  examples: [
    'systole constraint colocation add web with Promoted db',
    'systole constraint colocation add web with log score=-50',
  ],
  flags: changeFlags,
  completes: ['resource', { words: ['with'] }, 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 3, usage: `constraint colocation add ${usage}` })
    const at = call.words.indexOf('with')
    if (at < 0)
      throw new Refusal(wrongCall("Put 'with' between the two resources: constraint colocation add web with db."))
    const [dependentRole, dependent] = roleAndResource(call.words.slice(0, at))
    const rest = call.words.slice(at + 1)
    const pairs = parsePairs(
      rest.filter((word) => word.includes('=')),
      'options of a colocation',
    )
    onlyKnown(pairs, ['score', 'influence', 'node-attribute', 'id'], 'A colocation')
    const plain = rest.filter((word) => !word.includes('='))
    const last = plain.at(-1) ?? ''
    const bareScore = plain.length > 1 && /^[+-]?(\d+|INFINITY)$/i.test(last) ? last : undefined
    const [primaryRole, primary] = roleAndResource(bareScore === undefined ? plain : plain.slice(0, -1))
    const [influence, nodeAttribute, id] = [pairs.get('influence'), pairs.get('node-attribute'), pairs.get('id')]
    if (bareScore !== undefined) call.tell({ code: 'bare-score' })
    const request = {
      dependent,
      primary,
      score: readScore(pairs.get('score') ?? bareScore ?? 'INFINITY'),
      // The id had the score that stands alone, and no other.
      ...(call.speech.dialect === '0.11' ? { namedScore: readScore(bareScore ?? 'INFINITY') } : {}),
      force: call.flags.has('force'),
      ...(dependentRole === undefined ? {} : { dependentRole: readRole(dependentRole) }),
      ...(primaryRole === undefined ? {} : { primaryRole: readRole(primaryRole) }),
      ...(influence === undefined ? {} : { influence: readBoolean('influence', influence) }),
      ...(nodeAttribute === undefined ? {} : { nodeAttribute }),
      ...(id === undefined ? {} : { id }),
    }
    return await changeCib(call, {
      edit: (cib) => createColocation(cib, request),
      message: ({ created }) => `Colocation ${created[0] ?? ''}: ${dependent} with ${primary}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

/** `Promoted db` or `db`. */
function roleAndResource(words: readonly string[]): readonly [string | undefined, string] {
  const [first, second, extra] = words
  if (first === undefined)
    throw new Refusal(
      wrongCall('A resource is missing. Usage: systole constraint colocation add <resource> with <other resource>'),
    )
  if (extra !== undefined) throw new Refusal(wrongCall(`Unexpected argument '${extra}'. Specify [<role>] <resource>.`))
  return second === undefined ? [undefined, first] : [first, second]
}

export const constraintColocationSet: Command = {
  path: ['constraint', 'colocation', 'set'],
  usage: '<resource>... [sequential=false] [role=<role>] [set <resource>...]... [setoptions score=<score> id=<id>]',
  summary: 'Colocate sets of resources',
  flags: changeFlags,
  completes: ['resource'],
  run: (call) => colocateSets(call),
}

async function colocateSets(call: Call): Promise<Outcome> {
  const { sets, options } = readSets(['set', ...call.words])
  onlyKnown(options, ['score', 'id'], 'A colocation of sets')
  await tellForcedParts(
    call,
    sets.flatMap(({ members }) => members),
  )
  const id = options.get('id')
  return await changeCib(call, {
    edit: (cib) =>
      createColocationSets(cib, {
        score: readScore(options.get('score') ?? 'INFINITY'),
        force: call.flags.has('force'),
        takesRepeats: call.cluster.live === undefined,
        sets: sets.map((set) => readSetOptions(set, 'A set in a colocation', truthReader(call.speech))),
        ...(id === undefined ? {} : { id }),
      }),
    message: ({ created }) => `Colocation ${created[0] ?? ''} is configured.`,
    facts: ({ created }) => ({ created }),
  })
}
