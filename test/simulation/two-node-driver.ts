/** The driver of the rules for two nodes: fencing without a majority, and the store that becomes the survivor's own. */
import type { NodeName } from '../../src/base/index.ts'
import { keys, knownIncarnation } from '../../src/controller/index.ts'
import { withVote } from '../../src/daemon/node-list/node-list.ts'
import { peerViews } from '../../src/membership/index.ts'
import {
  actedWithoutThisNode,
  judgeConfirmationOfTwo,
  judgeEarlierConfirmation,
  livesThatAreOver,
  type OtherAnswer,
  type RegisteredHere,
} from '../../src/node/index.ts'
import {
  hasVote,
  type TwoNodeEffect,
  type TwoNodeInput,
  type TwoNodeSituation,
  type WhyPeerIsOff,
} from '../../src/quorum/index.ts'
import type { SimDaemon } from './daemon.ts'

export class TwoNodeDriver {
  readonly #life: SimDaemon
  /** Which life of the other is being fenced. */
  #fences: number | undefined
  #underWay = false
  /** Fenced by this node, and not there since. */
  #offSince: NodeName | undefined
  #fencedAt = 0

  constructor(life: SimDaemon) {
    this.#life = life
  }

  #feed(input: TwoNodeInput): void {
    this.#life.core.feed({ kind: 'two-node', input })
  }

  look(): void {
    this.#noteHeard()
    const { node, host, world } = this.#life
    // Its etcd finds out by itself that the other has taken it out.
    const isWhole = host.hasData && world.store.voters.includes(node)
    if (isWhole !== this.#life.core.state.hasWholeCopy) this.#life.core.feed({ kind: 'copy', isWhole })
    if (this.#life.otherOfTwo() === undefined) this.#settle(undefined)
  }

  /** How it is with the other of two has changed. */
  seen(situation: TwoNodeSituation | undefined): void {
    if (situation !== undefined) this.#settle(situation)
  }

  get #known(): TwoNodeSituation | undefined {
    return this.#life.core.state.twoNode.situation
  }

  /** Also while it has no vote yet, when this is no cluster of two voters. */
  #noteHeard(): void {
    const peers = peerViews(this.#life.heartbeat.state, this.#life.now())
    const heard = peers.find(({ node }) => node === this.#offSince)?.state === 'heard'
    if (heard && this.#offSince !== undefined && this.#life.world.daemons.get(this.#offSince)?.isAlive)
      this.#offSince = undefined
  }

  /** What an earlier daemon has begun on a word: of two voters where the situation changes, otherwise until it is settled. */
  #settle(situation: TwoNodeSituation | undefined): void {
    const { host, world, node } = this.#life
    if (host.word === undefined || this.#underWay) return
    const alone = world.store.serves(node)
      ? world.store.voters.length === 1 && world.store.voters[0] === node
      : undefined
    // Whoever begins ends it first, however many vote.
    if (this.#life.otherOfTwo() === undefined || this.#life.core.state.startUp.kind === 'ends-going-alone') {
      this.#settleEarlier(host.word, alone)
      return
    }
    const verdict = judgeConfirmationOfTwo(alone, situation)
    if (verdict === 'forget') host.word = undefined
    else if (verdict === 'go-on') this.#feed({ kind: 'peer-is-off', word: host.word.word })
  }

  /** As `settleEarlierConfirmation` does it. */
  #settleEarlier(word: NonNullable<SimDaemon['host']['word']>, alone: boolean | undefined): void {
    const { host, node } = this.#life
    const registered = alone === true ? this.#registered() : new Map()
    const answers = this.#answers()
    const othersActed = actedWithoutThisNode(answers, { nodesVersion: host.list.nodesVersion, registered })
    const verdict = judgeEarlierConfirmation({ hasVote: hasVote(host.list, node), alone, othersActed })
    if (verdict === 'forget') host.word = undefined
    else if (verdict === 'finish')
      this.#endWord(word, livesThatAreOver([word.without], answers, registered).get(word.without))
  }

  /** Of the others, when they are asked. */
  #answers(): readonly OtherAnswer[] {
    const { world, node } = this.#life
    return [...world.daemons].flatMap(([other, daemon]) => {
      if (other === node || !daemon.isAlive || !world.network.connects(node, other)) return []
      const { nodesVersion } = daemon.host.list
      return [{ node: other, quorate: daemon.isQuorate(), lease: daemon.core.state.lease, nodesVersion }]
    })
  }

  #registered(): RegisteredHere {
    const { world } = this.#life
    return new Map(
      world.machines.flatMap((node) => {
        const entry = world.store.entries.get(keys.member(node))
        if (entry === undefined) return []
        const incarnation = (entry.value as { readonly incarnation: number }).incarnation
        return [[node, { incarnation, lease: entry.lease }] as const]
      }),
    )
  }

  perform(effect: Extract<TwoNodeEffect, { kind: 'go-alone' }>): void {
    this.#goAlone(effect)
  }

  /** The core has it fenced. */
  fences(target: NodeName, attempt: number): void {
    const { world, node } = this.#life
    this.#life.log('two nodes', `fences ${target}`)
    this.#fences = this.#known?.incarnation
    // Somebody may have pulled its plug since: that silence is another.
    const cutAgain = (world.hosts.get(target)?.offSince ?? 0) > this.#fencedAt
    if (this.#offSince === target && !world.daemons.get(target)?.isAlive && !cutAgain)
      world.checkers.violated('a silence is fenced once', `${node} fences ${target}, which it has just fenced`)
    if (world.mutations.has('start-before-fencing'))
      this.#feed({ kind: 'fenced', id: attempt, succeeded: true, message: 'a lie' })
  }

  /** Its fencing has succeeded. */
  fenced(target: NodeName): void {
    if (this.#known?.incarnation !== this.#fences) return
    this.#offSince = target
    this.#fencedAt = this.#life.world.timeline.now
  }

  hears(target: NodeName): boolean {
    return this.#known?.peer === target && this.#known.heartbeat === 'heard'
  }

  /** As `only-voter.ts` does it, once etcd is up again. */
  #goAlone({ without, word }: { readonly without: TwoNodeSituation['peer']; readonly word: WhyPeerIsOff }): void {
    const { world, node, view, host } = this.#life
    const incarnation = knownIncarnation(view, without)
    this.#life.log('two nodes', `goes on alone without ${without}: ${word}`)
    this.#underWay = true
    world.store.restart(node)
    this.#life.after(world.chance.between(300, 1500), () => {
      // The word is on the disk right before; power may be lost, and the daemon die, at any moment from here on.
      host.word = { without, word }
      world.goesAlone(node)
      this.#endWord({ without, word }, incarnation)
    })
  }

  #endWord({ without, word }: NonNullable<SimDaemon['host']['word']>, incarnation: number | 'none' | undefined): void {
    const { host } = this.#life
    this.#underWay = true
    this.#life.untilKnown(
      () => this.#declareOff(without, incarnation, word),
      () => {
        host.word = undefined
        this.#underWay = false
        this.look()
        this.#feed({ kind: 'went-alone', succeeded: true, message: '' })
      },
    )
  }

  #declareOff(lost: TwoNodeSituation['peer'], incarnation: number | 'none' | undefined, word: WhyPeerIsOff): 'done' {
    this.#declareLost(lost, incarnation, word)
    const { witness } = this.#life.world.list
    return this.#life.world.changeList((list) => ({
      ...withVote(lost, false)(list),
      ...(witness === undefined ? {} : { witness: { ...witness, votes: false } }),
    }))
  }

  #declareLost(lost: TwoNodeSituation['peer'], incarnation: number | 'none' | undefined, word: WhyPeerIsOff): void {
    const { store } = this.#life.world
    const { lease, value } = store.entries.get(keys.member(lost)) ?? {}
    const present = typeof value === 'object' && value !== null && 'incarnation' in value && value.incarnation
    // It is back already, as somebody new.
    if (word === 'left' || (value !== undefined && present !== incarnation)) return
    const dc = store.entries.get(keys.dc)?.value
    const leads = typeof dc === 'object' && dc !== null && 'node' in dc && dc.node === lost
    store.transaction(
      [],
      [
        ...this.#life.host.journal.map(
          (record) => ({ kind: 'put', key: keys.fencingHistory(record.id), value: record }) as const,
        ),
        { kind: 'delete', key: keys.member(lost) },
        ...(leads ? [{ kind: 'delete', key: keys.dc } as const] : []),
        {
          kind: 'put',
          key: keys.fencingConfirmed(lost),
          value: { node: lost, reason: 'fenced', fencedAt: this.#life.world.calendar() },
        },
      ],
    )
    if (lease !== undefined) store.revoke(lease)
  }
}
