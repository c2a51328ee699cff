/** A CIB to what is to be done, with the moment at which to look again. */

import { createHash } from 'node:crypto'
import { type NodeName, type ResourceId, utcOffsetAt } from '../../base/index.ts'
import type { ShutdownLockRecord, XmlElement } from '../../cib/index.ts'
import type { BlockedResource } from '../../controller/index.ts'
import { schedule } from '../../scheduler/index.ts'
import { awaitedBy, gatesOf } from '../../services/index.ts'
import { type ClusterStatus, primitivesIn } from '../../status/index.ts'
import type { Planned, Question } from './messages.ts'

export function plan(
  cib: XmlElement,
  asked: Pick<Question, 'now' | 'stopEverything' | 'own'>,
): { readonly planned: Omit<Planned, 'computedVersion'>; readonly status: ClusterStatus } {
  const wanted = asked.stopEverything ? withOption(cib, 'no-quorum-policy', 'stop') : cib
  const { graph, status } = schedule({ cib: wanted, now: asked.now, md5, explain: false, utcOffsetAt })
  const recheck =
    status.recheckAt === undefined ? {} : { recheckInMs: Math.max(0, status.recheckAt - asked.now) * 1000 }
  const planned = {
    graph,
    blocked: blockers(status),
    noQuorumPolicy: status.options.noQuorumPolicy,
    shutdownLocks: shutdownLocksIn(status),
    unmanaged: asked.own === undefined ? [] : unmanagedOn(status, asked.own.node),
    awaited: awaitedBy(gatesOf(status), status),
    ...recheck,
  }
  return { planned, status }
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** Rules without a time zone mean the host's. */

function shutdownLocksIn(status: ClusterStatus): readonly ShutdownLockRecord[] {
  return status.resources.flatMap(primitivesIn).flatMap(({ id, agent, state: { shutdownLock } }) => {
    if (shutdownLock === undefined) return []
    const { node, since } = shutdownLock
    return [{ node, since, resource: id, agent }]
  })
}

/** What waits for an administrator: failures that say `block`, of which a failed stop without fencing is one. */
function blockers(status: ClusterStatus): readonly BlockedResource[] {
  return status.resources.flatMap(primitivesIn).flatMap(({ id, state }) => {
    if (!state.blocked) return []
    const where = state.onFail === undefined ? '' : ` on ${state.onFail.node}`
    return [{ resource: id, why: `${id} is blocked after a failure${where} until \`systole resource cleanup ${id}\`` }]
  })
}

/** What a failure has blocked is not left alone on purpose. */
function unmanagedOn(status: ClusterStatus, self: NodeName): readonly ResourceId[] {
  return status.resources.flatMap(primitivesIn).flatMap(({ configuredId, state }) => {
    const { managed, blocked, active } = state
    return !managed && !blocked && active.some(({ node }) => node === self) ? [configuredId] : []
  })
}

/** The option with this value in every set, wherever it was written before. */
function withOption(cib: XmlElement, name: string, value: string): XmlElement {
  const edit = (parent: XmlElement, child: string, change: (found: XmlElement) => XmlElement): XmlElement => ({
    ...parent,
    children: parent.children.map((node) => (node.kind === 'element' && node.name === child ? change(node) : node)),
  })
  return edit(cib, 'configuration', (configuration) =>
    edit(configuration, 'crm_config', (section) =>
      edit(section, 'cluster_property_set', (set) => {
        const others = set.children.filter((pair) => pair.kind !== 'element' || pair.attributes.name !== name)
        const id = `${set.attributes.id ?? 'options'}-${name}`
        return {
          ...set,
          children: [...others, { kind: 'element', name: 'nvpair', attributes: { id, name, value }, children: [] }],
        }
      }),
    ),
  )
}
