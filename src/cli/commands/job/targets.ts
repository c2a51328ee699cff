/** On which nodes. */
import type { Messages } from '../../../rpc/index.ts'
import { type Call, type Flag, Refusal } from '../../call/command.ts'

export const targetFlags: readonly Flag[] = [
  {
    name: 'on',
    value: 'nodes',
    summary: 'On these nodes or remote nodes, separated by commas, or with role=<role> on those that have the role',
    completes: 'node',
  },
  { name: 'all', summary: 'On all cluster nodes, without remote nodes' },
]

export function targetsOf({ flags }: Call): Pick<Messages['RunJobRequest'], 'nodes' | 'role'> {
  const on = flags.get('on')
  if (flags.has('all') === (typeof on === 'string')) throw new Refusal('Specify either --on=<nodes> or --all.')
  if (typeof on !== 'string') return { nodes: [] }
  if (on.startsWith('role=')) return { nodes: [], role: on.slice('role='.length) }
  const nodes = on.split(',').filter((name) => name !== '')
  if (nodes.length === 0) throw new Refusal('--on names no node.')
  return { nodes }
}
