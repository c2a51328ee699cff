/** Which nodes there are, remote and guest nodes included. */
import { childElement, childElements, type XmlElement } from '../../cib/index.ts'
import { nodeElement, nodeState } from '../cib/tree.ts'
import type { ToolWorld } from '../world.ts'

export function knowsNode(world: ToolWorld, node: string): boolean {
  if (world.nodes().some(({ name }) => name === node)) return true
  const configuration = world.configuration()
  if (nodeElement(configuration, node) !== undefined) return true
  const cib = world.cib()
  return nodeState(cib, node) !== undefined || remoteNames(world).includes(node)
}

/** Of members, and of remote and guest nodes, whether they have been up yet or not. */
export function nodeNames(world: ToolWorld): readonly string[] {
  return [...new Set([...world.nodes().map(({ name }) => String(name)), ...remoteNames(world)])]
}

/** Connections (`ocf:pacemaker:remote`) and guests (`remote-node`). */
function remoteNames(world: ToolWorld): readonly string[] {
  const configuration = world.configuration()
  const resources = childElement(childElement(configuration, 'configuration') ?? configuration, 'resources')
  return resources === undefined ? [] : namesBelow(resources)
}

function namesBelow(parent: XmlElement): readonly string[] {
  return childElements(parent).flatMap((child): readonly string[] => {
    const { name, id, type, value } = child.attributes
    if (child.name === 'primitive' && type === 'remote' && id !== undefined) return [id, ...namesBelow(child)]
    return child.name === 'nvpair' && name === 'remote-node' && value !== undefined ? [value] : namesBelow(child)
  })
}
