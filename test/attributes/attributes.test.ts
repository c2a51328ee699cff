import { describe, expect, test } from 'vitest'
import {
  clearFailureEdits,
  expandValue,
  type FailureOf,
  failureEdits,
  mergedAttributes,
} from '../../src/attributes/index.ts'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { failuresIn } from '../../src/cib/index.ts'

const alpha = nodeName('alpha')
const web = resourceId('web')
const attribute = (name: string, value: string) => ({ node: alpha, set: '', name, value })
const failure = (change: Partial<FailureOf> = {}): FailureOf => ({
  node: alpha,
  resource: web,
  operation: 'monitor',
  intervalMs: 10_000,
  by: 'one',
  at: 1000,
  ...change,
})

test('a transient attribute wins over a permanent one of the same name', () => {
  const merged = mergedAttributes(
    new Map([
      ['site', 'a'],
      ['rack', '1'],
    ]),
    new Map([['site', 'b']]),
  )
  expect(Object.fromEntries(merged)).toEqual({ site: 'b', rack: '1' })
})

const values: readonly (readonly [string | undefined, string, string])[] = [
  ['2', 'value++', '3'],
  [undefined, 'value++', '1'],
  ['INFINITY', 'value++', 'INFINITY'],
  ['10', 'value+=-15', '-5'],
  ['5', 'value+=INFINITY', 'INFINITY'],
  ['5', '7', '7'],
  ['5', 'c++', 'c++'],
  ['5', 'written in c++', 'written in c++'],
]
for (const [before, written, value] of values)
  test(`${before ?? 'nothing'}, then '${written}', is ${value}`, () => expect(expandValue(before, written)).toBe(value))

describe('fail counts', () => {
  test('a failed monitor counts one more', () => {
    expect(failureEdits([attribute('fail-count-web#monitor_10000', '2')], [failure()])).toEqual([
      { kind: 'put-attribute', node: alpha, name: 'fail-count-web#monitor_10000', value: '3' },
      { kind: 'put-attribute', node: alpha, name: 'last-failure-web#monitor_10000', value: '1000' },
    ])
  })

  test('a fatal failure counts as INFINITY, and stays so', () => {
    const fatal = failure({ operation: 'start', intervalMs: 0, by: 'infinity' })
    const [count] = failureEdits([], [fatal])
    expect(count).toMatchObject({ name: 'fail-count-web#start_0', value: 'INFINITY' })
    const [again] = failureEdits([attribute('fail-count-web#start_0', 'INFINITY')], [{ ...fatal, by: 'one' }])
    expect(again).toMatchObject({ value: 'INFINITY' })
  })

  test('two failures that come together are two', () => {
    expect(failureEdits([], [failure(), failure()])[0]).toMatchObject({ value: '2' })
  })

  test('names of resources may look like names of operations', () => {
    expect(failuresIn('fail-count-web#1#start_0')).toEqual({
      what: 'fail-count',
      resource: 'web#1',
      operation: 'start',
      intervalMs: 0,
    })
    expect(failuresIn('failing-disks')).toBeUndefined()
  })

  test('clearing takes the counts of one resource, not of another whose name begins alike', () => {
    const all = [
      attribute('fail-count-web#start_0', '1'),
      attribute('last-failure-web#start_0', '9'),
      attribute('fail-count-web2#start_0', '1'),
      attribute('pingd', '100'),
    ]
    const names = clearFailureEdits(all, { resource: web }).map(({ name }) => name)
    expect(names).toEqual(['fail-count-web#start_0', 'last-failure-web#start_0'])
  })
})
