import { describe, expect, test } from 'vitest'
import { fencingEvent, membershipEvents, operationEvent, parseOutboxEvent } from '../../src/alerts/index.ts'
import { nodeName, resourceId } from '../../src/base/index.ts'
import type { NodeStateRecord, OperationRecord } from '../../src/cib/index.ts'

const node = nodeName('n1')
const state = (inCcm: boolean, crmd: 'online' | 'offline'): NodeStateRecord => ({
  node,
  id: '7',
  inCcm,
  crmd,
  join: inCcm ? 'member' : 'down',
  expected: 'member',
})
const up = state(true, 'online')
const down = state(false, 'offline')

describe('a node comes or goes', () => {
  const cases: readonly {
    readonly name: string
    readonly was: NodeStateRecord | undefined
    readonly written: readonly NodeStateRecord[]
    readonly told: readonly string[]
  }[] = [
    { name: 'it joins for the first time', was: undefined, written: [up], told: ['member'] },
    { name: 'it is lost', was: up, written: [down], told: ['lost'] },
    { name: 'it is back', was: down, written: [up], told: ['member'] },
    { name: 'it is fenced after it was lost', was: down, written: [{ ...down, expected: 'down' }], told: [] },
    { name: 'something else of it is written', was: up, written: [{ ...up, reason: 'x' }], told: [] },
    { name: 'it is recorded for the first time, and is not there', was: undefined, written: [down], told: [] },
    { name: 'the last of two records in one write counts', was: up, written: [down, up], told: [] },
  ]
  for (const { name, was, written, told } of cases)
    test(name, () => {
      const known = new Map(was === undefined ? [] : [[node, was] as const])
      const events = membershipEvents(known, written, 5)
      expect(events.map(({ desc }) => desc)).toEqual(told)
      for (const event of events) expect(parseOutboxEvent(JSON.parse(JSON.stringify(event)))).toEqual(event)
    })
})

function operation(attributes: Readonly<Record<string, string>>): OperationRecord {
  const agent = { class: 'ocf', provider: 'pacemaker', type: 'Dummy' }
  return { node, resource: resourceId('web'), agent, recordId: 'r', attributes }
}
const probeFor = (expected: number): string => `4:1:${expected}:00000000-0000-4000-8000-000000000001`

describe('an operation ends', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, string | undefined])[] = [
    ['a start', { operation: 'start', 'op-status': '0', 'rc-code': '0' }, 'ok'],
    ['a failed start', { operation: 'start', 'op-status': '0', 'rc-code': '1' }, 'error'],
    ['a start that took too long', { operation: 'start', 'op-status': '2', 'rc-code': '1' }, 'Timed Out'],
    ['a start that has only begun', { operation: 'start', 'op-status': '-1', 'rc-code': '193' }, undefined],
    [
      'a probe that finds nothing, as expected',
      { operation: 'monitor', interval: '0', 'op-status': '0', 'rc-code': '7', 'transition-key': probeFor(7) },
      undefined,
    ],
    [
      'a probe that finds something',
      { operation: 'monitor', interval: '0', 'op-status': '0', 'rc-code': '0', 'transition-key': probeFor(7) },
      'ok',
    ],
    [
      'the first result of a monitor',
      { operation: 'monitor', interval: '5000', 'op-status': '0', 'rc-code': '0', 'transition-key': probeFor(0) },
      'ok',
    ],
  ]
  for (const [name, attributes, desc] of cases)
    test(name, () => {
      const event = operationEvent(operation(attributes), 5)
      expect(event?.kind === 'resource' ? event.desc : undefined).toBe(desc)
    })
})

test('fencing is told with who did it for whom, and how it ended', () => {
  const ended = { id: 'f1', target: 'n3', action: 'reboot', runner: 'n1', client: 'the cluster', message: 'no answer' }
  expect(fencingEvent({ ...ended, succeeded: true }, 5)).toEqual({
    kind: 'fencing',
    at: 5,
    node: 'n3',
    task: 'reboot',
    rc: 0,
    desc: 'Operation reboot of n3 by n1 for the cluster: OK (ref=f1)',
  })
  const failed = fencingEvent({ ...ended, succeeded: false }, 5)
  expect(failed.desc).toBe('Operation reboot of n3 by n1 for the cluster: Error occurred (no answer) (ref=f1)')
  expect(parseOutboxEvent(JSON.parse(JSON.stringify(failed)))).toEqual(failed)
})

test('a note of the store that nobody of ours has written is none', () => {
  for (const value of [undefined, null, 5, {}, { kind: 'node', at: 1, node: 'n1', desc: 'gone' }, { at: '1' }])
    expect(parseOutboxEvent(value)).toBeUndefined()
})
