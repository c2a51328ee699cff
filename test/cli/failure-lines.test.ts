import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { failureLines } from '../../src/cli/commands/status/sentences.ts'
import { doing, lastKnown, withoutQuorum } from '../../src/cli/commands/status/status.ts'
import { describeAttempts } from '../../src/cli/commands/stonith/history.ts'
import type { ClusterState, FencingRecord } from '../../src/rpc/index.ts'
import type { FailedOperation } from '../../src/status/index.ts'

const at = Date.UTC(2026, 10, 20, 3, 0, 0) / 1000

function failure(node: string, more: Partial<FailedOperation> = {}): FailedOperation {
  return {
    resource: resourceId('vip'),
    configuredResource: resourceId('vip'),
    node: nodeName(node),
    operation: 'start',
    intervalMs: 0,
    exitCode: 1,
    status: '0',
    exitReason: '[findif] failed',
    key: 'vip_start_0',
    lastChange: at,
    ...more,
  }
}

test('the same failure on several nodes is one line, with the time of the last', () => {
  const failures = [
    failure('n2'),
    failure('n1', { lastChange: at + 60 }),
    failure('n3', { exitReason: 'no such device' }),
  ]
  expect(failureLines(failures, at + 120)).toEqual([
    'vip start on n1, n2 at 2026-11-20 03:01:00 UTC (60 s ago): Error occurred (1): [findif] failed',
    'vip start on n3 at 2026-11-20 03:00:00 UTC (2 min ago): Error occurred (1): no such device',
  ])
})

test('instances of a clone that fail in the same way are one line', () => {
  const instance = (number: number) => failure(`n${number + 1}`, { resource: resourceId(`vip:${number}`) })
  expect(failureLines([instance(0), instance(1)], at)).toEqual([
    'vip start on n1, n2 at 2026-11-20 03:00:00 UTC (0 s ago): Error occurred (1): [findif] failed',
  ])
  expect(failureLines([instance(1)], at)[0]).toContain('vip:1 start on n2')
})

test('a monitor that timed out', () => {
  const failures = [failure('n1', { operation: 'monitor', intervalMs: 10_000, status: '2', exitReason: '' })]
  expect(failureLines(failures, at)).toEqual([
    'vip monitor every 10 s on n1 at 2026-11-20 03:00:00 UTC (0 s ago): timed out',
  ])
})

test('fencing that fails again and again is one line; what succeeded or failed otherwise is told apart', () => {
  const attempt = (id: string, begun: string, more: Partial<FencingRecord> = {}): FencingRecord => ({
    id,
    target: 'n3',
    action: 'reboot',
    outcome: 'failed',
    begun,
    device: 'fence-n3',
    client: 'controller',
    message: 'fence-n3 on n1, n2: off failed: no answer',
    ...more,
  })
  const records = [
    attempt('3', '2026-11-20T02:59:00.100Z'),
    attempt('2', '2026-11-20T02:58:00.100Z'),
    attempt('1', '2026-11-20T02:50:00.900Z'),
    attempt('0', '2026-11-20T02:40:00.000Z', { message: 'fence-n3 on n1: off failed: wrong password' }),
  ]
  expect(describeAttempts(records, at)).toEqual([
    'reboot of n3 by fence-n3 failed 3 times since 2026-11-20 02:50:00 UTC, last at 2026-11-20 02:59:00 UTC (60 s ago): fence-n3 on n1, n2: off failed: no answer',
    '2026-11-20 02:40:00 UTC (20 min ago): reboot of n3 by fence-n3, asked for by controller, failed: fence-n3 on n1: off failed: wrong password',
  ])
  const silent = records.slice(0, 2).map(({ message: _, ...record }) => record)
  expect(describeAttempts(silent, at)).toEqual([
    'reboot of n3 by fence-n3 failed 2 times since 2026-11-20 02:58:00 UTC, last at 2026-11-20 02:59:00 UTC (60 s ago)',
  ])
})

const members = [
  { node: 'n1', state: 'member' },
  { node: 'n2', state: 'lost' },
  { node: 'n3', state: 'offline' },
] as ClusterState['members'][number][]

test('without quorum the nodes that are missing are named', () => {
  expect(withoutQuorum(members)[0]).toBe('This node has no quorum; n2, n3 are not heard. The last known state follows.')
  expect(withoutQuorum(members.slice(0, 1))[0]).toBe('This node has no quorum. The last known state follows.')
})

test('without quorum neither the list of nodes nor the transition is shown as if it were of now', () => {
  expect(lastKnown({ quorate: false, members })).toBe('as last known; n2, n3 are not heard')
  expect(lastKnown({ quorate: false, members: members.slice(0, 1) })).toBe('as last known')
  expect(lastKnown({ quorate: true, members })).toBe('')
  const transition = {
    state: 'running',
    number: 7,
    pending: ['vip_start_0 on n1'],
    blockedBy: [],
    blockedResources: [],
    computedVersion: 3,
  } as const
  expect(doing({ quorate: true, transition })).toBe('Doing: vip_start_0 on n1')
  expect(doing({ quorate: false, transition })).toBe('The activity of the cluster is unknown on this node.')
})
