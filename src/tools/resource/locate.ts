/** crm_resource --locate: where a resource runs. Agents and deployment tools wait by it. */
import { childElement, childElements, element, type XmlElement } from '../../cib/index.ts'
import { type ClusterStatus, primitivesIn, type Resource } from '../../status/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { hasOption, optionValue } from '../options.ts'
import { printed, type ToolReply } from '../reply.ts'
import { findResources, statusOf } from '../status-of.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

export function locate({ given }: ParsedCall, resource: string, world: ToolWorld): ToolReply {
  const quiet = hasOption(given, 'quiet')
  const cib = world.cib()
  const places = placesOf(statusOf(world, cib), cib, resource)
  const lines = places.map(({ node, promoted }) =>
    quiet ? `${node}\n` : `resource ${resource} is running on: ${node}${promoted ? ' Promoted' : ''}\n`,
  )
  const nodes = places.map(({ node, promoted }) =>
    element('node', promoted ? { state: 'promoted' } : {}, [{ kind: 'text', text: node }]),
  )
  const xml = [element('nodes', { resource }, nodes)]
  if (lines.length > 0) return printed(lines.join(''), xml)
  const isText = (optionValue(given, 'output-as') ?? 'text') === 'text'
  const errors = quiet || !isText ? '' : `resource ${resource} is NOT running\n`
  return { exitCode: exitCodes.ok, output: '', errors, xml }
}

interface Place {
  readonly node: string
  readonly promoted: boolean
}

/** Of a clone, instance by instance; the last comes first. */
function placesOf(status: ClusterStatus, cib: XmlElement, id: string): readonly Place[] {
  const found = findResources(status, id)
  // Of a group inside a clone, the first instance.
  const named = found.every(({ kind }) => kind === 'group') ? found.slice(0, 1) : found
  const parts = named.flatMap((one): readonly Resource[] => (one.kind === 'clone' ? one.instances : [one]))
  const tellsRole = named.every(({ kind }) => kind === 'clone' || kind === 'primitive')
  return parts.toReversed().flatMap((part) => {
    const active = primitivesIn(part).flatMap(({ state }) => state.active)
    const promoted = tellsRole && active.some(({ role }) => role === 'Promoted')
    return lastFirst(status, cib, new Set(active.map(({ node }) => String(node)))).map((node) => ({ node, promoted }))
  })
}

/** By the recorded state: that of cluster nodes is read before that of the nodes which they hold. */
function lastFirst(status: ClusterStatus, cib: XmlElement, nodes: ReadonlySet<string>): readonly string[] {
  const section = childElement(cib, 'status')
  const recorded = (section === undefined ? [] : childElements(section, 'node_state'))
    .map(({ attributes: { uname = '' } }) => uname)
    .filter((name) => nodes.has(name))
  const isMember = (name: string): boolean => status.nodes.some((node) => node.name === name && node.kind === 'member')
  const inOrder = [...recorded.filter(isMember), ...recorded.filter((name) => !isMember(name))]
  return [...new Set([...inOrder, ...nodes])].reverse()
}
