import { expect, test } from 'vitest'
import type { Call } from '../../src/cli/call/command.ts'
import { type Concerned, verdict, waitUntilSettled } from '../../src/cli/change/wait.ts'
import { type ClusterState, NoAnswerError } from '../../src/rpc/index.ts'

const web = 'web is blocked after a failure on alpha until `systole resource cleanup web`'
const fencing = 'fencing of gamma failed once: no power'

type Transition = ClusterState['transition']

const transition = (state: Transition['state'], some: Partial<Transition> = {}): Transition => ({
  state,
  number: 1,
  computedVersion: 1,
  pending: [],
  blockedBy: [],
  blockedResources: [],
  ...some,
})

const blockedWeb = transition('blocked', { blockedBy: [web], blockedResources: ['web:1'] })

const cases: readonly {
  readonly name: string
  readonly transition: Transition
  readonly concerned: Concerned
  readonly settled: boolean | undefined
  readonly names?: string
}[] = [
  { name: 'an idle cluster has settled', transition: transition('idle'), concerned: new Set(['db']), settled: true },
  { name: 'one that is at work has not yet', transition: transition('running'), concerned: 'all', settled: undefined },
  {
    name: 'one that waits for what passes by itself has not yet',
    transition: transition('computing', {
      blockedBy: ['gamma is heard and has no lease: it is given the time to register'],
    }),
    concerned: 'all',
    settled: undefined,
  },
  {
    name: 'an old failure of another resource is named and fails nothing',
    transition: blockedWeb,
    concerned: new Set(['db']),
    settled: true,
    names: web,
  },
  {
    name: 'a failure of the resource itself, or of an instance of it, fails the command',
    transition: blockedWeb,
    concerned: new Set(['web']),
    settled: false,
    names: web,
  },
  {
    name: 'a command about the whole cluster fails by any',
    transition: blockedWeb,
    concerned: 'all',
    settled: false,
    names: web,
  },
  {
    name: 'what holds up the whole cluster fails every command',
    transition: transition('blocked', { blockedBy: [fencing, web], blockedResources: ['web'] }),
    concerned: new Set(['db']),
    settled: false,
    names: fencing,
  },
]
for (const { name, transition: seen, concerned, settled, names = '' } of cases)
  test(name, () => {
    const answer = verdict(seen, concerned)
    expect(answer?.settled).toBe(settled)
    expect(answer?.message ?? '').toContain(names)
  })

const seenWith = (states: Readonly<Record<string, 'offline' | 'member'>>): ClusterState =>
  ({
    quorate: true,
    dc: 'alpha',
    transition: transition('idle'),
    members: Object.entries(states).map(([node, state]) => ({ node, state })),
  }) as unknown as ClusterState

const ended = new NoAnswerError('The connection to the daemon ended without an answer.', undefined)

/** A daemon that tells these states, ends at an error, and is there again; after the last one it tells nothing more. */
function callTold(states: readonly (ClusterState | Error)[]): { readonly call: Call; readonly told: () => number } {
  let told = 0
  const watchState = async (
    _: object,
    on: (state: ClusterState) => void,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> => {
    for (const state of states.slice(told)) {
      if (signal.aborted) return
      told += 1
      if (state instanceof Error) throw state
      on(state)
    }
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  const call = { cluster: { live: { watchState } }, terminal: { progress: () => undefined } } as unknown as Call
  return { call, told: () => told }
}

const start = { version: 0, concerned: new Set<string>(), members: ['alpha', 'beta'] }

test('a cluster that has nothing to do has not settled before the nodes that were started take part', async () => {
  const { call, told } = callTold([
    seenWith({ alpha: 'member', beta: 'offline' }),
    seenWith({ alpha: 'member', beta: 'member' }),
  ])
  expect(await waitUntilSettled(call, { ...start, wait: '30' })).toMatchObject({ settled: true })
  expect(told()).toBe(2)
})

test('a node that was started and does not come is named', async () => {
  const { call } = callTold([seenWith({ alpha: 'member', beta: 'offline' })])
  expect(await waitUntilSettled(call, { ...start, wait: '0.05s' })).toEqual({
    settled: false,
    message: 'Not in the cluster after 0.05 s: beta.',
  })
})

const busy: ClusterState = { ...seenWith({}), transition: transition('running', { pending: ['web start on beta'] }) }
const change = { version: 1, concerned: new Set<string>(), wait: '30' }

test('a daemon that ends while a command waits is asked again once it is back', async () => {
  const { call, told } = callTold([busy, ended, busy, ended, seenWith({})])
  expect(await waitUntilSettled(call, change)).toEqual({ settled: true, message: 'The cluster has settled.' })
  expect(told()).toBe(5)
})

test('a daemon that ends by agreement is asked again, too', async () => {
  let watched = 0
  const watchState = async (_: object, on: (state: ClusterState) => void): Promise<void> => {
    watched += 1
    on(watched === 1 ? busy : seenWith({}))
    await Promise.resolve()
  }
  const call = { cluster: { live: { watchState } }, terminal: { progress: () => undefined } } as unknown as Call
  expect(await waitUntilSettled(call, change)).toMatchObject({ settled: true })
  expect(watched).toBe(2)
})

test('a daemon that does not come back is named when the time is over', async () => {
  const { call } = callTold([busy, ...Array<Error>(9).fill(ended)])
  expect(await waitUntilSettled(call, { ...change, wait: '0.6s' })).toEqual({
    settled: false,
    message: `Whether the cluster settled within 0.6 s is unknown: ${ended.message} The change was saved.`,
  })
})

const { dc: _, ...withoutDc } = seenWith({})
const leaderless: readonly { readonly name: string; readonly state: ClusterState; readonly says: string }[] = [
  { name: 'without quorum', state: { ...seenWith({}), quorate: false }, says: 'this node has no quorum' },
  { name: 'between two DCs', state: withoutDc, says: 'the cluster has no DC' },
]
for (const { name, state, says } of leaderless) {
  test(`the last word of the DC before settles nothing ${name}`, async () => {
    expect(await waitUntilSettled(callTold([state, seenWith({})]).call, change)).toMatchObject({ settled: true })
    expect(await waitUntilSettled(callTold([state]).call, { ...change, wait: '0.05s' })).toEqual({
      settled: false,
      message: `The cluster did not settle within 0.05 s: ${says}. The change was saved.`,
    })
  })
}
