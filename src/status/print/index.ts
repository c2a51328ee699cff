/**
 * A status as text: "Node List" and "Full List of Resources", as crm_mon and crm_simulate print them, with two blanks of
 * indentation per level and a blank line between the sections.
 */
import type { ClusterStatus, PrimitiveResource } from '../cluster-status.ts'
import { indent } from './group.ts'
import { printNodes } from './nodes.ts'
import { printResourceList } from './resource-list.ts'

export { printSummaryHeader } from './header.ts'
export { nodeKind, nodeState, printNodes as printNodeList } from './nodes.ts'
export { printPrimitive } from './primitive.ts'
export { printResourceList } from './resource-list.ts'

/** Ends with a newline; `nodesAre`: what to know of the list of nodes. Begins with the first section's title, without "Current cluster status:" or the like. */
export function printClusterStatus(
  status: ClusterStatus,
  {
    tellsPending = true,
    tellsInactive = true,
    nodesAre = '',
    onlyOn,
    isTold,
  }: {
    readonly tellsPending?: boolean
    readonly tellsInactive?: boolean
    readonly nodesAre?: string
    readonly onlyOn?: readonly string[]
    readonly isTold?: (resource: PrimitiveResource) => boolean
  } = {},
): string {
  const resources = printResourceList({
    ...status,
    tellsPending,
    tellsInactive,
    ...(onlyOn === undefined ? {} : { onlyOn }),
    ...(isTold === undefined ? {} : { isTold }),
  })
  const nodes = indent([`* Node List${nodesAre === '' ? '' : ` (${nodesAre})`}:`, ...indent(printNodes(status))])
  return [
    ...(status.nodes.length === 0 ? [] : [...nodes, '']),
    ...indent(['* Full List of Resources:', ...indent(resources.length === 0 ? ['* No resources'] : resources)]),
    '',
  ].join('\n')
}
