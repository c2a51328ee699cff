/**
 * Nodes that are added, removed, kept and let in, as the commands and the DC of a daemon do it: what is decided, and what is written, is the daemon's own
 * (removal-core.ts, node-changes.ts, node-list.ts); here is the order in which a command writes it, each write with an answer that may be lost.
 */

import { monotonicMs, type NodeName } from '../../src/base/index.ts'
import type { NodeStateRecord } from '../../src/cib/index.ts'
import { keys } from '../../src/controller/index.ts'
import type { ClusterFile, ClusterNodeEntry } from '../../src/daemon/node-list/cluster-file.ts'
import {
  isOutdatedState,
  marked,
  offState,
  staying,
  whyNotRemoved,
  withdrawn,
  withNewNode,
  withoutNode,
} from '../../src/daemon/node-list/node-changes.ts'
import { type NodeList, refuseUnlessAwaited, withKey } from '../../src/daemon/node-list/node-list.ts'
import { isBelieved } from '../../src/daemon/node-list/others-say.ts'
import { RemovalReports } from '../../src/daemon/node-list/removal-reports.ts'
import { sayingOf } from '../../src/daemon/peers/ask-for-list.ts'
import { awayNodes, takesFromStranger } from '../../src/daemon/peers/bring-list.ts'
import { recordsToForget } from '../../src/daemon/removal/forget-node.ts'
import { placeIn } from '../../src/daemon/removal/removal.ts'
import {
  type ForgettingStage,
  forgettingStages,
  isStillGone,
  noRemovals,
  type RemovalEffect,
  type RemovalInput,
  type RemovalView,
  removalCore,
} from '../../src/daemon/removal/removal-core.ts'
import { peerViews } from '../../src/membership/index.ts'
import type { Wishes } from './configuration.ts'
import type { SimDaemon } from './daemon.ts'
import type { Host } from './host.ts'

/** Of a command: a refusal, or that it is not known what became of it. Undefined: done. */
export type Told = (trouble?: string) => void

const unknown = 'no answer'

export class NodeChangesDriver {
  readonly #life: SimDaemon
  readonly #word = new RemovalReports()
  #state = noRemovals

  constructor(life: SimDaemon) {
    this.#life = life
  }

  // ------------------------------------------------------------------ the DC

  look(): void {
    const { view, node } = this.#life
    const quorate = this.#life.isQuorate()
    this.#feed({ kind: 'look', seen: this.#seen(), quorate, leads: quorate && view.dc?.node === node })
  }

  #seen(): RemovalView {
    const { view, host } = this.#life
    return { file: host.list, view, isUp: this.#isUp, hasShare: () => false }
  }

  #feed(input: RemovalInput): void {
    const { state, effects } = removalCore(this.#state, input, this.#life.now())
    this.#state = state
    for (const effect of effects) this.#perform(effect)
  }

  #perform({ kind, node }: RemovalEffect): void {
    this.#life.log('nodes', `${kind} ${node}`)
    if (kind === 'stop') this.#stop(node)
    else if (kind === 'forget') this.#forget(node, forgettingStages)
    else if (kind === 'clear') this.#clear(node)
    else this.#configure(node)
  }

  #configure(node: NodeName): void {
    const { world, host } = this.#life
    const entry = host.list.nodes.find(({ name }) => name === node)
    const ended = (): void => this.#feed({ kind: 'ended', node })
    if (entry === undefined) ended()
    else this.#write(() => world.editNodes(including(entry)), ended)
  }

  #clear(node: NodeName): void {
    const { world } = this.#life
    const ended = (): void => this.#feed({ kind: 'ended', node })
    const absent = { kind: 'absent', key: keys.member(node) } as const
    this.#write(
      () => (world.isListed(node) ? undefined : world.store.transaction([absent], recordsToForget(node))),
      ended,
    )
  }

  /** The call ends with the daemon there, or with its connection. */
  #stop(node: NodeName): void {
    const { world } = this.#life
    world.request(
      this.#life,
      node,
      (peer) => {
        if (!peer.core.state.leaving) peer.leave()
      },
      () => undefined,
    )
    const wait = (): void => {
      const isOver = !world.daemons.get(node)?.isAlive || !world.network.connects(this.#life.node, node)
      const isLost = world.daemons.get(node)?.core.state.leaving !== true
      if (isOver || isLost) this.#feed({ kind: 'ended', node })
      else this.#life.after(500, wait)
    }
    this.#life.after(500, wait)
  }

  #forget(node: NodeName, [stage, ...rest]: readonly ForgettingStage[]): void {
    if (stage === undefined || !isStillGone(this.#seen(), node)) this.#feed({ kind: 'ended', node })
    else
      this.#forgetStage(node, stage, (trouble) =>
        trouble === undefined ? this.#forget(node, rest) : this.#feed({ kind: 'ended', node }),
      )
  }

  #forgetStage(node: NodeName, stage: ForgettingStage, reported: Told): void {
    const { world } = this.#life
    switch (stage) {
      case 'configuration':
        this.#write(() => world.editNodes(without(node)), reported)
        return
      case 'records':
        this.#write(() => world.store.transaction([], recordsToForget(node)), reported)
        return
      case 'tokens':
        reported()
        return
      case 'tell':
        world.network.send(this.#life.node, node, () => this.#isTold(node))
        this.#life.after(50, reported)
        return
      case 'list':
        this.#write(() => {
          if (world.list.nodes.some((entry) => entry.name === node && entry.leaving === true)) world.counts.removed++
          return world.changeList(withoutNode(node))
        }, reported)
    }
  }

  /** As `forgetIfRemoved` has it: the host looks in the store for itself. */
  #isTold(node: NodeName): void {
    const { world } = this.#life
    if (!world.store.serves(node)) return
    const place = placeIn(world.list, node)
    if (place === 'removed' || (place === 'leaving' && !world.daemons.get(node)?.isAlive))
      world.forgets(node, 'it was removed')
  }

  // ------------------------------------------------------------------ commands

  add(node: NodeName, reported: Told): void {
    const { world } = this.#life
    let listed: ClusterFile | undefined
    this.#write(
      () => {
        world.changeList(withNewNode({ name: node, addresses: [node] }))
        listed = world.list
        return 'done'
      },
      (trouble) => {
        const entry = listed?.nodes.find(({ name }) => name === node)
        if (trouble !== undefined || entry === undefined) reported(trouble ?? unknown)
        else this.#record(entry, 'added, has not joined yet', reported)
      },
    )
  }

  #record(entry: ClusterNodeEntry, reason: string, reported: Told): void {
    this.#recordAdded(entry, reason, (trouble) => {
      if (trouble === undefined) {
        this.#life.world.counts.added++
        reported()
        return
      }
      const { world } = this.#life
      this.#change(withdrawn(entry), () => {
        if (world.isListed(entry.name)) reported(trouble)
        else
          this.#write(
            () => world.store.transaction([], recordsToForget(entry.name)),
            () => reported(trouble),
          )
      })
    })
  }

  /** As `recordAdded` has it. */
  #recordAdded(entry: ClusterNodeEntry, reason: string, reported: Told): void {
    const { store } = this.#life.world
    const key = keys.nodeState(entry.name)
    this.#write(
      () => {
        const state = store.entries.get(key)?.value as NodeStateRecord | undefined
        if (isOutdatedState(state, entry)) store.transaction([], [{ kind: 'delete', key }])
      },
      (trouble) => (trouble === undefined ? this.#recordOff(entry, reason, reported) : reported(trouble)),
    )
  }

  #recordOff(entry: ClusterNodeEntry, reason: string, reported: Told): void {
    const { world, view } = this.#life
    const key = keys.nodeState(entry.name)
    const value = offState(entry, reason, view.dc?.term)
    this.#write(
      () => world.store.transaction([{ kind: 'absent', key }], [{ kind: 'put', key, value }]),
      (trouble) => {
        if (trouble === undefined) this.#write(() => world.editNodes(including(entry)), reported)
        else reported(trouble)
      },
    )
  }

  remove(removed: NodeName, reported: Told): void {
    const { host, view, node } = this.#life
    const by = { self: node, file: host.list, view, isUp: this.#isUp, hearsWitness: this.#life.votes.hearsWitness }
    const why = whyNotRemoved(removed, by)
    if (why !== undefined) {
      reported(why.sentences[0] ?? why.code)
      return
    }
    this.#change(marked(removed), (trouble) => {
      if (trouble === undefined) this.#feed({ kind: 'begun', node: removed })
      reported(trouble)
    })
  }

  cancel(kept: NodeName, reported: Told): void {
    const entry = this.#life.host.list.nodes.find(({ name }) => name === kept)
    if (entry?.leaving !== true) {
      reported('not leaving')
      return
    }
    this.#change(staying(kept), (trouble) => {
      if (trouble !== undefined) return reported(trouble)
      this.#life.world.counts.cancelled++
      this.#recordOff(entry, 'its removal was cancelled', reported)
    })
  }

  /** A host is let in: its key stands in the list before it has its answer. */
  letIn(host: Host, reported: Told): void {
    const { world } = this.#life
    const { name, key } = host
    this.#write(
      () => {
        refuseUnlessAwaited(world.list, name, key)
        return world.putList(withKey(world.list, name, { key }))
      },
      (trouble) => {
        if (trouble === undefined)
          world.network.send(this.#life.node, name, () => {
            if (host.key !== key || host.joined || !world.isListed(name)) return
            host.list = world.list
            host.joined = true
          })
        reported(trouble)
      },
    )
  }

  // ------------------------------------------------------------------ without quorum

  /** As `AskForList` does it. */
  askForList(): void {
    const { world, node, host } = this.#life
    if (this.#life.isQuorate()) return
    const others = host.list.nodes.flatMap(({ name }) => (name === node ? [] : [name]))
    for (const other of others)
      world.knock(this.#life, other, (answer) => {
        const { removed, list } =
          answer === 'removed' ? { removed: true, list: undefined } : sayingOf(answer, node, host.list)
        this.#word.take(other, removed)
        if (list !== undefined) this.#life.follow(list, 'node')
        if (others.length > 0 && this.#word.agreed(others)) world.forgets(node, 'most others say that it was removed')
      })
  }

  /** As `askOthers` does it: their lists are taken once all have answered, or cannot. */
  askOthers(done: () => void): void {
    const { world, node, host } = this.#life
    const others = host.list.nodes.flatMap(({ name }) => (name === node ? [] : [name]))
    const answers: { readonly node: NodeName; readonly file: ClusterFile; readonly quorate: boolean }[] = []
    let [missing, isOver] = [others.length, false]
    const end = (): void => {
      if (isOver) return
      isOver = true
      for (const { node: other, ...answer } of answers) {
        const { list } = sayingOf(answer, node, host.list)
        const keys = host.list.nodes.find(({ name }) => name === other)?.keys
        if (list !== undefined && isBelieved(host.list, { name: other, keys }, answers)) this.#life.follow(list, 'node')
      }
      if (this.#life.isAlive) done()
    }
    for (const other of others)
      world.knock(this.#life, other, (answer) => {
        if (answer !== 'removed') answers.push({ node: other, ...answer })
        if (--missing === 0) end()
      })
    this.#life.after(1200, end)
  }

  /** As `BringList` does it, and the node that it is brought to. */
  bringList(): void {
    const { world, view, node, host } = this.#life
    if (!this.#life.isQuorate() || view.dc?.node !== node) return
    for (const away of awayNodes(host.list, view))
      world.network.send(node, away, () => {
        const peer = world.daemons.get(away)
        if (peer?.isAlive !== true || peer.isQuorate()) return
        const brought = { caller: { name: node, key: host.key }, listed: host.list }
        if (world.isAdmitted(host, peer.host.list) || takesFromStranger(peer.host.list, away, brought))
          peer.follow(host.list, 'node')
      })
  }

  // ------------------------------------------------------------------ what all have in common

  readonly #isUp = (host: NodeName): boolean => {
    const { view, node, heartbeat } = this.#life
    const isSilent = peerViews(heartbeat.state, monotonicMs(this.#life.now())).some(
      (peer) => peer.node === host && peer.state === 'silent',
    )
    return view.members.get(host)?.state === 'member' && (host === node || !isSilent)
  }

  #change(change: (list: NodeList) => NodeList, reported: Told): void {
    this.#write(() => this.#life.world.changeList(change), reported)
  }

  /** What throws is a refusal. */
  #write(operation: () => unknown, reported: Told): void {
    this.#life.ask(
      () => {
        try {
          operation()
          return 'done'
        } catch (error) {
          return String(error)
        }
      },
      (result) => reported(result === 'done' ? undefined : (result ?? unknown)),
    )
  }
}

const including =
  ({ id, name }: ClusterNodeEntry) =>
  (wishes: Wishes): Wishes =>
    wishes.nodes.some((node) => node.name === name) ? wishes : { ...wishes, nodes: [...wishes.nodes, { id, name }] }

const without =
  (removed: NodeName) =>
  (wishes: Wishes): Wishes =>
    wishes.nodes.some(({ name }) => name === removed)
      ? {
          ...wishes,
          nodes: wishes.nodes.filter(({ name }) => name !== removed),
          standby: wishes.standby.filter((name) => name !== removed),
        }
      : wishes
