/**
 * What becomes of a word to go on alone that an earlier attempt, or an earlier daemon, has begun with and not ended. It was true when it was given:
 * since then the others may have been switched on, and be a majority without this node.
 */
import type { NodeName } from '../base/index.ts'
import type { TwoNodeSituation } from '../quorum/index.ts'

/** `alone`: this node's etcd is a cluster of one, and undefined where it does not answer. */
export interface EarlierConfirmation {
  readonly alone: boolean | undefined
  readonly hasVote: boolean
  /** `actedWithoutThisNode`. */
  readonly othersActed: boolean
}

/** As the daemon of another node describes itself. */
export interface OtherAnswer {
  readonly node: NodeName
  readonly quorate: boolean
  /** Under which it has quorum; an older version does not report it. */
  readonly lease?: string | undefined
  /** Of its list. */
  readonly nodesVersion: number
}

/** Who is registered in this node's own member of the store. Read before the others are asked. */
export type RegisteredHere = ReadonlyMap<
  NodeName,
  { readonly incarnation: number | undefined; readonly lease: string | undefined }
>

/**
 * Another has quorum in a store that is not this node's own, or knows a newer list of nodes. Quorum that comes from this node's member, which answers whoever
 * knows its address as soon as it has started, is no reason to wait: this node would wait for as long as the others work with its store.
 */
export function actedWithoutThisNode(
  answers: readonly OtherAnswer[],
  { nodesVersion, registered }: { readonly nodesVersion: number; readonly registered: RegisteredHere },
): boolean {
  return answers.some((answer) =>
    answer.quorate ? !isRegistered(answer, registered) : answer.nodesVersion > nodesVersion,
  )
}

/** Which life of each lost node is over; `none`: whoever is registered under that name has come back since, or nobody is. */
export function livesThatAreOver(
  lost: readonly NodeName[],
  answers: readonly OtherAnswer[],
  registered: RegisteredHere,
): ReadonlyMap<NodeName, number | 'none'> {
  const isBack = (node: NodeName): boolean =>
    answers.some((answer) => answer.node === node && answer.quorate && isRegistered(answer, registered))
  return new Map(lost.map((node) => [node, (isBack(node) ? undefined : registered.get(node)?.incarnation) ?? 'none']))
}

const isRegistered = ({ node, lease }: OtherAnswer, registered: RegisteredHere): boolean =>
  lease !== undefined && registered.get(node)?.lease === lease

/** Of more than two voters nothing is begun on it, and only what the store has become already is ended. */
export function judgeEarlierConfirmation({
  hasVote,
  alone,
  othersActed,
}: EarlierConfirmation): 'forget' | 'finish' | 'wait' {
  if (!hasVote || alone === false) return 'forget'
  return alone && !othersActed ? 'finish' : 'wait'
}

/** The other of two can have done nothing meanwhile: that takes this node's vote. So the word still counts while it is silent. */
export function judgeConfirmationOfTwo(
  alone: boolean | undefined,
  situation: TwoNodeSituation | undefined,
): 'forget' | 'go-on' | 'wait' {
  if (alone === false || (situation?.heartbeat === 'heard' && situation.quorate)) return 'forget'
  return situation?.heartbeat === 'silent' && situation.met ? 'go-on' : 'wait'
}
