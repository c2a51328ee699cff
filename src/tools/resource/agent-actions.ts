/**
 * crm_resource's --validate, --force-start and their kin: an agent is run on the caller's host, and the cluster is not told
 * (crm_resource(8), "Advanced").
 */
import { nodeName } from '../../base/index.ts'
import { type Agent, element, operationStatusWords, type XmlElement } from '../../cib/index.ts'
import type { AgentOutcome } from '../../resource-agents/index.ts'
import type { PrimitiveResource, Resource } from '../../status/index.ts'
import { describeExit, exitCodes } from '../exit-codes.ts'
import { type GivenOption, hasOption, lastOf, optionValue, plainWords } from '../options.ts'
import { refused, type ToolReply } from '../reply.ts'
import { findStatus, statusOf } from '../status-of.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

/** By option, what the agent is asked for. */
const operations: Readonly<Record<string, string>> = {
  validate: 'validate-all',
  'force-start': 'start',
  'force-stop': 'stop',
  'force-check': 'monitor',
  'force-promote': 'promote',
  'force-demote': 'demote',
}

export const agentActions: readonly string[] = Object.keys(operations)

export function runsAgent(given: readonly GivenOption[]): boolean {
  return lastOf(given, agentActions) !== undefined
}

/** It names an agent and its parameters, rather than a resource. */
export function isAboutAgent(given: readonly GivenOption[]): boolean {
  const action = lastOf(given, agentActions)
  if (action === undefined || optionValue(given, 'resource') !== undefined) return false
  return action.name === 'validate' || hasOption(given, 'class')
}

/** The words `name=value`, which stand for what is configured. */
export function overrides(given: readonly GivenOption[]): Readonly<Record<string, string>> {
  const written = plainWords(given).flatMap((word) => pair(word))
  return Object.fromEntries(written)
}

function pair(word: string): readonly (readonly [string, string])[] {
  const equals = word.indexOf('=')
  return equals < 1 ? [] : [[word.slice(0, equals), word.slice(equals + 1)]]
}

interface Subject {
  readonly agent: Agent
  /** Undefined where only an agent is named. */
  readonly resource?: string
  readonly parameters: Readonly<Record<string, string>>
}

export async function onAgent(call: ParsedCall, action: GivenOption, world: ToolWorld): Promise<ToolReply> {
  const subject = isAboutAgent(call.given) ? namedAgent(call) : configured(call, action, world)
  if ('exitCode' in subject) return subject
  const { agent, resource = 'test', parameters } = subject
  const agents = call.files?.agents
  if (agents === undefined) return refused(exitCodes.unimplemented, 'crm_resource: agents are not known here.')
  if (agent.class === 'stonith') return unsupported(action, subject)
  const timeout = optionValue(call.given, 'timeout')
  const outcome = await agents.run({
    agent,
    resource,
    operation: operations[action.name] ?? action.name,
    parameters: { ...parameters, ...overrides(call.given) },
    ...(action.value === undefined ? {} : { checkLevel: action.value }),
    ...(timeout === undefined ? {} : { timeout }),
  })
  return told(call, { action: action.name, subject }, outcome)
}

function namedAgent({ given, files }: ParsedCall): Subject | ToolReply {
  const [agentClass, provider, type] = ['class', 'provider', 'agent'].map((name) => optionValue(given, name))
  const spec = `${agentClass ?? ''}:${provider ?? ''}:${type ?? ''}`
  const isOcf = agentClass === 'ocf'
  const known =
    agentClass !== undefined && type !== undefined && files?.agents.list(isOcf ? `ocf:${provider}` : agentClass)
  if (
    type === undefined ||
    agentClass === undefined ||
    !known ||
    !known.includes(type) ||
    isOcf !== (provider !== undefined)
  )
    return refused(exitCodes.usage, `crm_resource: ${spec} is not a known resource`)
  const options = given.filter(({ name }) => name === 'option').flatMap(({ value = '' }) => pair(value))
  const agent = { class: agentClass, type, ...(provider === undefined ? {} : { provider }) }
  return { agent, parameters: Object.fromEntries(options) }
}

function configured({ given }: ParsedCall, { name }: GivenOption, world: ToolWorld): Subject | ToolReply {
  const resource = optionValue(given, 'resource') ?? ''
  const status = statusOf(world)
  const [top] = status.resources.filter(({ id }) => id === resource)
  if (top?.kind === 'group' || top?.kind === 'bundle')
    return refused(
      exitCodes.unimplemented,
      `Sorry, the ${name} option doesn't support ${top.kind} resources\ncrm_resource: Error performing operation: Unimplemented`,
    )
  const found = findStatus(status, resource)
  const [primitive] = found
  if (primitive === undefined)
    return refused(
      exitCodes.noSuchObject,
      `crm_resource: Resource '${resource}' not found\nError performing operation: No such object`,
    )
  const changes = ['force-start', 'force-promote', 'force-demote'].includes(name)
  if (changes && !hasOption(given, 'force') && isInClone(primitive) && isActive(found, top, world))
    return refused(
      exitCodes.unsafe,
      `It is not safe to ${name.slice('force-'.length)} ${resource} here: the cluster claims it is already active\nTry setting target-role=Stopped first or specifying the force option\ncrm_resource: Error performing operation: Operation not safe`,
    )
  return {
    agent: primitive.agent,
    resource,
    parameters: Object.fromEntries(primitive.parametersOn(nodeName(world.localNode))),
  }
}

const isInClone = ({ id, configuredId }: PrimitiveResource): boolean => id !== configuredId

/** Of a clone by its own name, anywhere. */
function isActive(instances: readonly PrimitiveResource[], top: Resource | undefined, world: ToolWorld): boolean {
  return instances.some(({ state }) =>
    state.active.some((place) => top?.kind === 'clone' || place.node === world.localNode),
  )
}

function unsupported({ name }: GivenOption, { agent, resource }: Subject): ToolReply {
  const what = resource === undefined ? '' : ` for ${resource}`
  return refused(
    exitCodes.unimplemented,
    `Operation ${name}${what} (stonith:${agent.type}) could not be executed (Error: Manual execution of the stonith standard is unsupported)\ncrm_resource: Error performing operation: Unimplemented`,
  )
}

function told(
  { given }: ParsedCall,
  { action, subject }: { readonly action: string; readonly subject: Subject },
  outcome: AgentOutcome,
): ToolReply {
  const { agent, resource } = subject
  const { status, exitCode, exitReason, output } = outcome
  const isTimeout = status === 'timeout'
  const code = isTimeout ? exitCodes.timeout : exitCode
  const spec = [agent.class, ...(agent.provider === undefined ? [] : [agent.provider]), agent.type].join(':')
  const reason = exitReason === undefined ? '' : `: ${exitReason}`
  const how =
    status === 'done'
      ? `returned ${exitCode} (${describeExit(exitCode)}${reason})`
      : `could not be executed (${operationStatusWords[status]}${reason})`
  const shown = code !== exitCodes.ok || hasOption(given, 'verbose') ? output : ''
  const replaced = Object.entries(overrides(given)).map(
    ([name, value]) =>
      `Overriding the cluster configuration ${resource === undefined ? '' : `for '${resource}' `}with '${name}' = '${value}'\n`,
  )
  const what = resource === undefined ? action : `${action} for ${resource}`
  const text = `Operation ${what} (${spec}) ${how}\n${shown}${shown === '' ? '' : '\n'}`
  return {
    exitCode: code,
    output: `${replaced.join('')}${text}`,
    errors: code === exitCodes.ok ? '' : `crm_resource: Error performing operation: ${describeExit(code)}\n`,
    xml: [actionElement({ action, subject, given, shown }, outcome)],
  }
}

function actionElement(
  asked: {
    readonly action: string
    readonly subject: Subject
    readonly given: readonly GivenOption[]
    readonly shown: string
  },
  { exitCode, exitReason, status }: AgentOutcome,
): XmlElement {
  const { action, subject, given, shown } = asked
  const { agent, resource } = subject
  const rsc = resource === undefined ? {} : { rsc: resource }
  const replaced = Object.entries(overrides(given)).map(([name, value]) => element('override', { name, value, ...rsc }))
  const code = String(exitCode)
  return element(
    'resource-agent-action',
    {
      action,
      class: agent.class,
      type: agent.type,
      ...rsc,
      ...(agent.provider === undefined ? {} : { provider: agent.provider }),
    },
    [
      element('overrides', {}, replaced),
      element('agent-status', {
        code,
        message: describeExit(exitCode),
        execution_code: status === 'done' ? '0' : status === 'timeout' ? '2' : '4',
        execution_message: operationStatusWords[status],
        ...(exitReason === undefined ? {} : { reason: exitReason }),
      }),
      ...(shown === ''
        ? []
        : [element('command', { code }, [element('output', { source: 'stderr' }, [{ kind: 'text', text: shown }])])]),
    ],
  )
}
