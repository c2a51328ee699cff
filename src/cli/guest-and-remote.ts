/** What makes a node of a resource: pcs leaves it to commands of its own, which check more than the names of options. */
import type { Agent } from '../cib/index.ts'
import { type Call, Refusal } from './command.ts'

/** Refuses, where the program is called as pcs, to make a guest node or the connection to a remote node by the way. */
export function refuseNodesByTheWay(
  { speech, flags }: Call,
  { agent, meta }: { readonly agent?: Agent; readonly meta: ReadonlyMap<string, string> },
): void {
  if (speech.program !== 'pcs' || flags.has('force')) return
  if (agent?.provider === 'pacemaker' && agent.type === 'remote')
    throw new Refusal(
      "this command is not sufficient for creating a remote connection, use 'pcs cluster node add-remote', use --force to override",
    )
  const node = meta.get('remote-node')
  if (node === undefined) return
  const [what, command] = node === '' ? ['removing', 'delete-guest'] : ['creating', 'add-guest']
  throw new Refusal(
    `this command is not sufficient for ${what} a guest node, use 'pcs cluster node ${command}', use --force to override`,
  )
}
