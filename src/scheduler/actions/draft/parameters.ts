/** The parameters that an operation runs with on a node. */
import type { NodeName } from '../../../base/index.ts'
import type { PlannedPrimitive } from './planned-resource.ts'
import { nodeNamed, type Setting } from './setting.ts'

interface Operation {
  readonly node: NodeName | undefined
  /** What the operation's own definition says; it wins. */
  readonly own: ReadonlyMap<string, string>
}

export function parametersOf(
  setting: Setting,
  rsc: PlannedPrimitive,
  { node, own }: Operation,
): Readonly<Record<string, string>> {
  const parameters = Object.fromEntries([...rsc.resource.parametersOn(node), ...own])
  const host = parameters.addr === '#uname' ? hostOf(setting, rsc) : undefined
  return host === undefined ? parameters : { ...parameters, addr: host }
}

/** A bundle's connection without an address of its own is made to the host that its container is, or was, on. */
function hostOf(setting: Setting, { container, resource }: PlannedPrimitive): NodeName | undefined {
  if (!container || resource.connectionOf === undefined) return undefined
  const name = setting.destinationOf(container).node ?? container.resource.state.active[0]?.node
  return name === undefined ? undefined : nodeNamed(setting, name).name
}
