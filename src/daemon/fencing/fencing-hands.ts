/** Fencing of this daemon: as the DC, whose fencer decides which device does what, and as a node that runs devices for the DC. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type NodeName, nodeName, parseDurationMs } from '../../base/index.ts'
import {
  type Configuration,
  clusterOptionValue,
  type IsSecret,
  nvSetsByPrecedence,
  parseBoolean,
} from '../../cib/index.ts'
import {
  type ClusterView,
  type ControllerEffect,
  type ControllerInput,
  type FencingAction,
  knownIncarnation,
  lastIncarnation,
  type NodeIncarnation,
  sinceIncarnation,
} from '../../controller/index.ts'
import {
  type Announcement,
  type DeviceAnswer,
  type DeviceCommand,
  DeviceServer,
  type DeviceServerAnswer,
  deviceActions,
  type FenceDevice,
  type FenceHost,
  Fencer,
  type FencingRecord,
  fenceDeviceRunner,
  isFenceable,
  isTermOver,
  isThroughDisks,
  levelsFor,
  readFenceDevices,
  usedFenceAgents,
  watchdogDevice,
  watchdogDeviceId,
} from '../../fencing/index.ts'
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
import { type Comparison, isStoreFailure, type Store } from '../../store/index.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { agentHost, bundledFenceAgents } from '../node/open-executor.ts'
import type { Timings } from '../nodes/cluster-file.ts'
import type { Peers } from '../nodes/peers.ts'
import { writeAsDc } from '../records/guarded-writes.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { type SeenTarget, seeTarget, whyNotThroughDisks, wordOfDiskFencing } from './disk-fencing.ts'
import { recordWrites } from './fencing-records.ts'
import { isHalfDone, leftOffIn, type NotedFencing } from './left-off.ts'
import { type LoneDemand, LoneFencer } from './lone-fencer.ts'
import { WatchdogFencer, watchdogWaits } from './watchdog-fencer.ts'

export interface FencingPorts {
  readonly self: NodeName
  readonly peers: Peers
  readonly log: Log
  readonly paths: Paths
  readonly timings: () => Timings
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly silent: () => ReadonlySet<NodeName>
  readonly holdsTerm: (term: number) => boolean
  readonly onFenced: (input: Extract<ControllerInput, { kind: 'fenced' }>) => void
  /** Of fencing without a majority: must survive a crash of the daemon. */
  readonly recordAlone: (record: FencingRecord) => void
  /** What an earlier daemon has recorded so, and the store does not know yet. */
  readonly recordedAlone: () => readonly FencingRecord[]
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
const defaultTimeoutMs = 60_000
/** A member seldom tells anything new of itself. */
const tellAttempts = 5

export class FencingHands {
  readonly #ports: FencingPorts
  readonly #host: FenceHost
  readonly #devices: DeviceServer
  readonly #fencer: Fencer
  readonly #lone: LoneFencer
  readonly #watchdogs: WatchdogFencer
  readonly #readMetadata: ReturnType<typeof metadataReader>
  readonly #metadata = new Map<string, AgentMetadata>()
  readonly #waiting = new Map<string, (result: Announcement) => void>()
  /** The life of each node that was to be fenced last. */
  readonly #meant = new Map<NodeName, number | undefined>()
  /** Nodes that an administrator wants off: nobody switches them on. */
  readonly #wantedOff = new Set<NodeName>()
  /** Fencings without a majority that wait for their turn, and may be taken back meanwhile. */
  readonly #inLine = new Map<string, { takenBack: boolean }>()
  #configuration: Configuration | undefined
  #known: readonly FenceDevice[] = []
  /** For each node that its own watchdog can fence, how long that takes. */
  #watchdogWaits: ReadonlyMap<NodeName, number> = new Map()

  constructor(ports: FencingPorts) {
    this.#ports = ports
    const fenceFolders = bundledFenceAgents()
    const isSecret: IsSecret = (name) => secretsOfView(ports.view())(name)
    this.#host = { ...agentHost(ports.paths), fenceFolders, isSecret }
    this.#readMetadata = metadataReader(this.#host, fenceFolders)
    this.#devices = new DeviceServer(this.#host)
    const { self, log, recordAlone } = ports
    const whyNot = (command: DeviceCommand): string | undefined => this.#whyNot(command, self)
    this.#lone = new LoneFencer({ self, log, host: this.#host, record: recordAlone, whyNot })
    this.#watchdogs = new WatchdogFencer({ ...ports, option: () => this.#watchdogOption() })
    this.#fencer = new Fencer({
      record: async (record, term) => {
        const byWatchdog = record.device === watchdogDeviceId && record.outcome === 'succeeded'
        if (!byWatchdog) return await this.#record(record, term, [])
        const written = await this.#record(record, term, this.#watchdogs.mustHold(record))
        const message = `${record.target} came back before its reset was certain`
        if (written === 'refused') await this.#record({ ...record, outcome: 'failed', message }, term, [])
        return written
      },
      runDevice: async (node, command) => await this.#runOn(node, command),
      announce: (result) => this.#announce(result),
      log: ports.log,
    })
  }

  /** Fence devices as resources of this node. */
  get runner(): AgentRunner {
    return fenceDeviceRunner((id) => this.#devices.device(id), this.#host)
  }

  /** At once with what is known of the agents, and again when their metadata has been read. */
  configure(configuration: Configuration): void {
    const isFirst = this.#configuration === undefined
    this.#configuration = configuration
    this.#useDevices()
    this.look()
    if (isFirst) this.#takeUpLeftOffAlone()
    void this.#learnAgents(configuration)
  }

  /** Which nodes feed a watchdog may have changed. */
  look(): void {
    const { view, timings } = this.#ports
    const waits = watchdogWaits(view(), this.#watchdogOption(), timings())
    const same =
      waits.size === this.#watchdogWaits.size && [...waits].every(([node, ms]) => this.#watchdogWaits.get(node) === ms)
    this.#watchdogWaits = waits
    if (!same) this.#useDevices()
  }

  memberChanged(node: NodeName): void {
    this.#watchdogs.memberChanged(node)
    const incarnation = this.#ports.view().members.get(node)?.incarnation
    if (incarnation === undefined || !this.#meant.has(node) || incarnation === this.#meant.get(node)) return
    this.#meant.delete(node)
    this.#wantedOff.delete(node)
    this.#fencer.leaveAsItIs(node)
    this.#lone.leaveAsItIs(node)
  }

  /** What an earlier daemon of this node has begun without a majority. Switching on does no harm to a node that is on. */
  #takeUpLeftOffAlone(): void {
    for (const record of this.#ports.recordedAlone().filter(isHalfDone)) {
      const { target } = record
      const attributes = this.#attributesOf(target)
      const first = levelsFor({ node: target, attributes }, this.#topology, this.#known)[0] ?? []
      this.#meant.set(target, knownIncarnation(this.#ports.view(), target))
      this.#lone.leftOff(record, { attributes, timeoutMs: this.#timeoutMs(), devices: record.powerOn ?? first })
    }
  }

  /** For the controller of this node, which is the DC from now on: what earlier ones have switched off and not on again. */
  takeUpLeftOff(term: number, records: readonly NotedFencing[]): void {
    for (const { record, target, devices } of leftOffIn(records, this.#ports.view())) {
      const attributes = this.#attributesOf(target)
      const known = devices ?? levelsFor({ node: target, attributes }, this.#topology, this.#known)[0] ?? []
      this.#ports.log.warn('a node that a reboot has left off is switched on', { target, devices: known })
      this.#meant.set(target, knownIncarnation(this.#ports.view(), target))
      const { id, reason = 'it was left off', client = 'controller' } = record
      const timeoutMs = this.#timeoutMs()
      const asked = { id, term, target, action: 'reboot', timeoutMs, delayMs: 0, reason, client } as const
      this.#fencer.leftOff(record, { ...asked, attributes, random: 0, runners: this.#runners() }, known)
    }
  }

  get deviceCount(): number {
    return this.#known.length
  }

  /** By the configuration alone: a device that must be asked first may still refuse. */
  isFenceable(node: NodeName): boolean {
    return isFenceable({ node, attributes: this.#attributesOf(node) }, this.#topology, this.#known)
  }

  get #topology(): Configuration['fencingLevels'] {
    return this.#configuration?.fencingLevels ?? []
  }

  /** Somebody else vouches that the node is off. */
  confirm(target: NodeName, bySurvivor: boolean): void {
    this.#fencer.confirm(target, bySurvivor)
    this.#lone.confirm(target, bySurvivor)
  }

  close(): void {
    this.#fencer.close()
    this.#lone.close()
  }

  /** By the survivor of two, which leads nobody and cannot write to the store. */
  async fenceAlone(asked: Omit<LoneDemand, 'attributes'>): Promise<Announcement> {
    const { id, target } = asked
    const turn = { takenBack: false }
    this.#inLine.set(id, turn)
    await this.#untilNobodyIsAtWork(this.#fencer, target)
    this.#inLine.delete(id)
    if (turn.takenBack) return { id, target, outcome: 'failed', message: `${target} is heard again.`, withdrawn: true }
    const action = this.#asWanted(target, asked.action)
    this.#meant.set(target, knownIncarnation(this.#ports.view(), target))
    return await this.#lone.fence({ ...asked, action, attributes: this.#attributesOf(target) })
  }

  /** The other is heard again. */
  withdrawAlone(id: string): void {
    const turn = this.#inLine.get(id)
    if (turn !== undefined) turn.takenBack = true
    this.#lone.withdraw(id)
  }

  /** Devices are told one thing at a time about a node, whether by the DC or by the survivor of two. */
  async #untilNobodyIsAtWork(fencer: Pick<Fencer, 'isAtWork'>, target: NodeName): Promise<void> {
    const giveUpAt = monotonicNow() + administratorTimeoutMs
    while (fencer.isAtWork(target) && monotonicNow() < giveUpAt) await delay(lookMs)
  }

  #asWanted(target: NodeName, action: FencingAction): FencingAction {
    return action === 'reboot' && this.#wantedOff.has(target) ? 'off' : action
  }

  /** For the controller of this node: the node is here again, or this one is DC with quorum no more. */
  withdraw(id: string): void {
    this.#ports.log.warn('a fencing is not wanted any more', { id })
    this.#fencer.withdraw(id)
  }

  /** For the controller of this node, which is the DC. */
  async fence(request: Extract<ControllerEffect, { kind: 'fence' }>): Promise<ControllerInput> {
    const { id, term, target, timeoutMs, delayMs, reason } = request
    const action = this.#asWanted(target, request.action)
    this.#ports.log.warn('a node is to be fenced', { target, action, reason })
    const result = await this.#demand({ id, term, target, action, timeoutMs, delayMs, reason, client: 'controller' })
    return fencedInput(result, action, request.incarnation)
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
    { term, timeoutMs = this.#timeoutMs(), delayMs = 0, tag }: FencingWishes & { readonly term: number },
  ): Promise<FenceAnswer> {
    const id = randomUUID()
    const incarnation = knownIncarnation(this.#ports.view(), target)
    if (action === 'off') this.#wantedOff.add(target)
    else this.#wantedOff.delete(target)
    const result = await this.#demand({
      id,
      term,
      target,
      action,
      timeoutMs,
      delayMs,
      reason: 'requested by an administrator',
      client: tag === undefined ? 'administrator' : `administrator.${tag.slice(0, longestTag)}`,
    })
    this.#ports.onFenced(fencedInput(result, action, incarnation))
    if (result.isOff) return { succeeded: true, message: `${target} is off. ${result.message}` }
    const succeeded = result.outcome === 'succeeded'
    if (!succeeded) this.#wantedOff.delete(target)
    return { succeeded, message: result.message }
  }

  async #demand(asked: {
    readonly id: string
    readonly term: number
    readonly target: NodeName
    readonly action: FencingAction
    readonly timeoutMs: number
    readonly delayMs: number
    readonly reason: string
    readonly client: string
  }): Promise<Announcement> {
    const { id, target } = asked
    await this.#untilNobodyIsAtWork(this.#lone, target)
    this.#lone.leaveAsItIs(target)
    this.#meant.set(target, knownIncarnation(this.#ports.view(), target))
    const ended = new Promise<Announcement>((resolve) => this.#waiting.set(id, resolve))
    const attributes = this.#attributesOf(target)
    this.#fencer.demand({ ...asked, attributes, random: Math.random(), runners: this.#runners() })
    return await ended
  }

  #runners(): readonly NodeName[] {
    const { self, view, silent } = this.#ports
    const others = [...view().members.keys()].filter((node) => node !== self && !silent().has(node))
    return [self, ...others.sort()]
  }

  #timeoutMs(): number {
    return parseDurationMs(clusterOptionValue(this.#configuration, 'fencing-timeout')) ?? defaultTimeoutMs
  }

  async #record(record: FencingRecord, term: number, alsoHolds: readonly Comparison[]): Promise<'written' | 'refused'> {
    const { store, holdsTerm } = this.#ports
    const { outcome } = await writeAsDc(store(), term, recordWrites([record]), () => holdsTerm(term), alsoHolds)
    return outcome === 'applied' ? 'written' : 'refused'
  }

  #announce(result: Announcement): void {
    const { id, target, outcome, message } = result
    this.#ports.log.warn('fencing has ended', { target, outcome, message })
    this.#waiting.get(id)?.(result)
    this.#waiting.delete(id)
  }

  #watchdogOption(): string {
    return clusterOptionValue(this.#configuration, 'fencing-watchdog-timeout')
  }

  async #runOn(node: NodeName, command: DeviceCommand): Promise<DeviceAnswer> {
    if (isTermOver(this.#ports.view().dc, command)) return failed('The term has ended.')
    // Whoever leads waits, wherever other devices are run.
    if (command.device === watchdogDeviceId) return await this.#watchdogs.run(command)
    const obstacle = this.#whyNot(command, node) ?? (await this.#tellStore(command, node))
    if (obstacle !== undefined) return failed(obstacle)
    if (node === this.#ports.self) return answerOf(await this.#devices.run(command))
    const { term, id, target, action, device, timeoutMs } = command
    const request = { term, id, target, action, device, timeoutMs, details: '' }
    const told = await this.#ports.peers.to(node).runFenceDevice(request, { timeoutMs: timeoutMs + answerMarginMs })
    if (told.details !== '') return checkedJson(deviceAnswerForm, 'the answer of a fence device', told.details)
    return failed(told.message)
  }

  /** Known before the device is tried. */
  #whyNot({ device, target, action }: DeviceCommand, runner: NodeName): string | undefined {
    const known = this.#diskDevice(device, action)
    return known && whyNotThroughDisks(known, { view: this.#ports.view(), target, runner })
  }

  /** What went wrong. */
  async #tellStore({ device, target, action, term }: DeviceCommand, runner: NodeName): Promise<string | undefined> {
    const known = this.#diskDevice(device, action)
    if (known === undefined || (action !== 'off' && action !== 'reboot')) return undefined
    const { store, holdsTerm } = this.#ports
    for (let attempt = 0; attempt < tellAttempts; attempt++) {
      const seen = await this.#seeTarget(target)
      if (typeof seen === 'string') return seen
      const { view, unchanged } = seen
      const obstacle = whyNotThroughDisks(known, { view, target, runner })
      if (obstacle !== undefined) return obstacle
      const word = wordOfDiskFencing(view, target, action)
      const { outcome } = await writeAsDc(store(), term, [word], () => holdsTerm(term), [unchanged])
      if (outcome === 'applied') return undefined
      if (!holdsTerm(term)) return 'the term is over'
    }
    return `the reports of ${target} about its disks keep changing`
  }

  async #seeTarget(target: NodeName): Promise<SeenTarget | string> {
    const { store, view } = this.#ports
    try {
      return await seeTarget(store(), view(), target)
    } catch (error) {
      if (!isStoreFailure(error)) throw error
      return `the store did not report whether ${target} reads its disks: ${error.message}`
    }
  }

  #diskDevice(id: string, action: DeviceCommand['action']): FenceDevice | undefined {
    if (action !== 'off' && action !== 'reboot') return undefined
    return this.#known.find((device) => device.id === id && isThroughDisks(device.agent))
  }

  #attributesOf(target: NodeName): ReadonlyMap<string, string> {
    const definition = this.#configuration?.nodes.find(({ name }) => name === target)
    const sets = nvSetsByPrecedence(definition?.attributes ?? []).filter(({ rule }) => rule === undefined)
    const values = new Map<string, string>()
    for (const { name, value } of sets.flatMap(({ pairs }) => pairs)) if (!values.has(name)) values.set(name, value)
    return values
  }

  async #learnAgents(configuration: Configuration): Promise<void> {
    const unknown = usedFenceAgents(configuration).filter((agent) => !this.#metadata.has(agent))
    for (const type of unknown) {
      const read = await this.#readMetadata({ class: 'stonith', type })
      if (read.ok) this.#metadata.set(type, read.value)
      else this.#ports.log.warn('the metadata of a fence agent cannot be read', { agent: type, reports: read.reports })
    }
    if (unknown.length > 0) this.#useDevices()
  }

  #useDevices(): void {
    const configuration = this.#configuration
    if (!configuration) return
    const devices = readFenceDevices(configuration, { metadata: this.#metadata })
    const concurrent = parseBoolean(clusterOptionValue(configuration, 'concurrent-fencing')) ?? true
    // Without a majority nobody can know that a watchdog was not fed: the survivor of two does not count on it.
    const watchdogs = this.#watchdogWaits.size > 0 ? [watchdogDevice(this.#watchdogWaits)] : []
    this.#known = [...devices, ...watchdogs]
    this.#devices.configure(devices)
    const setup = { devices, topology: configuration.fencingLevels, concurrent }
    this.#fencer.configure({ ...setup, devices: this.#known })
    this.#lone.configure(setup)
  }
}

function answerOf(answer: DeviceServerAnswer): DeviceAnswer {
  return answer.kind === 'answered' ? answer.answer : failed('The term has ended.')
}

function failed(message: string): DeviceAnswer {
  return { succeeded: false, timedOut: false, output: '', message }
}

function fencedInput(
  result: Announcement,
  action: FencingAction,
  incarnation: number | undefined,
): Extract<ControllerInput, { kind: 'fenced' }> {
  const { id, target, outcome, message, withdrawn } = result
  const meant = incarnation === undefined ? {} : { incarnation }
  const back = withdrawn === undefined ? {} : { withdrawn }
  return { kind: 'fenced', id, target, action, ...meant, ...back, at: Math.floor(Date.now() / 1000), outcome, message }
}
