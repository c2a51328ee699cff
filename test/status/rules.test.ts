import { expect, test } from 'vitest'
import type { Rule, RuleCondition } from '../../src/cib/index.ts'
import { parseMoment, type RuleContext, ruleHolds, utc } from '../../src/status/index.ts'
import { nextRuleChange } from '../../src/status/rules/index.ts'

const at = (text: string): number => Date.parse(text) / 1000
const zoneAt = (text: string) => ({ now: at(text), utcOffsetAt: utc })
const context = (more: Partial<RuleContext> = {}): RuleContext => ({ zone: zoneAt('2024-03-13T12:00:00Z'), ...more })
const ruleOf = (booleanOp: 'and' | 'or', ...conditions: RuleCondition[]): Rule => ({ id: 'r', booleanOp, conditions })

const moments: readonly (readonly [string, string | undefined])[] = [
  ['2024-03-13', '2024-03-13T00:00:00Z'],
  ['2024-03-13T10:20:30Z', '2024-03-13T10:20:30Z'],
  ['2024-03-13 10:20', '2024-03-13T10:20:00Z'],
  ['20240313T102030', '2024-03-13T10:20:30Z'],
  ['2019-09-23 05:00:00 -05:00', '2019-09-23T10:00:00Z'],
  ['2024-03-13T10:20:30+0130', '2024-03-13T08:50:30Z'],
  ['2005-020', '2005-01-20T00:00:00Z'],
  ['2024-366', '2024-12-31T00:00:00Z'],
  ['2023-366', undefined],
  ['2024-W11-3', '2024-03-13T00:00:00Z'],
  ['2020-W53-7', '2021-01-03T00:00:00Z'],
  ['10:00', '2024-03-13T10:00:00Z'],
  ['2024-02-30', undefined],
  ['2024-03-13T25:00', undefined],
  ['tomorrow', undefined],
]
for (const [text, moment] of moments)
  test(`'${text}' ${moment === undefined ? 'is no moment' : `is ${moment}`}`, () => {
    expect(parseMoment(text, zoneAt('2024-03-13T12:00:00Z'))).toBe(moment === undefined ? undefined : at(moment))
  })

test('a moment without an offset is local time', () => {
  expect(parseMoment('2024-03-13T10:00', { now: 0, utcOffsetAt: () => 3600 })).toBe(at('2024-03-13T09:00:00Z'))
})

type Attribute = Extract<RuleCondition, { readonly kind: 'attribute' }>
const attribute = (parts: Partial<Attribute> & Pick<Attribute, 'operation'>): Attribute => ({
  kind: 'attribute',
  attribute: 'a',
  valueSource: 'literal',
  ...parts,
})
const attributeCases: readonly {
  readonly name: string
  readonly is?: string
  readonly condition: Attribute
  readonly holds: boolean
}[] = [
  {
    name: 'text is equal in any case',
    is: 'Blue',
    condition: attribute({ operation: 'eq', value: 'blue' }),
    holds: true,
  },
  { name: 'what is not defined equals nothing', condition: attribute({ operation: 'eq', value: 'x' }), holds: false },
  {
    name: 'what is not defined differs from a value',
    condition: attribute({ operation: 'ne', value: 'x' }),
    holds: true,
  },
  { name: 'what is not defined is not less', condition: attribute({ operation: 'lt', value: '5' }), holds: false },
  {
    name: 'not_defined holds for what is not defined',
    condition: attribute({ operation: 'not_defined' }),
    holds: true,
  },
  { name: 'defined holds for the empty value', is: '', condition: attribute({ operation: 'defined' }), holds: true },
  {
    name: '10 is greater than 9 without a type',
    is: '10',
    condition: attribute({ operation: 'gt', value: '9' }),
    holds: true,
  },
  {
    name: '10 is less than 9 as text',
    is: '10',
    condition: attribute({ operation: 'lt', value: '9', type: 'string' }),
    holds: true,
  },
  {
    name: '1.5 is less than 1.25 as a version only',
    is: '1.5',
    condition: attribute({ operation: 'lt', value: '1.25', type: 'version' }),
    holds: true,
  },
  {
    name: '1.5 is not less than 1.25 as a number',
    is: '1.5',
    condition: attribute({ operation: 'lt', value: '1.25' }),
    holds: false,
  },
  {
    name: '1.1.0 is the version 1.1',
    is: '1.1.0',
    condition: attribute({ operation: 'eq', value: '1.1', type: 'version' }),
    holds: true,
  },
  {
    name: 'a value may come from a parameter',
    is: 'p',
    condition: attribute({ operation: 'eq', value: 'want', valueSource: 'param' }),
    holds: true,
  },
  {
    name: 'a value may come from a meta-attribute',
    is: 'm',
    condition: attribute({ operation: 'eq', value: 'want', valueSource: 'meta' }),
    holds: true,
  },
]
for (const { name, is, condition, holds } of attributeCases)
  test(name, () => {
    const nodeAttributes = new Map(is === undefined ? [] : [['a', is]])
    const sources = { nodeAttributes, parameters: new Map([['want', 'p']]), meta: new Map([['want', 'm']]) }
    expect(ruleHolds(ruleOf('and', condition), context(sources))).toBe(holds)
  })

test('the name of an attribute may hold what a resource pattern matched', () => {
  const condition = attribute({ operation: 'defined', attribute: '%1-ready' })
  const more = { nodeAttributes: new Map([['web-ready', '1']]), submatches: ['group-web', 'web'] }
  expect(ruleHolds(ruleOf('and', condition), context(more))).toBe(true)
})

type DateCondition = Extract<RuleCondition, { readonly kind: 'date' }>
const dateCases: readonly {
  readonly name: string
  readonly condition: Omit<DateCondition, 'kind'>
  readonly now: string
  readonly holds: boolean
  readonly next?: string
}[] = [
  {
    name: 'gt is false at its start',
    condition: { operation: 'gt', start: '2024-01-01' },
    now: '2024-01-01T00:00:00Z',
    holds: false,
    next: '2024-01-01T00:00:01Z',
  },
  {
    name: 'gt holds for ever after',
    condition: { operation: 'gt', start: '2024-01-01' },
    now: '2024-01-02T00:00:00Z',
    holds: true,
  },
  {
    name: 'lt ends at its end',
    condition: { operation: 'lt', end: '2024-01-01' },
    now: '2023-12-31T00:00:00Z',
    holds: true,
    next: '2024-01-01T00:00:00Z',
  },
  {
    name: 'in_range waits for its start',
    condition: { operation: 'in_range', start: '2024-01-02', end: '2024-01-03' },
    now: '2024-01-01T00:00:00Z',
    holds: false,
    next: '2024-01-02T00:00:00Z',
  },
  {
    name: 'in_range holds at its end',
    condition: { operation: 'in_range', end: '2024-01-03' },
    now: '2024-01-03T00:00:00Z',
    holds: true,
    next: '2024-01-03T00:00:01Z',
  },
  {
    name: 'a month from 31 January ends in February',
    condition: { operation: 'in_range', start: '2023-01-31', duration: { months: '1' } },
    now: '2023-03-01T00:00:00Z',
    holds: false,
  },
  {
    name: 'a duration of a week and an hour',
    condition: { operation: 'in_range', start: '2024-01-01', duration: { weeks: '1', hours: '1' } },
    now: '2024-01-08T00:30:00Z',
    holds: true,
    next: '2024-01-08T01:00:01Z',
  },
  {
    name: 'a range that cannot be read does not hold',
    condition: { operation: 'in_range', start: 'once', end: '2030-01-01' },
    now: '2024-01-01T00:00:00Z',
    holds: false,
  },
  {
    name: 'office hours hold until 17:00',
    condition: { operation: 'date_spec', spec: { hours: '9-16', weekdays: '1-5' } },
    now: '2024-03-13T10:00:00Z',
    holds: true,
    next: '2024-03-13T17:00:00Z',
  },
  {
    name: 'on Friday evening office hours begin on Monday',
    condition: { operation: 'date_spec', spec: { hours: '9-16', weekdays: '1-5' } },
    now: '2024-03-15T18:00:00Z',
    holds: false,
    next: '2024-03-18T09:00:00Z',
  },
  {
    name: 'Friday the 13th',
    condition: { operation: 'date_spec', spec: { weekdays: '5', monthdays: '13' } },
    now: '2024-03-13T00:00:00Z',
    holds: false,
    next: '2024-09-13T00:00:00Z',
  },
  {
    name: 'an open range of years',
    condition: { operation: 'date_spec', spec: { years: '2024-' } },
    now: '2024-03-13T00:00:00Z',
    holds: true,
  },
  {
    name: 'a day in a week',
    condition: { operation: 'date_spec', spec: { weekyears: '2020', weeks: '53' } },
    now: '2021-01-02T00:00:00Z',
    holds: true,
    next: '2021-01-04T00:00:00Z',
  },
  {
    name: 'five minutes past every hour',
    condition: { operation: 'date_spec', spec: { minutes: '5' } },
    now: '2024-03-13T10:30:00Z',
    holds: false,
    next: '2024-03-13T11:05:00Z',
  },
]
for (const { name, condition, now, holds, next } of dateCases)
  test(name, () => {
    const rule = ruleOf('and', { kind: 'date', ...condition })
    expect(ruleHolds(rule, { zone: zoneAt(now) })).toBe(holds)
    expect(nextRuleChange(rule, zoneAt(now))).toBe(next === undefined ? undefined : at(next))
  })

const holding = attribute({ operation: 'not_defined' })
const failing = attribute({ operation: 'defined' })
const ruleCases: readonly { readonly name: string; readonly rule: Rule; readonly holds: boolean }[] = [
  { name: 'all conditions of an and-rule must hold', rule: ruleOf('and', holding, failing), holds: false },
  { name: 'one condition of an or-rule is enough', rule: ruleOf('or', failing, holding), holds: true },
  {
    name: 'rules nest',
    rule: ruleOf('and', holding, { kind: 'rule', rule: ruleOf('or', failing, holding) }),
    holds: true,
  },
  { name: 'an or-rule without conditions does not hold', rule: ruleOf('or'), holds: false },
  {
    name: 'a rule about an agent matches what it names',
    rule: ruleOf('and', { kind: 'resource', class: 'ocf', type: 'Dummy' }),
    holds: true,
  },
  {
    name: 'a rule about another agent does not hold',
    rule: ruleOf('and', { kind: 'resource', type: 'IPaddr2' }),
    holds: false,
  },
  {
    name: 'a rule about an operation matches its interval',
    rule: ruleOf('and', { kind: 'operation', name: 'monitor', intervalMs: 10_000 }),
    holds: true,
  },
  {
    name: 'a rule about another interval does not hold',
    rule: ruleOf('and', { kind: 'operation', name: 'monitor', intervalMs: 5 }),
    holds: false,
  },
]
for (const { name, rule, holds } of ruleCases)
  test(name, () => {
    const agent = { class: 'ocf', provider: 'pacemaker', type: 'Dummy' }
    const more = {
      agent,
      operation: { name: 'monitor', intervalMs: 10_000 },
      nodeAttributes: new Map<string, string>(),
    }
    expect(ruleHolds(rule, context(more))).toBe(holds)
  })
