/** What the console makes of the event stream: the same status that it would be told if it asked. */
import { expect, test } from 'vitest'
import { afterEvent, eventReader, type Status } from '../../src/console/base/event-stream.ts'
import { changesBetween } from '../../src/web/changes.ts'

test('events are read however the text is cut', () => {
  const text = ':\n\nid: a-1\nevent: change\ndata: {"part":"dc","value":"n: 2"}\n\nevent: end\ndata: {}\n\n'
  for (let at = 0; at <= text.length; at += 1) {
    const read = eventReader()
    expect([...read(text.slice(0, at)), ...read(text.slice(at))]).toEqual([
      { id: 'a-1', event: 'change', data: { part: 'dc', value: 'n: 2' } },
      { id: '', event: 'end', data: {} },
    ])
  }
})

const statuses = [
  { dc: 'n1', nodes: [{ name: 'n1' }, { name: 'n2' }], resources: [{ id: 'a', x: 1 }] },
  { dc: 'n2', nodes: [{ name: 'n1', online: false }, { name: 'n2' }], resources: [{ id: 'a', x: 1 }] },
  {
    dc: 'n2',
    nodes: [{ name: 'n2' }],
    resources: [
      { id: 'a', x: 2 },
      { id: 'c', y: 0 },
      { id: 'c', y: 1 },
    ],
  },
  {
    dc: null,
    nodes: [],
    resources: [
      { id: 'a', x: 2 },
      { id: 'c', y: 1 },
    ],
  },
  { dc: 'n1', nodes: [{ name: 'n1' }], resources: [], failures: ['z'] },
]

test('a snapshot and the changes after it make each status that the server had', () => {
  let shown = afterEvent(undefined, { id: '', event: 'snapshot', data: statuses[0] })
  for (const [at, after] of statuses.entries()) {
    const before = statuses[at - 1] ?? after
    for (const data of changesBetween(before, after)) shown = afterEvent(shown, { id: '', event: 'change', data })
    expect(shown).toEqual(after)
  }
})

test('a change before the first snapshot is nothing, an unknown event changes nothing', () => {
  expect(afterEvent(undefined, { id: '', event: 'change', data: { part: 'dc', value: 'n1' } })).toBeUndefined()
  const status = { configured: false } as Status
  expect(afterEvent(status, { id: '', event: 'end', data: {} })).toBe(status)
})
