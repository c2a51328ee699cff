import { expect, test } from 'vitest'
import { element, readConfiguration } from '../../src/cib/index.ts'
import {
  exclusionRule,
  type Facts,
  matchProfile,
  parseExpression,
  printExpression,
  profilesIn,
} from '../../src/hardware/index.ts'

const read = (text: string) => {
  const parsed = parseExpression(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}
const mistakeOf = (text: string): string => {
  const parsed = parseExpression(text)
  return parsed.ok ? 'none' : parsed.reports.map(({ column, problem }) => `${column}: ${problem}`).join()
}
const node = (facts: Readonly<Record<string, string>>): Facts => new Map(Object.entries(facts))

test.each([
  ['memory >= 64 GiB and disks >= 2', 'memory >= 64 GiB and disks >= 2'],
  ['memory>=64GiB', 'memory >= 64 GiB'],
  ['memory >= 65536 MiB', 'memory >= 64 GiB'],
  ['memory >= 64 GB', 'memory >= 61035.156 MiB'],
  ['a', undefined],
  ['cpus > 4 or disks = 1 and nics != 2', 'cpus > 4 or disks = 1 and nics != 2'],
  ['(cpus > 4 or disks = 1) and nics != 2', '(cpus > 4 or disks = 1) and nics != 2'],
  ['not (cpus > 4 and virtual = no)', 'not (cpus > 4 and virtual = no)'],
  ["vendor = 'Dell Inc.'", "vendor = 'Dell Inc.'"],
  ['network >= 10 Gbit', 'network >= 10 Gbit/s'],
])('%s', (text, printed) => {
  const parsed = parseExpression(text)
  expect(parsed.ok ? printExpression(parsed.value) : undefined).toBe(printed)
  if (parsed.ok) expect(printExpression(read(printExpression(parsed.value)))).toBe(printed)
})

test.each([
  ['', '1: expected a fact, such as memory, and the expression ends'],
  ['memory', "7: expected >=, <=, >, <, = or != after 'memory', and the expression ends"],
  ['memory >=', '10: expected a number to compare memory with, and the expression ends'],
  ['memory >= 64', '13: expected a unit of memory: B, KiB, MiB, GiB, TiB, kB, MB, GB, TB, and the expression ends'],
  ['memory >= 64 Gib', "14: expected a unit of memory: B, KiB, MiB, GiB, TiB, kB, MB, GB, TB, and found 'Gib'"],
  [
    'memory >= 64 constructor',
    "14: expected a unit of memory: B, KiB, MiB, GiB, TiB, kB, MB, GB, TB, and found 'constructor'",
  ],
  ['memory >= -1 GiB', "11: '-' has no meaning here"],
  ['memory == 64 GiB', "9: expected a number to compare memory with, and found '='"],
  ['memroy >= 64 GiB', "1: there is no fact 'memroy'. Did you mean 'memory'"],
  ['disks >= 2.5', "10: disks is a whole number, and found '2.5'"],
  ['disks >= 2 GiB', "12: disks is a number without a unit, and found 'GiB'"],
  ['disks >= 2 disks >= 3', "12: disks is a number without a unit, and found 'disks'"],
  ['memory >= 1 GiB disks >= 3', "17: expected 'and' or 'or', and found 'disks'"],
  ['(disks >= 2', "12: expected 'and', 'or' or ')', and the expression ends"],
  ['disks >= 2)', "11: expected 'and' or 'or', and found ')'"],
  ['and disks >= 2', "1: expected a fact, such as memory, and found 'and'"],
  ['disks >= 2 and', '15: expected a fact, such as memory, and the expression ends'],
  ['disks >= 1000000000000000', "10: the number is too long, and found '1000000000000000'"],
  ['vendor > Dell', "8: vendor is a text: it compares with = or !=, and found '>'"],
  ['vendor = 5', "10: expected a word, or a text in single quotes, to compare vendor with, and found '5'"],
  ["vendor = 'Dell", "10: ''' has no meaning here"],
  ["vendor = ''", "10: expected a word, or a text in single quotes, to compare vendor with, and found ''''"],
  ['disks >= 2; reboot', "11: ';' has no meaning here"],
  ['disks >= 2 \u0000', "12: '\u0000' has no meaning here"],
])('%j is refused at its place', (text, mistake) => {
  expect(mistakeOf(text)).toBe(mistake)
})

test('an expression has an end in length and depth', () => {
  expect(mistakeOf(`${'disks = 1 or '.repeat(200)}disks = 1`)).toBe(
    '1001: the expression has more than 1000 characters',
  )
  expect(mistakeOf(`${'('.repeat(300)}disks = 1${')'.repeat(300)}`)).toMatch(/^22: more than 20 expressions/)
  expect(mistakeOf(`${'not '.repeat(100)}disks = 1`)).toMatch(/more than 20 expressions/)
})

const big = node({ '#facts-memory-mib': '65536', '#facts-disks': '4', '#facts-virtual': 'no' })
const small = node({ '#facts-memory-mib': '32768', '#facts-disks': '4', '#facts-virtual': 'KVM' })
const unknown = node({})
const nodes = new Map([
  ['big', big],
  ['small', small],
  ['unknown', unknown],
])

test('the nodes that match, and what the others lack', () => {
  const { matching, others, nobody } = matchProfile(
    { name: 'a', expression: read('memory >= 64 GiB and disks >= 2') },
    nodes,
  )
  expect(matching).toEqual(['big'])
  expect(others).toEqual([
    { node: 'small', lacks: ['memory is 32 GiB'] },
    { node: 'unknown', lacks: ['memory is not known', 'disks is not known'] },
  ])
  expect(nobody).toEqual([])
})

test('where no node matches, it is said what none has and which comes nearest', () => {
  const nobody = (text: string) => matchProfile({ name: 'a', expression: read(text) }, nodes).nobody
  expect(nobody('memory >= 128 GiB and disks >= 2')).toEqual([
    'No node has memory >= 128 GiB. The nearest is big with 64 GiB.',
  ])
  expect(nobody('memory < 1 GiB')).toEqual(['No node has memory < 1 GiB. The nearest is small with 32 GiB.'])
  expect(nobody('network >= 1 Gbit')).toEqual([
    'No node has network >= 1 Gbit/s. The fact network is not known of any node.',
  ])
  expect(nobody('memory >= 64 GiB and virtual = kvm')).toEqual([
    'No node has all of memory >= 64 GiB and virtual = kvm together.',
  ])
})

test('not knowing a fact satisfies nothing, under not as well', () => {
  for (const text of ['disks > 1', 'disks < 1', 'not disks > 1', 'not (disks > 1 and memory > 1 GiB)', "vendor != 'x'"])
    expect(matchProfile({ name: 'a', expression: read(text) }, new Map([['u', unknown]])).matching, text).toEqual([])
})

test('texts compare without regard to case, as in rules', () => {
  expect(matchProfile({ name: 'a', expression: read('virtual = kvm') }, nodes).matching).toEqual(['small'])
})

test('the rule of a profile keeps a resource off what does not match or is not known', () => {
  expect(exclusionRule(read('memory >= 64 GiB and disks >= 2'))).toMatchObject({
    score: -1_000_000,
    booleanOp: 'or',
    conditions: [
      { attribute: '#facts-memory-mib', operation: 'not_defined' },
      { attribute: '#facts-memory-mib', operation: 'lt', value: '65536', type: 'number' },
      { attribute: '#facts-disks', operation: 'not_defined' },
      { attribute: '#facts-disks', operation: 'lt', value: '2' },
    ],
  })
  expect(exclusionRule(read('disks >= 2 or not virtual = no'))).toMatchObject({
    booleanOp: 'and',
    conditions: [
      { kind: 'rule', rule: { booleanOp: 'or', conditions: [{ operation: 'not_defined' }, { operation: 'lt' }] } },
      { kind: 'rule', rule: { booleanOp: 'or', conditions: [{ operation: 'not_defined' }, { operation: 'eq' }] } },
    ],
  })
})

test('a profile that another tool broke is told of and left out', () => {
  const pair = (name: string, value: string) => element('nvpair', { id: name, name, value })
  const configuration = readConfiguration(
    element('cib', {}, [
      element('configuration', {}, [
        element('crm_config', {}, [
          element('cluster_property_set', { id: 'o' }, [
            pair('systole-profile-a', 'disks >= 2'),
            pair('systole-profile-b', 'disks >= '),
            pair('systole-profile-', 'disks >= 1'),
          ]),
        ]),
      ]),
    ]),
  )
  const { profiles, mistakes } = profilesIn(configuration)
  expect(profiles.map(({ name }) => name)).toEqual(['a'])
  expect(mistakes).toEqual([
    'The profile b cannot be read: character 10: expected a number to compare disks with, and the expression ends.',
    "The cluster option 'systole-profile-' does not name a profile.",
  ])
})
