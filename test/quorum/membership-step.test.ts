import { describe, expect, test } from 'vitest'
import {
  type MembershipStep,
  nextMembershipStep,
  type StoreMember,
  type VoterNode,
  voterCount,
} from '../../src/quorum/index.ts'

const counts: readonly { readonly nodes: number; readonly configured?: number; readonly voters: number }[] = [
  { nodes: 1, voters: 1 },
  { nodes: 2, voters: 2 },
  { nodes: 3, voters: 3 },
  { nodes: 4, voters: 3 },
  { nodes: 5, voters: 5 },
  { nodes: 16, voters: 5 },
  { nodes: 16, configured: 7, voters: 7 },
  { nodes: 16, configured: 9, voters: 7 },
  { nodes: 2, configured: 3, voters: 2 },
]
for (const { nodes, configured, voters } of counts)
  test(`of ${nodes} nodes ${voters} vote${configured === undefined ? '' : ` where ${configured} are configured`}`, () =>
    expect(voterCount(nodes, configured)).toBe(voters))

/** `a` is up, `a!` fenced, `a?` silent; `w` is the witness. */
const nodes = (text: string): readonly VoterNode[] =>
  text.split(' ').map((word) => {
    const name = word.replace(/[!?]$/, '')
    return {
      name,
      id: `https://${name}`,
      state: word.endsWith('!') ? 'fenced' : word.endsWith('?') ? 'silent' : 'up',
      isWitness: name === 'w',
    }
  })
/** `a` votes, `a~` is a learner. */
const members = (text: string): readonly StoreMember[] =>
  text.split(' ').map((word) => ({ id: `https://${word.replace('~', '')}`, learner: word.endsWith('~') }))
const shown = (step: MembershipStep) => (step.kind === 'none' ? 'nothing' : `${step.kind} ${step.id.slice(8)}`)

const cases: readonly {
  readonly name: string
  readonly nodes: string
  readonly members: string
  readonly step: string
}[] = [
  { name: 'three healthy voters stay', nodes: 'a b c', members: 'a b c', step: 'nothing' },
  { name: 'the fourth node does not vote', nodes: 'a b c d', members: 'a b c', step: 'nothing' },
  {
    name: 'a fifth node makes five voters, one at a time',
    nodes: 'a b c d e',
    members: 'a b c',
    step: 'add-learner d',
  },
  { name: 'a learner is promoted before anything else', nodes: 'a b c d e', members: 'a b c d~', step: 'promote d' },
  { name: 'a learner whose node is gone leaves', nodes: 'a b c d! e', members: 'a b c d~', step: 'remove d' },
  { name: 'a silent voter may be running, and stays', nodes: 'a b c? d', members: 'a b c', step: 'nothing' },
  { name: 'a fenced voter makes room for its replacement', nodes: 'a b c! d', members: 'a b c', step: 'remove c' },
  { name: 'whose place another node then takes', nodes: 'a b c! d', members: 'a b', step: 'add-learner d' },
  {
    name: 'one fenced of three without a replacement keeps its vote',
    nodes: 'a b c!',
    members: 'a b c',
    step: 'nothing',
  },
  {
    name: 'one fenced of five without a replacement keeps its vote',
    nodes: 'a b c d e!',
    members: 'a b c d e',
    step: 'nothing',
  },
  {
    name: 'two fenced of five leave, so that one more may fail',
    nodes: 'a b c d! e!',
    members: 'a b c d e',
    step: 'remove d',
  },
  {
    name: 'a member whose node was removed from the cluster leaves',
    nodes: 'a b c',
    members: 'a b c x',
    step: 'remove x',
  },
  { name: 'a fenced node that is back votes again', nodes: 'a b c', members: 'a b', step: 'add-learner c' },
  { name: 'a witness is the third vote beside two nodes', nodes: 'a b w', members: 'a b', step: 'add-learner w' },
  { name: 'and stays it', nodes: 'a b w', members: 'a b w', step: 'nothing' },
  { name: 'it is not asked for its vote while a voter is silent', nodes: 'a b? w', members: 'a b', step: 'nothing' },
  { name: 'a fenced node keeps its vote beside a witness', nodes: 'a b! w', members: 'a b w', step: 'nothing' },
  { name: 'a silent witness keeps its vote', nodes: 'a b w?', members: 'a b w', step: 'nothing' },
  { name: 'one that stays away loses it', nodes: 'a b w!', members: 'a b w', step: 'remove w' },
  { name: 'but not while a node is silent', nodes: 'a b? w!', members: 'a b w', step: 'nothing' },
  { name: 'one node alone needs no witness', nodes: 'a w', members: 'a', step: 'nothing' },
  { name: 'and goes on without the one that it had', nodes: 'a w', members: 'a w', step: 'remove w' },
  { name: 'a third node takes a vote beside it', nodes: 'a b c w', members: 'a b w', step: 'add-learner c' },
  { name: 'and then the witness gives its own back', nodes: 'a b c w', members: 'a b c w', step: 'remove w' },
  { name: 'three nodes need no fourth vote', nodes: 'a b c w', members: 'a b c', step: 'nothing' },
  { name: 'a witness takes the place of a fenced node', nodes: 'a b c! w', members: 'a b c', step: 'remove c' },
  { name: 'as the third vote again', nodes: 'a b c! w', members: 'a b', step: 'add-learner w' },
  { name: 'with a witness four nodes vote', nodes: 'a b c d w', members: 'a b c', step: 'add-learner d' },
  { name: 'and are five votes with it', nodes: 'a b c d w', members: 'a b c d', step: 'add-learner w' },
  { name: 'without it three of them vote again', nodes: 'a b c d', members: 'a b c d', step: 'remove d' },
  { name: 'five of six nodes vote, and no witness', nodes: 'a b c d e f w', members: 'a b c d e', step: 'nothing' },
]
describe('the next step of the membership', () => {
  for (const { name, nodes: are, members: have, step } of cases)
    test(name, () => expect(shown(nextMembershipStep({ nodes: nodes(are), members: members(have) }))).toBe(step))

  test('losing node after node, with a replacement or without, never takes a vote from a majority', () => {
    for (const start of ['a b c d e f', 'a b c d e', 'a b c d', 'a b c', 'a b c d w', 'a b c w', 'a b w']) {
      let present = nodes(start)
      let voting = [
        ...members(
          present
            .slice(0, voterCount(present.length))
            .map(({ name }) => name)
            .join(' '),
        ),
      ]
      for (const lost of present.map(({ name }) => name)) {
        const up = () => voting.filter(({ id }) => present.some((node) => node.id === id && node.state === 'up'))
        const before = present
        present = present.map((node) => (node.name === lost ? { ...node, state: 'fenced' } : node))
        if (up().length <= voting.length / 2) {
          present = before
          break
        }
        for (let steps = 0; steps < 20; steps++) {
          const step = nextMembershipStep({ nodes: present, members: voting })
          if (step.kind === 'none') break
          if (step.kind === 'remove') voting = voting.filter(({ id }) => id !== step.id)
          if (step.kind === 'add-learner') voting.push({ id: step.id, learner: true })
          if (step.kind === 'promote') voting = voting.map((member) => ({ ...member, learner: false }))
          const voters = voting.filter(({ learner }) => !learner)
          const living = up().filter(({ learner }) => !learner)
          expect(living.length, `${start}: ${lost} lost, ${shown(step)}`).toBeGreaterThan(voters.length / 2)
        }
      }
      // Six, five and four nodes shrink to two; three without spare nodes stop at two of three.
      expect(present.filter(({ state }) => state === 'up').length).toBeLessThanOrEqual(2)
    }
  })
})
