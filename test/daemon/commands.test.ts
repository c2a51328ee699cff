import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { type CommandSides, sendCommand } from '../../src/daemon/node/commands.ts'
import { notAdmitted } from '../../src/daemon/node-list/refusal-codes.ts'
import { checked, resourceForm } from '../../src/rpc/forms/words.ts'
import { refuse } from '../../src/rpc/index.ts'

/** What goes over the wire for an operation on another node. */
async function sent(operation: string): Promise<unknown> {
  const texts: string[] = []
  const execute = async ({ action }: { readonly action: string }) => {
    texts.push(action)
    return { accepted: true, done: true, why: '', highestTerm: 1, message: '' }
  }
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const sides = { self: nodeName('n1'), peers: { to: () => ({ execute }) }, log, feed: () => undefined }
  const action = {
    kind: 'resource',
    id: 1,
    inputs: [],
    attributes: {},
    priority: 0,
    resource: resourceId('web'),
    operation,
    intervalMs: 0,
    key: `web_${operation}_0`,
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    node: nodeName('n2'),
    nodeId: '2',
    downed: [],
  } as const
  const command = { term: 1, plannedFrom: 1, transition: 1, transitionKey: '1:1:0:u', timeoutMs: 1, action }
  await sendCommand({ kind: 'execute', node: nodeName('n2'), ...command }, sides as unknown as CommandSides)
  return JSON.parse(texts[0] ?? '')
}

test('a history that is to be forgotten is asked for in the word that every version knows', async () =>
  expect(await sent('delete')).toMatchObject({ kind: 'cluster', operation: 'lrm_delete', resource: 'web', node: 'n2' }))

test('every other operation goes out as it is', async () =>
  expect(await sent('stop')).toMatchObject({ kind: 'resource', operation: 'stop', resource: 'web' }))

test.each([
  {
    what: 'what another node does not understand was refused',
    error: refuse('bad-message', 'an action'),
    why: 'refused',
  },
  { what: 'a call that was refused by who called as well', error: refuse(notAdmitted[0] ?? '', 'no'), why: 'refused' },
  { what: 'of a call that broke nobody knows whether it arrived', error: new Error('reset'), why: 'unknown' },
  { what: 'nor of one that was refused later', error: refuse('busy', 'later'), why: 'unknown' },
])('$what', async ({ error, why }) => {
  const execute = () => Promise.reject(error)
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const sides = { self: nodeName('n1'), peers: { to: () => ({ execute }) }, log, feed: () => undefined }
  const command = { term: 1, plannedFrom: 1, transition: 1, transitionKey: '1:1:0:u', timeoutMs: 1, action: {} }
  const effect = { kind: 'execute', node: nodeName('n2'), ...command } as never
  expect(await sendCommand(effect, sides as unknown as CommandSides)).toMatchObject({
    kind: 'not-taken',
    why,
  })
})

test('a name that is longer than names may be today passes the door', () => {
  const long = 'a'.repeat(260)
  expect(checked(resourceForm, 'a name', long)).toBe(long)
  expect(() => checked(resourceForm, 'a name', 'a'.repeat(5000))).toThrow('a name is too long')
})
