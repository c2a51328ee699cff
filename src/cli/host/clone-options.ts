/** What the agents of what is cloned say against options of the clone. */
import { definitionsAround, primitiveDefinitions, readConfiguration, type XmlElement } from '../../cib/index.ts'
import { agentName } from '../../resource-agents/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { promotionMistakes, resolveResourceAgent } from './agents.ts'

/** An agent that is not installed here says nothing, and no others say so under --force. */
export async function refuseUnpromotable(call: Call, cib: XmlElement, id: string): Promise<void> {
  if (call.cluster.isScratch === true) return
  const resource = definitionsAround(readConfiguration(cib), id).at(-1)
  if (resource === undefined) return
  const asked = primitiveDefinitions(resource)
    .filter(({ agent }) => agent.class === 'ocf')
    .map(async (one) => promotionMistakes(await resolveResourceAgent(agentName(one.agent), { force: true }), one.id))
  const mistakes = [...new Map((await Promise.all(asked)).flat().map((mistake) => [mistake.own, mistake])).values()]
  if (mistakes.length > 0 && !call.flags.has('force')) throw new Refusal(...mistakes)
  if (mistakes.length > 0) call.tell({ code: 'forced', messages: mistakes })
}
