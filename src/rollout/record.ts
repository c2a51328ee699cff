/** A rollout as the store has it: `rollouts/<id>`. Everything that decides how it goes on stands here, so that any DC can go on with it. */
import { compareText, type NodeName } from '../base/index.ts'
import type { RolloutDefinition } from './definition.ts'
import type { ResolvedLimit } from './resolve-nodes.ts'

export const rolloutStates = ['running', 'paused', 'halted', 'unconfirmed', 'aborting', 'complete', 'aborted'] as const
export type RolloutState = (typeof rolloutStates)[number]

export const nodePhases = [
  'waiting',
  'holding',
  'working',
  'releasing',
  'done',
  'failed',
  /** It was released already and is held again, to be put back. */
  'undo-holding',
  'undoing',
  'undo-releasing',
  'undo-failed',
  'back',
] as const
export type NodePhase = (typeof nodePhases)[number]

export interface RolloutNode {
  readonly node: NodeName
  readonly wave: number
  readonly phase: NodePhase
  readonly goal: 'forward' | 'back'
  /** When the phase, or the attempt at its command, began: milliseconds since the epoch. */
  readonly since: number
  readonly begun?: number
  readonly ended?: number
  /** Which command is under way, or its undo. */
  readonly command: number
  /** So many commands were begun and may have changed something. */
  readonly touched: number
  readonly attempt: number
  /** The task of the present attempt. */
  readonly task?: string
  /** A task of before, which must be over before another begins. */
  readonly stale?: string
  /** The present command was never begun before. */
  readonly isFirst?: boolean
  /** How many tasks it has had, so that no id is used twice. */
  readonly serial: number
  /** The attempt begins then. */
  readonly retryAt?: number
  /** Of the boot in which the present command began. */
  readonly bootId?: string
  readonly held: boolean
  /** What it did when it failed, and goes on with on `resume`. */
  readonly failedIn?: 'holding' | 'working' | 'releasing' | 'undo-holding' | 'undoing' | 'undo-releasing'
  readonly why?: string
  /** The end of the output of the command that failed. */
  readonly tail?: string
  /** What it ran before, as recorded. */
  readonly before?: NodeVersion
  /** It was removed from the cluster before it was done. */
  readonly leftOut?: true
}

export const versionStates = ['provisioned', 'configuring', 'configured', 'validating', 'validated', 'failed'] as const
export type VersionState = (typeof versionStates)[number]

export type FailedIn = 'provisioning' | 'configuration' | 'validation'

export interface NodeVersion {
  readonly version?: string
  readonly state: VersionState
  /** Of one that has failed by its own report. */
  readonly failedIn?: FailedIn
}

export interface RolloutRecord {
  readonly id: string
  readonly definition: RolloutDefinition
  readonly waves: readonly { readonly role?: string }[]
  readonly nodes: readonly RolloutNode[]
  readonly limits: readonly ResolvedLimit[]
  readonly state: RolloutState
  /** Why it is in that state. */
  readonly why?: string
  /** Until when it must be confirmed. */
  readonly confirmBy?: number
  readonly user: string
  /** Where it was started. */
  readonly from: NodeName
  readonly since: number
  readonly ended?: number
  /** How many lines its journal has. */
  readonly lines: number
  /** The key of the rollout over several clusters that it is a part of: it stays unconfirmed until that has ended. */
  readonly partOf?: string
}

/** Of this version or an older one: others are left to those who know them. */
export function isRolloutRecord(value: unknown): value is RolloutRecord {
  if (typeof value !== 'object' || value === null) return false
  const { id, state, nodes, definition, limits } = value as Readonly<Record<string, unknown>>
  return (
    typeof id === 'string' &&
    rolloutStates.some((one) => one === state) &&
    Array.isArray(nodes) &&
    nodes.every((node: { readonly phase?: unknown }) => nodePhases.some((one) => one === node.phase)) &&
    typeof definition === 'object' &&
    definition !== null &&
    Array.isArray(limits)
  )
}

export const hasEnded = ({ state }: Pick<RolloutRecord, 'state'>): boolean =>
  state === 'complete' || state === 'aborted'

/** Something was begun on the node that has not been finished or put back: it counts as unavailable. */
export const isUnderWay = ({ phase }: Pick<RolloutNode, 'phase'>): boolean =>
  phase !== 'waiting' && phase !== 'done' && phase !== 'back'

/** For lists. Ids are no order: r10 comes before r9 there. */
export const newestFirst = (a: RolloutRecord, b: RolloutRecord): number => b.since - a.since || compareText(b.id, a.id)

/** Those that the rollout still means. */
export const meantNodes = ({ nodes }: Pick<RolloutRecord, 'nodes'>): readonly RolloutNode[] =>
  nodes.filter(({ leftOut }) => leftOut !== true)

/** While that command is under way; after the last one, what the commands have come to. */
export function stateAt({ commands }: RolloutDefinition, at: number): VersionState {
  const stage = commands[at]?.stage
  if (stage === 'validate') return 'validating'
  if (stage !== undefined) return 'configuring'
  return commands.at(-1)?.stage === 'validate' ? 'validated' : 'configured'
}

export const leavesCluster = ({ commands }: RolloutDefinition): boolean =>
  commands.some(({ reboots, stopsCluster }) => reboots || stopsCluster)

export function newRecord(
  given: Pick<RolloutRecord, 'id' | 'definition' | 'limits' | 'user' | 'from' | 'partOf'> & {
    readonly waves: readonly { readonly role?: string; readonly nodes: readonly NodeName[] }[]
    readonly before: ReadonlyMap<NodeName, NodeVersion>
  },
  now: number,
): RolloutRecord {
  const { waves, before, ...more } = given
  return {
    ...more,
    waves: waves.map(({ role }) => (role === undefined ? {} : { role })),
    nodes: waves.flatMap(({ nodes }, wave) =>
      nodes.map((node) => {
        const was = before.get(node)
        return { ...waiting, node, wave, since: now, serial: 0, ...(was && { before: was }) }
      }),
    ),
    state: 'running',
    since: now,
    lines: 0,
  }
}

export const waiting = {
  phase: 'waiting',
  goal: 'forward',
  command: 0,
  touched: 0,
  attempt: 0,
  held: false,
} as const satisfies Partial<RolloutNode>
