/** What more nodes would change, before anybody installs one: what moves to them, whether they can be fenced, and how many losses the votes bear. */
import { didYouMean, longestName, similarWords, tooLong } from '../../../base/index.ts'
import {
  addNode,
  childElement,
  childElements,
  configurationElement,
  element,
  type XmlElement,
} from '../../../cib/index.ts'
import { canBeFenced, fenceTopologyOf } from '../../../scheduler/index.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { decide } from '../../change/decide.ts'
import { plannedActions, printPlannedActions } from '../../change/planned-actions.ts'
import { expectWords } from '../../grammar/words.ts'

const mostAdded = 32
/** So many of the list of nodes have a vote unless somebody gives others one (docs/concepts/quorum.md). */
const mostVoters = 7

export const clusterNodePlan: Command = {
  path: ['cluster', 'node', 'plan'],
  usage: '--add=<number>|<node>,... [--like=<node>]',
  summary: 'Show what would change if nodes were added: what moves, fencing, and votes',
  details:
    'Nothing is changed. The new nodes are taken as online and healthy. With --like they have the node attributes, facts and capacities of that node, otherwise none. The exit code is 1 where a new node could not be fenced.',
  examples: ['systole cluster node plan --add=3', 'systole cluster node plan --add=n4,n5 --like=n1'],
  flags: [
    { name: 'add', value: 'number or nodes', summary: 'How many nodes, or their names, separated by commas' },
    { name: 'like', value: 'node', summary: 'Assume that the new nodes are like this one', completes: 'node' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster node plan --add=<number>|<node>,...' })
    const { cib } = await call.cluster.readCib()
    const names = namesOf(call, cib)
    const grown = await withNodes(call, cib, names)
    const now = call.terminal.now()
    const actions = plannedActions(cib, grown, now)
    const after = decide(grown, now)
    const unfenced = after.status.options.fencingEnabled
      ? after.status.nodes
          .filter((node) => names.includes(node.name) && !canBeFenced(fenceTopologyOf(after, node)))
          .map(({ name }) => String(name))
      : []
    const votes = await votesOf(call, cib, names.length)
    const text = [
      actions.length === 0 ? 'Nothing would move.\n' : `With ${names.join(', ')}:\n${printPlannedActions(actions)}`,
      after.status.options.fencingEnabled ? fencingText(names, unfenced) : 'Fencing is disabled.\n',
      `Votes: ${votes.before} now, which bear the loss of ${votes.bearsBefore}; ${votes.after} then, which bear the loss of ${votes.bearsAfter}.\n`,
      votes.advice === undefined ? '' : `${votes.advice}\n`,
    ].join('')
    return done(
      text,
      { added: names, actions, fencingEnabled: after.status.options.fencingEnabled, unfenced, votes },
      unfenced.length > 0 ? 1 : 0,
    )
  },
}

const fencingText = (names: readonly string[], unfenced: readonly string[]): string =>
  unfenced.length === 0
    ? `Fencing: a device can fence, or is asked whether it can, each of ${names.join(', ')}.\n`
    : `Fencing: no device can fence ${unfenced.join(', ')}. Create one for each with 'systole stonith create'.\n`

function nodeElements(cib: XmlElement): readonly XmlElement[] {
  const nodes = childElement(configurationElement(cib), 'nodes')
  return nodes === undefined ? [] : childElements(nodes, 'node')
}

function namesOf(call: Call, cib: XmlElement): readonly string[] {
  const written = call.flags.get('add')
  if (typeof written !== 'string') throw new Refusal('Specify the new nodes: systole cluster node plan --add=3')
  const known = new Set(nodeElements(cib).map(({ attributes }) => attributes.uname ?? ''))
  if (/^\d+$/.test(written)) {
    const count = Number(written)
    if (count < 1 || count > mostAdded)
      throw new Refusal(`'${written}' is not a number of nodes from 1 to ${mostAdded}.`)
    const free = Array.from({ length: count + known.size }, (_, index) => `new-${index + 1}`)
    return free.filter((name) => !known.has(name)).slice(0, count)
  }
  const names = written.split(',')
  if (names.length > mostAdded) throw new Refusal(`Specify at most ${mostAdded} nodes.`)
  const mistakes = names.flatMap((name) => {
    if (!/^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(name)) return [`'${name}' is not a valid node name.`]
    const long = tooLong('name of the node', name, longestName)
    if (long !== undefined) return [long]
    return known.has(name) ? [`The node '${name}' already belongs to the cluster.`] : []
  })
  if (new Set(names).size < names.length) mistakes.push('A node is named twice.')
  if (mistakes.length > 0) throw new Refusal(...mistakes)
  return names
}

async function withNodes(call: Call, cib: XmlElement, names: readonly string[]): Promise<XmlElement> {
  const like = call.flags.get('like')
  const models = nodeElements(cib)
  const model = models.find(({ attributes }) => attributes.uname === like)
  if (typeof like === 'string' && model === undefined)
    throw new Refusal(
      `There is no node '${like}'.${didYouMean(
        similarWords(
          like,
          models.map(({ attributes }) => attributes.uname ?? ''),
        ),
      )}`,
    )
  const status = childElement(cib, 'status') ?? element('status')
  const modelState = childElements(status, 'node_state').find(
    ({ attributes }) => attributes.id === model?.attributes.id,
  )
  const highest = Math.max(0, ...models.map(({ attributes }) => Number(attributes.id) || 0))
  let grown = cib
  const states: XmlElement[] = []
  for (const [index, name] of names.entries()) {
    const id = String(highest + index + 1)
    const added = addNode(grown, { id, name })
    if (!added.ok) throw new Refusal(`The node '${name}' cannot be added to the copy of the configuration.`)
    grown = model === undefined ? added.value.cib : withSetsOf(added.value.cib, name, model)
    states.push(stateOf({ id, name }, modelState))
  }
  return {
    ...grown,
    children: [
      ...grown.children.filter((child) => child.kind !== 'element' || child.name !== 'status'),
      { ...status, children: [...status.children, ...states] },
    ],
  }
}

function withSetsOf(cib: XmlElement, name: string, model: XmlElement): XmlElement {
  const change = (node: XmlElement): XmlElement => {
    if (node.name === 'node' && node.attributes.uname === name)
      return {
        ...node,
        children: model.children.map((child) => (child.kind === 'element' ? renamed(child, name) : child)),
      }
    if (!['cib', 'configuration', 'nodes'].includes(node.name)) return node
    return { ...node, children: node.children.map((child) => (child.kind === 'element' ? change(child) : child)) }
  }
  return change(cib)
}

/** Ids are used once in a document. */
const renamed = (one: XmlElement, name: string): XmlElement => ({
  ...one,
  attributes: { ...one.attributes, ...(one.attributes.id === undefined ? {} : { id: `${one.attributes.id}-${name}` }) },
  children: childElements(one)
    .filter((child) => !isItsOwn(child))
    .map((child) => renamed(child, name)),
})

/** Failures and health are of the node that had them. */
const isItsOwn = ({ name, attributes }: XmlElement): boolean =>
  name === 'nvpair' && /^(?:fail-count|last-failure)-|^#health|^shutdown$/.test(attributes.name ?? '')

function stateOf(
  { id, name }: { readonly id: string; readonly name: string },
  model: XmlElement | undefined,
): XmlElement {
  const attributes = model && childElement(model, 'transient_attributes')
  const kept = attributes && {
    ...renamed(attributes, name),
    attributes: { id },
    children: childElements(attributes, 'instance_attributes').map((set) => ({
      ...renamed(set, name),
      children: childElements(set, 'nvpair')
        .filter((pair) => !isItsOwn(pair))
        .map((pair) => renamed(pair, name)),
    })),
  }
  return element(
    'node_state',
    { id, uname: name, in_ccm: 'true', crmd: 'online', join: 'member', expected: 'member' },
    [...(kept === undefined ? [] : [kept]), element('lrm', { id }, [element('lrm_resources')])],
  )
}

interface Votes {
  readonly before: number
  readonly after: number
  readonly bearsBefore: number
  readonly bearsAfter: number
  readonly advice?: string
}

/** Of the store, where a cluster is running; else of the nodes in the file. */
async function votesOf(call: Call, cib: XmlElement, added: number): Promise<Votes> {
  const state = await call.cluster.live?.getState({})
  const members = nodeElements(cib).filter(({ attributes }) => (attributes.type ?? 'member') === 'member').length
  const before = state?.configured === true ? state.votes.expected : Math.min(members, mostVoters)
  const after = before + Math.max(0, Math.min(members + added, mostVoters) - Math.min(members, mostVoters))
  const bears = (votes: number): number => Math.max(0, Math.floor((votes - 1) / 2))
  const advice =
    after % 2 === 0
      ? `An even number of votes bears no more losses than one vote less: add one node more or less, or a witness.`
      : after === before
        ? `The new nodes get no vote: ${mostVoters} nodes of the list have one.`
        : undefined
  return {
    before,
    after,
    bearsBefore: bears(before),
    bearsAfter: bears(after),
    ...(advice === undefined ? {} : { advice }),
  }
}
