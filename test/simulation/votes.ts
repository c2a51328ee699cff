/**
 * The votes of two nodes, and of their witness, as `daemon/votes/vote-keeper.ts` and `daemon/witness` keep them on the DC: one step at a time, the
 * list before etcd where a vote is given, after it where one is taken. The witness's patience is an eighth of the real one.
 */
import type { NodeName } from '../../src/base/index.ts'
import { storeHosts } from '../../src/daemon/node-list/cluster-file.ts'
import { type NodeList, newerFile, withVote } from '../../src/daemon/node-list/node-list.ts'
import { takesFromStranger } from '../../src/daemon/peers/bring-list.ts'
import { isAwaited, nextVoteStep, voterState } from '../../src/daemon/votes/vote-keeper.ts'
import {
  afterAnswer,
  unheardWitness,
  type WitnessHealth,
  witnessVoterState,
} from '../../src/daemon/witness/witness-health.ts'
import { peerViews } from '../../src/membership/index.ts'
import type { SimDaemon } from './daemon.ts'
import { witnessName } from './node-list.ts'

const healthRunsTimes = 8

export class SimVotes {
  readonly #life: SimDaemon
  #health: WitnessHealth
  #working = false

  constructor(life: SimDaemon) {
    this.#life = life
    this.#health = unheardWitness(this.#now())
  }

  readonly hearsWitness = (host: NodeName): boolean =>
    host === witnessName && this.#life.world.network.connects(this.#life.node, host)

  look(): void {
    const { world, view, node, host } = this.#life
    if (!world.changing && world.nodeNames.length !== 2) return
    this.#askWitness()
    if (this.#working || !this.#life.isQuorate() || view.dc?.node !== node) return
    const step = nextVoteStep(host.list, (one) => this.#stateOf(one))
    if (step.kind === 'give') this.#change(withVote(step.node, true))
    if (step.kind === 'take') this.take(step.node)
  }

  /** Etcd first; what the list says then follows. A witness waits until the node that makes it needless has joined. */
  take(host: NodeName, change: (list: NodeList) => NodeList = withVote(host, false)): void {
    const { world } = this.#life
    const { list } = this.#life.host
    const joining = storeHosts(list).flatMap(({ name, votes }) =>
      votes && !world.store.voters.includes(name) ? [name] : [],
    )
    if (isAwaited(joining, host)) return
    this.#working = true
    this.#life.ask(
      () => world.store.takeVote(host),
      (done) => {
        this.#working = false
        if (done === 'done') this.#change(change)
      },
    )
  }

  #change(change: (list: NodeList) => NodeList): void {
    this.#working = true
    this.#life.ask(
      () => this.#life.world.changeList(change),
      () => {
        this.#working = false
      },
    )
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

  #stateOf(host: NodeName): ReturnType<typeof voterState> {
    if (host === witnessName) return witnessVoterState(this.#health, this.#now())
    const { view, heartbeat, node } = this.#life
    const isSilent = peerViews(heartbeat.state, this.#life.now()).some(
      (peer) => peer.node === host && peer.state === 'silent',
    )
    return voterState(view, host, view.members.get(host)?.state === 'member' && (host === node || !isSilent))
  }
}
