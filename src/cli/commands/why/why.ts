import { didYouMean, similarWords } from '../../../base/index.ts'
import { explainNode, explainResource, schedule } from '../../../scheduler/index.ts'
import type { ClusterStatus, Resource } from '../../../status/index.ts'
import { type Command, done, Refusal } from '../../command.ts'
import { md5 } from '../../md5.ts'
import { expectWords } from '../../words.ts'
import { describeFencing } from '../stonith/history.ts'

export const why: Command = {
  path: ['why'],
  usage: '<resource> | <node>',
  summary: 'Say why a resource is where it is, or why it does not run; why a node is as it is',
  details:
    'The reasons are those of the decision itself: for each node the score and where it comes from, what stands against the resource, what failed last.',
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'why <resource> | <node>' })
    const name = call.words[0] ?? ''
    const { cib } = await call.cluster.readCib()
    const decision = schedule({ cib, now: Math.floor(call.terminal.now().getTime() / 1000), md5, explain: true })
    const resource = explainResource(decision, name)
    if (resource) return done(`${resource.text}\n`, resource)
    const node = explainNode(decision, name)
    if (!node)
      throw new Refusal(
        `There is no resource or node '${name}'.${didYouMean(similarWords(name, namesIn(decision.status)))}`,
      )
    const state = await call.cluster.live?.getState({})
    const fencing = (state?.fencing ?? []).filter(({ target }) => target === name)
    const lines = fencing.map((record) => `  ${describeFencing(record)}\n`)
    const history = lines.length > 0 ? `Fenced before:\n${lines.join('')}` : ''
    return done(`${node.text}\n${history}`, { ...node, fencingHistory: fencing })
  },
}

function namesIn(status: ClusterStatus): readonly string[] {
  return [...status.nodes.map(({ name }) => name), ...status.resources.flatMap(idsOf)]
}

function idsOf(resource: Resource): readonly string[] {
  if (resource.kind === 'group') return [resource.configuredId, ...resource.members.flatMap(idsOf)]
  if (resource.kind === 'clone') return [resource.configuredId, ...resource.instances.flatMap(idsOf)]
  return [resource.configuredId]
}
