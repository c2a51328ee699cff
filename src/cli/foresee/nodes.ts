/** Which nodes there are, which of them take part, and over which links they talk. */
import { childElement, element, type XmlElement } from '../../cib/index.ts'
import type { Messages } from '../../rpc/index.ts'
import { Refusal } from '../call/command.ts'
import { parsePairs } from '../grammar/words.ts'
import { mapStates, nameOf } from './history.ts'
import { type Foreseen, listed, type Scene, supposed } from './scene.ts'
import { refuseUnknownNode } from './state.ts'

type Members = Awaited<ReturnType<Scene['live']['getState']>>['members']

export const aboutNodes = {
  /** Each is set by a call of its own: of the words all are seen. */
  setTransientAttribute: ({ node }: Messages['AttributeRequest'], scene: Scene): Foreseen => {
    refuseUnknownNode(scene, node)
    const values = Object.fromEntries(parsePairs(scene.call.words.slice(1), 'attributes'))
    return {
      sentence: `It would set transient attributes of ${node}: ${scene.call.words.slice(1).join(' ')}.`,
      after: withTransientAttributes(scene.cib, node, values),
    }
  },
  startCluster: async ({ nodes }: Messages['NodesRequest'], scene: Scene): Promise<Foreseen> => {
    const meant = await membersMeant(scene, nodes)
    const stopped = meant.filter(({ state }) => state === 'offline').map(({ node }) => node)
    if (stopped.length === 0)
      return {
        sentence: `The cluster is started on ${listed(meant.map(({ node }) => node))} already.`,
        after: scene.cib,
      }
    return {
      sentence: `It would start the cluster on ${listed(stopped)}.`,
      after: supposed(scene, scene.cib, { nodesUp: stopped }),
      facts: { nodes: stopped },
    }
  },
  stopCluster: async ({ nodes }: Messages['NodesRequest'], scene: Scene): Promise<Foreseen> => {
    const meant = (await membersMeant(scene, nodes)).map(({ node }) => node)
    return {
      sentence: `It would stop the cluster on ${listed(meant)}, after the resources there have stopped or moved.`,
      after: leaving(scene, meant),
      facts: { nodes: meant },
    }
  },
  enableCluster: async ({ nodes, enabled }: Messages['EnableRequest'], scene: Scene): Promise<Foreseen> => {
    const meant = (await membersMeant(scene, nodes)).map(({ node }) => node)
    const itself = meant.length === 1 ? 'its host boots' : 'their hosts boot'
    return {
      sentence: `The cluster would ${enabled ? '' : 'not '}start on ${listed(meant)} when ${itself}. Nothing would start or stop now.`,
      facts: { nodes: meant },
    }
  },
  addNode: async ({ name, address, more }: Messages['ClusterNode'], { live }: Scene): Promise<Foreseen> => {
    const { members } = await live.getState({})
    if (members.some(({ node }) => node === name)) throw new Refusal(`The cluster has a node ${name} already.`)
    const addresses = [address || name, ...(more?.addresses ?? [])]
    return {
      sentence: `It would add ${name} (${addresses.join(', ')}) to the list of nodes, and print the command for its host. The node would take part once that has run there.`,
      facts: { node: name },
    }
  },
  removeNode: ({ node, cancel }: Messages['RemoveNodeRequest'], scene: Scene): Foreseen => {
    refuseUnknownNode(scene, node)
    if (cancel) return { sentence: `${node} would remain in the cluster, if its removal has not ended yet.` }
    return {
      sentence: `It would remove ${node} from the cluster, after the resources there have stopped or moved.`,
      after: leaving(scene, [node]),
    }
  },
  addWitness: async ({ name, address }: Messages['ClusterNode'], { live }: Scene): Promise<Foreseen> => {
    const { witness } = await live.getState({})
    if (witness !== undefined && witness.name !== name)
      throw new Refusal(`The cluster has a witness already: ${witness.name}. Remove it first (quorum device remove).`)
    return {
      sentence: `It would add the witness ${name} (${address || name}), and print the command for its host. It would vote once it has joined, while the number of voting nodes is even.`,
    }
  },
  removeWitness: async ({ name }: Messages['ClusterNode'], { live }: Scene): Promise<Foreseen> => {
    const { votes, witness } = await live.getState({ askStore: true })
    const without = witness?.votes === true ? ` ${votes.expected - 1} votes would be expected.` : ''
    return { sentence: `It would remove the vote of the witness ${name}, and then the witness.${without}` }
  },
  replaceWitness: async ({ name, address }: Messages['ClusterNode'], { live }: Scene): Promise<Foreseen> => {
    const { witness } = await live.getState({})
    return {
      sentence: `It would remove the vote of the witness ${witness?.name ?? ''}, and add ${name} (${address || name}) in its place. Until that has joined there would be no witness.`,
    }
  },
}

export const aboutLinks = {
  addLink: async ({ nodes, number, priority }: Messages['LinkRequest'], { live }: Scene): Promise<Foreseen> => {
    const { members } = await live.getState({})
    refuseOthers(members, nodes)
    const missing = members.filter(({ node }) => nodes.every(({ name }) => name !== node)).map(({ node }) => node)
    if (missing.length > 0) throw new Refusal(...missing.map((node) => `The address of ${node} is missing.`))
    const what = number === undefined ? 'a link' : `link ${number}`
    const by = priority === undefined ? '' : `, with the priority ${priority}`
    return {
      sentence: `It would add ${what}${by}: ${pairs(nodes)}. The nodes would restart their store members one after another.`,
    }
  },
  updateLink: async ({ nodes, number = 0, priority }: Messages['LinkRequest'], { live }: Scene): Promise<Foreseen> => {
    const { members } = await live.getState({})
    refuseOthers(members, nodes)
    refuseUnknownLinks(members, [number])
    const parts = [
      ...(nodes.length === 0 ? [] : [pairs(nodes)]),
      ...(priority === undefined ? [] : [`priority ${priority}`]),
    ]
    return { sentence: `It would change link ${number}: ${parts.join('; ')}. Meanwhile the nodes use the other links.` }
  },
  removeLinks: async ({ numbers }: Messages['LinkNumbers'], { live }: Scene): Promise<Foreseen> => {
    const { members } = await live.getState({})
    refuseUnknownLinks(members, numbers)
    const known = linksOf(members)
    if (known.every((number) => numbers.includes(number)))
      throw new Refusal('The last link cannot be removed: the nodes would not reach each other.')
    const rest = known.filter((number) => !numbers.includes(number))
    return {
      sentence: `It would remove ${numbers.map((number) => `link ${number}`).join(', ')}. The nodes would talk over ${rest.map((number) => `link ${number}`).join(', ')} alone.`,
    }
  },
}

const pairs = (nodes: Messages['LinkRequest']['nodes']): string =>
  nodes.map(({ name, address }) => `${name} at ${address}`).join(', ')

function refuseOthers(members: Members, nodes: Messages['LinkRequest']['nodes']): void {
  const unknown = nodes.filter(({ name }) => members.every(({ node }) => node !== name))
  if (unknown.length > 0) throw new Refusal(...unknown.map(({ name }) => `There is no node '${name}'.`))
}

const linksOf = (members: Members): readonly number[] =>
  [...new Set([0, ...members.flatMap(({ links }) => links.map(({ number }) => number))])].toSorted((a, b) => a - b)

function refuseUnknownLinks(members: Members, numbers: readonly number[]): void {
  const known = linksOf(members)
  const unknown = numbers.filter((number) => !known.includes(number))
  if (unknown.length > 0)
    throw new Refusal(
      ...unknown.map(
        (number) => `There is no link ${number}. The links are ${known.map((one) => `link ${one}`).join(', ')}.`,
      ),
    )
}

/** No nodes mean all of them, as to the daemon. */
async function membersMeant({ live }: Scene, nodes: readonly string[]): Promise<Members> {
  const { members } = await live.getState({})
  const unknown = nodes.filter((name) => members.every(({ node }) => node !== name))
  if (unknown.length > 0) throw new Refusal(...unknown.map((name) => `There is no node '${name}'.`))
  return nodes.length === 0 ? members : members.filter(({ node }) => nodes.includes(node))
}

/** As a node says that it wants to leave: the scheduler stops or moves what runs there, and then the node. */
function leaving({ cib, now }: Scene, nodes: readonly string[]): XmlElement {
  const since = String(Math.floor(now.getTime() / 1000))
  return nodes.reduce((changed, node) => withTransientAttributes(changed, node, { shutdown: since }), cib)
}

/** An empty value deletes the attribute. */
export function withTransientAttributes(
  cib: XmlElement,
  node: string,
  values: Readonly<Record<string, string>>,
): XmlElement {
  return mapStates(cib, (state) => {
    if (nameOf(state) !== node) return state
    const { id = node } = state.attributes
    const transient = childElement(state, 'transient_attributes')
    const set = transient && childElement(transient, 'instance_attributes')
    const others = (set?.children ?? []).filter(
      (child) => child.kind !== 'element' || !Object.hasOwn(values, child.attributes.name ?? ''),
    )
    const pairs = Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => element('nvpair', { id: `status-${id}-${name}`, name, value }))
    const changed = element('instance_attributes', set?.attributes ?? { id: `status-${id}` }, [...others, ...pairs])
    const rest = (transient?.children ?? []).filter((child) => child !== set)
    const whole = element('transient_attributes', transient?.attributes ?? { id }, [changed, ...rest])
    return { ...state, children: [...state.children.filter((child) => child !== transient), whole] }
  })
}
