/**
 * What the core of a node decides of votes, performed in the simulated store; and the witness, as `daemon/witness` asks it, with an eighth of the real
 * patience.
 */

import { assertNever, type NodeName } from '../../src/base/index.ts'
import { storeHosts } from '../../src/daemon/node-list/cluster-file.ts'
import { type NodeList, newerFile, withVote } from '../../src/daemon/node-list/node-list.ts'
import { takesFromStranger } from '../../src/daemon/peers/bring-list.ts'
import type { VotesEffect, VotesInput } from '../../src/node/index.ts'
import {
  afterAnswer,
  isAwaited,
  unheardWitness,
  type WitnessHealth,
  witnessVoterState,
} from '../../src/quorum/index.ts'
import type { SimDaemon } from './daemon.ts'
import { witnessName } from './node-list.ts'

const healthRunsTimes = 8

export class SimVotes {
  readonly #life: SimDaemon
  #health: WitnessHealth

  constructor(life: SimDaemon) {
    this.#life = life
    this.#health = unheardWitness(this.#now())
  }

  readonly hearsWitness = (host: NodeName): boolean =>
    host === witnessName && this.#life.world.network.connects(this.#life.node, host)

  /** What the core decided. */
  perform(effect: VotesEffect): void {
    const { world, core } = this.#life
    const feed = (input: VotesInput): void => core.feed({ kind: 'votes', input })
    const answered = (input: VotesInput) => (done: 'done' | 'refused' | undefined) =>
      feed(done === 'done' ? input : { kind: 'failed', why: String(done) })
    switch (effect.kind) {
      case 'remove-strangers':
        this.#life.ask(() => this.#removeStrangers(), answered({ kind: 'done' }))
        return
      case 'ask-joining':
        this.#life.after(world.network.delayMs(), () => feed({ kind: 'joining', hosts: this.#joining() }))
        return
      case 'remove-member':
        this.#life.ask(() => world.store.takeVote(effect.host), answered({ kind: 'removed' }))
        return
      case 'change-list':
        this.#life.ask(() => world.changeList(withVote(effect.host, effect.votes)), answered({ kind: 'done' }))
        return
      default:
        assertNever(effect)
    }
  }

  /** Whose vote the list counts and the store does not. */
  #joining(): readonly NodeName[] {
    const { host, world } = this.#life
    return storeHosts(host.list).flatMap(({ name, votes }) =>
      votes && !world.store.voters.includes(name) ? [name] : [],
    )
  }

  #removeStrangers(): 'done' {
    const { world } = this.#life
    const voters = storeHosts(world.list).flatMap(({ name, votes }) => (votes ? [name] : []))
    for (const stranger of world.store.voters.filter((name) => !voters.includes(name))) world.store.takeVote(stranger)
    return 'done'
  }

  /** An administrator removes the witness: the store first, what the list says then follows. */
  removeWitness(change: (list: NodeList) => NodeList): void {
    const { world } = this.#life
    if (isAwaited(this.#joining(), witnessName)) return
    this.#life.ask(
      () => world.store.takeVote(witnessName),
      (done) => {
        if (done === 'done')
          this.#life.ask(
            () => world.changeList(change),
            () => undefined,
          )
      },
    )
  }

  /** The witness is asked, and the core is told of what use it is. */
  look(): void {
    this.#askWitness()
    const state = witnessVoterState(this.#health, this.#now())
    const { core } = this.#life
    if (core.state.votes.witness !== state) core.feed({ kind: 'votes', input: { kind: 'witness', state } })
  }

  #now(): number {
    return this.#life.now() * healthRunsTimes
  }

  #askWitness(): void {
    const { world, node, host } = this.#life
    const heard = world.network.connects(node, witnessName)
    const { voters } = world.store
    if (heard) this.#bringWitness()
    this.#health = afterAnswer(
      this.#health,
      {
        state: heard ? 'up' : 'silent',
        votes: host.list.witness?.votes === true,
        counts: voters.includes(witnessName) && world.store.serves(witnessName),
        quorate: this.#life.isQuorate(),
      },
      this.#now(),
    )
  }

  /** As `WitnessLink` calls it, and it follows. */
  #bringWitness(): void {
    const { world, node, host } = this.#life
    const witness = world.hosts.get(witnessName)
    if (!world.changing || witness?.isOn !== true || host.list.witness === undefined) return
    const brought = { caller: { name: node, key: host.key }, listed: host.list }
    const isInStore = world.store.serves(witnessName) && world.isAdmitted(host, world.list)
    if (isInStore || world.isAdmitted(host, witness.list) || takesFromStranger(witness.list, witnessName, brought))
      witness.list = newerFile(witness.list, host.list) ?? witness.list
  }
}
