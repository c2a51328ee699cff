/** Fence devices that name a node which is no part of the cluster any more: Pacemaker keeps them, and so do we; whoever removed the node is told. */
import { primitiveDefinitions, readConfiguration, type XmlElement } from '../../cib/index.ts'

/** A sentence for each of them, with the command that ends it. */
export function leftFenceDevices(cib: XmlElement, removed: string): readonly string[] {
  return readConfiguration(cib)
    .resources.flatMap((resource) => primitiveDefinitions(resource))
    .filter(({ agent }) => agent.class === 'stonith')
    .flatMap(({ id, parameters }) => {
      const values = new Map(parameters.flatMap(({ pairs }) => pairs).map(({ name, value }) => [name, value ?? '']))
      return hostOptions.flatMap(({ option, split }) => {
        const parts = split(values.get(option) ?? '')
        const others = parts.filter((part) => nodeOf(part) !== removed)
        if (others.length === parts.length) return []
        return others.length === 0
          ? [`${id} remains, and fences only ${removed}: systole stonith delete ${id}`]
          : [
              `${id} still names ${removed}: systole stonith update ${id} ${option}='${others.join(option === 'pcmk_host_map' ? ';' : ' ')}'`,
            ]
      })
    })
}

const parts =
  (separators: RegExp) =>
  (value: string): readonly string[] =>
    value.split(separators).filter((part) => part !== '')

const hostOptions = [
  { option: 'pcmk_host_list', split: parts(/[\s,;]+/) },
  { option: 'pcmk_host_map', split: parts(/[\s;]+/) },
]

/** An entry of a map is `node:port`, or `node=port`. */
const nodeOf = (part: string): string => part.split(/[:=]/)[0] ?? ''
