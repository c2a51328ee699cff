/** What makes a node of a resource: pcs leaves it to commands of its own, which check more than the names of options. */
import type { Agent } from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'

/**
 * Refuses, where the program is called as pcs, to make a guest node by the way. The connection to a remote node is made, also by
 * `resource create`: installers that were written for pcs 0.9 do so.
 */
export function refuseNodesByTheWay(
  call: Call,
  { meta }: { readonly meta: ReadonlyMap<string, string> },
  agent?: Agent,
): void {
  if (call.speech.program !== 'pcs') return
  const node = meta.get('remote-node')
  const isConnection = agent?.class === 'ocf' && agent.provider === 'pacemaker' && agent.type === 'remote'
  const isForced = call.flags.has('force')
  const sentence =
    node !== undefined
      ? node === ''
        ? insufficient('removing a guest node', 'delete-guest')
        : insufficient('creating a guest node', 'add-guest')
      : isConnection && isForced
        ? insufficient('creating a remote connection', 'add-remote')
        : undefined
  if (sentence === undefined) return
  const isNew = agent !== undefined
  if (!isForced) throw new Refusal({ own: sentence, about: { code: 'said-by-pcs', errors: [sentence], closes: isNew } })
  call.tell({ code: 'forced', messages: [sentence] })
}

const insufficient = (what: string, command: string): string =>
  `this command is not sufficient for ${what}, use 'pcs cluster node ${command}', use --force to override`
