/** What a configuration may hold and this version's daemon cannot run: remote nodes, guest nodes, and bundles with a resource inside. */
import { type ResourceDefinition, readConfiguration, type XmlElement } from '../cib/index.ts'

/** One sentence for each. They need an executor on the other side of a connection. */
export function notRunnable(cib: XmlElement): readonly string[] {
  return readConfiguration(cib).resources.flatMap(sentencesFor)
}

function sentencesFor(resource: ResourceDefinition): readonly string[] {
  switch (resource.kind) {
    case 'bundle':
      return resource.child === undefined
        ? []
        : [`${resource.id} is a bundle with a resource inside, which this version cannot run yet.`]
    case 'group':
      return resource.members.flatMap(sentencesFor)
    case 'clone':
      return sentencesFor(resource.child)
    case 'primitive': {
      const { agent, meta } = resource
      if (agent.provider === 'pacemaker' && agent.type === 'remote')
        return [`${resource.id} is a remote node, which this version cannot run yet.`]
      const isGuest = meta.some(({ pairs }) => pairs.some(({ name }) => name === 'remote-node'))
      return isGuest ? [`${resource.id} runs a guest node, which this version cannot do yet.`] : []
    }
  }
}
