import { type ClusterStatus, rolesOf } from '../../status/index.ts'

export const rolesByNode = ({ nodes }: ClusterStatus): ReadonlyMap<string, readonly string[]> =>
  new Map(nodes.map((node) => [node.name, rolesOf(node)]))
