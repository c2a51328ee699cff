/** What the DC does with tasks: those of a node that is off, and those that ended long ago. */
import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { cleanTasks, type OffNode, type TaskRecord } from '../../src/jobs/index.ts'

const now = Date.parse('2026-11-23T18:00:00.000Z')
const dayMs = 24 * 3_600_000
const at = (ms: number): string => new Date(ms).toISOString()
const task = (id: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  node: nodeName('n1'),
  argv: ['true'],
  timeoutMs: 1000,
  owner: { kind: 'job', name: 'j1', user: 'root' },
  state: 'done',
  ended: at(now),
  ...more,
})
const cleaned = (tasks: readonly TaskRecord[], more: { readonly off?: OffNode; readonly isOwned?: boolean } = {}) =>
  cleanTasks(tasks, { off: () => more.off, isOwned: () => more.isOwned ?? false, now })

test('a task that ended more than seven days ago goes, unless its job is still listed', () => {
  const tasks = [task('old', { ended: at(now - 7 * dayMs - 1) }), task('week', { ended: at(now - 7 * dayMs) })]
  expect(cleaned(tasks)).toEqual([{ kind: 'delete', id: 'old' }])
  expect(cleaned(tasks, { isOwned: true })).toEqual([])
})

test('of more than 2000 that ended the oldest go; one that runs stays', () => {
  const ended = Array.from({ length: 2002 }, (_, index) => task(`t${index}`, { ended: at(now - index) }))
  expect(cleaned([task('runs', { state: 'running' }), ...ended])).toEqual([
    { kind: 'delete', id: 't2001' },
    { kind: 'delete', id: 't2000' },
  ])
})

test('what ran on a node that is off is lost, what was to be cancelled there is, and what is ready waits', () => {
  const tasks = [
    task('runs', { state: 'running' }),
    task('unwanted', { state: 'ready', cancel: true }),
    task('ready', { state: 'ready' }),
    task('over'),
  ]
  expect(cleaned(tasks)).toEqual([])
  expect(cleaned(tasks, { off: {} })).toMatchObject([
    { kind: 'change', record: { id: 'runs', state: 'lost', ended: at(now) } },
    { kind: 'change', record: { id: 'unwanted', state: 'cancelled', ended: at(now) } },
  ])
})

test('a node that was fenced has booted, and has claimed a task before it is a member again: that one is not lost', () => {
  const tasks = [
    task('before', { state: 'running', incarnation: 1000 }),
    task('earlier', { state: 'running', incarnation: 900 }),
    task('since', { state: 'running', incarnation: 2000 }),
    task('of an older build', { state: 'running' }),
  ]
  const lost = cleaned(tasks, { off: { incarnation: 1000 } }).flatMap((one) =>
    one.kind === 'change' ? one.record.id : [],
  )
  expect(lost).toEqual(['before', 'earlier', 'of an older build'])
})
