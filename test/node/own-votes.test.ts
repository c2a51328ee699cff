/** What the DC decides of votes: when it changes one, in which order, and when it waits. */
import { describe, expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { keys } from '../../src/controller/index.ts'
import type { NodeState, VotesEffect, VotesInput } from '../../src/node/index.ts'
import { DrivenNode, incarnation, self } from './driven-node.ts'

const [n2, n3, n4] = ['n2', 'n3', 'n4'].map(nodeName) as [NodeName, NodeName, NodeName]
const witness = nodeName('w')
type List = NodeState['list']

/** `n1 n2-`: n2 has no vote. */
function list(text: string, nodesVersion = 1, store = 'etcd'): List {
  const hosts = text.split(' ').map((word) => ({ name: nodeName(word.replace('-', '')), votes: !word.endsWith('-') }))
  const umpire = hosts.find(({ name }) => name === witness)
  const nodes = hosts.filter((host) => host !== umpire)
  return { nodes, ...(umpire === undefined ? {} : { witness: umpire }), nodesVersion, store: { kind: store } }
}

class Voting extends DrivenNode {
  static leads(text: string, { dc = self, store = 'etcd' } = {}): Voting {
    const node = new Voting({ met: true, list: list(text, 1, store) })
    node.runs()
    for (const name of [n2, n3, n4]) node.here(name)
    node.store({ kind: 'put', key: keys.dc, value: { node: dc }, createRevision: 7, lease: 'L1' })
    node.quorum(3_600_000)
    return node
  }

  here(node: NodeName): void {
    const value = { node, id: '2', incarnation, address: 'b', daemonVersion: '', state: 'member', since: 0 }
    this.store({ kind: 'put', key: keys.member(node), value, createRevision: 5, lease: `L-${node}` })
  }

  votes(input: VotesInput): void {
    this.feed({ kind: 'votes', input })
  }

  get wanted(): readonly VotesEffect[] {
    return this.of('votes').map(({ effect }) => effect)
  }

  get last(): VotesEffect | undefined {
    return this.wanted.at(-1)
  }

  /** Nobody is there by mistake. */
  searched(): this {
    expect(this.last).toEqual({ kind: 'remove-strangers' })
    this.votes({ kind: 'done' })
    return this
  }
}

describe('the DC', () => {
  test('gives a missing vote: the list says so, and nothing else is asked for', () => {
    const node = Voting.leads('n1 n2 n3-').searched()
    expect(node.wanted).toHaveLength(2)
    expect(node.last).toEqual({ kind: 'change-list', host: n3, votes: true })
  })

  test('takes a vote from the store before the list says so', () => {
    const node = Voting.leads('n1 n2 n3 n4').searched()
    expect(node.last).toEqual({ kind: 'ask-joining' })
    node.votes({ kind: 'joining', hosts: [] })
    expect(node.last).toEqual({ kind: 'remove-member', host: n4 })
    node.votes({ kind: 'removed' })
    expect(node.last).toEqual({ kind: 'change-list', host: n4, votes: false })
  })

  test('takes no vote while another copies the store, and asks again', () => {
    const node = Voting.leads('n1 n2 n3 n4').searched()
    node.votes({ kind: 'joining', hosts: [n3] })
    expect(node.last).toEqual({ kind: 'ask-joining' })
    const before = node.wanted.length
    node.later(1900)
    expect(node.wanted).toHaveLength(before)
    node.later(200)
    expect(node.wanted).toHaveLength(before + 1)
    node.votes({ kind: 'joining', hosts: [n4] })
    expect(node.last).toEqual({ kind: 'remove-member', host: n4 })
  })

  test('changes one vote at a time, and goes on as soon as the list has changed', () => {
    const node = Voting.leads('n1 n2- n3-').searched()
    expect(node.last).toEqual({ kind: 'change-list', host: n2, votes: true })
    node.feed({ kind: 'tick' })
    expect(node.wanted).toHaveLength(2)
    node.votes({ kind: 'done' })
    // The list that this node knows is the old one for a moment.
    expect(node.wanted).toHaveLength(2)
    node.feed({ kind: 'list', list: list('n1 n2 n3-', 2) })
    node.searched()
    expect(node.last).toEqual({ kind: 'change-list', host: n3, votes: true })
  })

  test('tries again after a while where a change has failed, and says so', () => {
    const node = Voting.leads('n1 n2 n3-').searched()
    node.votes({ kind: 'failed', why: 'no answer' })
    expect(node.of('log').at(-1)).toMatchObject({ level: 'warn', fields: { node: n3, error: 'no answer' } })
    expect(node.wanted).toHaveLength(2)
    node.later(2100)
    expect(node.wanted).toHaveLength(3)
  })

  test('looks for strangers after each change of the list, soon after it, and then every minute', () => {
    const node = Voting.leads('n1 n2 n3').searched()
    node.later(9_000)
    expect(node.wanted).toHaveLength(1)
    node.later(2_000)
    node.searched()
    node.later(58_000)
    expect(node.wanted).toHaveLength(2)
    node.later(3_000)
    node.searched()
    node.feed({ kind: 'list', list: list('n1 n2 n3', 2) })
    expect(node.wanted).toHaveLength(4)
  })

  test('keeps the vote of one that is silent, and takes that of one that was fenced', () => {
    const node = Voting.leads('n1 n2 n3 n4-').searched()
    node.feed({ kind: 'heartbeats', peers: [{ node: n3, state: 'silent' }], agreed: [] })
    node.store({ kind: 'delete', key: keys.member(n3) })
    expect(node.wanted).toHaveLength(1)
    const fenced = { node: n3, id: '2', inCcm: false, crmd: 'offline', join: 'down', expected: 'down' }
    node.store({
      kind: 'put',
      key: keys.nodeState(n3),
      value: { ...fenced, attributes: { node_fenced: '1' } },
      createRevision: 9,
    })
    expect(node.last).toEqual({ kind: 'ask-joining' })
  })

  test('leaves a node that is removed its vote while the others would be no majority without it', () => {
    const node = Voting.leads('n1 n2 n3').searched()
    const { nodes, ...rest } = list('n1 n2 n3', 2)
    const leaving = nodes.map((host) => (host.name === n3 ? { ...host, leaving: true as const } : host))
    node.feed({ kind: 'heartbeats', peers: [{ node: n2, state: 'silent' }], agreed: [] })
    node.feed({ kind: 'list', list: { ...rest, nodes: leaving } })
    node.searched()
    expect(node.wanted).toHaveLength(2)
    node.feed({ kind: 'heartbeats', peers: [{ node: n2, state: 'heard' }], agreed: [] })
    expect(node.last).toEqual({ kind: 'ask-joining' })
  })

  test('gives the witness a vote while it is of use', () => {
    const node = Voting.leads('n1 n2 w-').searched()
    expect(node.wanted).toHaveLength(1)
    node.votes({ kind: 'witness', state: 'up' })
    expect(node.last).toEqual({ kind: 'change-list', host: witness, votes: true })
  })

  test('lists nothing when an answer comes that nothing waits for', () => {
    const node = Voting.leads('n1 n2 n3').searched()
    node.votes({ kind: 'removed' })
    node.votes({ kind: 'joining', hosts: [] })
    expect(node.wanted).toHaveLength(1)
  })
})

describe('nothing is changed', () => {
  test('by a node that is not the DC', () => {
    expect(Voting.leads('n1 n2 n3-', { dc: n2 }).wanted).toEqual([])
  })

  test('in a cluster without etcd', () => {
    expect(Voting.leads('n1 n2 n3-', { store: 'embedded' }).wanted).toEqual([])
  })

  test('without quorum', () => {
    const node = Voting.leads('n1 n2 n3').searched()
    node.quorum(-1)
    node.feed({ kind: 'list', list: list('n1 n2 n3-', 2) })
    expect(node.wanted).toHaveLength(1)
  })
})
