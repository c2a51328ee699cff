import {
  clusterOptionValue,
  primitiveDefinitions,
  readConfiguration,
  setNodeAttributes,
  updateResource,
} from '../../../cib/index.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { changeCib } from '../../change/change.ts'
import { parsePairs } from '../../grammar/words.ts'
import { pairWords } from '../../pcs-form/nvset.ts'
import { rebuildingCommands } from '../../replay/index.ts'
import { ownSets } from '../node/attribute.ts'

interface Capacity {
  readonly id: string
  readonly utilization: Readonly<Record<string, string>>
}

const nameFlag = { name: 'name', value: 'name', summary: 'Show only this one' }

export const resourceUtilization: Command = {
  path: ['resource', 'utilization'],
  usage: '[<resource> [<name>=<value>...]] [--output-format text|cmd|json]',
  summary: 'Show or set the utilization of resources; an empty value removes an attribute',
  details: 'Has no effect while the cluster option placement-strategy is default.',
  examples: ['systole resource utilization db memory=4096 cpu=2'],
  flags: [...changeFlags, formatFlag, nameFlag],
  completes: ['resource', 'anything'],
  run: async (call) => {
    await tellOfStrategy(call)
    const [id = '', ...words] = call.words
    if (words.length > 0) {
      const values = readCapacities(words)
      return await changeCib(call, {
        edit: (cib) => updateResource(cib, { id, utilization: values }),
        message: () => `Utilization of ${id}: ${words.join(' ')}.`,
        facts: () => ({ id, values }),
      })
    }
    const { cib } = await call.cluster.readCib()
    const all = readConfiguration(cib).resources.flatMap(primitiveDefinitions)
    return await show(call, {
      title: 'Resource Utilization:',
      what: 'resource',
      all: all.map((primitive) => ({
        id: primitive.id,
        utilization: Object.fromEntries(
          primitive.utilization.flatMap(({ pairs }) => pairs.map(({ name, value }) => [name, value] as const)),
        ),
      })),
      cmd: async () =>
        (await rebuildingCommands(call, cib, { sections: ['resources'] })).filter(
          ([, verb, name]) => verb === 'utilization' && (id === '' || name === id),
        ),
    })
  },
}

export const nodeUtilization: Command = {
  path: ['node', 'utilization'],
  usage: '[<node> [<name>=<value>...]] [--name=<name>] [--output-format text|cmd|json]',
  summary: 'Show or set the capacities of nodes; an empty value removes an attribute',
  examples: ['systole node utilization n1 memory=65536 cpu=16'],
  flags: [...changeFlags, formatFlag, nameFlag],
  completes: ['node', 'anything'],
  run: async (call) => {
    await tellOfStrategy(call)
    const [node = '', ...words] = call.words
    if (words.length > 0) {
      const values = readCapacities(words)
      return await changeCib(call, {
        edit: (cib) => setNodeAttributes(cib, { nodes: [node], kind: 'utilization', values }),
        message: () => `Utilization of ${node}: ${words.join(' ')}.`,
        facts: () => ({ node, values }),
      })
    }
    const { cib } = await call.cluster.readCib()
    return await show(call, {
      title: 'Node Utilization:',
      what: 'node',
      all: readConfiguration(cib).nodes.map(({ name, utilization }) => ({
        id: name,
        utilization: Object.fromEntries(
          ownSets(call, utilization).flatMap(({ pairs }) => pairs.map((pair) => [pair.name, pair.value] as const)),
        ),
      })),
      cmd: async () =>
        (await rebuildingCommands(call, cib, { sections: ['nodes'] })).filter(
          ([, verb, name]) => verb === 'utilization' && (node === '' || name === node),
        ),
    })
  },
}

/** Capacities count only where a strategy looks at them. */
async function tellOfStrategy(call: Call): Promise<void> {
  const { cib } = await call.cluster.readCib()
  if (clusterOptionValue(readConfiguration(cib), 'placement-strategy') === 'default')
    call.tell({ code: 'utilization-without-effect' })
}

function readCapacities(words: readonly string[]): Readonly<Record<string, string>> {
  const pairs = parsePairs(words, 'capacities')
  const wrong = [...pairs].filter(([, value]) => value !== '' && !/^-?\d+$/.test(value))
  if (wrong.length > 0)
    throw new Refusal(
      ...wrong.map(([name, value]) => ({
        own: `'${value}' is not a capacity for ${name}. Specify a whole number.`,
        about: { code: 'bad-capacity', name, value } as const,
      })),
    )
  return Object.fromEntries(pairs)
}

async function show(
  call: Call,
  shown: {
    readonly title: string
    readonly what: string
    readonly all: readonly Capacity[]
    readonly cmd: () => Promise<readonly (readonly string[])[]>
  },
): Promise<Outcome> {
  const [wanted] = call.words
  if (wanted !== undefined && !shown.all.some(({ id }) => id === wanted))
    throw new Refusal({
      own: `There is no ${shown.what} '${wanted}' that could have a utilization.`,
      about: { code: 'no-such-item', what: `${shown.what} with capacities`, id: wanted },
    })
  const onlyName = call.flags.get('name')
  // pcs answers with the resource's name even where it has none.
  const isResourceAsked = wanted !== undefined && shown.what === 'resource'
  const facts = shown.all
    .filter(({ id }) => wanted === undefined || id === wanted)
    .map(({ id, utilization }) => ({
      id,
      utilization: Object.fromEntries(
        Object.entries(utilization).filter(([name]) => onlyName === undefined || name === onlyName),
      ),
    }))
    .filter(({ utilization }) => isResourceAsked || Object.keys(utilization).length > 0)
  const lines = facts.map(({ id, utilization }) => ` ${id}: ${pairWords(utilization).toSorted().join(' ')}\n`)
  return await inFormat(call, {
    text: () => `${shown.title}\n${lines.join('')}`,
    json: facts,
    cmd: shown.cmd,
  })
}
