/** Which nodes there are, remote and guest nodes included. */
import { childElement, childElements } from '../../cib/index.ts'
import { nodeElement, nodeState } from '../cib/tree.ts'
import type { ToolWorld } from '../world.ts'

export function knowsNode(world: ToolWorld, node: string): boolean {
  if (world.nodes().some(({ name }) => name === node)) return true
  const configuration = world.configuration()
  if (nodeElement(configuration, node) !== undefined) return true
  const cib = world.cib()
  return nodeState(cib, node) !== undefined || isRemote(world, node)
}

/** A connection (`ocf:pacemaker:remote`) or a guest (`remote-node`) that has not been up yet. */
function isRemote(world: ToolWorld, node: string): boolean {
  const resources = childElement(
    childElement(world.configuration(), 'configuration') ?? world.configuration(),
    'resources',
  )
  const visit = (parent: Parameters<typeof childElements>[0]): boolean =>
    childElements(parent).some(
      (child) =>
        (child.name === 'primitive' && child.attributes.id === node && child.attributes.type === 'remote') ||
        (child.name === 'nvpair' && child.attributes.name === 'remote-node' && child.attributes.value === node) ||
        visit(child),
    )
  return resources !== undefined && visit(resources)
}
