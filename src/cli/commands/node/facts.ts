/** What machines the nodes are: the facts that each has recorded about itself, and in what they differ. */
import { didYouMean, parseDurationMs, printable, similarWords } from '../../../base/index.ts'
import { clusterOptionValue, readConfiguration } from '../../../cib/index.ts'
import {
  differencesBetween,
  type Facts,
  factDefinitions,
  factNamed,
  knownFacts,
  printFact,
  usualValue,
} from '../../../hardware/index.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

const columns = ['cpus', 'memory', 'disks', 'disk', 'network', 'virtual', 'model']

export const nodeFacts: Command = {
  path: ['node', 'facts'],
  usage: '[<node>] | --differences',
  summary: 'Show what machines the nodes are: processors, memory, disks, network, system',
  details:
    'Each node reads them when it joins and every facts-interval, remote and guest nodes for the member with their connection, and they are recorded as transient node attributes #facts-…, which rules and profiles can use. --differences shows the facts in which nodes that are known differ, with ! before what is not the usual value.',
  examples: ['systole node facts', 'systole node facts n1 --json', 'systole node facts --differences'],
  flags: [{ name: 'differences', summary: 'Show only the facts that are not the same on all nodes' }],
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'node facts [<node>] | --differences' })
    const [node] = call.words
    const nodes = await factsByNode(call)
    if (call.flags.has('differences')) {
      if (node !== undefined) throw new Refusal('--differences compares all nodes. Omit the node.')
      return showDifferences(nodes)
    }
    if (node !== undefined) return showOne(node, nodes)
    const rows = [...nodes].map(([name, facts]) => [name, ...columns.map((column) => shown(column, facts))])
    return done(alignColumns([['node', ...columns], ...rows]), {
      nodes: [...nodes].map(([name, facts]) => ({ node: name, facts: factsForPrograms(facts) })),
    })
  },
}

/** Of every node of the cluster. Those of a node that is away are gone with it. */
export async function factsByNode(call: Call): Promise<ReadonlyMap<string, Facts>> {
  const { cib } = await call.cluster.readCib()
  if (parseDurationMs(clusterOptionValue(readConfiguration(cib), 'facts-interval')) === 0)
    call.terminal.progress('Warning: nodes record no facts while the cluster option facts-interval is 0.')
  return new Map(statusOf(call, cib).nodes.map(({ name, attributes }) => [String(name), knownFacts(attributes)]))
}

export const factsForPrograms = (facts: Facts): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    factDefinitions.flatMap(({ attribute, kind }) => {
      const value = facts.get(attribute)
      return value === undefined ? [] : [[attribute, kind === 'number' ? Number(value) : value]]
    }),
  )

const shown = (name: string, facts: Facts): string => {
  const fact = factNamed(name)
  const value = fact && facts.get(fact.attribute)
  return fact === undefined || value === undefined ? '-' : printable(printFact(fact, value))
}

function showOne(node: string, nodes: ReadonlyMap<string, Facts>): ReturnType<typeof done> {
  const facts = nodes.get(node)
  if (facts === undefined)
    throw new Refusal(`There is no node '${node}'.${didYouMean(similarWords(node, nodes.keys()))}`)
  const rows = factDefinitions.flatMap(({ name, attribute, summary }) =>
    facts.has(attribute) ? [[name, shown(name, facts), attribute, summary]] : [],
  )
  const text = rows.length === 0 ? `${node}: no facts are known.\n` : `${node}:\n${alignColumns(rows, '  ')}`
  return done(text, { node, facts: factsForPrograms(facts) })
}

function showDifferences(nodes: ReadonlyMap<string, Facts>): ReturnType<typeof done> {
  const known = new Map([...nodes].filter(([, facts]) => facts.size > 0))
  const unknown = [...nodes.keys()].filter((node) => !known.has(node))
  const differences = differencesBetween(known)
  const texts = differences.map((difference) => {
    const { fact, values } = difference
    const usual = usualValue(difference)
    const rows = [...values].map(([node, value]) => [
      usual === undefined || value === usual ? ' ' : '!',
      node,
      value === undefined ? 'not known' : printable(printFact(fact, value)),
    ])
    return `${fact.name}:\n${alignColumns(rows, '  ')}`
  })
  const same = differences.length === 0 && known.size > 0 ? 'The nodes with facts do not differ.\n' : ''
  const missing = unknown.length === 0 ? '' : `No facts are known of ${unknown.join(', ')}.\n`
  return done(`${same}${texts.join('')}${missing}`, {
    differences: differences.map((difference) => ({
      fact: difference.fact.name,
      attribute: difference.fact.attribute,
      usual: usualValue(difference) ?? null,
      values: Object.fromEntries([...difference.values].map(([node, value]) => [node, value ?? null])),
    })),
    unknown,
  })
}
