import { expect, test } from 'vitest'
import { arrivalOf, type Happening, incidentsIn, type JournalEvent, type Place } from '../../src/journal/index.ts'

const start = Date.parse('2026-11-28T03:09:00.000Z')
const seen = (revision: number, ms: number, what: Happening): JournalEvent => ({
  revision,
  at: start + ms,
  by: 'n1',
  what,
})
const ran = (resource: string, node: string, operation: string, rc = 0): Happening => {
  const facts = { intervalMs: 0, rc, expected: 0, status: 0, execMs: 10, result: rc === 0 ? 'ok' : 'error' }
  return { kind: 'operation', node, resource, operation, ...facts }
}
const begun: Happening = { kind: 'begun', active: { web: ['n2'] }, nodes: ['n1', 'n2'] }
const configured = (version: number): Happening => ({ kind: 'configuration', version })
const web: Place = { resource: 'web', node: 'n1', isPromoted: false, alsoOn: [] }
const arrival = (events: readonly JournalEvent[], place = web) =>
  arrivalOf(place, events, incidentsIn(events, start + 3_600_000))

test('a resource that was recovered came in the incident, from the node that was lost', () => {
  const events = [
    seen(1, 0, begun),
    seen(5, 60_000, { kind: 'node', node: 'n2', became: 'lost' }),
    seen(6, 60_300, ran('web', 'n1', 'start')),
  ]
  expect(arrival(events)).toMatchObject({ at: start + 60_300, from: 'n2', incident: { id: 'i5' } })
})

test('the last start counts, not one that failed, nor one on another node', () => {
  const events = [
    seen(1, 0, begun),
    seen(2, 1000, ran('web', 'n1', 'start')),
    seen(3, 2000, ran('web', 'n1', 'start', 1)),
    seen(4, 3000, ran('web', 'n3', 'start')),
    seen(5, 4000, ran('db', 'n1', 'start')),
  ]
  expect(arrival(events)).toMatchObject({ at: start + 1000, from: 'n2' })
})

test('outside of incidents it came after the change that was made just before it left', () => {
  const events = [
    seen(1, 0, begun),
    seen(2, 100_000, configured(7)),
    seen(3, 100_200, ran('web', 'n2', 'stop')),
    // It took longer than a change may lie back.
    seen(4, 130_000, configured(8)),
    seen(5, 130_200, ran('web', 'n1', 'start')),
  ]
  const found = arrival(events)
  expect(found).toMatchObject({ from: 'n2', after: 7 })
  expect(found).not.toHaveProperty('incident')
  const old = [seen(1, 0, begun), seen(2, 1000, configured(7)), seen(3, 100_000, ran('web', 'n1', 'start'))]
  expect(arrival(old)).not.toHaveProperty('after')
})

test('an instance did not come from where another one is, and is found by the name that its history has', () => {
  const events = [
    seen(1, 0, { ...begun, active: {} }),
    seen(2, 1000, ran('web:0', 'n2', 'start')),
    seen(3, 2000, ran('web:1', 'n1', 'start')),
  ]
  expect(arrival(events, { ...web, alsoOn: ['n2'] })).toEqual({ ...web, alsoOn: ['n2'], at: start + 2000 })
})

test('a promoted instance: since it was promoted, and from where it was promoted before', () => {
  const events = [
    seen(1, 0, ran('db', 'n1', 'start')),
    seen(2, 1000, ran('db', 'n2', 'promote')),
    seen(3, 2000, ran('db', 'n2', 'demote')),
    seen(4, 3000, ran('db', 'n1', 'promote')),
  ]
  const place = { resource: 'db', node: 'n1', isPromoted: true, alsoOn: [] }
  expect(arrival(events, place)).toMatchObject({ at: start + 3000, from: 'n2' })
})

test('migrated, or started again where it was', () => {
  const migrated = [seen(1, 0, begun), seen(2, 1000, ran('web', 'n1', 'migrate_from'))]
  expect(arrival(migrated)).toMatchObject({ from: 'n2', at: start + 1000 })
  const again = [seen(1, 0, { ...begun, active: { web: ['n1'] } }), seen(2, 1000, ran('web', 'n1', 'start'))]
  expect(arrival(again)).toMatchObject({ from: 'n1' })
})

test('nothing is said where the journals begin later', () => {
  expect(arrival([seen(1, 0, begun)])).toBeUndefined()
})
