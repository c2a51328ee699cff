/**
 * This host's place as the witness: its member of etcd, and the server by which the nodes tell it the list. What stands in the way when the
 * daemon begins is no reason to end: `qdevice status` tells it, `qdevice destroy` ends it, and an address may come later than the daemon.
 */

import { assert } from '../../base/index.ts'
import {
  type GrpcServer,
  type Handlers,
  refuse,
  serveTcp,
  type TlsIdentity,
  type WitnessHost as WitnessHostState,
  witnessService,
} from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { takesPart } from '../host/takes-part.ts'
import { acceptClusterFile } from '../node-list/accept-file.ts'
import type { ClusterFile, WitnessEntry } from '../node-list/cluster-file.ts'
import { Admission } from '../peers/admission.ts'
import { readIdentity, UnusableIdentityError } from '../pki/identity.ts'
import { askPace } from './ask-place.ts'
import { Relay } from './relay.ts'
import { WitnessHost } from './witness-host.ts'

export interface WitnessPlacePorts {
  readonly paths: Paths
  readonly log: Log
  /** The cluster has another witness, or none. */
  readonly removed: (reason: string) => void
  /** There is a newer list of nodes. */
  readonly onList: (listed: ClusterFile) => void
  readonly onFailure: (method: string, error: unknown) => void
  /** It shows another certificate, or its first. */
  readonly onIdentity: () => void
}

const retryMs = 2000

export class WitnessPlace {
  readonly #ports: WitnessPlacePorts
  readonly #own: WitnessEntry
  readonly #host: WitnessHost
  /** For what it is asked at its HTTPS API. */
  readonly relay: Relay
  #server: GrpcServer | undefined
  #identity: TlsIdentity | undefined
  #problem: string | undefined
  #retry: NodeJS.Timeout | undefined
  #ended = false
  /** One server at a time has the port. */
  #turn: Promise<void> = Promise.resolve()

  constructor(file: ClusterFile, ports: WitnessPlacePorts) {
    const { witness } = file
    assert(witness !== undefined, 'the list names the witness whose host this is')
    const { paths, log, removed, onList } = ports
    this.#ports = ports
    this.#own = witness
    this.#host = new WitnessHost(file, {
      paths,
      log,
      own: witness,
      onList,
      removed: () => removed('the cluster has removed this witness'),
      // The answer first: this very server is closed.
      renewed: () => this.#tryIn(50),
      pace: askPace,
    })
    this.relay = new Relay({
      name: witness.name,
      file: () => this.#host.file,
      identity: () => this.#identity ?? readIdentity(paths.pki),
      vote: () => this.state(),
    })
  }

  get entry(): WitnessEntry {
    return this.#own
  }

  get identity(): TlsIdentity | undefined {
    return this.#identity
  }

  get clusterName(): string {
    return this.#host.file.clusterName
  }

  state(): WitnessHostState {
    return { ...this.#host.state(), ...(this.#problem === undefined ? {} : { problem: this.#problem }) }
  }

  /** Refused where it cannot be taken now. */
  async take(): Promise<void> {
    const taken = this.#turn
      .then(async () => await this.#take())
      .catch((error: unknown) => {
        throw refuse('cannot-be-witness', whyNot(this.#own, error))
      })
    this.#turn = taken.catch(() => undefined)
    await taken
  }

  /** Resolves after the first attempt; others follow until one succeeds. */
  async keepTrying(): Promise<void> {
    try {
      await this.take()
      this.#problem = undefined
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem !== this.#problem) this.#ports.log.error('this host cannot be the witness', { problem })
      this.#problem = problem
      this.#tryIn(retryMs)
    }
  }

  async start(): Promise<void> {
    if (this.#problem !== undefined) throw refuse('cannot-be-witness', this.#problem)
    await this.#host.start()
  }

  async stop(): Promise<void> {
    await this.#host.stop()
  }

  /** The daemon ends: etcd votes on. */
  async end(): Promise<void> {
    await this.#leave()
    await this.#host.end()
  }

  /** The member's data goes as well. */
  async forget(): Promise<void> {
    await this.#leave()
    await this.#host.forget()
  }

  async #leave(): Promise<void> {
    this.#ended = true
    this.relay.close()
    clearTimeout(this.#retry)
    await this.#turn
    await this.#server?.close()
  }

  #tryIn(ms: number): void {
    clearTimeout(this.#retry)
    if (!this.#ended) this.#retry = setTimeout(() => void this.keepTrying(), ms)
  }

  async #take(): Promise<void> {
    await this.#server?.close()
    this.#server = undefined
    if (this.#ended) return
    const { paths, log, onFailure } = this.#ports
    const identity = readIdentity(paths.pki)
    this.#identity = identity
    this.relay.renew()
    this.#ports.onIdentity()
    this.#host.begin()
    if (takesPart(paths)) await this.#host.start()
    const handlers: Handlers<typeof witnessService> = {
      follow: async ({ json, quorate }, { caller }) => {
        const listed = acceptClusterFile(json)
        if (caller.kind === 'node') {
          admission.refuseStrangersList(this.#own.name, caller, listed)
          if (this.#host.isChangedBy(listed, quorate)) await admission.refuseRemoved(caller)
        }
        return await this.#host.follow(listed, quorate, caller.kind === 'node' ? caller.name : '')
      },
      renew: async ({ certificate }) => {
        await this.#host.renew(certificate)
        return {}
      },
      followAuthority: async (order, { caller }) => {
        if (caller.kind === 'node' && order.trust.length > 0) await admission.refuseRemoved(caller)
        return await this.#host.followAuthority(order)
      },
      forget: async () => {
        if (await this.#host.forgetIfRemoved()) return {}
        throw refuse(
          'not-removed',
          'The node list in the store names this witness or cannot be read, so the witness keeps its cluster data.',
        )
      },
    }
    const admission = new Admission({
      log,
      file: () => this.#host.file,
      refresh: async () => {
        await this.#host.lookIntoStore()
      },
      mayBeStranded: () => this.#host.isLonely,
      askOthers: async () => await this.#host.askOthers(),
    })
    const at = { host: this.#own.address, port: this.#own.ports.peer, identity, admit: admission.admit }
    this.#server = await serveTcp(at, [{ service: witnessService, handlers }], onFailure)
  }
}

/** Why the host could not take its place, and what to do. */
function whyNot({ address }: WitnessEntry, error: unknown): string {
  if (error instanceof UnusableIdentityError)
    return 'This host has lost its certificate. Run `systole quorum device remove` on a node and `systole qdevice destroy net --force` here, then set up the witness again.'
  const why = error instanceof Error ? error.message : String(error)
  return `The cluster expects its witness at ${address}, where this host cannot listen (${why}). Remove it with \`systole quorum device remove\`, and add it with addr=<an address of this host>.`
}
