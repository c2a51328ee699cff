import { expect, test } from 'vitest'
import { unresolved } from '../../src/cli/commands/stonith/history.ts'
import { abandoned } from '../../src/daemon/fencing/fencing-records.ts'
import type { FencingRecord } from '../../src/rpc/index.ts'

const now = new Date('2026-11-22T02:00:00Z')

function reboot(target: string, minute: number, outcome: FencingRecord['outcome']): FencingRecord {
  const begun = `2026-11-22T01:${String(minute).padStart(2, '0')}:00.000Z`
  return { id: `7-${minute}`, target, action: 'reboot', client: 'controller', begun, outcome }
}

test('a new DC ends what the last one left pending, such as its own fencing, and touches nothing else', () => {
  const [ended, ...others] = abandoned([reboot('n1', 1, 'pending'), reboot('n2', 2, 'succeeded')], now)
  expect(others).toEqual([])
  expect(ended).toMatchObject({ id: '7-1', outcome: 'failed', ended: now.toISOString() })
})

test('the status tells a failed fencing until the node was fenced all the same', () => {
  const [failed, again, other] = [reboot('n1', 1, 'failed'), reboot('n1', 5, 'succeeded'), reboot('n2', 6, 'succeeded')]
  expect(unresolved([failed, other])).toEqual([failed])
  expect(unresolved([failed, again])).toEqual([])
  expect(unresolved([{ ...failed, begun: '2026-11-22T01:59:00.000Z' }, again])).toHaveLength(1)
  expect(unresolved([again, reboot('n1', 9, 'pending')])).toHaveLength(1)
})
