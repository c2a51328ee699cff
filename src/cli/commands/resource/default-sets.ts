import {
  createDefaultsSet,
  type DefaultsOf,
  deleteDefaultsSets,
  type RuleCondition,
  updateDefaultsSet,
} from '../../../cib/index.ts'
import { judgesAsPcs, writesAs011 } from '../../as-pcs/speech.ts'
import { type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { changeCib, takesAnyValue } from '../../change/change.ts'
import { onlyKnown, readScore } from '../../grammar/constraint-words.ts'
import { readRule, withNestedScores } from '../../grammar/rule-words.ts'
import { expectWords, parsePairs, splitSections } from '../../grammar/words.ts'

/** `resource defaults set …` and `resource op defaults set …`: the same for two kinds. */
export const defaultSetCommands: readonly Command[] = [
  ...commandsFor('resource', ['resource', 'defaults', 'set'], ['stonith', 'defaults', 'set']),
  ...commandsFor('operation', ['resource', 'op', 'defaults', 'set'], ['stonith', 'op', 'defaults', 'set']),
]

function commandsFor(of: DefaultsOf, path: readonly string[], alias: readonly string[]): readonly Command[] {
  return [createSet(of, path, alias), deleteSets(of, path, alias), updateSet(of, path, alias)]
}

function createSet(of: DefaultsOf, path: readonly string[], alias: readonly string[]): Command {
  const conditions =
    of === 'resource' ? 'resource <class>:<provider>:<type>' : 'op <name> [interval=<interval>], or resource …'
  return {
    path: [...path, 'create'],
    aliases: [[...alias, 'create']],
    usage: '[id=<id>] [score=<score>] [meta <name>=<value>...] [rule <expression>]',
    summary: `Add a set of defaults that a rule limits to some ${of}s`,
    details: `A rule consists of ${conditions} and dates, joined with 'and', 'or' and parentheses.`,
    examples: [
      of === 'resource'
        ? 'systole resource defaults set create meta resource-stickiness=100 rule resource ocf:heartbeat:pgsql'
        : 'systole resource op defaults set create meta timeout=60s rule op monitor',
    ],
    flags: changeFlags,
    run: async (call) => {
      const sections = splitSections(call.words, ['meta', 'rule'])
      const words = (keyword: string): readonly string[] =>
        sections.filter((section) => section.keyword === keyword).flatMap((section) => section.words)
      const own = parsePairs(words(''), 'options of a set')
      onlyKnown(own, ['id', 'score'], 'A set of defaults')
      const values = Object.fromEntries(parsePairs(words('meta'), 'defaults'))
      const expression = words('rule')
      if (expression.length > 1) call.tell({ code: 'rule-in-words' })
      const as011 = writesAs011(call.speech)
      const rule = expression.length === 0 ? undefined : readRule(expression)
      if (rule && call.speech.program === 'pcs') refuseForDefaults(of, rule.conditions)
      const [id, score] = [own.get('id'), own.get('score')]
      return await changeCib(call, {
        edit: (cib) =>
          createDefaultsSet(cib, {
            of,
            values,
            force: takesAnyValue(call),
            ...(id === undefined ? {} : { id }),
            ...(score === undefined ? {} : { score: readScore(score) }),
            ...(rule === undefined
              ? {}
              : { rule: as011 ? { ...rule, conditions: withNestedScores(rule.conditions), scored: true } : rule }),
          }),
        message: ({ created }) => `The set of defaults ${created[0] ?? ''} is configured.`,
        notices: () => [{ code: 'defaults-may-be-overridden' }],
        facts: ({ created }) => ({ created }),
      })
    },
  }
}

/** No node and no operation is meant by a default for resources: such a condition is never true. */
function refuseForDefaults(of: DefaultsOf, conditions: readonly RuleCondition[]): void {
  for (const condition of conditions)
    if (condition.kind === 'rule') refuseForDefaults(of, condition.rule.conditions)
    else if (of === 'resource' && (condition.kind === 'attribute' || condition.kind === 'operation'))
      throw new Refusal({
        own: `A rule of defaults for ${of}s cannot name ${condition.kind === 'attribute' ? 'a node attribute' : 'an operation'}.`,
        about: {
          code: 'said-by-pcs',
          errors: [
            condition.kind === 'operation'
              ? "Keyword 'op' cannot be used in a rule in this command"
              : "Keywords 'defined', 'not_defined', 'eq', 'ne', 'gte', 'gt', 'lte' and 'lt' cannot be used in a rule in this command",
          ],
          closes: true,
        },
      })
}

function deleteSets(of: DefaultsOf, path: readonly string[], alias: readonly string[]): Command {
  return {
    path: [...path, 'delete'],
    aliases: [[...path, 'remove'], ...['delete', 'remove'].map((verb) => [...alias, verb])],
    usage: '<set>...',
    summary: 'Delete sets of defaults',
    flags: changeFlags,
    run: async (call) => {
      // Called as pcs, no set is deleted where none is named.
      if (call.words.length === 0 && judgesAsPcs(call.speech)) return done('', {})
      expectWords(call.words, { atLeast: 1, usage: `${path.join(' ')} delete <set>...` })
      return await changeCib(call, {
        edit: (cib) => deleteDefaultsSets(cib, { of, ids: call.words }),
        message: () => `Deleted: ${call.words.join(', ')}.`,
        facts: ({ removed }) => ({ removed }),
      })
    },
  }
}

function updateSet(of: DefaultsOf, path: readonly string[], alias: readonly string[]): Command {
  return {
    path: [...path, 'update'],
    aliases: [[...alias, 'update']],
    usage: '<set> meta <name>=<value>...',
    summary: 'Change a set of defaults; an empty value removes an option',
    flags: changeFlags,
    run: async (call) => {
      const [id = '', keyword = 'meta', ...words] = call.words
      // A set that nothing is said of stays as it is: pcs takes that, too.
      expectWords(call.words, {
        atLeast: judgesAsPcs(call.speech) ? 1 : 2,
        usage: `${path.join(' ')} update <set> meta <name>=<value>...`,
      })
      if (keyword !== 'meta') throw new Refusal(`Expected 'meta' after the set, not '${keyword}'.`)
      const values = Object.fromEntries(parsePairs(words, 'defaults'))
      return await changeCib(call, {
        edit: (cib) => updateDefaultsSet(cib, { of, id, values, force: takesAnyValue(call) }),
        message: () => `The set ${id}: ${words.join(' ')}.`,
        notices: () => [{ code: 'defaults-may-be-overridden' }],
      })
    },
  }
}
