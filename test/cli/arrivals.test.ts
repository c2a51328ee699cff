import { expect, test } from 'vitest'
import { type ArrivalFacts, describeArrivals } from '../../src/cli/commands/why/arrivals.ts'

const facts: ArrivalFacts = {
  resources: ['web'],
  node: 'n3',
  promoted: false,
  since: '2026-11-28T03:09:57.391Z',
  from: 'n2',
  incident: { id: 'i412', summary: 'n2 was lost; n2 was fenced (reboot) after 0.1 s; web was away for 0.2 s' },
  change: null,
}
const now = new Date('2026-11-28T03:10:20Z')

test('why says since when a resource is where it is, and in which incident it came', () => {
  expect(describeArrivals([facts], now, true)).toEqual([
    '  On n3 since 2026-11-28 03:09:57 UTC (23 s ago), from n2. Incident i412: n2 was lost; n2 was fenced (reboot) after 0.1 s; web was away for 0.2 s.',
  ])
})

test('of a group or a clone, with names; of a change, with who made it', () => {
  const change = { version: 12, user: 'ann', node: 'n1', command: 'systole constraint location db prefers n3' }
  const several = { ...facts, resources: ['ip', 'db'], promoted: true, incident: null, change }
  expect(describeArrivals([several], now, false)).toEqual([
    '  ip, db: promoted on n3 since 2026-11-28 03:09:57 UTC (23 s ago), from n2. Just before, ann@n1: systole constraint location db prefers n3 (version 12).',
  ])
  const again = { ...facts, from: 'n3', incident: null }
  expect(describeArrivals([again], now, true)).toEqual([
    '  On n3 since 2026-11-28 03:09:57 UTC (23 s ago), started there again.',
  ])
})
