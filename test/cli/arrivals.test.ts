import { expect, test } from 'vitest'
import { type ArrivalFacts, withArrivals } from '../../src/cli/commands/why/arrivals.ts'

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

const explained = (...places: readonly (readonly [string, string])[]) => ({
  text: places.map(([id, node]) => `${id}: started on ${node}\n  It stays there.`).join('\n\n'),
  instances: places.map(([id, node]) => ({ id, now: [{ node }] })),
})

test('why says since when a resource is where it is, and in which incident it came', () => {
  expect(withArrivals(explained(['web', 'n3']), [facts], now).split('\n')).toEqual([
    'web: started on n3',
    '  On n3 since 2026-11-28 03:09:57 UTC (23 s ago), from n2. Incident i412: n2 was lost; n2 was fenced (reboot) after 0.1 s; web was away for 0.2 s.',
    '  It stays there.',
  ])
})

test('of a group at its first member, with the names of those that came together and who made the change', () => {
  const change = { version: 12, user: 'ann', node: 'n1', command: 'systole constraint location db prefers n3' }
  const several = { ...facts, resources: ['ip', 'db'], promoted: true, incident: null, change }
  expect(withArrivals(explained(['ip', 'n3'], ['db', 'n3']), [several], now).split('\n')).toEqual([
    'ip: started on n3',
    '  ip, db: promoted on n3 since 2026-11-28 03:09:57 UTC (23 s ago), from n2. Just before, ann@n1: systole constraint location db prefers n3 (version 12).',
    '  It stays there.',
    '',
    'db: started on n3',
    '  It stays there.',
  ])
})

test('of a clone each at its own instance', () => {
  const again = { ...facts, from: 'n3', incident: null }
  const elsewhere = { ...again, node: 'n1', from: null, promoted: true }
  expect(withArrivals(explained(['web:0', 'n1'], ['web:1', 'n3']), [again, elsewhere], now).split('\n')).toEqual([
    'web:0: started on n1',
    '  Promoted on n1 since 2026-11-28 03:09:57 UTC (23 s ago).',
    '  It stays there.',
    '',
    'web:1: started on n3',
    '  On n3 since 2026-11-28 03:09:57 UTC (23 s ago), started there again.',
    '  It stays there.',
  ])
})
