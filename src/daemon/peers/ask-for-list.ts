/**
 * A node that finds no majority asks the others whether the list of nodes has changed without it: its vote may have gone to
 * another, all voters that it knows may have been replaced, or it may have been removed.
 */

import type { NodeName } from '../../base/index.ts'
import { RefusedError } from '../../rpc/index.ts'
import { acceptClusterFile } from '../node-list/accept-file.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { isBelieved, type Said } from '../node-list/others-say.ts'
import { removedCode } from '../node-list/refusal-codes.ts'
import { RemovalReports } from '../node-list/removal-reports.ts'
import type { Peers } from './peers.ts'

const askEveryMs = 1000
/** A node that is up answers within milliseconds; nobody's list is taken before all have answered, and for one that is off nobody waits for long. */
const answerWithinMs = 1200

export interface AskPorts {
  readonly self: NodeName
  readonly peers: Pick<Peers, 'to'>
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
  readonly #removal = new RemovalReports()

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
  /** Under which it has quorum. */
  readonly lease?: string
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

/** Of one who answers: what it says. */
export interface NodesAnswer extends ListAnswer, Said {}

/**
 * Whoever answers; a list that is older changes nothing, and neither does that of a node of which the others say that it was removed: so all are heard before
 * any list is taken. `onWord`: whether a node that answered has this one in its list.
 */
export async function askOthers(
  { self, peers, file, onNodeList }: Omit<AskPorts, 'quorate' | 'onRemoved'>,
  onWord: (node: NodeName, removed: boolean) => void = () => undefined,
): Promise<readonly NodesAnswer[]> {
  const own = file()
  const others = own.nodes.filter(({ name }) => name !== self)
  const asked = await Promise.all(
    others.map(async ({ name: node }) => {
      const answer = await askNode(peers, node, () => onWord(node, true))
      return answer && { node, ...answer }
    }),
  )
  const answers = asked.filter((answer) => answer !== undefined)
  for (const answer of answers) {
    const { removed, list } = sayingOf(answer, self, own)
    onWord(answer.node, removed)
    const keys = own.nodes.find(({ name }) => name === answer.node)?.keys
    if (list !== undefined && isBelieved(own, { name: answer.node, keys }, answers)) onNodeList(list)
  }
  return answers
}

/** undefined: its daemon is not there, or this host has been closed to it. */
export async function askNode(
  peers: Pick<Peers, 'to'>,
  node: NodeName,
  onRemoved: () => void = () => undefined,
): Promise<ListAnswer | undefined> {
  try {
    const { json, quorate, lease } = await peers.to(node).getClusterFile({}, { timeoutMs: answerWithinMs })
    return json === ''
      ? undefined
      : { file: acceptClusterFile(json), quorate, ...(lease === undefined ? {} : { lease }) }
  } catch (error) {
    if (error instanceof RefusedError && error.code === removedCode) onRemoved()
    return undefined
  }
}
