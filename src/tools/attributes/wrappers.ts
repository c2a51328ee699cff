/** crm_master and crm_standby: crm_attribute with the name given. */
import { element } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { hasOption, lastOf, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { answer, attributeOptions, promotionScoreName, question, targetNode } from './crm-attribute.ts'
import type { PairScope } from './pairs.ts'

const notOfThese = new Set(['set-name', 'default'])
const wrapperOptions = attributeOptions.filter(({ names }) => !notOfThese.has(names[0] ?? ''))

export const crmMaster: Tool = {
  name: 'crm_master',
  exits: { usage: exitCodes.error },
  summary: 'Read and write the promotion score of a resource, as crm_attribute --promotion does',
  options: [
    ...wrapperOptions,
    valued('resource,r', 'RESOURCE', 'The resource, by default that of the agent that calls'),
  ],
  run: async (call, world) => {
    const resource = optionValue(call.given, 'resource') ?? call.resource
    if (resource === undefined || resource === '') return refused(exitCodes.error, 'error: No resource specified')
    // Without a lifetime it is permanent, unlike `crm_attribute --promotion`.
    const scope = nodeScope(call, world)
    const asked = question(call, world, { scope, name: promotionScoreName(resource) })
    return 'exitCode' in asked ? asked : await answer(asked, call, world)
  },
}

function nodeScope(call: ParsedCall, world: ToolWorld): PairScope {
  const node = targetNode(optionValue(call.given, 'node'), call, world)
  const lifetime = optionValue(call.given, 'lifetime')
  return lifetime === undefined || lifetime === 'forever'
    ? { kind: 'nodes', node, utilization: false }
    : { kind: 'status', node }
}

export const crmStandby: Tool = {
  name: 'crm_standby',
  exits: { usage: exitCodes.error },
  summary: 'Ask, set or end the standby mode of a node',
  options: wrapperOptions,
  run: async (call, world) => await standby(call, world),
}

/** Without a lifetime, a transient standby is asked for and deleted first: it is the one that would win. */
async function standby(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const node = targetNode(optionValue(call.given, 'node'), call, world)
  const lifetime = optionValue(call.given, 'lifetime')
  const command = lastOf(call.given, ['query', 'update', 'delete'])?.name ?? 'query'
  const ask = async (scope: PairScope): Promise<ToolReply> => {
    const asked = question(call, world, { scope, name: 'standby' })
    return 'exitCode' in asked ? asked : await answer(asked, call, world)
  }
  const permanent: PairScope = { kind: 'nodes', node, utilization: false }
  if (lifetime !== undefined || command === 'update') return await ask(nodeScope(call, world))
  const first = await ask(permanent)
  if (command === 'delete') {
    if (first.exitCode !== exitCodes.ok) return first
    const second = await ask({ kind: 'status', node })
    return { ...second, output: `${first.output}${second.output}` }
  }
  if (first.exitCode !== exitCodes.noSuchObject) return first
  const transient = await ask({ kind: 'status', node })
  if (transient.exitCode !== exitCodes.noSuchObject || transient.errors.includes('UUID')) return transient
  return printed(hasOption(call.given, 'quiet') ? 'off\n' : 'scope=status  name=standby value=off\n', [
    element('attribute', { name: 'standby', value: 'off', scope: 'status' }),
  ])
}
