/** A CIB to what is to be done, with the moment at which to look again. */

import { createHash } from 'node:crypto'
import type { XmlElement } from '../../cib/index.ts'
import { readConfiguration } from '../../cib/index.ts'
import { planTransition } from '../../scheduler/actions/plan-transition.ts'
import { assignResources } from '../../scheduler/assign.ts'
import { readStatus } from '../../status/index.ts'
import type { Planned } from './messages.ts'

export function plan(
  cib: XmlElement,
  asked: { readonly now: number; readonly stopEverything: boolean },
): Omit<Planned, 'computedVersion'> {
  const wanted = asked.stopEverything ? withOption(cib, 'no-quorum-policy', 'stop') : cib
  const status = readStatus({ cib: wanted, configuration: readConfiguration(wanted), now: asked.now })
  const assignment = assignResources(status, { holds: () => true, showScores: false, explain: false })
  const { graph } = planTransition(status, assignment, (text) => createHash('md5').update(text).digest('hex'))
  const recheck =
    status.recheckAt === undefined ? {} : { recheckInMs: Math.max(0, status.recheckAt - asked.now) * 1000 }
  return { graph, blockedBy: [], noQuorumPolicy: status.options.noQuorumPolicy, ...recheck }
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
