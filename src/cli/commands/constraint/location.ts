import { ok } from '../../../base/index.ts'
import {
  createLocation,
  describeEditReport,
  type EditResult,
  missingNodes,
  type RuleCondition,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs, writesAs011 } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { onlyKnown, readRole, readScore } from '../../grammar/constraint-words.ts'
import { readRule, withNestedScores } from '../../grammar/rule-words.ts'
import { expectWords, parsePairs, wrongCall } from '../../grammar/words.ts'

const usage =
  '<resource> prefers|avoids <node>[=<score>]... | <resource> rule [score=<score>] [role=<role>] <expression>'

export const constraintLocation: Command = {
  path: ['constraint', 'location'],
  usage,
  summary: 'Set on which nodes a resource prefers to run or must not run',
  details: 'A resource may also be regexp%<pattern>. The default score is INFINITY (must, or must not).',
  examples: [
    'systole constraint location web prefers n1=100',
    'systole constraint location web avoids n3',
    'systole constraint location web rule score=-INFINITY not_defined gpu',
  ],
  flags: changeFlags,
  completes: ['resource', { words: ['prefers', 'avoids', 'rule'] }, 'node'],
  run: (call) => {
    expectWords(call.words, { atLeast: 3, usage: `constraint location ${usage}` })
    const [resource = '', verb, ...words] = call.words
    if (verb === 'prefers' || verb === 'avoids')
      return byNodes(call, { resource, words, sign: verb === 'prefers' ? 1 : -1 })
    if (verb === 'rule') return byRule(call, resource, words)
    throw new Refusal(wrongCall(`Expected prefers, avoids or rule after the resource, not '${verb ?? ''}'.`))
  },
}

export const constraintLocationAdd: Command = {
  path: ['constraint', 'location', 'add'],
  usage: '<id> <resource> <node> [<score>] [role=<role>] [resource-discovery=always|never|exclusive]',
  summary: 'Create a location constraint with a specific id',
  flags: changeFlags,
  completes: ['anything', 'resource', 'node'],
  run: async (call) => {
    expectWords(call.words, {
      atLeast: 3,
      atMost: 7,
      usage: 'constraint location add <id> <resource> <node> [<score>]',
    })
    const [id = '', resource = '', node = '', ...rest] = call.words
    const pairs = parsePairs(
      rest.filter((word) => word.includes('=')),
      'options',
    )
    if (rest.some((word) => !word.includes('='))) call.tell({ code: 'bare-score' })
    onlyKnown(pairs, ['score', 'role', 'resource-discovery'], 'A location constraint')
    const discovery = readDiscovery(pairs.get('resource-discovery'))
    if (isFile(call)) call.tell({ code: 'nodes-not-validated' })
    const score = readScore(pairs.get('score') ?? rest.find((word) => !word.includes('=')) ?? 'INFINITY')
    const role = pairs.get('role')
    await warnOfUnknownNodes(call, [node])
    return await changeCib(call, {
      edit: (cib) =>
        createLocation(cib, {
          id,
          ...(role === undefined ? {} : { role: readRole(role) }),
          resource: subject(resource),
          where: { by: 'node', node, score },
          force: call.flags.has('force'),
          replacesId: call.speech.program === 'pcs',
          replacesAny: judgesAsPcs(call.speech),
          takesUnknownNode: isFile(call),
          ...(discovery === undefined ? {} : { discovery }),
        }),
      message: () => `Location constraint ${id} is configured.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

async function byNodes(
  call: Call,
  request: { readonly resource: string; readonly words: readonly string[]; readonly sign: 1 | -1 },
): Promise<Outcome> {
  if (isFile(call)) call.tell({ code: 'nodes-not-validated' })
  const wanted = request.words.map((word) => {
    const [node = '', score = 'INFINITY'] = word.split('=')
    const given = readScore(score) * request.sign
    return { node, score: judgesAsPcs(call.speech) ? given : given + 0 }
  })
  const edit = (cib: XmlElement): EditResult =>
    wanted.reduce<EditResult>(
      (result, { node, score }) => {
        if (!result.ok) return result
        const next = createLocation(result.value.cib, {
          resource: subject(request.resource),
          where: { by: 'node', node, score },
          force: call.flags.has('force'),
          replacesAny: judgesAsPcs(call.speech),
          takesUnknownNode: isFile(call),
        })
        if (!next.ok) return next
        return ok({ ...next.value, created: [...result.value.created, ...next.value.created] })
      },
      ok({ cib, created: [], removed: [] }),
    )
  await warnOfUnknownNodes(
    call,
    wanted.map(({ node }) => node),
  )
  return await changeCib(call, {
    edit,
    message: () => `${request.resource} ${request.sign > 0 ? 'prefers' : 'avoids'} ${request.words.join(', ')}.`,
    facts: ({ created }) => ({ created }),
  })
}

/** A CIB in a file often knows no nodes, or not all of them: what may be a mistake is said and done. */
async function warnOfUnknownNodes(call: Call, nodes: readonly string[]): Promise<void> {
  if (!isFile(call)) return
  const { cib } = await call.cluster.readCib()
  for (const report of missingNodes(cib, nodes)) call.terminal.progress(`Warning: ${describeEditReport(report)}`)
}

const isFile = (call: Call): boolean => call.cluster.live === undefined

async function byRule(call: Call, resource: string, words: readonly string[]): Promise<Outcome> {
  const known = ['id', 'constraint-id', 'score', 'score-attribute', 'role', 'resource-discovery']
  const isOption = (word: string): boolean => known.some((name) => word.startsWith(`${name}=`))
  const options = parsePairs(words.filter(isOption), 'options of a rule')
  const typed = words.filter((word) => !isOption(word))
  if (typed.length > 1) call.tell({ code: 'rule-in-words' })
  const as011 = writesAs011(call.speech)
  const rule = readRule(typed, { keepsBlanks: as011 && typed.length > 1, as011 })
  const stray = conditionKinds(rule.conditions).find((kind) => kind === 'resource' || kind === 'operation')
  if (stray !== undefined)
    throw new Refusal({
      own: `The rule of a location constraint can use node attributes and dates, but not a ${stray}.`,
      about: {
        code: 'said-by-pcs',
        errors: [`Keyword '${stray === 'operation' ? 'op' : stray}' cannot be used in a rule in this command`],
        closes: true,
      },
    })
  const [score, scoreAttribute, role] = [options.get('score'), options.get('score-attribute'), options.get('role')]
  if (score !== undefined && scoreAttribute !== undefined)
    throw new Refusal({
      own: 'score and score-attribute exclude each other.',
      about: { code: 'options-exclude', kind: 'rule', names: ['score', 'score-attribute'] },
    })
  const [id, ruleId] = [options.get('constraint-id'), options.get('id')]
  const discovery = readDiscovery(options.get('resource-discovery'))
  return await changeCib(call, {
    edit: (cib) =>
      createLocation(cib, {
        resource: subject(resource),
        where: {
          by: 'rule',
          rule: {
            ...rule,
            ...(as011 ? { conditions: withNestedScores(rule.conditions) } : {}),
            ...(scoreAttribute === undefined ? { score: readScore(score ?? 'INFINITY') } : { scoreAttribute }),
            ...(role === undefined ? {} : { role: readRole(role) }),
            ...(ruleId === undefined ? {} : { id: ruleId }),
            withoutOp: as011,
          },
        },
        force: call.flags.has('force'),
        ...(id === undefined ? {} : { id }),
        ...(discovery === undefined ? {} : { discovery }),
      }),
    message: ({ created }) => `Location constraint ${created[0] ?? ''} is configured.`,
    facts: ({ created }) => ({ created }),
  })
}

const conditionKinds = (conditions: readonly RuleCondition[]): readonly string[] =>
  conditions.flatMap((one) => (one.kind === 'rule' ? conditionKinds(one.rule.conditions) : [one.kind]))

function subject(
  text: string,
): { readonly by: 'id'; readonly id: string } | { readonly by: 'pattern'; readonly pattern: string } {
  if (text.startsWith('regexp%')) return { by: 'pattern', pattern: text.slice('regexp%'.length) }
  return { by: 'id', id: text.replace(/^(?:resource)?%/, '') }
}

function readDiscovery(text: string | undefined): 'always' | 'never' | 'exclusive' | undefined {
  if (text === undefined || text === 'always' || text === 'never' || text === 'exclusive') return text
  throw new Refusal({
    own: `'${text}' is not a resource-discovery value. Specify always, never or exclusive.`,
    about: { code: 'bad-choice', name: 'resource-discovery', value: text, choices: ['always', 'never', 'exclusive'] },
  })
}
