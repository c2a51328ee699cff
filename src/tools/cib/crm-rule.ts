/** crm_rule: whether a rule with a date is in effect (crm_rule(8)). 110 once it is over, 111 while it is ahead. */
import { element, findRule, parseXml, type Rule, type RuleCondition, type XmlElement } from '../../cib/index.ts'
import { parseMoment, standingOf, utc } from '../../status/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, hasOption, optionValue, valued } from '../options.ts'
import { refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

export const crmRule: Tool = {
  name: 'crm_rule',
  summary: 'Check whether a rule is in effect',
  options: [
    flag('check,c', 'Whether the rules are in effect'),
    valued('rule,r', 'ID', 'The id of a rule; may be given several times'),
    valued('date,d', 'DATE', 'On this date, rather than now'),
    valued('xml-text,X', 'XML', 'The CIB, as text; - is standard input'),
  ],
  printsXml: true,
  runsHere: true,
  // A call that lacks these is refused without one.
  needsNoCib: (given) => !hasOption(given, 'check') || !hasOption(given, 'rule'),
  run,
}

function run(call: ParsedCall, world: ToolWorld): ToolReply {
  const { given } = call
  if (!hasOption(given, 'check')) return refused(exitCodes.usage, 'crm_rule: No mode operation given')
  const ids = given.flatMap(({ name, value }) => (name === 'rule' && value !== undefined ? [value] : []))
  if (ids.length === 0) return refused(exitCodes.usage, 'crm_rule: --check requires use of --rule=')
  const date = optionValue(given, 'date')
  const zone = { now: world.now(), utcOffsetAt: utc }
  const now = date === undefined ? zone.now : date === '' ? undefined : parseMoment(date, zone)
  if (now === undefined) return refused(exitCodes.dataError, `crm_rule: Invalid date specified: '${date}'`)
  const cib = cibOf(call, world)
  if ('exitCode' in cib) return cib
  const verdicts = ids.map((id) => check(findRule(cib, id), id, now))
  return {
    exitCode: verdicts.at(-1)?.code ?? exitCodes.ok,
    output: verdicts.flatMap(({ text, isTrouble }) => (isTrouble ? [] : [`${text}\n`])).join(''),
    errors: verdicts.flatMap(({ text, isTrouble }) => (isTrouble ? [`${text}\n`] : [])).join(''),
    xml: verdicts.map(({ id, code }) => element('rule-check', { 'rule-id': id, rc: String(code) })),
  }
}

function cibOf({ given, files }: ParsedCall, world: ToolWorld): XmlElement | ToolReply {
  const text = optionValue(given, 'xml-text')
  if (text === undefined) return world.cib()
  const parsed = parseXml(text === '-' ? (files?.input() ?? '') : text)
  if (parsed.ok) return parsed.value
  return refused(exitCodes.dataError, `crm_rule: Couldn't parse input string: ${text}`)
}

interface Verdict {
  readonly id: string
  readonly code: number
  readonly text: string
  readonly isTrouble?: true
}

function check(rule: Rule | undefined, id: string, now: number): Verdict {
  const unknown = (why: string, code: number = exitCodes.unimplemented): Verdict => ({
    id,
    code,
    text: `Could not determine whether rule ${id} is in effect: ${why}`,
    isTrouble: true,
  })
  if (rule === undefined) return unknown('Rule not found', exitCodes.noSuchObject)
  const [condition, another] = datesOf(rule)
  if (condition === undefined) return unknown('Rule does not have a date expression')
  if (another !== undefined) return unknown('Rule has more than one date expression')
  const { operation, spec } = condition
  // Any other pattern comes round again, so that it is never over.
  if (operation === 'date_spec' && (spec?.years === undefined || spec.moon !== undefined))
    return unknown('Rule must either not use date_spec, or use date_spec with years= but not moon=')
  switch (standingOf(condition, { now, utcOffsetAt: utc })) {
    case 'in-effect': {
      const holds = operation === 'date_spec' ? 'satisfies conditions' : 'is still in effect'
      return { id, code: exitCodes.ok, text: `Rule ${id} ${holds}` }
    }
    case 'over':
      return { id, code: exitCodes.expired, text: `Rule ${id} is expired` }
    case 'ahead':
      return { id, code: exitCodes.notYet, text: `Rule ${id} has not yet taken effect` }
    case 'unknown':
      return unknown('Error parsing rule', exitCodes.unreadable)
  }
}

/** Its own and those of the rules in it. */
function datesOf({ conditions }: Rule): readonly Extract<RuleCondition, { readonly kind: 'date' }>[] {
  return conditions.flatMap((condition) =>
    condition.kind === 'date' ? [condition] : condition.kind === 'rule' ? datesOf(condition.rule) : [],
  )
}
