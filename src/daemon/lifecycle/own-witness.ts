/** The witness that this host is, where it is one: it takes its place, refuses what only nodes do, and forgets the cluster. */
import { rmSync } from 'node:fs'
import { refuse, type TlsIdentity } from '../../rpc/index.ts'
import { emptyFolder } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile, WitnessEntry } from '../node-list/cluster-file.ts'
import { WitnessPlace } from '../witness/witness-place.ts'

export interface OwnWitnessPorts {
  readonly paths: Paths
  readonly log: Log
  readonly onList: (listed: ClusterFile) => void
  readonly onFailure: (method: string, error: unknown) => void
  readonly onForgotten: () => Promise<void>
  /** It shows another certificate. */
  readonly onIdentity: () => void
  readonly fail: (error: unknown) => void
}

export class OwnWitness {
  readonly #ports: OwnWitnessPorts
  #place: WitnessPlace | undefined
  #forgetting = false

  constructor(ports: OwnWitnessPorts) {
    this.#ports = ports
  }

  get isThere(): boolean {
    return this.#place !== undefined
  }

  /** Or a refusal that says what to do. */
  get place(): WitnessPlace {
    if (this.#place) return this.#place
    throw refuse(
      'no-witness-here',
      'This host is not a witness. `systole quorum device add` on a cluster node prints the command to make it one.',
    )
  }

  /** Its place in the list. */
  get entry(): WitnessEntry | undefined {
    return this.#place?.entry
  }

  /** Undefined until it has taken its place. */
  get identity(): TlsIdentity | undefined {
    return this.#place?.identity
  }

  /** What only a node does is refused on a witness. */
  refuse(): void {
    if (this.#place === undefined) return
    throw refuse(
      'is-witness',
      `This host is the witness of the cluster ${this.#place.clusterName}, not a node. Run the command on a node, or leave the cluster with \`systole qdevice destroy net\`.`,
    )
  }

  /** Nodes may bring it the list, and its etcd member votes where it did so before. */
  async take(file: ClusterFile): Promise<void> {
    await this.#open(file).take()
  }

  /** As it was before this daemon began. */
  async resume(file: ClusterFile): Promise<void> {
    await this.#open(file).keepTrying()
  }

  /** Certificate, list, and the member with its copy of the store. */
  async forget(): Promise<void> {
    const { paths, onForgotten } = this.#ports
    await this.#place?.forget()
    this.#place = undefined
    await onForgotten()
    for (const path of [paths.witnessFile, paths.pki]) rmSync(path, { recursive: true, force: true })
    emptyFolder(paths.data)
  }

  async end(): Promise<void> {
    await this.#place?.end()
  }

  #open(file: ClusterFile): WitnessPlace {
    const { paths, log, onList, onFailure, onIdentity } = this.#ports
    const removed = (reason: string): void => this.#forgetLater(reason)
    onList(file)
    this.#place = new WitnessPlace(file, { paths, log, removed, onList, onFailure, onIdentity })
    return this.#place
  }

  /** The answer to whoever has said so first: this very server is closed with the rest. */
  #forgetLater(reason: string): void {
    const { log, fail } = this.#ports
    if (this.#forgetting) return
    this.#forgetting = true
    log.warn('this host forgets its cluster', { reason })
    const forget = async (): Promise<void> => await this.forget().finally(() => (this.#forgetting = false))
    setTimeout(() => forget().catch(fail), 50)
  }
}
