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
import { takesFromStranger } from './bring-list.ts'
import type { ClusterFile } from './cluster-file.ts'
import { isKnown } from './known-node.ts'

export interface AdmissionPorts {
  readonly log: Log
  readonly file: () => ClusterFile | undefined
  /** Takes the store's list, where this host can read it. */
  readonly refresh: () => Promise<void>
  /** Without quorum, or as a witness whose vote does not count, this host may know nobody who is there any more. Absent: it never takes a list from somebody that it does not know. */
  readonly mayBeStranded?: () => boolean
  /** Whether this host knows of every removal by now: it has quorum, or nobody was ever removed. Absent: it looks into the store, which only nodes with quorum write. */
  readonly isCurrent?: () => boolean
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
  readonly #told = new Map<string, number>()

  constructor(ports: AdmissionPorts) {
    this.#ports = ports
  }

  readonly admit: Admit = async (caller, path) => {
    if (this.knows(caller)) return this.#refuseUnlessCurrent(path)
    await this.#refresh()
    if (this.knows(caller)) return this.#refuseUnlessCurrent(path)
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

  /** Without quorum it cannot see whether the caller was removed meanwhile (call-rules.ts). */
  #refuseUnlessCurrent(path: string | undefined): void {
    if (path === undefined || ruleOf(path)?.withQuorum !== true || this.#ports.isCurrent?.() !== false) return
    throw refuse(
      notCurrentCode,
      'This node has no quorum, so it cannot check whether the calling node was removed from the cluster.',
    )
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

/** What a node that was removed while it was away hears from the others. */
export const removedCode = 'removed'

/** The same call may be answered once this node has quorum. */
export const notCurrentCode = 'no-quorum'

const otherKeyCode = 'other-key'

export const notAdmitted: readonly string[] = [removedCode, otherKeyCode]
