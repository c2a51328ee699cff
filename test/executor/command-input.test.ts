/** What the commands of a DC ask of an executor. */
import { expect, test } from 'vitest'
import { inputOfCommand } from '../../src/executor/index.ts'
import { stopOfWeb } from '../node/driven-node.ts'

const command = {
  term: 3,
  plannedFrom: 9,
  transitionKey: '1:2:0:00000000-0000-4000-8000-000000000000',
  timeoutMs: 1000,
}
const asked = (more: object): ReturnType<typeof inputOfCommand> =>
  inputOfCommand({ ...command, action: { ...stopOfWeb, ...more } as typeof stopOfWeb })

test.each(['lrm_delete', 'delete'])('%s has a history forgotten, and asks no agent', (operation) => {
  expect(asked({ operation })).toEqual({ kind: 'forget', term: 3, resource: 'web' })
  expect(asked({ operation, resource: undefined })).toBe(`${operation} names no resource.`)
})

test('a cancel names the operation and its interval', () =>
  expect(asked({ operation: 'cancel', attributes: { CRM_meta_interval: '10000' } })).toEqual({
    kind: 'cancel',
    term: 3,
    resource: 'web',
    operation: 'monitor',
    intervalMs: 10_000,
  }))

test('every other operation is the agent’s, planned from what the DC knew', () =>
  expect(asked({})).toMatchObject({ kind: 'execute', operation: { operation: 'stop', term: 3, plannedFrom: 9 } }))

test('what is no key of a transition, or no operation of an executor, is not understood', () => {
  expect(inputOfCommand({ ...command, transitionKey: 'x', action: stopOfWeb })).toBe('x is not a transition key.')
  expect(asked({ kind: 'cluster', operation: 'do_shutdown' })).toContain('does not support do_shutdown')
})
