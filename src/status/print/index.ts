/**
 * A status as text: "Node List" and "Full List of Resources", as crm_mon and crm_simulate print them, with two blanks of
 * indentation per level and a blank line between the sections.
 */
import { assertNever } from '../../base/index.ts'
import type { ClusterStatus, Resource } from '../cluster-status.ts'
import { printBundle } from './bundle.ts'
import { printClone } from './clone.ts'
import { indent, printGroup } from './group.ts'
import { printNodes } from './nodes.ts'
import { printPrimitive } from './primitive.ts'
import type { Told } from './told.ts'

export { printSummaryHeader } from './header.ts'

/** Ends with a newline. Begins with the first section's title, without "Current cluster status:" or the like. */
export function printClusterStatus(
  status: ClusterStatus,
  { tellsPending = true }: { readonly tellsPending?: boolean } = {},
): string {
  const resources = inOrder(status).flatMap((resource) => printResource({ ...status, tellsPending }, resource))
  return [
    ...indent(['* Node List:', ...indent(printNodes(status))]),
    '',
    ...indent(['* Full List of Resources:', ...indent(resources.length === 0 ? ['* No resources'] : resources)]),
    '',
  ].join('\n')
}

/** The most important first; those that are in the history alone come last. */
function inOrder({ resources }: ClusterStatus): readonly Resource[] {
  const configured = resources.filter(({ orphan }) => !orphan)
  const orphans = resources.filter(({ orphan }) => orphan)
  return [...configured.sort((a, b) => b.meta.priority - a.meta.priority), ...orphans]
}

function printResource(status: Told, resource: Resource): readonly string[] {
  switch (resource.kind) {
    case 'primitive':
      return isShown(resource) ? [`* ${printPrimitive(status, resource)}`] : []
    case 'group':
      return printGroup(status, resource)
    case 'clone':
      return printClone(status, resource)
    case 'bundle':
      return printBundle(status, resource)
    default:
      return assertNever(resource)
  }
}

/** Implied connections are hidden, and orphans once they are stopped. */
function isShown({ implicit, orphan, state }: Extract<Resource, { readonly kind: 'primitive' }>): boolean {
  return !implicit && (!orphan || state.active.length > 0)
}
