/**
 * What the rules for two nodes (`quorum/two-node.ts`) see and ask for: shows them what this node sees, fences for them, makes the store this node's own. The last voter
 * that is left of three nodes and more goes on alone in the same way, but only on an administrator's word.
 */

import { setTimeout as delay } from 'node:timers/promises'
import { assertNever, type NodeName } from '../../base/index.ts'
import { type NodeStateRecord, parseNodeStateRecord } from '../../cib/index.ts'
import type { FencingRecord } from '../../fencing/index.ts'
import {
  fencingEnabled,
  judgeConfirmationOfTwo,
  type RegisteredHere,
  type StartUpEffect,
  type StartUpInput,
} from '../../node/index.ts'
import {
  describeTwoNode,
  hasNeverJoined,
  hasVote,
  keepsResources,
  otherOfTwo,
  type TwoNodeEffect,
  type TwoNodeInput,
  type TwoNodeSituation,
  type TwoNodeState,
} from '../../quorum/index.ts'
import { type ClusterState, refuse } from '../../rpc/index.ts'
import type { Store } from '../../store/index.ts'
import type { ClusterFile, ClusterNodeEntry } from '../node-list/cluster-file.ts'
import { askNode, askOthers } from '../peers/ask-for-list.ts'
import type { Peers } from '../peers/peers.ts'
import { fromBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { type EarlierConfirmationPorts, settleEarlierConfirmation } from './earlier-confirmation.ts'
import { GoingAlone, type GoingAlonePorts } from './going-alone.ts'
import { lostHosts } from './last-voter.ts'
import { waitingMessage } from './two-node-message.ts'
import { noteMet } from './wait-for-all.ts'

export interface TwoNodePorts extends GoingAlonePorts {
  readonly own: ClusterNodeEntry
  readonly peers: Peers
  readonly quorate: () => boolean
  readonly hearsWitness: (host: NodeName) => boolean
  readonly heartbeat: (peer: NodeName) => TwoNodeSituation['heartbeat']
  /** This node's copy of the store has everything that was ever confirmed. */
  readonly isComplete: () => boolean
  /** This node's etcd is a cluster of one; undefined while it does not answer. */
  readonly isAlone: () => Promise<boolean | undefined>
  /** By this node's own member of the store, whatever others say. */
  readonly registered: () => Promise<RegisteredHere>
  readonly giveWayTo: (file: ClusterFile) => void
  readonly feed: (input: TwoNodeInput) => void
  readonly feedStartUp: (input: StartUpInput) => void
  /** Until this node has met the other, or is told that it is off. */
  readonly waitsForPeer: () => boolean
  /** As the node's core has it. */
  readonly core: () => TwoNodeState
}

/** The others have a part in it. */
export type MeetingEffect = Exclude<StartUpEffect, { kind: 'release' | 'prepare' | 'start-parts' }>

const unblockWithinMs = 30_000

export class TwoNodeDriver {
  readonly #ports: TwoNodePorts
  readonly #goingAlone: GoingAlone
  /** The list of the other, as it answered last. */
  #peerHas: ClusterFile | undefined
  #settling: Promise<void> | undefined
  #closed = false

  constructor(ports: TwoNodePorts) {
    this.#ports = ports
    this.#goingAlone = new GoingAlone(ports)
  }

  /** What a node that begins asks of the other, or of the others. What fails is a bug: whoever calls ends the daemon. */
  async begin(effect: MeetingEffect): Promise<void> {
    const { file, store, peers, giveWayTo, feedStartUp } = this.#ports
    switch (effect.kind) {
      case 'ask-peer': {
        const answer = await askNode(peers, effect.peer)
        this.#peerHas = answer?.file
        const list = answer && { list: answer.file, quorate: answer.quorate }
        return feedStartUp({ kind: 'peer-answered', ...(list && { answer: list }) })
      }
      case 'look-up-peer': {
        const stored = await storedState(store(), effect.peer)
        return feedStartUp({ kind: 'peer-looked-up', neverJoined: hasNeverJoined(stored) })
      }
      case 'give-way':
        giveWayTo(this.#peerHas ?? file())
        return
      case 'declare-off':
        await this.#goingAlone.declareOff(new Map([[effect.peer, undefined]]), 'administrator')
        return feedStartUp({ kind: 'declared-off' })
      case 'ask-others':
        await askOthers(this.#earlierPorts())
        return feedStartUp({ kind: 'others-answered' })
      case 'end-going-alone':
        await settleEarlierConfirmation(this.#earlierPorts())
        return feedStartUp({ kind: 'going-alone-ended' })
      default:
        assertNever(effect)
    }
  }

  /** The nodes that must be off, so that this one may go on without a majority. */
  nodesToConfirm(): readonly NodeName[] {
    const { own, file, quorate, hearsWitness, heartbeat, isComplete } = this.#ports
    const other = otherOfTwo(file(), own.name)
    if (other) return [other.name]
    const isSilent = (host: NodeName) =>
      host === file().witness?.name ? !hearsWitness(host) : heartbeat(host) === 'silent'
    return lostHosts({ file: file(), self: own.name, quorate: quorate(), isComplete: isComplete(), isSilent })
  }

  /** An administrator's word that these nodes are off. Resolves when this node has quorum without them. */
  async goOnWithout(confirmed: readonly NodeName[]): Promise<readonly NodeName[]> {
    const lost = this.nodesToConfirm()
    const unnamed = lost.filter((node) => !confirmed.includes(node))
    if (unnamed.length > 0)
      throw refuse('not-confirmed', `No confirmation that ${unnamed.join(' and ')} is off. Nothing was changed.`)
    if (otherOfTwo(this.#ports.file(), this.#ports.own.name)) return [await this.unblock()]
    const witness = this.#ports.file().witness?.name
    const nodes = lost.filter((host) => host !== witness)
    try {
      await this.#goingAlone.without(nodes, 'administrator')
    } catch (error) {
      // The store may be this node's own all the same.
      void this.#settleConfirmation()
      throw error
    }
    await this.#untilQuorate()
    return lost
  }

  async #untilQuorate(): Promise<void> {
    for (const end = performance.now() + unblockWithinMs; !this.#ports.quorate(); await delay(50))
      if (performance.now() > end)
        throw refuse(
          'not-yet',
          `The node cannot continue yet: ${this.state()?.message ?? 'see `systole quorum status`'}`,
        )
  }

  /** An administrator's word that the other is off. Resolves when this node has quorum without it. */
  async unblock(node?: NodeName): Promise<NodeName> {
    const { own, file, quorate, heartbeat } = this.#ports
    const other = otherOfTwo(file(), own.name)
    if (!other) throw refuse('not-two-nodes', 'Only clusters of two nodes can continue without a majority this way.')
    if (node !== undefined && node !== other.name) throw refuse('own-node', `${node} is this node itself.`)
    if (quorate()) throw refuse('has-quorum', 'This node has quorum. There is nothing to unblock.')
    if (heartbeat(other.name) === 'heard')
      throw refuse('peer-is-heard', `${other.name} is reachable and therefore not off.`)
    if (!hasVote(file(), own.name))
      throw refuse(
        'no-vote',
        `${own.name} has no vote and no data because ${other.name} continued without it. Start ${other.name}; ${own.name} then joins again.`,
      )
    if (!this.#ports.isComplete())
      throw refuse(
        'not-complete',
        `${own.name} has not caught up with ${other.name} and lacks changes. Start ${other.name}.`,
      )
    this.#ports.feed({ kind: 'peer-is-off', word: 'administrator' })
    await this.#untilQuorate()
    return other.name
  }

  /** How it is with the other of two has changed. */
  seen(situation: TwoNodeSituation | undefined): void {
    if (situation) void this.#settleConfirmation()
  }

  record(record: FencingRecord): void {
    this.#goingAlone.record(record)
  }

  get records(): readonly FencingRecord[] {
    return this.#goingAlone.records
  }

  get keepsResources(): boolean {
    return keepsResources(this.#ports.core())
  }

  state(): ClusterState['twoNode'] {
    const { file, own, view, isComplete } = this.#ports
    const other = otherOfTwo(file(), own.name)
    if (!other) return undefined
    const message = this.#message(other.name)
    return {
      fencingEnabled: fencingEnabled(view().configuration?.typed),
      alone: hasVote(file(), own.name) !== other.votes || !isComplete(),
      ...(message === undefined ? {} : { message }),
    }
  }

  #message(other: NodeName): string | undefined {
    const { own, file, quorate, isComplete, heartbeat } = this.#ports
    const waiting = waitingMessage({
      other,
      heartbeat: heartbeat(other),
      quorate: quorate(),
      holding: this.#ports.waitsForPeer(),
      votes: hasVote(file(), own.name),
      complete: isComplete(),
    })
    return waiting ?? describeTwoNode(this.#ports.core())
  }

  gainedQuorum(): void {
    noteMet(this.#ports.paths)
    void this.#settleConfirmation().then(() => this.#goingAlone.tell())
  }

  /** What became of a word that was begun with, by an earlier daemon or an attempt that failed. */
  #settleConfirmation(): Promise<void> {
    this.#settling ??= this.#settle()
      .catch((error: unknown) =>
        this.#ports.log.error('an earlier confirmation to continue alone could not be settled yet', { error }),
      )
      .finally(() => {
        this.#settling = undefined
      })
    return this.#settling
  }

  async #settle(): Promise<void> {
    const { file, own, isAlone } = this.#ports
    if (this.#goingAlone.granted === undefined) return
    if (!otherOfTwo(file(), own.name)) return await settleEarlierConfirmation(this.#earlierPorts())
    const alone = await isAlone()
    const { granted, underWay } = this.#goingAlone
    if (granted === undefined || underWay || this.#closed) return
    const verdict = judgeConfirmationOfTwo(alone, this.#ports.core().situation)
    if (verdict === 'forget') this.#goingAlone.forgetConfirmation()
    else if (verdict === 'go-on') this.#ports.feed({ kind: 'peer-is-off', word: granted.word })
  }

  #earlierPorts(): EarlierConfirmationPorts {
    return { ...this.#ports, self: this.#ports.own.name, goingAlone: this.#goingAlone, over: () => this.#closed }
  }

  close(): void {
    this.#closed = true
  }

  perform({ without, word }: Extract<TwoNodeEffect, { kind: 'go-alone' }>): void {
    this.#goingAlone.without([without], word).then(
      () => this.#ports.feed({ kind: 'went-alone', succeeded: true, message: '' }),
      (error: unknown) => {
        this.#ports.log.error('this node could not go on alone yet', { error })
        this.#ports.feed({ kind: 'went-alone', succeeded: false, message: messageOf(error) })
      },
    )
  }
}

async function storedState(store: Store, node: NodeName): Promise<NodeStateRecord | 'absent' | 'unknown'> {
  try {
    const entry = await store.get(keys.nodeState(node))
    return entry === undefined ? 'absent' : (parseNodeStateRecord(fromBytes(entry.value)) ?? 'unknown')
  } catch {
    return 'unknown'
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
