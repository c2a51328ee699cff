/** The core of two nodes and its hands: fencing without a majority, and the store that becomes the survivor's own. */
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { parseBoolean } from '../../src/cib/index.ts'
import { keys, knownIncarnation } from '../../src/controller/index.ts'
import { judgeOldWord } from '../../src/daemon/alone/old-word.ts'
import { votes } from '../../src/daemon/alone/wait-for-all.ts'
import { isHalfDone, type NotedFencing } from '../../src/daemon/fencing/left-off.ts'
import { withVote } from '../../src/daemon/nodes/node-list.ts'
import {
  type FencingEffect,
  type FencingInput,
  type FencingState,
  initialFencing,
  nextFencingAt,
  readFenceDevices,
  stepFencing,
} from '../../src/fencing/index.ts'
import { peerViews } from '../../src/membership/index.ts'
import type { PeerWord, TwoNodeEffect, TwoNodeInput, TwoNodeSituation } from '../../src/quorum/index.ts'
import { fenceAgentMetadata } from './configuration.ts'
import { Core } from './core.ts'
import type { SimDaemon } from './daemon.ts'

/** One of two is fenced a little later than the other, so that both do not die. */
const delayMs = 1500

export class TwoNodeHands {
  readonly #life: SimDaemon
  readonly #fencing: Core<FencingState, FencingInput, FencingEffect>
  #shown = ''
  /** What the core was shown last. */
  #known: TwoNodeSituation | undefined
  /** Which life of the other is being fenced. */
  #fences: number | undefined
  #underWay = false
  #tookUp = false
  /** Fenced by this node, and not there since. */
  #offSince: NodeName | undefined
  /** Fencings of which the device was told. */
  readonly #sent = new Set<string>()

  constructor(life: SimDaemon) {
    this.#life = life
    this.#fencing = new Core(life, initialFencing, stepFencing, (effect) => this.#performFencing(effect), nextFencingAt)
  }

  #feed(input: TwoNodeInput): void {
    this.#life.core.feed({ kind: 'two-node', input })
  }

  look(): void {
    this.#takeUpLeftOff()
    this.#noteHeard()
    this.#settleOldWord()
    const situation = this.#situation()
    const text = JSON.stringify(situation) ?? ''
    if (text === this.#shown) return
    this.#shown = text
    this.#known = situation
    this.#feed({ kind: 'situation', ...(situation === undefined ? {} : { situation }) })
    if (situation !== undefined) this.#settle(situation)
  }

  #configure(): void {
    const { view, world } = this.#life
    const configuration = view.configuration?.typed
    const metadata = fenceAgentMetadata(world.splitReboot)
    const devices = configuration === undefined ? [] : readFenceDevices(configuration, { metadata })
    this.#fencing.feed({ kind: 'configured', setup: { devices, topology: [], concurrent: true } })
  }

  /** Once, as `daemon/fencing/fencing-hands.ts` does it: what an earlier daemon of this host has written down. */
  #takeUpLeftOff(): void {
    const { view, host, node, world } = this.#life
    if (this.#tookUp || view.configuration === undefined) return
    this.#tookUp = true
    const records = [...host.journal.values()].flatMap((write) =>
      write.kind === 'put' ? [write.value as NotedFencing] : [],
    )
    const last = records.at(-1)
    if (last === undefined || !isHalfDone(last) || world.mutations.has('leave-off')) return
    this.#configure()
    const { id, target, reason = '', client = '' } = last
    const asked = { id, target: nodeName(target), reason, client, attributes: new Map(), timeoutMs: 8000, delayMs: 0 }
    const demand = { ...asked, action: 'reboot', term: 0, random: 0, runners: [node] } as const
    this.#fencing.feed({ kind: 'left-off', demand, devices: last.powerOn ?? ['fence'] })
  }

  /** Also while it has no vote yet, when this is no cluster of two voters. */
  #noteHeard(): void {
    const peers = peerViews(this.#life.heartbeat.state, this.#life.now())
    const heard = peers.find(({ node }) => node === this.#offSince)?.state === 'heard'
    if (heard && this.#offSince !== undefined && this.#life.world.daemons.get(this.#offSince)?.isAlive)
      this.#offSince = undefined
  }

  #situation(): TwoNodeSituation | undefined {
    const { node, host, view, world } = this.#life
    const other = this.#life.otherOfTwo()
    // Its etcd finds out by itself that the other has taken it out.
    const isVoter = host.hasData && world.store.voters.includes(node)
    if (!other?.votes || !votes(host.list, node) || !isVoter) return undefined
    const peer = other.name
    const heard = peerViews(this.#life.heartbeat.state, this.#life.now()).find((one) => one.node === peer)
    const wanted = view.configuration?.typed.options.flatMap(({ pairs }) => pairs)
    const fencing = wanted?.find(({ name }) => /^(stonith|fencing)-enabled$/.test(name))?.value ?? 'true'
    return {
      peer,
      heartbeat: heard?.state ?? 'heard',
      ...(heard?.incarnation === undefined ? {} : { incarnation: heard.incarnation }),
      peerIsDown: view.nodeStates.get(peer)?.expected === 'down' && !view.members.has(peer),
      met: host.met,
      fencingEnabled: wanted !== undefined && parseBoolean(fencing) !== false,
      quorate: this.#life.isQuorate(),
    }
  }

  /** Where more than two vote by now, as `daemon/alone/old-word.ts` settles it. */
  #settleOldWord(): void {
    const { host, world, node, view } = this.#life
    if (host.word === undefined || this.#underWay || this.#life.otherOfTwo() !== undefined) return
    const { voters } = world.store
    const alone = world.store.serves(node) ? voters.length === 1 && voters[0] === node : undefined
    const othersActed = [...world.daemons.values()].some(
      (other) => other !== this.#life && other.isAlive && world.network.connects(node, other.node) && other.isQuorate(),
    )
    const { without, word } = host.word
    const verdict = judgeOldWord({ hasVote: votes(host.list, node), alone, othersActed })
    if (verdict === 'forget') host.word = undefined
    if (verdict !== 'finish') return
    this.#underWay = true
    this.#life.untilKnown(
      () => this.#declareOff(without, knownIncarnation(view, without), word),
      () => {
        host.word = undefined
        this.#underWay = false
      },
    )
  }

  /** What an earlier daemon has begun on a word, as `daemon/alone/two-node-hands.ts` settles it. */
  #settle({ heartbeat, quorate, met }: TwoNodeSituation): void {
    const { host, world, node } = this.#life
    if (host.word === undefined || this.#underWay) return
    const isAlone = world.store.voters.length === 1 && world.store.voters[0] === node
    if (!isAlone || (heartbeat === 'heard' && quorate)) host.word = undefined
    else if (heartbeat === 'silent' && met) this.#feed({ kind: 'peer-is-off', word: host.word.word })
  }

  perform(effect: TwoNodeEffect): void {
    if (effect.kind === 'go-alone') {
      this.#goAlone(effect)
      return
    }
    const { world, node } = this.#life
    const id = `alone-${node}-${this.#life.incarnation}-${effect.id}`
    if (effect.kind === 'withdraw') {
      this.#life.log('two nodes', `${effect.target} is heard again`)
      if (!world.mutations.has('fence-who-is-heard')) this.#fencing.feed({ kind: 'withdrawn', id })
      return
    }
    this.#life.log('two nodes', `fences ${effect.target}`)
    this.#fences = this.#known?.incarnation
    if (this.#offSince === effect.target && !world.daemons.get(effect.target)?.isAlive)
      world.checkers.violated('a silence is fenced once', `${node} fences ${effect.target}, which it has just fenced`)
    this.#configure()
    this.#fencing.feed({
      kind: 'demanded',
      demand: {
        id,
        target: effect.target,
        attributes: new Map(),
        action: world.chance.happens(0.5) ? 'reboot' : 'off',
        term: 0,
        timeoutMs: 8000,
        delayMs: effect.target === world.machines[0] ? delayMs : 0,
        random: world.chance.real(),
        runners: [node],
        reason: 'silent',
        client: 'survivor of two',
      },
    })
    if (world.mutations.has('start-before-fencing'))
      this.#feed({ kind: 'fenced', id: effect.id, succeeded: true, message: 'a lie' })
  }

  #performFencing(effect: FencingEffect): void {
    const { world, node } = this.#life
    switch (effect.kind) {
      case 'record': {
        const { id, outcome } = effect.progress
        const before = this.#life.host.journal.get(id)
        const known = before?.kind === 'put' ? (before.value as NotedFencing).begun : undefined
        const begun = known ?? String(Math.round(this.#life.now())).padStart(10, '0')
        // As the journal of a survivor has it: what the store does not know is no follow-up to it.
        const { isFollowUp: _, ...result } = effect.progress
        const value = { ...result, begun }
        this.#life.host.journal.set(id, { kind: 'put', key: keys.fencingHistory(id), value })
        this.#life.after(1, () => this.#fencing.feed({ kind: 'recorded', id, outcome, written: true }))
        return
      }
      case 'run-device': {
        const { call, action, target, timeoutMs } = effect
        if (action === 'off' || action === 'reboot') this.#sends(effect.id, target)
        const isReboot = this.#fencing.state.requests.find((request) => request.id === effect.id)?.action === 'reboot'
        world.runDevice(node, { action, target, timeoutMs, isReboot }, (answer) =>
          this.#life.after(0, () => this.#fencing.feed({ kind: 'device-answered', call, answer })),
        )
        return
      }
      case 'announce': {
        const { id, outcome, message } = effect
        this.#life.log('two nodes', `${effect.target}: ${outcome} (${message})`)
        if (outcome === 'succeeded' && this.#known?.incarnation === this.#fences) this.#offSince = effect.target
        this.#feed({
          kind: 'fenced',
          id: Number(id.split('-').at(-1)),
          succeeded: outcome === 'succeeded',
          message,
        })
      }
    }
  }

  #sends(id: string, target: TwoNodeSituation['peer']): void {
    const { world, node } = this.#life
    if (!this.#sent.has(id) && this.#known?.heartbeat === 'heard')
      world.checkers.violated('who is heard again is not fenced', `${node} has ${target} fenced`)
    this.#sent.add(id)
  }

  /** As `only-voter.ts` does it, once etcd is up again. */
  #goAlone({ without, word }: { readonly without: TwoNodeSituation['peer']; readonly word: PeerWord }): void {
    const { world, node, view, host } = this.#life
    const incarnation = knownIncarnation(view, without)
    this.#life.log('two nodes', `goes on alone without ${without}: ${word}`)
    this.#underWay = true
    world.store.restart(node)
    this.#life.after(world.chance.between(300, 1500), () => {
      // The word is on the disk right before; power may be lost, and the daemon die, at any moment from here on.
      host.word = { without, word }
      world.goesAlone(node)
      this.#life.untilKnown(
        () => this.#declareOff(without, incarnation, word),
        () => {
          host.word = undefined
          this.#underWay = false
          this.look()
          this.#feed({ kind: 'went-alone', succeeded: true, message: '' })
        },
      )
    })
  }

  #declareOff(lost: TwoNodeSituation['peer'], incarnation: number | undefined, word: PeerWord): 'done' {
    this.#declareLost(lost, incarnation, word)
    const { witness } = this.#life.world.list
    return this.#life.world.changeList((list) => ({
      ...withVote(lost, false)(list),
      ...(witness === undefined ? {} : { witness: { ...witness, votes: false } }),
    }))
  }

  #declareLost(lost: TwoNodeSituation['peer'], incarnation: number | undefined, word: PeerWord): void {
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
        ...this.#life.host.journal.values(),
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
