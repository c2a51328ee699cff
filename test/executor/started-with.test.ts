import { expect, test } from 'vitest'
import { beginsToRun, toldBy } from '../../src/executor/index.ts'

const operationOf = (name: string, agentClass = 'ocf') => {
  const [operation = '', interval = '0'] = name.split('/')
  return { agent: { class: agentClass, type: 'Dummy' }, operation, intervalMs: Number(interval) }
}

test('what a resource was started with is kept from before a start, an arrival or a reload, but for fence devices', () => {
  for (const name of ['start', 'migrate_from', 'reload', 'reload-agent'])
    expect([name, beginsToRun(operationOf(name))]).toEqual([name, true])
  expect(beginsToRun(operationOf('stop'))).toBe(false)
  expect(beginsToRun(operationOf('start', 'stonith'))).toBe(false)
})

const cases: readonly (readonly [string, string, number, 'runs' | 'stopped' | undefined])[] = [
  ['a stop', 'stop', 0, 'stopped'],
  ['a stop that failed', 'stop', 1, undefined],
  ['a probe that finds it', 'monitor', 0, 'runs'],
  ['a probe that finds it promoted', 'monitor', 8, 'runs'],
  ['a probe that does not find it', 'monitor', 7, 'stopped'],
  ['a probe that fails', 'monitor', 1, undefined],
  ['a monitor that finds it', 'monitor/3000', 0, 'runs'],
  ['a monitor that misses it', 'monitor/3000', 7, undefined],
  ['a start', 'start', 0, undefined],
]
for (const [what, name, exitCode, told] of cases)
  test(`${what} tells ${told === undefined ? 'nothing' : `that it ${told === 'runs' ? 'runs' : 'is stopped'}`}`, () => {
    expect(toldBy(operationOf(name), { status: 'done', exitCode })).toBe(told)
    expect(toldBy(operationOf(name), { status: 'timeout', exitCode })).toBeUndefined()
  })

test('a fence device never runs, but it is forgotten as everything else is', () => {
  expect(toldBy(operationOf('monitor', 'stonith'), { status: 'done', exitCode: 0 })).toBeUndefined()
  expect(toldBy(operationOf('monitor', 'stonith'), { status: 'done', exitCode: 7 })).toBe('stopped')
  expect(toldBy(operationOf('stop', 'stonith'), { status: 'done', exitCode: 0 })).toBe('stopped')
})
