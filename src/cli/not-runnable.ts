/** What a configuration may hold and this version's daemon cannot run: guest nodes, and bundles with a resource inside. */
import { type ResourceDefinition, readConfiguration, type XmlElement } from '../cib/index.ts'

/** One sentence for each. They need a connection that their own container brings. */
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
      const { meta } = resource
      const isGuest = meta.some(({ pairs }) => pairs.some(({ name }) => name === 'remote-node'))
      return isGuest ? [`${resource.id} runs a guest node, which this version cannot do yet.`] : []
    }
  }
}
