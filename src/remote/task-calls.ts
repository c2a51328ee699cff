/**
 * What a cluster node asks of a remote node about tasks and files, and the forms of that. A remote node is asked and never tells by itself: so it can say something of
 * a task only where the member that holds its connection follows that task there (docs/adr/0067-tasks-on-remote-nodes.md).
 */
import * as v from 'valibot'
import { isTaskId, type TaskOwner, type TaskRecord, type TaskTrace } from '../jobs/index.ts'
import { countForm, listUpTo, textForm, textUpTo } from '../rpc/index.ts'

interface Call<Request, Answer> {
  readonly request: Request
  readonly answer: Answer
}

/** Of a task, what is done on its node. */
export type TaskWork = Pick<TaskRecord, 'argv' | 'env' | 'stdin' | 'timeoutMs' | 'maxOutput' | 'notes'> & {
  readonly owner: Pick<TaskOwner, 'kind' | 'name'>
  /** Instead of the command: components of a play, as JSON. */
  readonly components?: string
}

export interface TaskAnswer {
  readonly trace: TaskTrace
  /** The daemon of the remote node, and what its tasks do not outlive. */
  readonly incarnation: number
  readonly bootId: string
}

/** A part of a file that is copied, as `FilePart` of the protocol between members. */
export interface RemoteFilePart {
  readonly id: string
  readonly path: string
  readonly phase: string
  readonly offset: number
  readonly data: string
  readonly sha256: string
  readonly size: number
  readonly mode: number
}

const fileOutcomes = ['same', 'differs', 'written', 'ended', 'aborted'] as const

/** A remote node of an older version knows none of them. */
export interface TaskCalls {
  /** How a task is there. With `begin` it begins, where nothing of it has; with `cancel` it ends. The answer waits for so long while it runs. */
  readonly task: Call<
    { readonly id: string; readonly begin?: TaskWork; readonly cancel?: true; readonly waitMs: number },
    TaskAnswer
  >
  readonly readTask: Call<
    { readonly id: string; readonly offset: number; readonly waitMs: number },
    { readonly data: string; readonly ended: boolean }
  >
  /** Which tasks have left something there, and which of these are not known any more. */
  readonly tasks: Call<{ readonly drop: readonly string[] }, { readonly ids: readonly string[] }>
  /** Refused: as a sentence. */
  readonly writeFile: Call<
    RemoteFilePart,
    { readonly outcome: (typeof fileOutcomes)[number] } | { readonly refused: string }
  >
}

/** What one answer says of output: 256 KiB, in base64. */
export const mostOutputBytes = 256 * 1024
const outputForm = v.pipe(
  textUpTo(Math.ceil(mostOutputBytes / 3) * 4),
  v.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'output is not base64'),
)
export const mostTaskFolders = 10_000
const mostWords = 10_000
const longestWaitMs = 60_000
/** As much as a job or a play takes at most. */
const longestInput = 6 * 1024 * 1024

const taskIdForm = v.pipe(textUpTo(128), v.check(isTaskId, 'no task has such an id'))
const waitForm = v.pipe(countForm, v.maxValue(longestWaitMs, 'a wait is too long'))
const momentForm = v.pipe(textUpTo(32), v.isoTimestamp('a time is not one of ISO 8601'))
/** Shown as a part of a sentence. */
const reasonForm = v.pipe(
  textUpTo(1000),
  v.transform((text) => text.replace(/\p{C}/gu, '\ufffd')),
)

/** It is kept in the CIB. */
export const lifeForm = v.pipe(v.string(), v.regex(/^[A-Za-z0-9.-]{1,128}$/, 'no boot has such an id'))

/** The last 4 KiB, with a mark where there was more. */
const longestTail = 4096 + '[...]'.length

const ownerKinds = ['job', 'rollout', 'play'] as const

const workForm = v.object({
  argv: v.pipe(listUpTo(mostWords, textUpTo(longestInput)), v.minLength(1)),
  env: v.exactOptional(v.record(textForm, textUpTo(longestInput))),
  stdin: v.exactOptional(textUpTo(longestInput)),
  timeoutMs: v.pipe(countForm, v.minValue(1)),
  maxOutput: v.exactOptional(countForm),
  notes: v.exactOptional(v.literal(true)),
  owner: v.object({ kind: v.picklist(ownerKinds), name: textUpTo(255) }),
  components: v.exactOptional(textUpTo(longestInput)),
})

/** As its runner wrote it: every text of it goes to the store, and is kept there for days. */
const resultForm = v.object({
  started: momentForm,
  ended: momentForm,
  exitCode: v.exactOptional(v.pipe(countForm, v.maxValue(255, 'no program ends so'))),
  signal: v.exactOptional(v.pipe(v.string(), v.regex(/^SIG[A-Z0-9+-]{1,12}$/, 'no signal has such a name'))),
  timedOut: v.exactOptional(v.literal(true)),
  cancelled: v.exactOptional(v.literal(true)),
  reason: v.exactOptional(reasonForm),
  tail: v.exactOptional(textUpTo(longestTail)),
  commands: v.exactOptional(
    v.pipe(textUpTo(16 * 1024), v.regex(/^(\d{1,3}:\d{1,12}( |$))*$/, 'a list of results is malformed')),
  ),
  said: v.exactOptional(textForm),
})

const traceForm = v.variant('kind', [
  v.object({ kind: v.picklist(['nothing', 'alive', 'gone']) }),
  v.object({ kind: v.literal('ended'), result: resultForm }),
])

export const taskForms = {
  task: {
    request: v.object({
      id: taskIdForm,
      begin: v.exactOptional(workForm),
      cancel: v.exactOptional(v.literal(true)),
      waitMs: waitForm,
    }),
    answer: v.object({ trace: traceForm, incarnation: countForm, bootId: lifeForm }),
  },
  readTask: {
    request: v.object({ id: taskIdForm, offset: countForm, waitMs: waitForm }),
    answer: v.object({ data: outputForm, ended: v.boolean() }),
  },
  tasks: {
    request: v.object({ drop: listUpTo(mostTaskFolders, taskIdForm) }),
    answer: v.object({ ids: listUpTo(mostTaskFolders, taskIdForm) }),
  },
  writeFile: {
    request: v.object({
      id: textUpTo(64),
      path: textUpTo(4096),
      phase: textUpTo(16),
      offset: countForm,
      data: textUpTo(1024 * 1024),
      sha256: textUpTo(64),
      size: countForm,
      mode: countForm,
    }),
    answer: v.union([v.object({ outcome: v.picklist(fileOutcomes) }), v.object({ refused: reasonForm })]),
  },
} as const

/** Whether a member takes this answer: of any other it ends the connection. */
export const isTaskAnswer = (answer: TaskAnswer): boolean => v.is(taskForms.task.answer, answer)
