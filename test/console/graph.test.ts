/** Graphs of the console: which lines there are, and where they stand. */
import { expect, test } from 'vitest'
import { linesBetweenSteps, placed, shortened } from '../../src/console/graph/layout.ts'
import { drawingOf } from '../../src/console/what-if/drawing.ts'

test('points between actions are bridged, and what follows from other lines is not drawn', () => {
  const lines = linesBetweenSteps([
    { id: 1, after: [], isPoint: false },
    { id: 2, after: [1], isPoint: true },
    { id: 3, after: [2], isPoint: true },
    { id: 4, after: [3, 1], isPoint: false },
    { id: 5, after: [4, 1, 3], isPoint: false },
  ])
  expect(lines).toEqual([
    [1, 4],
    [4, 5],
  ])
})

test('a loop ends', () => {
  expect(
    linesBetweenSteps([
      { id: 1, after: [2], isPoint: true },
      { id: 2, after: [1], isPoint: true },
      { id: 3, after: [1], isPoint: false },
    ]),
  ).toEqual([])
})

test('each box has its place, none lies on another one, and lines lead from box to box', () => {
  const vertices = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: `start ${id}`, kind: 'start' }))
  const line = (from: string, to: string) => ({ from, to, kind: 'order', title: '' })
  const drawing = placed(vertices, [
    line('a', 'b'),
    line('a', 'c'),
    line('b', 'd'),
    line('c', 'd'),
    line('x', 'd'),
    line('a', 'a'),
  ])
  expect(drawing.lines).toHaveLength(4)
  for (const { path } of drawing.lines) expect(path).toMatch(/^M[\d. ]+[LQ][\d. QL]+$/)
  for (const one of drawing.vertices) {
    expect(one.x).toBeGreaterThanOrEqual(0)
    expect(one.x + one.width).toBeLessThanOrEqual(drawing.width)
    expect(one.y + one.height).toBeLessThanOrEqual(drawing.height)
    for (const other of drawing.vertices)
      if (other !== one)
        expect(
          one.x + one.width <= other.x ||
            other.x + other.width <= one.x ||
            one.y + one.height <= other.y ||
            other.y + other.height <= one.y,
        ).toBe(true)
  }
})

test('two lines between the same boxes are two', () => {
  const vertices = ['a', 'b'].map((id) => ({ id, text: id, kind: 'resource' }))
  const lines = [
    { from: 'a', to: 'b', kind: 'order', title: '' },
    { from: 'a', to: 'b', kind: 'colocation', title: '' },
  ]
  const [one, other] = placed(vertices, lines).lines
  expect(one?.path).not.toBe(other?.path)
})

test('long names are cut in the box', () => {
  expect(shortened('x'.repeat(30))).toHaveLength(30)
  expect(shortened('x'.repeat(31))).toBe(`${'x'.repeat(29)}…`)
})

test('a transition says what is done where, and what it waits for', () => {
  const { vertices, lines } = drawingOf([
    { id: 1, kind: 'cluster', key: 'stonith-n3-reboot', operation: 'stonith', node: 'n3', after: [] },
    { id: 2, kind: 'pseudo', key: 'web_stop_0', operation: 'stop', resource: 'web', after: [1] },
    { id: 3, kind: 'resource', key: 'web_start_0', operation: 'start', resource: 'web', node: 'n1', after: [2] },
    {
      id: 4,
      kind: 'resource',
      key: 'web_monitor_10000',
      operation: 'monitor',
      resource: 'web',
      node: 'n1',
      intervalMs: 10_000,
      after: [3],
    },
  ])
  expect(vertices.map(({ text, kind }) => [text, kind])).toEqual([
    ['fence n3', 'fence'],
    ['start web on n1', 'start'],
    ['monitor 10 s web on n1', 'action'],
  ])
  expect(lines.map(({ title }) => title)).toEqual([
    'start web on n1 waits for: fence n3',
    'monitor 10 s web on n1 waits for: start web on n1',
  ])
})
