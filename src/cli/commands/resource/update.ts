import {
  findResource,
  type IsSecret,
  isPromotable,
  type PrimitiveDefinition,
  primitiveDefinitions,
  readConfiguration,
  updateResource,
  type XmlElement,
} from '../../../cib/index.ts'
import { agentName } from '../../../resource-agents/index.ts'
import { refuseOperationRoles } from '../../as-pcs/operations.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, Refusal } from '../../call/command.ts'
import type { Message } from '../../call/message.ts'
import { changeCib, takesAnyValue } from '../../change/change.ts'
import { statusOf } from '../../facts/status-view.ts'
import { refuseNodesByTheWay } from '../../grammar/guest-and-remote.ts'
import { readResourceWords } from '../../grammar/resource-words.ts'
import { expectWords } from '../../grammar/words.ts'
import { agentObjections, agentValidationFlag } from '../../host/agent-validation.ts'
import {
  type InstalledAgent,
  parameterMistakes,
  privateParameters,
  requiredMistakes,
  resolveFenceAgent,
  resolveResourceAgent,
} from '../../host/agents.ts'
import { refuseUnpromotable } from '../../host/clone-options.ts'
import { sharedUniqueValues } from '../../host/unique-parameters.ts'

export const resourceUpdate: Command = {
  path: ['resource', 'update'],
  aliases: [['stonith', 'update']],
  usage: '<resource> [<parameter>=<value>...] [op <operation> <name>=<value>...] [meta <name>=<value>...]',
  summary: 'Change a resource; resources that restart are shown first',
  details: 'An empty value removes a parameter or meta-attribute.',
  flags: [...changeFlags, agentValidationFlag],
  completes: ['resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'resource update <resource> [<parameter>=<value>...]' })
    const [id = '', ...words] = call.words
    // Called as pcs, an update of a file takes any duration, as pcs does.
    const takesAny = judgesAsPcs(call.speech) && call.cluster.live === undefined
    // pcs passes over an 'op' of which nothing is said.
    const said = judgesAsPcs(call.speech) ? withoutEmptyOp(words) : words
    const written = readResourceWords(said, new Map(), takesAny ? 'any' : 'pacemaker')
    if (written.clone ?? written.promotable ?? written.group ?? written.bundle)
      throw new Refusal("'resource update' changes parameters, operations and meta-attributes only.")
    const { cib } = await call.cluster.readCib()
    const definition = definitionOf(cib, id)
    refuseNodesByTheWay(call, { meta: written.meta })
    if (call.speech.program === 'pcs' && ['group', 'bundle'].includes(findResource(cib, id)?.name ?? ''))
      throw new Refusal(`Unable to find resource: ${id}`)
    const isSecret =
      definition && written.parameters.size > 0 && !call.cluster.isScratch
        ? await checkParameters(call, { cib, definition, written: written.parameters })
        : undefined
    refuseOperationRoles(call, written.operations)
    // A clone has no agent: what is written without a keyword are its options.
    const isOfClone = ['clone', 'master'].includes(findResource(cib, id)?.name ?? '')
    const values = Object.fromEntries(written.parameters)
    const meta = { ...(isOfClone ? values : {}), ...Object.fromEntries(written.meta) }
    if (isOfClone && isPromotable({ promotable: false, cloneMeta: meta })) await refuseUnpromotable(call, cib, id)
    return await changeCib(call, {
      edit: (cib) =>
        updateResource(cib, {
          id,
          ...(isOfClone ? {} : { parameters: values }),
          meta,
          operations: written.operations
            .filter(({ attributes }) => !judgesAsPcs(call.speech) || attributes.size > 0)
            .map(({ name, attributes }) => ({
              name,
              attributes: Object.fromEntries(attributes),
            })),
          operationsAnew: judgesAsPcs(call.speech),
          anyDuration: takesAny,
          force: takesAnyValue(call),
          modernizes: judgesAsPcs(call.speech),
        }),
      message: () => `Updated: ${id}.`,
      ...(isSecret && { isSecret }),
    })
  },
}

/** Refuses what the agent does not take. Which of its parameters are secret; undefined where it has no agent of its own. */
async function checkParameters(
  call: Call,
  asked: {
    readonly cib: XmlElement
    readonly definition: PrimitiveDefinition
    readonly written: ReadonlyMap<string, string>
  },
): Promise<IsSecret | undefined> {
  const { cib, definition, written } = asked
  const { agent, id } = definition
  if (agent === undefined) return undefined
  const force = call.flags.has('force')
  const resolve = agent.class === 'stonith' ? resolveFenceAgent : resolveResourceAgent
  const installed = await resolve(agentName(agent), { force: force || !judgesAsPcs(call.speech) })
  const set = new Map([...written].filter(([, value]) => value !== ''))
  const mistakes = [
    // pcs knows no name of another agent, not even to take it away.
    ...parameterMistakes(installed, judgesAsPcs(call.speech) ? named(definition, written) : set, { required: false }),
    ...requiredMistakes(installed, inTheEnd(definition, written), new Set(written.keys())),
    ...freshlyShared(cib, installed, definition, set),
  ]
  if (mistakes.length > 0 && !force) throw new Refusal(...mistakes)
  if (mistakes.length > 0) call.tell({ code: 'forced', messages: mistakes })
  if (call.flags.has('agent-validation')) {
    const [configured] = [...statusOf(call, cib).primitivesById.values()].filter((one) => one.configuredId === id)
    const before = configured?.parametersOn(undefined) ?? []
    const kept = [...new Map([...before, ...written])].filter(([, value]) => value !== '')
    const objections = await agentObjections(installed, Object.fromEntries(kept))
    if (objections.length > 0 && !force) throw new Refusal(...objections)
    for (const objection of objections) call.terminal.progress(`Warning: ${objection}`)
  }
  return privateParameters(installed)
}

const withoutEmptyOp = (words: readonly string[]): readonly string[] =>
  words.filter((word, index) => word !== 'op' || ![undefined, 'op', 'meta'].includes(words[index + 1]))

/** The names that have a value afterwards. */
function inTheEnd({ parameters }: PrimitiveDefinition, written: ReadonlyMap<string, string>): ReadonlySet<string> {
  const before = parameters.flatMap(({ pairs }) => pairs.map(({ name }) => name))
  return new Set([...before, ...written.keys()].filter((name) => written.get(name) !== ''))
}

/** What gets a value, and what is taken away without having one. */
function named({ parameters }: PrimitiveDefinition, written: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const before = new Set(parameters.flatMap(({ pairs }) => pairs).map(({ name }) => name))
  return new Map([...written].filter(([name, value]) => value !== '' || !before.has(name)))
}

/** Values that another resource of the agent has, but for those that this one had before. */
function freshlyShared(
  cib: XmlElement,
  installed: InstalledAgent,
  { id, parameters }: PrimitiveDefinition,
  set: ReadonlyMap<string, string>,
): readonly Message[] {
  const before = new Map(parameters.flatMap(({ pairs }) => pairs).map(({ name, value }) => [name, value]))
  const shared = (values: ReadonlyMap<string, string>): readonly Message[] =>
    sharedUniqueValues(cib, installed, { id, parameters: values, isNew: false })
  const known = shared(before).map(({ own }) => own)
  return shared(new Map([...before, ...set])).filter(({ own }) => !known.includes(own))
}

function definitionOf(cib: XmlElement, id: string): PrimitiveDefinition | undefined {
  return readConfiguration(cib)
    .resources.flatMap(primitiveDefinitions)
    .find((primitive) => primitive.id === id)
}
