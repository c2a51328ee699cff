/** crm_resource --why: whether resources run, and what in the configuration keeps their state as it is. */
import { element, type XmlElement } from '../../cib/index.ts'
import { type ClusterStatus, primitivesIn, type Resource } from '../../status/index.ts'
import { runningOn } from '../monitor/facts.ts'
import { printed, type ToolReply } from '../reply.ts'
import { findResource, statusOf, topOf } from '../status-of.ts'
import type { ToolWorld } from '../world.ts'

/** With a node, whether it runs there: what people ask before they do something by hand. */
export function whetherRuns(resource: string, node: string | undefined, world: ToolWorld): ToolReply {
  const status = statusOf(world)
  const found = findResource(status, resource)
  if (found === undefined) return printed(`${sentence(resource, { runs: false, node })}\n`, [element('reason')])
  const runs = isRunning(found, node)
  const keeps = keepsOf(status, found)
  const attributes = runs ? (node === undefined ? { running: 'true' } : { running_on: node }) : runsNowhere(node)
  return printed(lines(sentence(found.id, { runs, node }), keeps), [element('reason', attributes, [keeps.xml])])
}

const runsNowhere = (node: string | undefined): Readonly<Record<string, string>> =>
  node === undefined ? { running: 'false' } : {}

/** Of every resource, or of the primitives that are active on a node. */
export function whatRuns(node: string | undefined, world: ToolWorld): ToolReply {
  const status = statusOf(world)
  const there = status.nodes.find(({ name }) => name === node)
  const asked = node === undefined ? status.resources : there === undefined ? [] : runningOn(status, world.cib(), there)
  const told = asked.map((one) => {
    const runs = isRunning(one, node)
    const keeps = keepsOf(status, one)
    const where = node === undefined ? {} : { host: node }
    return {
      text: lines(sentence(one.id, { runs, node }), keeps),
      xml: element('resource', { id: one.id, running: String(runs), ...where }, [keeps.xml]),
    }
  })
  return printed(told.map(({ text }) => text).join(''), [
    element('reason', {}, [
      element(
        'resources',
        {},
        told.map(({ xml }) => xml),
      ),
    ]),
  ])
}

function isRunning(resource: Resource, node: string | undefined): boolean {
  return primitivesIn(resource).some(({ state }) =>
    state.active.some((place) => node === undefined || place.node === node),
  )
}

function sentence(id: string, { runs, node }: { readonly runs: boolean; readonly node: string | undefined }): string {
  const where = node === undefined ? '' : ` on host ${node}`
  return `Resource ${id} is ${runs ? 'running' : 'not running'}${where}`
}

interface Keeps {
  readonly sentences: readonly string[]
  readonly xml: XmlElement
}

const lines = (first: string, { sentences }: Keeps): string => [first, ...sentences].map((line) => `${line}\n`).join('')

/** What the group or clone around it says counts for what is inside; what a bundle consists of stands for itself. */
function keepsOf(status: ClusterStatus, resource: Resource): Keeps {
  const around = topOf(status, resource)
  const top = around.kind === 'bundle' ? resource : around
  const { id, meta } = top
  const isPromotable = top.kind === 'clone' && top.promotable
  const stays = meta.targetRole === 'Stopped'
  const notPromoted = isPromotable && meta.targetRole === 'Unpromoted'
  const isLocked = resource.kind === 'primitive' && resource.state.active.length === 0
  const lock = isLocked ? resource.state.shutdownLock?.node : undefined
  return {
    sentences: [
      ...(stays ? [`Configuration specifies '${id}' should remain stopped`] : []),
      ...(notPromoted ? [`Configuration specifies '${id}' should not be promoted`] : []),
      ...(meta.managed ? [] : [`Configuration prevents cluster from stopping or starting unmanaged '${id}'`]),
      ...(lock === undefined ? [] : [`'${id}' is locked to node ${lock} due to shutdown`]),
    ],
    xml: element('check', {
      id,
      ...(stays ? { remain_stopped: 'true' } : {}),
      ...(notPromoted ? { promotable: 'false' } : {}),
      ...(meta.managed ? {} : { unmanaged: 'true' }),
      ...(lock === undefined ? {} : { 'locked-to': lock }),
    }),
  }
}
