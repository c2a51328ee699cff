/** How the machines of the nodes are, as their node attributes of health say. */
import { didYouMean, printable, similarWords } from '../../../base/index.ts'
import { clusterOptionValue, parseBoolean, readConfiguration } from '../../../cib/index.ts'
import { aspects, healthAttribute, troubleAttribute } from '../../../hardware/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

export const nodeHealth: Command = {
  path: ['node', 'health'],
  usage: '[<node>]',
  summary: 'Show the health of nodes by sensors, disks, file systems and links, and why it is not green',
  details:
    'Members read it, for themselves and the remote nodes whose connections they hold, while the cluster option hardware-health is true. Whether resources move away is decided by the cluster option node-health-strategy. Attributes #health-… of other programs are shown as well.',
  examples: ['systole property set hardware-health=true node-health-strategy=migrate-on-red', 'systole node health'],
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'node health [<node>]' })
    const [wanted] = call.words
    const { cib } = await call.cluster.readCib()
    const configuration = readConfiguration(cib)
    const strategy = clusterOptionValue(configuration, 'node-health-strategy')
    const isOn = parseBoolean(clusterOptionValue(configuration, 'hardware-health')) === true
    const all = statusOf(call, cib).nodes
    if (wanted !== undefined && !all.some(({ name }) => name === wanted))
      throw new Refusal(
        `There is no node '${wanted}'.${didYouMean(
          similarWords(
            wanted,
            all.map(({ name }) => name),
          ),
        )}`,
      )
    const nodes = all
      .filter(({ name }) => wanted === undefined || name === wanted)
      .map(({ name, attributes }) => ({ node: String(name), health: healthIn(attributes) }))
    const notes = [
      ...(isOn ? [] : ['The cluster option hardware-health is false: members do not read it.']),
      ...(strategy === 'none' ? ['The cluster option node-health-strategy is none: health moves no resource.'] : []),
    ]
    const rows = nodes.flatMap(({ node, health }) =>
      health.length === 0
        ? [[node, '-', 'not known', '']]
        : health.map(({ what, value, why }) => [node, what, value, why ?? '']),
    )
    const text = `${notes.map((note) => `${note}\n`).join('')}${alignColumns(rows.map((row) => row.map(printable)))}`
    return done(text, { hardwareHealth: isOn, strategy, nodes })
  },
}

interface Part {
  readonly what: string
  readonly attribute: string
  readonly value: string
  readonly why?: string
}

function healthIn(attributes: ReadonlyMap<string, string>): readonly Part[] {
  const own = new Map<string, Part>(
    aspects.map((aspect) => {
      const why = attributes.get(troubleAttribute(aspect))
      const attribute = healthAttribute(aspect)
      return [attribute, { what: aspect, attribute, value: '', ...(why === undefined ? {} : { why }) }]
    }),
  )
  return [...attributes]
    .filter(([name]) => name.startsWith('#health'))
    .map(([name, value]) => ({ ...(own.get(name) ?? { what: name, attribute: name }), value }))
}
