/**
 * A fence device as the configuration describes it: a primitive of class `stonith`, its `pcmk_*` parameters read
 * (Pacemaker Explained, "Special Meta-Attributes/Options for Fencing Resources"), the rest left for the agent.
 */
import { type NodeName, nodeName, parseDurationMs, type ResourceId } from '../base/index.ts'
import {
  type Configuration,
  INFINITY_SCORE,
  type NvSet,
  nvSetsByPrecedence,
  type PrimitiveDefinition,
  parseRole,
  primitiveDefinitions,
  splitWords,
} from '../cib/index.ts'
import { type AgentMetadata, supports } from '../resource-agents/index.ts'
import { isThroughDisks } from './through-disks.ts'

/** What we ask devices for; `pcmk_<action>_action` gives an agent's own name for it. */
export const deviceActions = ['off', 'on', 'reboot', 'status', 'list', 'monitor'] as const
export type DeviceAction = (typeof deviceActions)[number]

export interface FenceDevice {
  readonly id: ResourceId
  /** `fence_ipmilan`. */
  readonly agent: string
  /** For the agent; they hold its secrets. */
  readonly parameters: Readonly<Record<string, string>>
  readonly priority: number
  /** How we know which nodes it can fence (`pcmk_host_check`). */
  readonly hosts:
    | { readonly kind: 'listed'; readonly names: ReadonlySet<string> }
    | { readonly kind: 'ask-list' | 'ask-status' | 'all' }
  /** What the device calls a node (`pcmk_host_map`), where that is not its name. */
  readonly plugs: ReadonlyMap<string, string>
  /** The parameter that takes it (`pcmk_host_argument`); undefined where the agent has none. */
  readonly plugParameter?: string
  readonly actions: Readonly<Record<DeviceAction, AgentActionOptions>>
  /** `pcmk_delay_base`, of one node or of all. */
  readonly delayBaseMs: { readonly all: number; readonly byNode: ReadonlyMap<string, number> }
  readonly delayMaxMs: number
  /** Actions at the same time (`pcmk_action_limit`); Infinity for no limit. */
  readonly actionLimit: number
  /** Its status tells whether a node has power: that of SBD's disks is the message that lies there. */
  readonly canStatus: boolean
  /** The agent says that it has it; nothing is known of an agent without metadata. */
  readonly canReboot: boolean
  /**
   * The agent's reboot is off, wait, on (it has a `method` for it). We do these ourselves, so that recovery need not wait for
   * the power to come back, and so that `method=cycle`, which proves nothing, is not relied on.
   */
  readonly splitsReboot: boolean
  /** `on` is unfencing, done by the target itself. */
  readonly onTarget: boolean
  /** Nodes that must not use it (a location constraint says minus INFINITY). */
  readonly bannedOn: ReadonlySet<NodeName>
}

export interface AgentActionOptions {
  /** What the agent calls it. */
  readonly name: string
  /** Undefined: the cluster's fencing-timeout. */
  readonly timeoutMs?: number
  /** How often it is tried, at least once. */
  readonly attempts: number
}

/** Parameters of a primitive as they hold now; the caller may evaluate rules, without it sets with rules are left out. */
export type ParametersOf = (device: PrimitiveDefinition) => ReadonlyMap<string, string>

export interface DeviceSources {
  /** By agent; absent where the metadata cannot be read. */
  readonly metadata: ReadonlyMap<string, AgentMetadata>
  readonly parametersOf?: ParametersOf
}

/** The devices that are not switched off by target-role, in the order of the configuration. */
export function readFenceDevices(configuration: Configuration, sources: DeviceSources): readonly FenceDevice[] {
  return fencePrimitives(configuration).map((primitive) => readDevice(primitive, configuration, sources))
}

/** The fence agents that are in use, so that their metadata can be read first. */
export function usedFenceAgents(configuration: Configuration): readonly string[] {
  return [...new Set(fencePrimitives(configuration).map(({ agent }) => agent.type))].sort()
}

/** Whether an agent's program gets its plug by this name: the agents' own first, then what old ones had. */
const plugNames = ['plug', 'port'] as const
const defaultAttempts = 2

function fencePrimitives(configuration: Configuration): readonly PrimitiveDefinition[] {
  return configuration.resources
    .flatMap(primitiveDefinitions)
    .filter(({ agent }) => agent.class === 'stonith')
    .filter(({ meta }) => parseRole(flatten(meta).get('target-role')) !== 'Stopped')
}

function flatten(sets: readonly NvSet[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const set of nvSetsByPrecedence(sets).filter(({ rule }) => rule === undefined))
    for (const { name, value } of set.pairs) if (!values.has(name)) values.set(name, value)
  return values
}

function readDevice(primitive: PrimitiveDefinition, configuration: Configuration, sources: DeviceSources): FenceDevice {
  const { parametersOf = ({ parameters }) => flatten(parameters) } = sources
  const metadata = sources.metadata.get(primitive.agent.type)
  const all = parametersOf(primitive)
  const parameters = Object.fromEntries([...all].filter(([name]) => !isOurs(name)))
  const plugs = readHostMap(all.get('pcmk_host_map'))
  const plugParameter = readPlugParameter(all, metadata)
  return {
    id: primitive.id,
    agent: primitive.agent.type,
    parameters,
    priority: Number(all.get('priority') ?? 0) || 0,
    hosts: readHosts(all, plugs, metadata),
    plugs,
    ...(plugParameter === undefined ? {} : { plugParameter }),
    actions: readActions(all),
    delayBaseMs: readDelayBase(all.get('pcmk_delay_base')),
    delayMaxMs: parseDurationMs(all.get('pcmk_delay_max') ?? '0') ?? 0,
    actionLimit: readActionLimit(all.get('pcmk_action_limit')),
    canStatus:
      metadata !== undefined &&
      supports(metadata, all.get('pcmk_status_action') ?? 'status') &&
      !isThroughDisks(primitive.agent.type),
    canReboot: metadata === undefined || supports(metadata, all.get('pcmk_reboot_action') ?? 'reboot'),
    splitsReboot: metadata !== undefined && splitsReboot(all, metadata),
    onTarget: metadata?.actions.some(({ name, onTarget }) => name === 'on' && onTarget) ?? false,
    bannedOn: new Set(
      configuration.constraints.flatMap((constraint) =>
        constraint.kind === 'location' &&
        constraint.resource.by === 'id' &&
        constraint.resource.id === primitive.id &&
        constraint.where.by === 'node' &&
        constraint.where.score <= -INFINITY_SCORE
          ? [nodeName(constraint.where.node)]
          : [],
      ),
    ),
  }
}

function isOurs(name: string): boolean {
  return name.startsWith('pcmk_') || name === 'priority' || name === 'provides' || name === 'stonith-timeout'
}

/**
 * A reboot that the administrator has given another name is done as he says. An agent whose own default is the cycle, such as fence_sbd, has
 * nothing that would switch a machine on again.
 */
function splitsReboot(all: ReadonlyMap<string, string>, metadata: AgentMetadata): boolean {
  const named = all.get('pcmk_reboot_action')
  const powers = supports(metadata, 'off') && supports(metadata, 'on') && supports(metadata, 'status')
  const method = metadata.parameters.find(({ name }) => name === 'method')
  const isOnOff = method !== undefined && (method.default !== 'cycle' || all.get('method') === 'onoff')
  return powers && (named === undefined || named === 'reboot') && isOnOff
}

function readHosts(
  all: ReadonlyMap<string, string>,
  plugs: ReadonlyMap<string, string>,
  metadata: AgentMetadata | undefined,
): FenceDevice['hosts'] {
  const names = new Set([...splitWords(all.get('pcmk_host_list')), ...plugs.keys()])
  switch (all.get('pcmk_host_check') ?? defaultHostCheck(names, metadata)) {
    case 'none':
      return { kind: 'all' }
    case 'dynamic-list':
      return { kind: 'ask-list' }
    case 'status':
      return { kind: 'ask-status' }
    default:
      return { kind: 'listed', names }
  }
}

function defaultHostCheck(names: ReadonlySet<string>, metadata: AgentMetadata | undefined): string {
  if (names.size > 0 || metadata === undefined) return 'static-list'
  if (supports(metadata, 'list')) return 'dynamic-list'
  return supports(metadata, 'status') ? 'status' : 'none'
}

/** `alpha:1;beta:2,3`, with blanks or semicolons between nodes. */
function readHostMap(text: string | undefined): ReadonlyMap<string, string> {
  const entries = (text ?? '').split(/[;\s]+/).flatMap((entry): readonly [string, string][] => {
    const match = /^([^:=]+)[:=](.+)$/.exec(entry)
    return match?.[1] !== undefined && match[2] !== undefined ? [[match[1], match[2]]] : []
  })
  return new Map(entries)
}

function readPlugParameter(all: ReadonlyMap<string, string>, metadata: AgentMetadata | undefined): string | undefined {
  const named = all.get('pcmk_host_argument')
  if (named !== undefined) return named === 'none' ? undefined : named
  // A plug that the administrator has set himself is not replaced, unless a map says what each node's is.
  if (plugNames.some((name) => all.has(name)) && !all.has('pcmk_host_map')) return undefined
  if (metadata === undefined) return 'port'
  return plugNames.find((name) => metadata.parameters.some((parameter) => parameter.name === name))
}

function readActions(all: ReadonlyMap<string, string>): FenceDevice['actions'] {
  const read = (action: DeviceAction): AgentActionOptions => {
    const timeoutMs = parseDurationMs(all.get(`pcmk_${action}_timeout`) ?? '')
    const attempts = Number(all.get(`pcmk_${action}_retries`) ?? defaultAttempts)
    return {
      name: all.get(`pcmk_${action}_action`) ?? action,
      attempts: Number.isInteger(attempts) ? Math.max(1, attempts) : defaultAttempts,
      ...(timeoutMs === undefined || timeoutMs <= 0 ? {} : { timeoutMs }),
    }
  }
  return {
    off: read('off'),
    on: read('on'),
    reboot: read('reboot'),
    status: read('status'),
    list: read('list'),
    monitor: read('monitor'),
  }
}

/** `5s`, or `alpha:0;beta:5s`. */
function readDelayBase(text: string | undefined): FenceDevice['delayBaseMs'] {
  const byNode = readHostMap(text)
  const times = [...byNode].flatMap(([node, value]): readonly [string, number][] => {
    const ms = parseDurationMs(value)
    return ms === undefined ? [] : [[node, ms]]
  })
  return { all: byNode.size > 0 ? 0 : (parseDurationMs(text ?? '0') ?? 0), byNode: new Map(times) }
}

function readActionLimit(text: string | undefined): number {
  const limit = Number(text ?? 1)
  if (!Number.isInteger(limit) || limit === 0) return 1
  return limit < 0 ? Number.POSITIVE_INFINITY : limit
}

/** What the device calls that node. */
export function plugOf(device: FenceDevice, target: string): string {
  return device.plugs.get(target) ?? target
}
