/** `graph`: the dependencies that the configuration writes down, and the waves in which everything starts. */
import { readConfiguration } from '../../../cib/index.ts'
import { cibSource, sourceFlags } from '../../access/cib-source.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { printStartGraph, startGraphAsDot, startGraphAsSvg } from '../../facts/draw-start-graph.ts'
import { startGraphOf } from '../../facts/start-graph.ts'
import { expectWords } from '../../grammar/words.ts'

export const graph: Command = {
  path: ['graph'],
  usage: '[--dot|--svg]',
  summary: 'Show what waits for what when the resources start, and the waves in which they start',
  details:
    "Groups, bundles, order constraints with their sets, promotions and gates make a start wait; colocations are shown and make nothing wait. The graph is that of the configuration: nodes, disabled resources and the present state do not count ('systole simulate' has those). Fence devices are shown where an order names them. The exit code is 1 when resources wait for each other in a loop.",
  examples: ['systole graph', 'systole graph --svg > graph.svg', 'systole graph -f planned.xml --json'],
  flags: [
    ...sourceFlags.filter(({ name }) => name === 'xml-file'),
    { name: 'dot', summary: 'Print the graph for Graphviz' },
    { name: 'svg', summary: 'Print the graph as SVG' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'graph [--dot|--svg]' })
    const { flags } = call
    if (flags.has('dot') && flags.has('svg')) throw new Refusal('Specify one of --dot and --svg.')
    const { cib } = await cibSource(call).read()
    const found = startGraphOf(readConfiguration(cib))
    const exitCode = found.loops.length === 0 ? 0 : 1
    if (flags.has('dot')) return done(startGraphAsDot(found), { dot: startGraphAsDot(found) }, exitCode)
    if (flags.has('svg')) return done(startGraphAsSvg(found), { svg: startGraphAsSvg(found) }, exitCode)
    return done(printStartGraph(found), found, exitCode)
  },
}
