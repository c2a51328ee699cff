import { expect, test } from 'vitest'
import type { Call } from '../../src/cli/call/command.ts'
import { quorumDeviceUpdate } from '../../src/cli/commands/quorum/device-update.ts'
import type { ClusterStateWitness } from '../../src/rpc/index.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

/** What the command asks of a cluster whose witness is w1 at 10.0.0.9, which the host's names have at another address. */
async function asked(words: readonly string[], state: ClusterStateWitness['state']) {
  const calls: string[] = []
  const taking = (verb: string) => (host: { readonly name: string; readonly address: string }) => {
    calls.push(`${verb} ${host.name} ${host.address}`)
    return Promise.resolve({ token: 't', validUntil: 'then' })
  }
  const witness: ClusterStateWitness = { name: 'w1', address: '10.0.0.9', state, votes: false }
  const live = {
    getState: () => Promise.resolve({ configured: true, started: true, localNode: 'n1', members: [], witness }),
    addWitness: taking('add'),
    replaceWitness: taking('replace'),
  }
  const terminal = { ...scriptedTerminal(), resolve: () => Promise.resolve('10.0.0.1') }
  const call = {
    command: quorumDeviceUpdate,
    words: ['model', ...words],
    flags: new Map(),
    cluster: { live },
    terminal,
  }
  const outcome = await quorumDeviceUpdate.run(call as unknown as Call)
  return { calls, text: outcome.kind === 'done' ? outcome.text : '' }
}

test('the present witness that has not joined gets another token, at the address that it has', async () => {
  const { calls, text } = await asked(['host=w1'], 'silent')
  expect(calls).toEqual(['add w1 10.0.0.9'])
  expect(text).toContain('--token - <<< t')
})

for (const state of ['up', 'stopped'] as const)
  test(`one that is ${state} stays as it is`, async () => {
    const { calls, text } = await asked(['host=w1'], state)
    expect(calls).toEqual([])
    expect(text).toMatch(/already the witness/)
  })

test('without a host nothing is changed', async () =>
  expect((await asked(['algorithm=ffsplit'], 'silent')).calls).toEqual([]))

test('another host, or another address that is written, takes its place', async () => {
  expect((await asked(['host=w2'], 'up')).calls).toEqual(['replace w2 10.0.0.1'])
  expect((await asked(['host=w1', 'addr=w1.example'], 'up')).calls).toEqual(['replace w1 10.0.0.1'])
})
