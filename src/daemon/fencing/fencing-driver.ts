/**
 * Performs what the core of this node asks for to fence others: records, devices here and on other nodes, the word to a node that is to end itself.
 * And the other half, which every node has: the devices that a DC has this node run.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { assertNever, type NodeName, nodeName } from '../../base/index.ts'
import type { IsSecret } from '../../cib/index.ts'
import {
  type ClusterView,
  type FencingAction,
  lastIncarnation,
  type NodeIncarnation,
  parseMemberRecord,
  sinceIncarnation,
} from '../../controller/index.ts'
import {
  type Announcement,
  type DeviceAnswer,
  type DeviceCommand,
  DeviceServer,
  type DeviceServerAnswer,
  deviceActions,
  type FenceHost,
  type FencingRecord,
  fenceDeviceRunner,
  usedFenceAgents,
} from '../../fencing/index.ts'
import {
  type FencerName,
  fenceDevices,
  fencedInput,
  isNodeFenceable,
  type NodeFencingEffect,
  type NodeFencingInput,
  type NodeInput,
  type NodeState,
  type RecordedFencing,
} from '../../node/index.ts'
import { type AgentMetadata, type AgentRunner, metadataReader } from '../../resource-agents/index.ts'
import {
  checkedJson,
  deviceAnswerForm,
  type FenceAnswer,
  type RunFenceDeviceAnswer,
  type RunFenceDeviceRequest,
  refuse,
  UnreachableError,
} from '../../rpc/index.ts'
import type { Comparison, Revision, Store } from '../../store/index.ts'
import { agentHost, bundledFenceAgents } from '../host/agent-host.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { Peers } from '../peers/peers.ts'
import type { Planned } from '../planner/messages.ts'
import { writeAsDc } from '../records/guarded-writes.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { recordWrites } from './fencing-records.ts'
import { peerFencing } from './peer-fencing.ts'
import { RecordTimes } from './record-times.ts'

export interface FencingPorts {
  readonly self: NodeName
  readonly peers: Peers
  readonly log: Log
  readonly paths: Paths
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly holdsTerm: (term: number) => boolean
  readonly core: () => NodeState
  readonly feed: (input: NodeInput) => void
  /** Of fencing without a majority: must survive a crash of the daemon. */
  readonly recordAlone: (record: FencingRecord) => void
  /** What an earlier daemon has recorded so, and the store does not know yet. */
  readonly recordedAlone: () => readonly FencingRecord[]
  /** What the scheduler would do if the node were lost. */
  readonly planWithout: (lost: NodeName) => Promise<Planned>
}

/** Besides the time limit of the device itself. */
const answerMarginMs = 3000
const administratorTimeoutMs = 20 * 60_000
const longestTag = 100

/** What whoever asks for fencing may say of how. */
export interface FencingWishes {
  readonly timeoutMs?: number
  readonly delayMs?: number
  readonly tag?: string
}
/** Longer than an election takes where the lease of the last DC must run out. */
const nextDcTimeoutMs = 60_000
const lookMs = 100

type EffectOf<Kind> = Extract<NodeFencingEffect, { kind: Kind }>
type RunDevice = EffectOf<'run-device'>
type RecordEffect = EffectOf<'record'>

export class FencingDriver {
  readonly #ports: FencingPorts
  readonly #host: FenceHost
  readonly #devices: DeviceServer
  /** Those of a survivor of two, which no term refuses. */
  readonly #ownDevices: DeviceServer
  readonly #readMetadata: ReturnType<typeof metadataReader>
  readonly #metadata = new Map<string, AgentMetadata>()
  readonly #waiting = new Map<string, (result: Announcement) => void>()
  readonly #times = new RecordTimes()
  readonly #writing: { [by in FencerName]: Promise<unknown> } = { dc: Promise.resolve(), alone: Promise.resolve() }

  constructor(ports: FencingPorts) {
    this.#ports = ports
    const fenceFolders = bundledFenceAgents()
    const isSecret: IsSecret = (name) => secretsOfView(ports.view())(name)
    this.#host = { ...agentHost(ports.paths), fenceFolders, isSecret }
    this.#readMetadata = metadataReader(this.#host, fenceFolders)
    this.#devices = new DeviceServer(this.#host)
    this.#ownDevices = new DeviceServer(this.#host)
  }

  /** Fence devices as resources of this node. */
  get runner(): AgentRunner {
    return fenceDeviceRunner((id) => this.#devices.device(id), this.#host)
  }

  get deviceCount(): number {
    return fenceDevices(this.#ports.core()).length
  }

  isFenceable(node: NodeName): boolean {
    return isNodeFenceable(this.#ports.core(), node)
  }

  perform(effect: NodeFencingEffect): void {
    const { feed, recordedAlone } = this.#ports
    switch (effect.kind) {
      case 'use-devices':
        this.#devices.configure(effect.devices)
        this.#ownDevices.configure(effect.devices)
        void this.#learnAgents()
        return
      case 'read-recorded-alone': {
        const records = recordedAlone()
        this.#times.know(records)
        feed({ kind: 'fencing', input: { kind: 'recorded-alone', records } })
        return
      }
      case 'record':
        this.#record(effect)
        return
      case 'run-device':
        void this.#runDevice(effect)
        return
      case 'look-at-target':
        void this.#lookAtTarget(effect)
        return
      case 'write-disk-word':
        void this.#writeDiskWord(effect)
        return
      case 'ask-to-end':
        void this.#askToEnd(effect)
        return
      case 'announce':
        feed({ kind: 'controller', input: fencedInput(effect, Math.floor(Date.now() / 1000)) })
        this.#waiting.get(effect.result.id)?.(effect.result)
        this.#waiting.delete(effect.result.id)
        return
      case 'plan-peer': {
        const { attempt, target } = effect
        void peerFencing(target, this.#ports).then((planned) =>
          feed({ kind: 'fencing', input: { kind: 'peer-planned', attempt, ...planned, random: Math.random() } }),
        )
        return
      }
      default:
        assertNever(effect)
    }
  }

  /** This node is the DC of that term: what earlier ones have left behind. */
  takeUpLeftOff(term: number, records: readonly RecordedFencing[]): void {
    this.#times.know(records)
    this.#ports.feed({ kind: 'fencing', input: { kind: 'history', term, records } })
  }

  async fenceForAdministrator(target: NodeName, action: FencingAction, how: FencingWishes = {}): Promise<FenceAnswer> {
    const { dc } = this.#ports.view()
    if (!dc) throw refuse('no-dc', 'The cluster has no DC at the moment, so no node can be fenced. Try again.')
    if (dc.node === this.#ports.self) return await this.#fenceAsked(target, action, { ...how, term: dc.term })
    const life = lastIncarnation(this.#ports.view(), target)
    try {
      return await this.#ports.peers
        .to(dc.node)
        .fence({ target, action, ...how }, { timeoutMs: administratorTimeoutMs })
    } catch (error) {
      if (dc.node !== target || !(error instanceof UnreachableError)) throw error
      return await this.#askNextDc(target, action, { ...how, life })
    }
  }

  /** A DC that is fenced dies before it can say so. */
  async #askNextDc(
    target: NodeName,
    action: FencingAction,
    { life, ...how }: FencingWishes & { readonly life: NodeIncarnation },
  ): Promise<FenceAnswer> {
    const { view } = this.#ports
    const giveUpAt = monotonicNow() + nextDcTimeoutMs
    const isOver = (): boolean => action === 'reboot' && sinceIncarnation(view(), target, life) === 'rebooted'
    while (!isOver() && (view().dc === undefined || view().dc?.node === target)) {
      if (monotonicNow() >= giveUpAt)
        throw refuse('no-dc', `The DC ${target} is lost and no other node has become DC yet. Try again.`)
      await delay(lookMs)
    }
    const answer = isOver() ? undefined : await this.fenceForAdministrator(target, action, how)
    // It may have come back while the next one was asked.
    return answer === undefined || isOver() ? { succeeded: true, message: `${target} has rebooted` } : answer
  }

  /** The devices that this node knows, and the nodes that each says it can fence; undefined where it must be asked. */
  fenceDevices(): readonly { readonly id: string; readonly targets: 'all' | readonly string[] | undefined }[] {
    return this.#devices.devices.map(({ id, hosts }) => ({
      id,
      targets: hosts.kind === 'listed' ? [...hosts.names] : hosts.kind === 'all' ? 'all' : undefined,
    }))
  }

  async askDevice(id: string, question: 'list' | 'monitor', timeoutMs: number): Promise<DeviceAnswer> {
    return await this.#devices.ask(id, question, timeoutMs)
  }

  async fenceForPeer(target: string, action: string, how: FencingWishes): Promise<FenceAnswer> {
    const { dc } = this.#ports.view()
    if (dc?.node !== this.#ports.self) throw refuse('not-dc', 'This node is no longer the DC. Try again.')
    if (action !== 'off' && action !== 'on' && action !== 'reboot') throw refuse('bad-action', `'${action}'?`)
    return await this.#fenceAsked(nodeName(target), action, { ...how, term: dc.term })
  }

  /** The other half: the DC asks this node to use a device. */
  async runDevice(request: RunFenceDeviceRequest): Promise<RunFenceDeviceAnswer> {
    const action = deviceActions.find((known) => known === request.action)
    if (!action) throw refuse('bad-action', `A fence device has no action '${request.action}'.`)
    const { term, id, device, timeoutMs } = request
    const answer = await this.#devices.run({ term, id, device, action, timeoutMs, target: nodeName(request.target) })
    if (answer.kind === 'old-term')
      return { succeeded: false, message: 'The term has ended.', highestTerm: answer.highestTerm, details: '' }
    const { succeeded, message } = answer.answer
    return { succeeded, message, highestTerm: term, details: JSON.stringify(answer.answer) }
  }

  async #fenceAsked(
    target: NodeName,
    action: FencingAction,
    { tag, ...how }: FencingWishes & { readonly term: number },
  ): Promise<FenceAnswer> {
    const id = randomUUID()
    const result = await new Promise<Announcement>((resolve) => {
      this.#waiting.set(id, resolve)
      const client = tag === undefined ? 'administrator' : `administrator.${tag.slice(0, longestTag)}`
      const input = { kind: 'fence-for-administrator', id, target, action, client, ...how } as const
      this.#ports.feed({ kind: 'fencing', input: { ...input, random: Math.random() } })
    })
    if (result.isOff) return { succeeded: true, message: `${target} is off. ${result.message}` }
    return { succeeded: result.outcome === 'succeeded', message: result.message }
  }

  /** In the order of the effects, so that a pending record never replaces a result. */
  #record(effect: RecordEffect): void {
    const { log, feed } = this.#ports
    const { by, progress } = effect
    const { id, outcome } = progress
    const record = this.#times.recordOf(progress)
    const written = this.#writing[by]
      .then(async () => await this.#write(record, effect))
      .catch((error: unknown) => {
        log.warn('a fencing action could not be recorded', { id, outcome, error })
        return false
      })
    this.#writing[by] = written
    void written.then((isWritten) =>
      feed({ kind: 'fencing', input: { kind: 'recorded', by, id, outcome, written: isWritten } }),
    )
  }

  async #write(record: FencingRecord, { by, term, ifAway }: RecordEffect): Promise<boolean> {
    const { store, holdsTerm, recordAlone } = this.#ports
    if (by === 'alone') {
      recordAlone(record)
      return true
    }
    const alsoHolds: readonly Comparison[] = ifAway ? [{ kind: 'absent', key: keys.member(record.target) }] : []
    const { outcome } = await writeAsDc(store(), term, {
      writes: recordWrites([record]),
      stillWanted: () => holdsTerm(term),
      alsoHolds,
    })
    return outcome === 'applied'
  }

  async #askToEnd({ call, target, incarnation, term }: EffectOf<'ask-to-end'>): Promise<void> {
    const { store, holdsTerm, feed } = this.#ports
    const value = toBytes({ incarnation })
    const write = { kind: 'put', key: keys.selfFencing(target), value } as const
    const refused = await writeAsDc(store(), term, { writes: [write], stillWanted: () => holdsTerm(term) }).then(
      ({ outcome }) => (outcome === 'applied' ? {} : { refused: 'the term is over' }),
      (error: unknown) => ({ refused: `${target} could not be asked to end itself: ${messageOf(error)}` }),
    )
    feed({ kind: 'fencing', input: { kind: 'asked-to-end', call, ...refused } })
  }

  async #runDevice({ kind: _, by, call, node, ...command }: RunDevice): Promise<void> {
    const { log, feed } = this.#ports
    const run = by === 'dc' ? this.#runOn(node, command) : this.#runAlone(command)
    const answer = await run.catch((error: unknown) => failed(`${node} could not be asked: ${messageOf(error)}`))
    if (!answer.succeeded) {
      const { device, action } = command
      log.warn('a fence device failed', { node, device, action, message: answer.message })
    }
    feed({ kind: 'fencing', input: { kind: 'device-answered', by, call, answer } })
  }

  async #runAlone(command: DeviceCommand): Promise<DeviceAnswer> {
    return answerOf(await this.#ownDevices.run(command))
  }

  async #runOn(node: NodeName, command: DeviceCommand): Promise<DeviceAnswer> {
    if (node === this.#ports.self) return answerOf(await this.#devices.run(command))
    const { term, id, target, action, device, timeoutMs } = command
    const request = { term, id, target, action, device, timeoutMs, details: '' }
    const told = await this.#ports.peers.to(node).runFenceDevice(request, { timeoutMs: timeoutMs + answerMarginMs })
    if (told.details !== '') return checkedJson(deviceAnswerForm, 'the answer of a fence device', told.details)
    return failed(told.message)
  }

  async #lookAtTarget({ call, target }: EffectOf<'look-at-target'>): Promise<void> {
    const { store, feed } = this.#ports
    const seen = await store()
      .get(keys.member(target))
      .then(
        (entry): NodeFencingInput => {
          const record = entry && parseMemberRecord(fromBytes(entry.value))
          const found = { ...(record && { record }), ...(entry && { revision: entry.modRevision }) }
          return { kind: 'target-seen', call, ...found }
        },
        (error: unknown): NodeFencingInput => ({ kind: 'target-not-seen', call, why: messageOf(error) }),
      )
    feed({ kind: 'fencing', input: seen })
  }

  async #writeDiskWord({ call, target, term, word, ifRevision }: EffectOf<'write-disk-word'>): Promise<void> {
    const { store, holdsTerm, feed } = this.#ports
    const key = keys.member(target)
    const unchanged: Comparison =
      ifRevision === undefined ? { kind: 'absent', key } : { kind: 'mod-revision', key, equals: ifRevision as Revision }
    const written = await writeAsDc(store(), term, {
      writes: [{ kind: 'put', key: keys.diskFencing(target), value: toBytes(word) }],
      stillWanted: () => holdsTerm(term),
      alsoHolds: [unchanged],
    }).then(
      ({ outcome }) => ({ written: outcome === 'applied' }),
      (error: unknown) => ({ written: false, why: messageOf(error) }),
    )
    feed({ kind: 'fencing', input: { kind: 'disk-word-written', call, ...written } })
  }

  /** The devices are used at once with what is known of the agents, and again when their metadata has been read. */
  async #learnAgents(): Promise<void> {
    const configuration = this.#ports.view().configuration?.typed
    const unknown = configuration === undefined ? [] : usedFenceAgents(configuration)
    let learned = false
    for (const type of unknown.filter((agent) => !this.#metadata.has(agent))) {
      const read = await this.#readMetadata({ class: 'stonith', type })
      if (read.ok) this.#metadata.set(type, read.value)
      else this.#ports.log.warn('the metadata of a fence agent cannot be read', { agent: type, reports: read.reports })
      learned = read.ok || learned
    }
    if (learned) this.#ports.feed({ kind: 'fencing', input: { kind: 'agents', metadata: new Map(this.#metadata) } })
  }
}

function answerOf(answer: DeviceServerAnswer): DeviceAnswer {
  return answer.kind === 'answered' ? answer.answer : failed('The term has ended.')
}

function failed(message: string): DeviceAnswer {
  return { succeeded: false, timedOut: false, output: '', message }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
