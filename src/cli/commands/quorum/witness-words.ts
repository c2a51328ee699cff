/** What pcs's words for a quorum device of the model `net` say of a witness, and what is printed for its host. */
import type { ClusterNode, ClusterState, ClusterStateWitness, JoinTokenAnswer } from '../../../rpc/index.ts'
import { withTokenOnInput } from '../../access/join-token.ts'
import { type Call, done, type Outcome, Refusal } from '../../call/command.ts'
import { parsePairs, type Section } from '../../grammar/words.ts'
import { readNodes, withAddresses } from '../cluster/setup.ts'

export const addUsage = 'quorum device add model net host=<host> [addr=<address>] [algorithm=ffsplit]'

/** The nodes agree on it one step after the other. */
export const removeTimeoutMs = 120_000

export function refuseHeuristics(sections: readonly Section[]): void {
  if (sections.some(({ keyword }) => keyword === 'heuristics'))
    throw new Refusal('A witness has no heuristics: the half with a majority of the votes continues.')
}

/** What pcs takes is read whole, and what cannot be so here is refused. */
export function readOptions(
  generic: readonly string[],
  model: readonly string[],
): { readonly host?: string | undefined; readonly addr?: string | undefined } {
  const { host, addr, algorithm = 'ffsplit', tls = 'on', ...unknown } = Object.fromEntries(parsePairs(model, 'options'))
  if (algorithm !== 'ffsplit')
    throw new Refusal(
      `A witness votes for the half that reaches it, which is algorithm=ffsplit: algorithm=${algorithm} would give nodes without a majority the right to act.`,
    )
  if (tls === 'off') throw new Refusal('A witness always uses TLS. Omit tls=off.')
  const surplus = [...generic, ...Object.entries(unknown).map(([name, value]) => `${name}=${value}`)]
  if (surplus.length > 0)
    throw new Refusal(
      ...surplus.map(
        (word) =>
          `'${word}' is not a witness option. The options are host, addr and algorithm; the timeouts are those of the cluster.`,
      ),
    )
  return { host, addr }
}

export async function hostOf(call: Call, host: string, addr: string | undefined): Promise<ClusterNode> {
  const [found] = await withAddresses(call, readNodes([host, ...(addr === undefined ? [] : [`addr=${addr}`])]))
  if (!found) throw new Refusal(`The witness's host is missing: systole ${addUsage}.`)
  return found
}

/** What is to be typed on the host. */
export function setupLine(
  host: Pick<ClusterNode, 'name' | 'address'>,
  { localNode, members }: ClusterState,
  answer: JoinTokenAnswer,
): Outcome {
  const { token, validUntil } = answer
  const address = members.find((member) => member.node === localNode)?.address ?? localNode
  const setup = withTokenOnInput(`systole qdevice setup model net --join=${address} --enable --start`, token)
  return done(`Run this on ${host.name} (once, until ${validUntil}):\n  ${setup}\n`, {
    host: host.name,
    address: host.address,
    joinToken: token,
    joinTokenValidUntil: validUntil,
    setupCommand: setup,
  })
}

/** Of a cluster that has one. */
export function witnessOf({ witness }: ClusterState): ClusterStateWitness {
  if (witness) return witness
  throw new Refusal(`The cluster has no witness. Add one with: systole ${addUsage}`)
}
