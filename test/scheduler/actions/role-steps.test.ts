import { expect, test } from 'vitest'
import type { Role } from '../../../src/cib/index.ts'
import { roleSteps } from '../../../src/scheduler/actions/roles/role-steps.ts'

const ways: readonly { readonly from: Role; readonly to: Role; readonly way: string }[] = [
  { from: 'Stopped', to: 'Stopped', way: '' },
  { from: 'Stopped', to: 'Started', way: 'start' },
  { from: 'Stopped', to: 'Unpromoted', way: 'start' },
  { from: 'Stopped', to: 'Promoted', way: 'start, promote' },
  { from: 'Started', to: 'Stopped', way: 'stop' },
  { from: 'Started', to: 'Unpromoted', way: '' },
  { from: 'Started', to: 'Promoted', way: 'promote' },
  { from: 'Unpromoted', to: 'Stopped', way: 'stop' },
  { from: 'Unpromoted', to: 'Started', way: 'stop, start' },
  { from: 'Unpromoted', to: 'Promoted', way: 'promote' },
  { from: 'Promoted', to: 'Stopped', way: 'demote, stop' },
  { from: 'Promoted', to: 'Started', way: 'demote, stop, start' },
  { from: 'Promoted', to: 'Unpromoted', way: 'demote' },
  { from: 'Promoted', to: 'Promoted', way: '' },
]

for (const { from, to, way } of ways) {
  test(`from ${from} to ${to} it takes ${way === '' ? 'nothing' : way}`, () =>
    expect(roleSteps(from, to).join(', ')).toBe(way))
}
