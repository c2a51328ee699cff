import { expect, test } from 'vitest'
import { outliersOf, readBenchmark } from '../../src/hardware/index.ts'

const slow = (percent: number, ...values: readonly number[]) =>
  outliersOf(new Map(values.map((cpu, index) => [`n${index + 1}`, { cpu }])), percent).map(({ node, median }) => [
    node,
    median,
  ])

test('a node that is further below the median than the tolerance is named', () => {
  expect(slow(25, 100, 100, 70)).toEqual([['n3', 100]])
  expect(slow(25, 100, 100, 75)).toEqual([])
  expect(slow(25, 100, 102, 98, 10)).toEqual([['n4', 99]])
  expect(slow(10, 100, 89, 100)).toEqual([['n2', 100]])
})

test('a node that is faster is not, and of two nobody knows which is the odd one', () => {
  expect(slow(25, 100, 100, 500)).toEqual([])
  expect(slow(25, 100, 10)).toEqual([])
})

test('what a node has not measured is not compared', () => {
  expect(
    outliersOf(
      new Map([
        ['n1', { disk: 5 }],
        ['n2', { cpu: 100 }],
        ['n3', { cpu: 100 }],
        ['n4', {}],
      ]),
      25,
    ),
  ).toEqual([])
})

test('what a node says counts where a machine can have measured it', () => {
  expect(readBenchmark('{"cpu":300,"memory":0,"disk":12.5,"more":1}')).toEqual({ cpu: 300, memory: 0, disk: 12.5 })
  expect(readBenchmark('{"cpu":1e308,"memory":-1,"disk":"9"}')).toEqual({})
  for (const text of ['', 'null', '[', `{"cpu":1${' '.repeat(5000)}}`]) expect(readBenchmark(text)).toBeUndefined()
})
