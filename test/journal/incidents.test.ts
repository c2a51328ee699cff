import { describe, expect, test } from 'vitest'
import {
  describeIncident,
  type Happening,
  incidentsIn,
  type JournalEvent,
  mergeJournals,
  parseJournalLine,
  sinceBegin,
} from '../../src/journal/index.ts'

const start = Date.parse('2026-11-23T14:02:00.000Z')
const seen = (revision: number, ms: number, what: Happening, by = 'n1'): JournalEvent => ({
  revision,
  at: start + ms,
  by,
  what,
})
const active = (where: Readonly<Record<string, readonly string[]>>): Happening => ({
  kind: 'begun',
  active: where,
  nodes: ['n1', 'n2'],
})
const lost = (node: string): Happening => ({ kind: 'node', node, became: 'lost' })
const ran = (
  resource: string,
  node: string,
  operation: string,
  more: Partial<Extract<Happening, { kind: 'operation' }>> = {},
): Happening => ({
  kind: 'operation',
  node,
  resource,
  operation,
  intervalMs: 0,
  rc: 0,
  expected: 0,
  status: 0,
  execMs: 10,
  result: 'ok',
  ...more,
})
const fencing = (outcome: string, message?: string): Happening => ({
  kind: 'fencing',
  id: 'f',
  target: 'n2',
  action: 'reboot',
  outcome,
  ...(message !== undefined && { message }),
})
const later = start + 3_600_000

describe('an incident', () => {
  test('does not begin with the quorum that the first node loses while its cluster forms', () => {
    const quorum = (quorate: boolean): Happening => ({ kind: 'quorum', node: 'n1', quorate })
    const joined: Happening = { kind: 'node', node: 'n1', became: 'member' }
    const forming = [seen(1, 0, quorum(false)), seen(2, 500, joined), seen(3, 600, quorum(true))]
    expect(incidentsIn(forming, later)).toEqual([])
    expect(incidentsIn([...forming, seen(9, 60_000, quorum(false))], later).map(({ id }) => id)).toEqual(['i9'])
  })

  test('is over when an administrator deletes or disables what does not come back', () => {
    const events = [
      seen(1, 0, active({ web: ['n1'], bad: ['n1'] })),
      seen(10, 1000, ran('bad', 'n1', 'monitor', { intervalMs: 5000, rc: 7, result: 'not running' })),
      seen(11, 6000, { kind: 'configuration', version: 12 }),
      seen(20, 300_000, ran('web', 'n1', 'monitor', { intervalMs: 5000, rc: 7, result: 'not running' })),
      seen(21, 302_000, ran('web', 'n1', 'start')),
    ]
    expect(incidentsIn(events, later).map(({ id, ongoing }) => [id, ongoing])).toEqual([
      ['i10', true],
      ['i20', false],
    ])
    const [first, second] = incidentsIn(events, later, (resource) => resource !== 'bad')
    expect(first).toMatchObject({ id: 'i10', ongoing: false, away: [{ resource: 'bad', ms: 5000, still: false }] })
    expect(second).toMatchObject({ id: 'i20', ongoing: false, away: [{ resource: 'web', ms: 2000, still: false }] })
  })

  test('a degraded service is a failure, and not away', () => {
    const degraded = ran('lb', 'n1', 'monitor', { intervalMs: 5000, rc: 190, result: 'degraded' })
    const promoted = ran('db', 'n1', 'monitor', { intervalMs: 5000, rc: 191, expected: 8, result: 'degraded' })
    const [incident] = incidentsIn(
      [seen(1, 0, active({ lb: ['n1'], db: ['n1'] })), seen(10, 100, degraded), seen(11, 200, promoted)],
      later,
    )
    expect(incident?.away).toEqual([])
    expect(incident?.events.length).toBe(2)
  })

  test('goes from a lost node to the service that is back', () => {
    const [incident, ...others] = incidentsIn(
      [
        seen(1, 0, active({ web: ['n2'], db: ['n1', 'n2'] })),
        seen(10, 5000, lost('n2')),
        seen(11, 5100, fencing('pending')),
        seen(12, 6200, fencing('succeeded')),
        seen(13, 6500, ran('web', 'n1', 'start')),
        seen(20, 200_000, { kind: 'configuration', version: 9 }),
      ],
      later,
    )
    expect(others).toEqual([])
    expect(incident).toMatchObject({
      id: 'i10',
      ongoing: false,
      ended: start + 6500,
      away: [{ resource: 'web', ms: 1500, still: false }],
    })
    expect(incident && describeIncident(incident)).toBe(
      'n2 was lost; n2 was fenced (reboot) after 1.2 s; web was away for 1.5 s',
    )
  })

  test('begins with a monitor that fails, names the agent’s reason, and what changed just before', () => {
    const [incident] = incidentsIn(
      [
        seen(1, 0, active({ web: ['n2'] })),
        seen(4, 1000, { kind: 'configuration', version: 12 }),
        seen(5, 3000, ran('web', 'n2', 'monitor', { intervalMs: 10_000, rc: 1, result: 'error', reason: 'no answer' })),
        seen(6, 3500, ran('web', 'n2', 'stop')),
        seen(7, 5000, ran('web', 'n2', 'start')),
      ],
      later,
    )
    expect(incident && describeIncident(incident)).toBe(
      "web: monitor every 10 s on n2 failed with 'error' (1): no answer; web was away for 2.0 s (just after version 12 of the configuration)",
    )
  })

  test('is not over while a service is away or a fencing is under way, and says so', () => {
    const events = [
      seen(1, 0, active({ web: ['n2'] })),
      seen(10, 5000, lost('n2')),
      seen(11, 5100, fencing('failed', 'no power')),
    ]
    const [away] = incidentsIn(events, later)
    expect(away).toMatchObject({ ongoing: true, away: [{ resource: 'web', still: true }] })
    expect(away && describeIncident(away)).toBe('n2 was lost; fencing (reboot) of n2 failed: no power; web is away')
    const pending = [seen(1, 0, active({})), seen(11, 5100, fencing('pending'))]
    expect(incidentsIn(pending, later)).toMatchObject([{ ongoing: true }])
  })

  test('is not kept open by what people call meanwhile', () => {
    const call = (ms: number): JournalEvent =>
      seen(20 + ms, ms, { kind: 'call', call: 'setTicket', user: 'anna', from: '10.0.0.1' })
    const events = [
      seen(1, 0, active({ web: ['n1'] })),
      seen(10, 5000, lost('n2')),
      ...[20_000, 40_000, 60_000].map(call),
    ]
    expect(incidentsIn(events, start + 61_000)).toMatchObject([{ ended: start + 5000, ongoing: false }])
  })

  test('is not what an administrator does: stops, moves and nodes that leave', () => {
    const events = [
      seen(1, 0, active({ web: ['n2'] })),
      seen(2, 1000, ran('web', 'n2', 'stop')),
      seen(3, 2000, ran('web', 'n1', 'start')),
      seen(4, 3000, { kind: 'node', node: 'n2', became: 'left' }),
      seen(5, 4000, ran('web', 'n2', 'monitor', { rc: 5, expected: 7, result: 'not installed' })),
    ]
    expect(incidentsIn(events, later)).toEqual([])
  })

  test('does not count services that an administrator stops after it, and does not go on with what she changes', () => {
    const events = [
      seen(1, 0, active({ web: ['n2'], db: ['n1'], api: ['n1'] })),
      seen(10, 0, lost('n2')),
      seen(11, 500, fencing('pending')),
      // Changed while a service is away: what stops before the next sign is the change's.
      seen(12, 700, { kind: 'configuration', version: 4 }),
      seen(13, 800, ran('db', 'n1', 'stop')),
      seen(14, 1000, fencing('succeeded')),
      seen(15, 1100, ran('api', 'n1', 'stop')),
      seen(16, 1200, ran('api', 'n1', 'start')),
      seen(17, 1300, ran('web', 'n1', 'start')),
      seen(18, 12_000, { kind: 'configuration', version: 5 }),
      seen(19, 13_000, ran('web', 'n1', 'stop')),
      seen(20, 14_000, ran('web', 'n1', 'start')),
    ]
    const [incident, ...others] = incidentsIn(events, later)
    expect(others).toEqual([])
    expect(incident).toMatchObject({
      ended: start + 1300,
      away: [
        { resource: 'api', ms: 100, still: false },
        { resource: 'web', ms: 1300, still: false },
      ],
    })
    // Another sign within half a minute: the change may be why, so it is shown.
    const [longer] = incidentsIn([...events, seen(21, 20_000, lost('n3'))], later)
    expect(longer?.events.map(({ revision }) => revision)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
  })

  test('of a clone counts only once no instance is left', () => {
    const [incident] = incidentsIn(
      [
        seen(1, 0, active({ api: ['n1', 'n2'], web: ['n2'] })),
        seen(10, 0, lost('n2')),
        seen(11, 900, ran('web', 'n1', 'start')),
      ],
      later,
    )
    expect(incident?.away.map(({ resource }) => resource)).toEqual(['web'])
  })

  test('ends after half a minute without anything more: then another begins', () => {
    const events = [
      seen(1, 0, active({})),
      seen(2, 0, lost('n2')),
      seen(3, 29_000, lost('n3')),
      seen(4, 60_000, lost('n4')),
    ]
    expect(incidentsIn(events, later).map(({ id }) => id)).toEqual(['i2', 'i4'])
  })

  test('of a service that cannot start does not take in a node that loses its power later', () => {
    const failed = { rc: 1, result: 'error', reason: 'the address is taken' }
    const recovery = [
      seen(20, 3_600_000, lost('n2')),
      seen(21, 3_600_500, fencing('pending')),
      seen(22, 3_602_000, fencing('succeeded')),
      seen(23, 3_603_000, ran('web', 'n1', 'start')),
    ]
    const before = [
      seen(1, 0, active({ web: ['n2'] })),
      seen(10, 1000, ran('front', 'n1', 'start', failed)),
      seen(11, 2000, ran('front', 'n1', 'stop')),
    ]
    const found = incidentsIn([...before, ...recovery], start + 3_700_000)
    expect(found.map(({ id, ongoing, events }) => [id, ongoing, events.length])).toEqual([
      ['i10', true, 2],
      ['i20', false, 4],
    ])
    expect(found.map(({ away }) => away.map(({ resource, still }) => [resource, still]))).toEqual([
      [['front', true]],
      [['web', false]],
    ])
    expect(found.map((incident) => describeIncident(incident).split(';')[0])).toEqual([
      expect.stringContaining('front'),
      expect.stringContaining('n2'),
    ])
    // It goes on with the first when that is mended, also while the second is open.
    const mended = seen(24, 3_604_000, ran('front', 'n1', 'start'))
    const both = incidentsIn([...before, ...recovery, mended], start + 3_700_000)
    expect(both.map(({ id, ongoing, events }) => [id, ongoing, events.length])).toEqual([
      ['i10', false, 3],
      ['i20', false, 4],
    ])
  })

  test('of a service that cannot start takes in neither a drain nor what befalls a node right after it', () => {
    const events = [
      seen(1, 0, active({ web: ['n2'] })),
      seen(10, 1000, ran('front', 'n1', 'start', { rc: 6, result: 'not configured' })),
      seen(11, 2000, ran('front', 'n1', 'stop')),
      // n2 is drained, and undrained; front is deleted.
      seen(20, 180_000, ran('web', 'n2', 'stop')),
      seen(21, 181_000, ran('web', 'n1', 'start')),
      seen(22, 188_000, { kind: 'configuration', version: 15 }),
      seen(23, 192_000, lost('n3')),
      seen(24, 192_100, { ...fencing('pending'), target: 'n3' } as Happening),
      seen(25, 193_600, { ...fencing('succeeded'), target: 'n3' } as Happening),
    ]
    const found = incidentsIn(events, start + 600_000, (resource) => resource !== 'front')
    expect(found.map(({ id, events: own }) => [id, own.map(({ revision }) => revision)])).toEqual([
      ['i10', [10, 11, 22]],
      ['i23', [23, 24, 25]],
    ])
    expect(found.map(({ away }) => away.map(({ resource }) => resource))).toEqual([['front'], []])
  })

  test('takes in what follows at once, and the fencing and the loss of quorum of a node that it has lost', () => {
    const failed = { rc: 1, result: 'error' }
    const events = [
      seen(10, 1000, ran('front', 'n1', 'start', failed)),
      seen(11, 5000, lost('n2')),
      seen(12, 6000, fencing('failed')),
      seen(13, 600_000, fencing('pending')),
      seen(14, 601_000, fencing('succeeded')),
      seen(15, 900_000, { kind: 'quorum', node: 'n1', quorate: false }),
    ]
    expect(incidentsIn(events, start + 901_000).map(({ id }) => id)).toEqual(['i10'])
  })
  test('counts how often a service was away, in one line', () => {
    const failed = ran('web', 'n2', 'monitor', { intervalMs: 10_000, rc: 7, result: 'not running' })
    const events = [
      seen(1, 0, active({ web: ['n2'], db: ['n2'], api: ['n2'], dns: ['n2'] })),
      seen(2, 0, failed),
      seen(3, 1000, ran('web', 'n2', 'start')),
      seen(4, 5000, failed),
      seen(5, 8000, ran('web', 'n2', 'start')),
    ]
    const [incident] = incidentsIn(events, later)
    expect(incident && describeIncident(incident)).toBe(
      "web: monitor every 10 s on n2 failed with 'not running' (7); web was away 2 times, 4.0 s in all",
    )
    const four = ['db', 'api', 'dns'].map((name, at) => seen(6 + at, 9000 + at, ran(name, 'n2', 'stop')))
    const [all] = incidentsIn([...events, ...four], start + 10_000)
    expect(all && describeIncident(all)).toMatch(/db is away; api is away; dns is away; 1 more resource was away$/)
  })

  test('names three services, the worst first, and counts the rest', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const events = [
      seen(1, 0, active(Object.fromEntries(names.map((name) => [name, ['n2']])))),
      seen(2, 0, lost('n2')),
      ...names.slice(1).map((name, at) => seen(3 + at, 1000 * (at + 1), ran(name, 'n1', 'start'))),
    ]
    const [incident] = incidentsIn(events, start + 10_000)
    expect(incident && describeIncident(incident)).toBe(
      'n2 was lost; a is away; e was away for 4.0 s; d was away for 3.0 s; 2 more resources were away',
    )
  })
})

test('journals are merged by revision, each event once, as the first of them tells it', () => {
  const [early, late] = [seen(5, 9000, lost('n2')), seen(6, 100, ran('web', 'n1', 'start'))]
  const other = { ...seen(5, 50, lost('n2')), by: 'n3' }
  const quorum = seen(5, 60, { kind: 'quorum', node: 'n3', quorate: false }, 'n3')
  expect(mergeJournals([late, early, other, quorum])).toEqual([quorum, early, late])
})

test('a line that was cut, or is of another version, is passed over', () => {
  const line = JSON.stringify(seen(5, 9000, lost('n2')))
  expect(parseJournalLine(line)).toEqual(seen(5, 9000, lost('n2')))
  for (const wrong of [line.slice(0, -3), '', '[]', '{"revision":1}', line.replace('"node"', '"comet"')])
    expect(parseJournalLine(wrong)).toBeUndefined()
})

test('an event of a node whose clock is behind is shown before the beginning', () => {
  expect([sinceBegin(1214), sinceBegin(0), sinceBegin(-2791)]).toEqual(['+1.214 s', '+0.000 s', '-2.791 s'])
})
