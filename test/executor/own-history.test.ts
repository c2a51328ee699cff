import { expect, test } from 'vitest'
import { type NodeName, nodeName, resourceId } from '../../src/base/index.ts'
import { type OperationRecord, recordsOfResult } from '../../src/cib/index.ts'
import { leftRunning, OwnHistory } from '../../src/executor/index.ts'

let lastCall = 0

/** The records of one result: `web monitor 7`, `web start pending`, `web monitor/3000 0`. */
function result(text: string, agentClass = 'ocf', migration?: Migration): readonly OperationRecord[] {
  const [resource = '', operation = '', code = ''] = text.split(' ')
  const [name = '', interval = '0'] = operation.split('/')
  return recordsOfResult({
    node: nodeName('alpha'),
    resource: resourceId(resource),
    agent: { class: agentClass, provider: 'sim', type: 'Dummy' },
    operation: name,
    intervalMs: Number(interval),
    key: { action: 1, transition: 1, expectedExitCode: 0, uuid: 'u' },
    callId: ++lastCall,
    status: code === 'pending' ? 'pending' : 'done',
    exitCode: code === 'pending' ? 193 : Number(code),
    lastChange: 0,
    execTimeMs: 0,
    queueTimeMs: 0,
    ...(migration && { migration }),
  })
}

interface Migration {
  readonly source: NodeName
  readonly target: NodeName
}

const cases: readonly { readonly name: string; readonly results: readonly string[]; readonly runs: boolean }[] = [
  { name: 'what was started', results: ['web start 0'], runs: true },
  { name: 'what is being started', results: ['web stop 0', 'web start pending'], runs: true },
  { name: 'what failed to start', results: ['web start 1'], runs: true },
  { name: 'what failed to stop', results: ['web start 0', 'web stop 1'], runs: true },
  { name: 'what was found running', results: ['web monitor 0'], runs: true },
  { name: 'what a monitor missed, before it was stopped', results: ['web start 0', 'web monitor/3000 7'], runs: true },
  { name: 'what was notified after it was stopped', results: ['web stop 0', 'web notify 0'], runs: false },
  { name: 'what was stopped', results: ['web start 0', 'web monitor/3000 0', 'web stop 0'], runs: false },
  { name: 'what was not found', results: ['web start 0', 'web monitor 7'], runs: false },
]
for (const { name, results, runs } of cases)
  test(`${name} ${runs ? 'may run' : 'does not run'} here`, () => {
    const own = new OwnHistory([])
    for (const text of results) own.take(result(text))
    expect(own.mayRun([])).toEqual(runs ? ['web'] : [])
  })

test('a history that the DC deletes is forgotten only for what does not run', () => {
  const own = new OwnHistory([...result('web start 0'), ...result('db stop 0')])
  own.forget(resourceId('web'))
  own.forget(resourceId('db'))
  expect(own.records.map(({ recordId }) => recordId)).toEqual(['web_last_0'])
})

test('a probe looks anew: older failures are over', () => {
  const own = new OwnHistory([])
  own.take(result('web monitor/3000 1'))
  own.take(result('web monitor 0'))
  expect(own.records.map(({ recordId }) => recordId)).toEqual(['web_last_0'])
})

test('what an earlier daemon has started counts where no record tells of it', () => {
  const own = new OwnHistory(result('db stop 0'))
  expect(own.mayRun([resourceId('db'), resourceId('web')])).toEqual(['web'])
})

test('a fence device is nothing that runs', () => {
  expect(new OwnHistory(result('fence start 0', 'stonith')).mayRun([])).toEqual([])
})

test('what is unmanaged is left running on purpose, and nothing else is', () => {
  expect(leftRunning(['web', 'disk:2', 'db'].map(resourceId), [resourceId('disk'), resourceId('db')])).toEqual(['web'])
})

test('a stop without the DC hides where the resource was sent before, one that the DC asks for does not', () => {
  const key = { action: 0, transition: -1, expectedExitCode: 0, uuid: 'u' }
  const stop = { operation: 'stop', resource: resourceId('vm'), key }
  const own = new OwnHistory([])
  own.take(result('vm start 0'))
  expect(own.arrivalHiddenBy(stop)).toBeUndefined()
  own.take(result('vm migrate_to 0', 'ocf', { source: nodeName('alpha'), target: nodeName('beta') }))
  expect(own.arrivalHiddenBy(stop)).toBe('beta')
  expect(own.arrivalHiddenBy({ ...stop, key: { ...key, transition: 4 } })).toBeUndefined()
})
