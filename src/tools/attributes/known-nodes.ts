/** Which nodes there are, remote and guest nodes included. */
import { childElement, type XmlElement } from '../../cib/index.ts'
import { descendants, nodeElement, nodeState } from '../cib/tree.ts'
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

function remoteNames(world: ToolWorld): readonly string[] {
  return [...connectionNames(world), ...guestNames(world)]
}

/** Of remote nodes: resources of `ocf:pacemaker:remote`. */
export function connectionNames(world: ToolWorld): readonly string[] {
  return resourceElements(world).flatMap(({ name, attributes: { id, type } }) =>
    name === 'primitive' && type === 'remote' && id !== undefined ? [id] : [],
  )
}

/** Of guest nodes: the `remote-node` of their container. */
export function guestNames(world: ToolWorld): readonly string[] {
  return resourceElements(world).flatMap(({ name: kind, attributes: { name, value } }) =>
    kind === 'nvpair' && name === 'remote-node' && value !== undefined ? [value] : [],
  )
}

function resourceElements(world: ToolWorld): readonly XmlElement[] {
  const configuration = world.configuration()
  const resources = childElement(childElement(configuration, 'configuration') ?? configuration, 'resources')
  return resources === undefined ? [] : descendants(resources)
}
