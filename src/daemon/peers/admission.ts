/**
 * Who is a member of this cluster: whoever the list of nodes names, by a key that it knows it by. A list that an older build has written knows no
 * keys: there the name in a certificate of the authority is enough. A caller that this host does not know is looked for in the store before it is
 * refused: the list here may be older than the caller's place in it.
 */
import type { NodeName } from '../../base/index.ts'
import {
  type Admit,
  type NodeCaller,
  nodeService,
  type RefusedError,
  refuse,
  ruleOf,
  witnessService,
} from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { isKnown } from '../node-list/known-node.ts'
import { isBelieved, type Said } from '../node-list/others-say.ts'
import { disputedCode, notCurrentCode, otherKeyCode, removedCode } from '../node-list/refusal-codes.ts'
import { takesFromStranger } from './bring-list.ts'

export interface AdmissionPorts {
  readonly log: Log
  readonly file: () => ClusterFile | undefined
  /** Takes the store's list, where this host can read it. */
  readonly refresh: () => Promise<void>
  /** Without quorum, or as a witness whose vote does not count, this host may know nobody who is there any more. Absent: it never takes a list from somebody that it does not know. */
  readonly mayBeStranded?: () => boolean
  /** Whether this host knows of every removal by now: it has quorum, or nobody was ever removed. Absent: it looks into the store, which only nodes with quorum write. */
  readonly isCurrent?: () => boolean
  /** What the other nodes say that this host knows, whose newer lists it takes. */
  readonly askOthers?: () => Promise<readonly Said[]>
}

interface Asked {
  /** The list that this host had before. */
  readonly own: ClusterFile | undefined
  readonly said: readonly Said[]
}

/** A stranger that calls again and again makes this host read no more than that. */
const refreshEveryMs = 500
const bringsList: ReadonlySet<string> = new Set([nodeService.updateClusterFile.path, witnessService.follow.path])
const tellEveryMs = 60_000
const mostTold = 100

export class Admission {
  readonly #ports: AdmissionPorts
  #refreshing: Promise<void> | undefined
  #refreshedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<Asked> | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  readonly #told = new Map<string, number>()

  constructor(ports: AdmissionPorts) {
    this.#ports = ports
  }

  readonly admit: Admit = async (caller, path) => {
    if (!this.knows(caller)) await this.#refresh()
    if (this.knows(caller)) return await this.#refuseUnlessCurrent(caller, path)
    // Its handler looks at the list that is brought (`refuseStrangersList`).
    if (path !== undefined && bringsList.has(path) && this.#ports.mayBeStranded?.() === true) return
    this.#tell(caller)
    throw this.#refusal(caller)
  }

  knows(caller: Pick<NodeCaller, 'name' | 'key'>): boolean {
    return isKnown(this.#ports.file()?.nodes ?? [], caller)
  }

  /** The list that somebody brings whom this host does not know. */
  refuseStrangersList(self: NodeName, caller: NodeCaller, listed: ClusterFile): void {
    const own = this.#ports.file()
    if (this.knows(caller) || (own !== undefined && takesFromStranger(own, self, { caller, listed }))) return
    this.#tell(caller)
    throw this.#refusal(caller)
  }

  /** Without quorum it cannot see for itself whether the caller was removed meanwhile (call-rules.ts). */
  async #refuseUnlessCurrent(caller: NodeCaller, path: string | undefined): Promise<void> {
    const rule = path === undefined ? undefined : ruleOf(path)
    if (rule === undefined || this.#ports.isCurrent?.() !== false) return
    if (rule.withQuorum)
      throw refuse(
        notCurrentCode,
        'This node has no quorum, so it cannot check whether the calling node was removed from the cluster.',
      )
    if (rule.asksOthers) await this.refuseRemoved(caller)
  }

  /** A node that this host knows, and of which the others say that it was removed meanwhile. A stranger is another matter (`refuseStrangersList`). */
  async refuseRemoved(caller: NodeCaller): Promise<void> {
    if (!this.knows(caller)) return
    const { own, said } = await this.#askOthers()
    const believed = own === undefined || isBelieved(own, { name: caller.name, keys: [caller.key] }, said)
    if (believed && this.knows(caller)) return
    this.#tell(caller)
    throw this.knows(caller)
      ? refuse(
          disputedCode,
          `This host has no quorum, and other nodes say that ${caller.name} was removed from the cluster. Run the command on this host.`,
        )
      : this.#refusal(caller)
  }

  /** Whoever calls again and again makes this host ask no more than that. */
  async #askOthers(): Promise<Asked> {
    const { file, askOthers } = this.#ports
    if (this.#asking === undefined || performance.now() - this.#askedAt > refreshEveryMs) {
      const own = file()
      this.#askedAt = Number.POSITIVE_INFINITY
      this.#asking = (askOthers?.() ?? Promise.resolve([])).then((said) => ({ own, said }))
      this.#asking.finally(() => (this.#askedAt = performance.now())).catch(() => undefined)
    }
    return await this.#asking
  }

  async #refresh(): Promise<void> {
    if (performance.now() - this.#refreshedAt < refreshEveryMs) return await this.#refreshing
    this.#refreshedAt = performance.now()
    // Without the store the list here counts.
    this.#refreshing = this.#ports.refresh().catch(() => undefined)
    await this.#refreshing
  }

  #refusal({ name }: NodeCaller): RefusedError {
    const file = this.#ports.file()
    const clusterName = file?.clusterName ?? ''
    if (file?.nodes.some((node) => node.name === name))
      return refuse(otherKeyCode, `${name} of the cluster ${clusterName} has a different key than this caller.`)
    return refuse(removedCode, `The cluster ${clusterName} has no node '${name}': it was removed.`)
  }

  #tell(caller: NodeCaller): void {
    const { name, key } = caller
    const now = performance.now()
    if (now - (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
    if (this.#told.size >= mostTold) this.#told.clear()
    this.#told.set(key, now)
    this.#ports.log.warn('a call was refused: its caller is not in the node list', { name, key })
  }
}
