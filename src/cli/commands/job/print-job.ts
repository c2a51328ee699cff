/** A job for people: what became of it on each node, and the exit code that says the same. */
import type { Messages } from '../../../rpc/index.ts'
import { alignColumns } from '../../call/table.ts'

export type Job = Messages['Job']
export type JobNode = Messages['Job.Node']

/** docs/guides/jobs.md has the table. */
export const exitCodes = { succeeded: 0, failed: 1, notRun: 3, lost: 4, cancelled: 130 } as const

export function exitCodeOf({ state, nodes, order }: Job): number {
  const has = (...states: readonly string[]): boolean => nodes.some((node) => states.includes(node.state))
  if (state === 'done' && has('cancelled')) return exitCodes.cancelled
  if (has('lost')) return exitCodes.lost
  if (has('failed')) return exitCodes.failed
  // One node was enough.
  if (order === 'once' && has('succeeded')) return exitCodes.succeeded
  return has('offline', 'skipped') ? exitCodes.notRun : exitCodes.succeeded
}

export function jobTable(job: Job): string {
  return alignColumns(job.nodes.map((node) => [node.node, resultOf(node, job), secondsOf(node)]))
}

function resultOf(node: JobNode, { state, waitsForLock, lock }: Job): string {
  const { state: result, exitCode, signal, timedOut, reason, away } = node
  const why = reason === undefined ? '' : `: ${reason}`
  switch (result) {
    case 'waiting':
      if (waitsForLock) return `waits for the lock ${lock ?? ''}`
      return away ? 'waits until the node is online' : 'waits for its turn'
    case 'started':
      return state === 'cancelling' ? 'is being cancelled' : 'running'
    case 'failed':
      if (timedOut) return 'failed: its time limit had passed'
      if (signal !== undefined) return `failed: ended by ${signal}`
      return `failed with exit code ${exitCode ?? '?'}${why}`
    case 'offline':
    case 'skipped':
      return `not run${why}`
    default:
      return `${result}${why}`
  }
}

function secondsOf({ started, ended }: JobNode): string {
  if (started === undefined || ended === undefined) return ''
  const ms = Math.max(Date.parse(ended) - Date.parse(started), 0)
  return ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms / 1000)} s`
}

export function summaryOf({ id, nodes, state }: Job): string {
  const counts = new Map<string, number>()
  for (const node of nodes) {
    const word = ['offline', 'skipped'].includes(node.state) ? 'not run' : node.state
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const parts = [...counts].map(([word, count]) => `${count} ${word}`)
  return `Job ${id}${state === 'cancelling' ? ' is being cancelled' : ''}: ${parts.join(', ')}.`
}

/** As a shell would need it typed. */
export const commandText = (argv: readonly string[]): string =>
  argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')

export const jobJson = ({ revision: _, ...job }: Job): object => ({
  ...job,
  exitCode: exitCodeOf(job as Job),
  nodes: job.nodes.map((node) =>
    node.commands === undefined ? node : { ...node, commands: commandResults(job, node.commands) },
  ),
})

interface CommandResult {
  readonly command: string
  readonly exitCode: number
  readonly ms: number
}

/** Of the lines of `--commands`, which follow the shell and what runs each of them. */
const wordsBefore = 4

const commandResults = ({ argv }: Pick<Job, 'argv'>, noted: string): readonly CommandResult[] =>
  noted.split(' ').flatMap((note, at) => {
    const [exitCode, ms] = note.split(':').map(Number)
    const command = argv[wordsBefore + at]
    return exitCode === undefined || ms === undefined || command === undefined ? [] : [{ command, exitCode, ms }]
  })

/** One line for each command on each node. */
export function commandsTable(job: Job): string {
  return alignColumns(
    job.nodes.flatMap(({ node, commands = '' }) =>
      commandResults(job, commands).map(({ command, exitCode, ms }) => [
        node,
        exitCode === 0 ? 'succeeded' : `failed with exit code ${exitCode}`,
        `${ms} ms`,
        command,
      ]),
    ),
  )
}
