/** What makes a node of a resource: pcs leaves it to commands of its own, which check more than the names of options. */
import { type Call, Refusal } from './command.ts'

/**
 * Refuses, where the program is called as pcs, to make a guest node by the way. The connection to a remote node is made, also by
 * `resource create`: installers that were written for pcs 0.9 do so.
 */
export function refuseNodesByTheWay(
  { speech, flags }: Call,
  { meta }: { readonly meta: ReadonlyMap<string, string> },
): void {
  if (speech.program !== 'pcs' || flags.has('force')) return
  const node = meta.get('remote-node')
  if (node === undefined) return
  const [what, command] = node === '' ? ['removing', 'delete-guest'] : ['creating', 'add-guest']
  throw new Refusal(
    `this command is not sufficient for ${what} a guest node, use 'pcs cluster node ${command}', use --force to override`,
  )
}
