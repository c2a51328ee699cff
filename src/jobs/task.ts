/** The record of a task in the store, `tasks/<id>`. Whoever wants a command run writes it `ready`; the node writes all that follows. */
import { type NodeName, nodeName } from '../base/index.ts'

const states = ['ready', 'running', 'done', 'lost', 'cancelled'] as const

/**
 * `running`: the node has claimed it, and may have begun. `done`: it has ended, however. `lost`: it may have begun, and nobody knows how it
 * ended. `cancelled`: it was ended, or not begun, because somebody wanted that.
 */
export type TaskState = (typeof states)[number]

export interface TaskOwner {
  readonly kind: 'job' | 'rollout' | 'play'
  /** The id of the job, rollout or play, as in its key. */
  readonly name: string
  readonly user: string
}

export interface TaskRecord {
  /** Also the name of a folder. */
  readonly id: string
  readonly node: NodeName
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly timeoutMs: number
  /** Bytes of its output that are kept. */
  readonly maxOutput?: number
  readonly owner: TaskOwner
  readonly state: TaskState
  /** Somebody wants it ended. */
  readonly cancel?: true
  /** Whoever wanted it has written the claim, for the life that the node had then (ADR 74): it is begun by that life only. */
  readonly assigned?: true
  /** Of the daemon that claimed it, and of its machine's boot. */
  readonly incarnation?: number
  readonly bootId?: string
  /** ISO 8601, by the clock of the node. */
  readonly started?: string
  readonly ended?: string
  readonly exitCode?: number
  readonly signal?: string
  /** It was ended because its time limit had passed. */
  readonly timedOut?: true
  /** Why it is lost, or was not begun, as a sentence. */
  readonly reason?: string
  /** The last 4 KiB of its output, as it came. */
  readonly tail?: string
  /** It is a list of commands, and says on its descriptor 3 how each has ended. */
  readonly notes?: true
  /** Instead of `argv`, the components of this part of a play (`play-parts/<part>`). */
  readonly part?: string
  /** What it has said for others to know, as JSON. */
  readonly said?: string
  /** Of such a list: exit code and milliseconds of each command that has ended, as in `0:12 0:3 1:40`. */
  readonly commands?: string
}

export const isFinished = ({ state }: Pick<TaskRecord, 'state'>): boolean => state !== 'ready' && state !== 'running'

/** Letters, digits, and `.`, `_`, `-` not at the beginning. */
export const isTaskId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text)

/** Undefined for what is no task, or one of a newer version that this one cannot carry out. */
export function parseTask(value: unknown): TaskRecord | undefined {
  if (!isObject(value)) return undefined
  const { id, node, argv, timeoutMs, state, owner } = value
  if (typeof id !== 'string' || !isTaskId(id) || typeof node !== 'string' || node === '') return undefined
  if (!isTexts(argv) || argv.length === 0 || typeof timeoutMs !== 'number' || !(timeoutMs > 0)) return undefined
  const known = states.find((one) => one === state)
  const by = parseOwner(owner)
  if (known === undefined || by === undefined) return undefined
  return { id, node: nodeName(node), argv, timeoutMs, state: known, owner: by, ...optionalFields(value) }
}

type Fields = Readonly<Record<string, unknown>>

function parseOwner(value: unknown): TaskOwner | undefined {
  if (!isObject(value)) return undefined
  const { kind, name, user } = value
  if ((kind !== 'job' && kind !== 'rollout' && kind !== 'play') || typeof name !== 'string' || typeof user !== 'string')
    return undefined
  return { kind, name, user }
}

function optionalFields(value: Fields): Partial<TaskRecord> {
  const { env, cancel, timedOut, notes, assigned } = value
  return {
    ...some(
      value,
      ['stdin', 'bootId', 'started', 'ended', 'signal', 'reason', 'tail', 'commands', 'part', 'said'],
      isText,
    ),
    ...some(value, ['maxOutput', 'incarnation', 'exitCode'], isNumber),
    ...(isObject(env) && Object.values(env).every(isText) ? { env: env as Readonly<Record<string, string>> } : {}),
    ...(cancel === true ? { cancel } : {}),
    ...(timedOut === true ? { timedOut } : {}),
    ...(notes === true ? { notes } : {}),
    ...(assigned === true ? { assigned } : {}),
  }
}

const some = (value: Fields, names: readonly string[], fits: (one: unknown) => boolean): Partial<TaskRecord> =>
  Object.fromEntries(names.flatMap((name) => (fits(value[name]) ? [[name, value[name]]] : [])))

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
