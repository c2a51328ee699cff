/**
 * A node that finds no majority asks the others whether the list of nodes has changed without it: its vote may have gone to
 * another, all voters that it knows may have been replaced, or it may have been removed.
 */
import type { NodeName } from '../../base/index.ts'
import { RefusedError } from '../../rpc/index.ts'
import { removedCode } from './admission.ts'
import type { ClusterFile } from './cluster-file.ts'
import { acceptClusterFile } from './enrol.ts'
import type { Peers } from './peers.ts'
import { RemovalWord } from './removal.ts'

const askEveryMs = 1000
const answerWithinMs = 2000

export interface AskPorts {
  readonly self: NodeName
  readonly peers: Peers
  readonly file: () => ClusterFile
  /** By this node's own clock, now. */
  readonly quorate: () => boolean
  readonly onNodeList: (listed: ClusterFile) => void
  /** More than half of the others say that this node was removed. */
  readonly onRemoved: () => void
}

export class AskForList {
  readonly #ports: AskPorts
  #timer: NodeJS.Timeout | undefined
  #asking = false
  #findsNobody = false
  readonly #removal = new RemovalWord()

  constructor(ports: AskPorts) {
    this.#ports = ports
  }

  /** Until `end`: this node has no quorum. */
  begin(): void {
    this.#timer ??= setInterval(() => {
      if (!this.#ports.quorate() && !this.#asking) void this.#ask()
    }, askEveryMs)
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#findsNobody = false
  }

  /** When it asked last, none of the nodes that it knows answered with quorum. Whoever it does not know is heard only then (bring-list.ts). */
  get findsNobody(): boolean {
    return this.#findsNobody && !this.#ports.quorate()
  }

  async #ask(): Promise<void> {
    this.#asking = true
    const { self, file, onRemoved } = this.#ports
    const answers = await askOthers(this.#ports, (node, removed) => this.#removal.take(node, removed))
    this.#findsNobody = !answers.some(({ quorate }) => quorate)
    this.#asking = false
    const others = file().nodes.flatMap(({ name }) => (name === self ? [] : [name]))
    if (others.length > 0 && this.#removal.agreed(others)) onRemoved()
  }
}

/** As a daemon describes itself. */
export interface ListAnswer {
  readonly file: ClusterFile
  readonly quorate: boolean
}

/** What an answer says of this node: that it was removed, or a list that may be newer than its own. */
export function sayingOf(
  { file }: Pick<ListAnswer, 'file'>,
  self: NodeName,
  own: Pick<ClusterFile, 'nodesVersion'>,
): { readonly removed: boolean; readonly list: ClusterFile | undefined } {
  const isListed = file.nodes.some((node) => node.name === self)
  return { removed: !isListed && file.nodesVersion >= own.nodesVersion, list: isListed ? file : undefined }
}

/** Whoever answers; a list that is older changes nothing. `onWord`: whether a node that answered has this one in its list. */
export async function askOthers(
  { self, peers, file, onNodeList }: Omit<AskPorts, 'quorate' | 'onRemoved'>,
  onWord: (node: NodeName, removed: boolean) => void = () => undefined,
): Promise<readonly ListAnswer[]> {
  const others = file().nodes.filter(({ name }) => name !== self)
  const answers = await Promise.all(
    others.map(async ({ name }) => {
      const answer = await askNode(peers, name, () => onWord(name, true))
      if (!answer) return undefined
      const { removed, list } = sayingOf(answer, self, file())
      onWord(name, removed)
      if (list !== undefined) onNodeList(list)
      return answer
    }),
  )
  return answers.filter((answer) => answer !== undefined)
}

/** undefined: its daemon is not there, or this host has been closed to it. */
export async function askNode(
  peers: Pick<Peers, 'to'>,
  node: NodeName,
  onRemoved: () => void = () => undefined,
): Promise<ListAnswer | undefined> {
  try {
    const { json, quorate } = await peers.to(node).getClusterFile({}, { timeoutMs: answerWithinMs })
    return json === '' ? undefined : { file: acceptClusterFile(json), quorate }
  } catch (error) {
    if (error instanceof RefusedError && error.code === removedCode) onRemoved()
    return undefined
  }
}
