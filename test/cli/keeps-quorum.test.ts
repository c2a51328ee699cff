import { expect, test } from 'vitest'
import { quorumLostBy } from '../../src/cli/commands/cluster/keeps-quorum.ts'

const voters = ['n1', 'n2', 'n3']
type Votes = Parameters<typeof quorumLostBy>[0]

function cluster(present: readonly string[], more: Partial<Votes> = {}): Votes {
  const members = [...voters, 'n4'].map((node) => ({
    node,
    address: node,
    state: present.includes(node) ? ('member' as const) : ('offline' as const),
    votes: voters.includes(node),
    links: [],
    sbdDisks: [],
  }))
  return {
    quorate: true,
    votes: { present: 3, expected: 3, needed: 2 },
    members,
    store: { kind: 'etcd', healthy: true },
    ...more,
  }
}

/** Two nodes vote, and a witness. */
function beside(state: 'up' | 'silent', more: { readonly joiningVote?: boolean } = {}): Votes {
  const { members, ...others } = cluster(['n1', 'n2'])
  const witness = { name: 'w', address: 'w', state, votes: true, ...more }
  return { ...others, members: members.filter(({ node }) => node === 'n1' || node === 'n2'), witness }
}

const all = [...voters, 'n4']
const cases = [
  { name: 'one voter of three', state: cluster(all), stop: ['n1'], asks: false },
  { name: 'two voters of three', state: cluster(all), stop: ['n1', 'n2'], asks: true },
  { name: 'a voter, where one is away already', state: cluster(['n2', 'n3']), stop: ['n2'], asks: true },
  { name: 'a node without a vote', state: cluster(['n2', 'n3', 'n4']), stop: ['n4'], asks: false },
  { name: 'everybody who is there', state: cluster(['n2', 'n3']), stop: ['n2', 'n3'], asks: false },
  { name: 'a node without quorum', state: cluster(['n1'], { quorate: false }), stop: ['n1'], asks: false },
  {
    name: 'one of two',
    state: cluster(['n1', 'n2'], { twoNode: { fencingEnabled: true, alone: false } }),
    stop: ['n1'],
    asks: false,
  },
  { name: 'one of two beside a witness', state: beside('up'), stop: ['n1'], asks: false },
  {
    name: 'one of two whose witness still copies the store',
    state: { ...beside('up', { joiningVote: true }), votes: { present: 2, expected: 2, needed: 2 } },
    stop: ['n1'],
    asks: true,
  },
  { name: 'one of two whose witness is silent', state: beside('silent'), stop: ['n1'], asks: true },
  {
    name: 'a node whose store is elsewhere',
    state: cluster(['n1', 'n2'], { store: { kind: 'external', healthy: true } }),
    stop: ['n1'],
    asks: false,
  },
]
for (const { name, state, stop, asks } of cases)
  test(`stopping ${name} ${asks ? 'asks for --force' : 'is done'}`, () =>
    expect(quorumLostBy(state, new Set(stop)) !== undefined).toBe(asks))

test('what would be lost is told', () =>
  expect(quorumLostBy(cluster(voters), new Set(['n1', 'n2']))).toBe(
    'Without n1, n2, only 1 of the 2 required votes are left: n3 would lose quorum and stop their resources. Start other nodes first, stop all nodes with --all, or add --force.',
  ))
