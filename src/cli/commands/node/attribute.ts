import {
  childElement,
  childElements,
  configurationElement,
  hiddenValue,
  readConfiguration,
  setNodeAttributes,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs, writesAs011 } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, done, type Outcome, Refusal, refused } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { changeCib } from '../../change/change.ts'
import { parsePairs } from '../../grammar/words.ts'
import { formContext, nvsetForms, pairWords } from '../../pcs-form/nvset.ts'
import { rebuildingCommands } from '../../replay/index.ts'

export const nodeAttribute: Command = {
  path: ['node', 'attribute'],
  usage: '[<node>] [--name=<name>] [--output-format text|cmd|json] | <node> <name>=<value>... [--transient]',
  summary: 'Show or set node attributes; an empty value removes one',
  details: 'Attributes are permanent. With --transient, they last until the node leaves the cluster.',
  examples: ['systole node attribute n1 rack=a', 'systole node attribute --name rack'],
  flags: [
    ...changeFlags,
    formatFlag,
    { name: 'name', value: 'name', summary: 'Show only this attribute' },
    { name: 'transient', summary: 'Set it until the node leaves the cluster' },
  ],
  completes: ['node', 'anything'],
  run: (call) => (call.words.length < 2 ? showAttributes(call) : setAttributes(call)),
}

async function showAttributes(call: Call): Promise<Outcome> {
  const { cib } = await call.cluster.readCib()
  const [wanted] = call.words
  const nodes = readConfiguration(cib).nodes.filter(({ name }) => wanted === undefined || name === wanted)
  if (wanted !== undefined && nodes.length === 0 && !judgesAsPcs(call.speech))
    throw new Refusal(`There is no node '${wanted}'.`)
  const onlyName = call.flags.get('name')
  const { isHidden } = formContext(call, cib)
  const facts = nodes.map((node) => ({
    node: node.name,
    attributes: Object.fromEntries(
      ownSets(call, node.attributes)
        .flatMap(({ pairs }) => pairs)
        .filter(({ name }) => onlyName === undefined || name === onlyName)
        .map(({ name, value }) => [name, isHidden(name) ? hiddenValue : value]),
    ),
  }))
  const lines = inOrder(call, facts)
    .filter(({ attributes }) => Object.keys(attributes).length > 0)
    .map(({ node, attributes }) => ` ${node}: ${attributeWords(call, attributes).join(' ')}\n`)
  return await inFormat(call, {
    text: () => `Node Attributes:\n${lines.join('')}`,
    json: facts,
    pcsJson: () => ({ nodes: nodeForms(call, cib, wanted) }),
    cmd: async () =>
      (await rebuildingCommands(call, cib, { sections: ['nodes'] })).filter(
        ([, verb, node]) => verb === 'attribute' && (wanted === undefined || node === wanted),
      ),
  })
}

/** pcs 0.11 reads the first set of a node alone. */
export const ownSets = <Set>(call: Call, sets: readonly Set[]): readonly Set[] =>
  writesAs011(call.speech) ? sets.slice(0, 1) : sets

/** pcs puts nothing of an attribute in quotes. */
const attributeWords = (call: Call, attributes: Readonly<Record<string, string>>): readonly string[] =>
  judgesAsPcs(call.speech)
    ? Object.entries(attributes)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${name}=${value}`)
    : pairWords(attributes).toSorted()

/** pcs lists nodes by their names. */
const inOrder = <Fact extends { readonly node: string }>(call: Call, facts: readonly Fact[]): readonly Fact[] =>
  judgesAsPcs(call.speech) ? facts.toSorted((a, b) => (a.node < b.node ? -1 : 1)) : facts

/** As `pcs node attribute --output-format json` gives it out. */
function nodeForms(call: Call, cib: XmlElement, wanted: string | undefined): readonly unknown[] {
  const nodes = childElement(configurationElement(cib), 'nodes')
  return (nodes ? childElements(nodes, 'node') : [])
    .filter(({ attributes }) => wanted === undefined || attributes.uname === wanted)
    .map((node) => ({
      id: node.attributes.id ?? '',
      uname: node.attributes.uname ?? '',
      description: node.attributes.description ?? null,
      score: node.attributes.score ?? null,
      type: node.attributes.type ?? null,
      instance_attributes: nvsetForms(node, 'instance_attributes', formContext(call, cib)),
      utilization: nvsetForms(node, 'utilization', formContext(call, cib)),
    }))
}

/** Undefined for a node that is not there. */
function attributeNames(cib: XmlElement, name: string): ReadonlySet<string> | undefined {
  const node = readConfiguration(cib).nodes.find((one) => one.name === name)
  return node && new Set(node.attributes.flatMap(({ pairs }) => pairs.map((pair) => pair.name)))
}

async function setAttributes(call: Call): Promise<Outcome> {
  const [node = '', ...words] = call.words
  const values = Object.fromEntries(parsePairs(words, 'attributes'))
  if (call.flags.has('transient')) {
    const live = liveCluster(call)
    for (const [name, value] of Object.entries(values))
      await live.setTransientAttribute(value === '' ? { node, name } : { node, name, value })
    return done(`Transient attributes of ${node}: ${words.join(' ')}.\n`, { node, values, transient: true })
  }
  if (judgesAsPcs(call.speech)) {
    const set = attributeNames((await call.cluster.readCib()).cib, node)
    const missing = Object.keys(values).find((name) => values[name] === '' && set?.has(name) === false)
    if (missing !== undefined && !call.flags.has('force'))
      return { ...refused(`attribute: '${missing}' doesn't exist for node: '${node}'`), exitCode: 2 }
  }
  return await changeCib(call, {
    edit: (cib) => setNodeAttributes(cib, { nodes: [node], values, inOwnSet: true }),
    message: () => `Attributes of ${node}: ${words.join(' ')}.`,
    facts: () => ({ node, values }),
  })
}
