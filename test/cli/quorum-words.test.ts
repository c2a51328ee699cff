import { expect, test } from 'vitest'
import { othersLeft, wayOnWithQuorum } from '../../src/cli/commands/quorum/expected-votes.ts'
import { refusedOptions } from '../../src/cli/commands/quorum/update.ts'
import { parsePairs } from '../../src/cli/grammar/words.ts'

type Cluster = Parameters<typeof refusedOptions>[1]

const three: Cluster = {}
const two: Cluster = { twoNode: { fencingEnabled: true, alone: false } }

const options = [
  { name: 'two nodes wait for all already', cluster: two, words: ['wait_for_all=1'], says: undefined },
  { name: 'two nodes cannot do without', cluster: two, words: ['wait_for_all=0'], says: /not possible for two nodes/ },
  { name: 'three nodes wait for nobody already', cluster: three, words: ['wait_for_all=0'], says: undefined },
  { name: 'three nodes cannot be told to', cluster: three, words: ['wait_for_all=1'], says: /dc-deadtime/ },
  { name: 'no tie is broken by itself', cluster: three, words: ['auto_tie_breaker=0'], says: undefined },
  { name: 'nor can it be', cluster: two, words: ['auto_tie_breaker=1'], says: /quorum device add/ },
  { name: 'the last man', cluster: three, words: ['last_man_standing=1'], says: /quorum unblock/ },
  {
    name: 'the window without it',
    cluster: three,
    words: ['last_man_standing_window=1000'],
    says: /requires last_man_standing/,
  },
  { name: 'a default', cluster: two, words: ['wait_for_all=', 'auto_tie_breaker='], says: undefined },
  { name: 'no flag', cluster: two, words: ['wait_for_all=yes'], says: /Specify 0 or 1/ },
  {
    name: 'a typing mistake',
    cluster: two,
    words: ['wait_for_al=1'],
    says: /did you mean 'wait_for_all'.*Usage: systole quorum update /i,
  },
]
for (const { name, cluster, words, says } of options)
  test(`quorum update: ${name}`, () => {
    const sentences = refusedOptions(parsePairs(words, 'options'), cluster)
    if (says === undefined) expect(sentences).toEqual([])
    else expect(sentences.join(' ')).toMatch(says)
  })

test('quorum update names every option that cannot be', () => {
  const words = ['auto_tie_breaker=1', 'last_man_standing=1', 'wait_for_all=0']
  expect(refusedOptions(parsePairs(words, 'options'), three)).toHaveLength(2)
})

function fiveNodes(present: readonly string[]): Parameters<typeof othersLeft>[0] {
  const members = ['n1', 'n2', 'n3', 'n4', 'n5'].map((node) => ({
    node,
    address: node,
    state: present.includes(node) ? ('member' as const) : ('offline' as const),
    votes: true,
    links: [],
    sbdDisks: [],
  }))
  return { votes: { present: present.length, expected: 5, needed: 3 }, members, localNode: 'n1' }
}

test('of two voters that are left of five, one goes on alone and the other joins it', () => {
  expect(othersLeft(fiveNodes(['n1', 'n2']))).toMatch(
    /^Start n3 or n4 or n5 if you can\. .*systole cluster stop n2, then systole quorum unblock, then systole cluster start n2\.$/,
  )
})

test('a witness that is left beside a node is stopped on its own host', () => {
  const witness = { name: 'w', address: 'w', state: 'up' as const, votes: true }
  expect(othersLeft({ ...fiveNodes(['n1']), witness })).toContain('qdevice stop net on w, then systole quorum unblock.')
})

test('the last voter has nobody to stop', () => expect(othersLeft(fiveNodes(['n1']))).toBeUndefined())

test('with quorum, lost nodes are confirmed to be off or removed', () => {
  expect(wayOnWithQuorum(fiveNodes(['n1', 'n2', 'n3']))).toContain(
    '(systole stonith confirm n4, systole stonith confirm n5)',
  )
  expect(wayOnWithQuorum(fiveNodes(['n1', 'n2', 'n3', 'n4', 'n5']))).toContain('cluster node add')
})
