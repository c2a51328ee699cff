import {
  type Agent,
  findResource,
  type IsSecret,
  type ResourceDefinition,
  readConfiguration,
  updateResource,
  type XmlElement,
} from '../../../cib/index.ts'
import { agentName } from '../../../resource-agents/index.ts'
import { agentObjections, agentValidationFlag } from '../../agent-validation.ts'
import { parameterMistakes, privateParameters, resolveFenceAgent, resolveResourceAgent } from '../../agents.ts'
import { changeCib } from '../../change.ts'
import { type Command, changeFlags, Refusal } from '../../command.ts'
import { readResourceWords } from '../../resource-words.ts'
import { statusOf } from '../../status-view.ts'
import { expectWords } from '../../words.ts'

export const resourceUpdate: Command = {
  path: ['resource', 'update'],
  aliases: [['stonith', 'update']],
  usage: '<resource> [<parameter>=<value>...] [op <operation> <name>=<value>...] [meta <name>=<value>...]',
  summary: 'Change a resource; what restarts because of it is shown first',
  details: 'An empty value unsets a parameter or meta-attribute.',
  flags: [...changeFlags, agentValidationFlag],
  completes: ['resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'resource update <resource> [<parameter>=<value>...]' })
    const [id = '', ...words] = call.words
    const written = readResourceWords(words, new Map())
    if (written.clone ?? written.promotable ?? written.group ?? written.bundle)
      throw new Refusal("'resource update' changes parameters, operations and meta-attributes only.")
    const force = call.flags.has('force')
    const { cib } = await call.cluster.readCib()
    const agent = agentOf(cib, id)
    let isSecret: IsSecret | undefined
    if (agent && written.parameters.size > 0 && !call.cluster.isScratch) {
      const resolve = agent.class === 'stonith' ? resolveFenceAgent : resolveResourceAgent
      const installed = await resolve(agentName(agent), { force: true })
      isSecret = privateParameters(installed)
      const set = new Map([...written.parameters].filter(([, value]) => value !== ''))
      const mistakes = parameterMistakes(installed, set, { required: false })
      if (mistakes.length > 0 && !force) throw new Refusal(...mistakes)
      if (call.flags.has('agent-validation')) {
        const [configured] = [...statusOf(call, cib).primitivesById.values()].filter((one) => one.configuredId === id)
        const all = new Map([...(configured?.parametersOn(undefined) ?? []), ...written.parameters])
        const kept = Object.fromEntries([...all].filter(([, value]) => value !== ''))
        const objections = await agentObjections(installed, kept)
        if (objections.length > 0 && !force) throw new Refusal(...objections)
        for (const objection of objections) call.terminal.progress(`Warning: ${objection}`)
      }
    }
    // A clone has no agent: what is written without a keyword are its options.
    const isOfClone = ['clone', 'master'].includes(findResource(cib, id)?.name ?? '')
    const values = Object.fromEntries(written.parameters)
    return await changeCib(call, {
      edit: (cib) =>
        updateResource(cib, {
          id,
          ...(isOfClone ? {} : { parameters: values }),
          meta: { ...(isOfClone ? values : {}), ...Object.fromEntries(written.meta) },
          operations: written.operations.map(({ name, attributes }) => ({
            name,
            attributes: Object.fromEntries(attributes),
          })),
          force,
        }),
      message: () => `Updated: ${id}.`,
      ...(isSecret && { isSecret }),
    })
  },
}

function agentOf(cib: XmlElement, id: string): Agent | undefined {
  const inner = (resource: ResourceDefinition): readonly ResourceDefinition[] =>
    resource.kind === 'group'
      ? resource.members
      : resource.kind === 'clone'
        ? [resource.child, ...inner(resource.child)]
        : resource.kind === 'bundle' && resource.child
          ? [resource.child]
          : []
  const all = readConfiguration(cib).resources.flatMap((resource) => [resource, ...inner(resource)])
  const found = all.find((resource) => resource.id === id)
  return found?.kind === 'primitive' ? found.agent : undefined
}
