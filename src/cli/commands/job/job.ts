/** Jobs: commands that run on nodes of the cluster. */
import { parseDurationMs } from '../../../base/index.ts'
import type { Messages } from '../../../rpc/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { followJob, writeOutput } from './follow.ts'
import {
  commandsTable,
  commandText,
  exitCodeOf,
  exitCodes,
  type Job,
  jobJson,
  jobTable,
  summaryOf,
} from './print-job.ts'
import { targetFlags, targetsOf } from './targets.ts'

const defaultTimeoutMs = 10 * 60_000

const runFlags: readonly Flag[] = [
  ...targetFlags,
  { name: 'serial', value: 'number', summary: 'Run on this many nodes, then on the next, and stop after a failure' },
  { name: 'parallel', value: 'number', summary: 'Run on this many nodes at a time (default: on all)' },
  {
    name: 'once',
    summary: 'Run on one of the nodes: on the first, or on another if it was lost before it began there',
  },
  { name: 'lock', value: 'name', summary: 'Wait for this named lock, and hold it until the job has ended' },
  { name: 'timeout', value: 'duration', summary: 'End the command on a node after this time (default: 10min)' },
  {
    name: 'max-fail',
    value: 'number',
    summary:
      'Start on no further node after more than this many have failed (default: 0 with --serial, otherwise no limit)',
  },
  { name: 'queue', summary: 'Nodes that are offline run it when they are back' },
  {
    name: 'commands',
    value: 'file',
    summary: 'Run each line of the file with sh, one after another, and stop at the first that fails',
    completes: 'file',
  },
  { name: 'env', value: 'name=value', summary: 'Set an environment variable of the command', repeats: true },
  { name: 'stdin', summary: "Give this command's standard input to the command on each node" },
  { name: 'max-output', value: 'bytes', summary: 'Keep this much of the output on each node (default: 1 MiB)' },
  { name: 'detach', summary: 'Do not wait: print the id of the job' },
]

export const jobRun: Command = {
  path: ['job', 'run'],
  usage:
    '--on=<nodes>|--all [--serial=<n>|--parallel=<n>|--once] [--lock=<name>] [--timeout=<duration>] [--max-fail=<n>] [--queue] [--env=<name>=<value>]... [--stdin] [--detach] (-- <command> [<argument>...] | --commands=<file>)',
  summary: 'Run a command as root on nodes of the cluster',
  details:
    'The command gets no shell: for one, run sh -c. Its output is printed with the name of the node before each line. It goes on when this command, or the daemon of any node, is killed; on each node it is begun at most once. Ctrl-C cancels the job. The exit code is 0 when the command has succeeded on all nodes, 1 when it has failed on one, 3 when it was not run on one, because the node was offline or too many others had failed, 4 when a node was lost before the command had ended there, and 130 when the job was cancelled. Of several, 130 counts before 4, 4 before 1, and 1 before 3.',
  examples: ['systole job run --all -- uptime', 'systole job run --on role=db --serial=1 -- systemctl restart mariadb'],
  flags: runFlags,
  completes: ['anything'],
  run: async (call) => {
    const asked = await askedOf(call)
    if (!call.flags.has('detach')) return ended(call, await cancelledByCtrlC(call, asked))
    const job = await liveCluster(call).runJob(asked)
    return done(`Job ${job.id} was begun. Follow it with 'systole job output ${job.id}'.\n`, jobJson(job))
  },
}

export const jobList: Command = {
  path: ['job', 'list'],
  bare: [['job']],
  usage: '',
  summary: 'Show the jobs of the last seven days: by whom, since when, and how they ended',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'job list' })
    const { jobs } = await liveCluster(call).listJobs({})
    const newest = [...jobs].sort((a, b) => (a.created < b.created ? 1 : -1))
    const rows = newest.map((job) => [
      job.id,
      job.created.slice(0, 19).replace('T', ' '),
      `${job.user}@${job.node}`,
      summaryOf(job).replace(/^Job \S+?( is being cancelled)?: /, ''),
      shortened(commandText(job.argv)),
    ])
    return done(rows.length === 0 ? 'There are no jobs.\n' : alignColumns(rows), { jobs: newest.map(jobJson) })
  },
}

export const jobShow: Command = {
  path: ['job', 'show'],
  usage: '<id> [--commands]',
  summary: 'Show a job: what became of it on each node',
  flags: [{ name: 'commands', summary: 'Show what became of each command of job run --commands' }],
  completes: ['anything'],
  run: async (call) => {
    const job = await jobOf(call, 'job show <id> [--commands]')
    const lines = [
      `Command: ${commandText(job.argv)}`,
      `By: ${job.user} on ${job.node}, since ${job.created}${job.ended === undefined ? '' : `, until ${job.ended}`}`,
    ]
    const commands = call.flags.has('commands') ? `\n${commandsTable(job)}` : ''
    return done(`${summaryOf(job)}\n${lines.join('\n')}\n${jobTable(job)}${commands}`, jobJson(job))
  },
}

export const jobOutput: Command = {
  path: ['job', 'output'],
  usage: '<id> [--on=<nodes>]',
  summary: 'Show what a job has printed, and follow it until it has ended',
  details: 'The exit code is that of `systole job run`.',
  flags: [{ name: 'on', value: 'nodes', summary: 'Only of these nodes, separated by commas', completes: 'node' }],
  completes: ['anything'],
  run: async (call) => {
    const job = await jobOf(call, 'job output <id> [--on=<nodes>]')
    const only = call.flags.get('on')
    const ofJob = job.nodes.map(({ node }) => node)
    const nodes = typeof only === 'string' ? [...new Set(only.split(','))] : ofJob
    // Before it is followed: the refusal of the daemon would come with the end of the job.
    const others = nodes.filter((node) => !ofJob.includes(node))
    if (others.length > 0)
      throw new Refusal(...others.map((node) => `The job '${job.id}' is not for a node '${node}'.`))
    const followed = await follow(call, job, nodes)
    return done('', followed.json, exitCodeOf(followed.job))
  },
}

export const jobCancel: Command = {
  path: ['job', 'cancel'],
  usage: '<id>',
  summary: 'End a job: its command gets SIGTERM, and SIGKILL after ten seconds',
  completes: ['anything'],
  run: async (call) => {
    const job = await jobOf(call, 'job cancel <id>')
    if (job.state === 'done') return done(`Nothing to change: the job ${job.id} has ended.\n`, jobJson(job))
    const cancelled = await liveCluster(call).cancelJob({ id: job.id, user: call.terminal.user })
    return done(`The job ${job.id} is being cancelled.\n`, jobJson(cancelled))
  },
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll('\n', ' ')

async function jobOf(call: Call, usage: string): Promise<Job> {
  expectWords(call.words, { atLeast: 1, atMost: 1, usage })
  const [id = ''] = call.words
  return await liveCluster(call).getJob({ id, waitMs: 0 })
}

/** Prints as it comes; for `--json` it is kept, and becomes a part of the answer. */
async function follow(call: Call, job: Job, nodes: readonly string[]): Promise<Followed> {
  const output = new Map<string, string>()
  const keep = async (node: string, lines: readonly string[]): Promise<void> => {
    output.set(node, (output.get(node) ?? '') + lines.map((line) => `${line}\n`).join(''))
    await Promise.resolve()
  }
  const write = call.flags.has('json') ? keep : writeOutput
  const end = await followJob(liveCluster(call), job, { nodes, write, note: call.terminal.progress })
  return { job: end, json: { ...jobJson(end), output: Object.fromEntries(output) } }
}

interface Followed {
  readonly job: Job
  readonly json: object
}

/** The second Ctrl-C is for whoever does not want to wait for the end. One that comes before the daemon has answered counts too. */
async function cancelledByCtrlC(call: Call, asked: Messages['RunJobRequest']): Promise<Followed> {
  const live = liveCluster(call)
  const { progress, user } = call.terminal
  let times = 0
  let job: Job | undefined
  const cancel = (id: string): void => {
    progress(`Cancelling the job ${id}. Press Ctrl-C again to leave it to the cluster.`)
    live.cancelJob({ id, user }).catch((error: unknown) => {
      progress(`It could not be cancelled: ${error instanceof Error ? error.message : String(error)}`)
    })
  }
  const onSignal = (): void => {
    times++
    if (times > 1) process.exit(exitCodes.cancelled)
    if (job) cancel(job.id)
  }
  process.on('SIGINT', onSignal)
  try {
    job = await live.runJob(asked)
    if (times > 0) cancel(job.id)
    return await follow(
      call,
      job,
      job.nodes.map(({ node }) => node),
    )
  } finally {
    process.off('SIGINT', onSignal)
  }
}

function ended(call: Call, { job, json }: Followed): Outcome {
  const offline = job.nodes.filter(({ state }) => state === 'offline').map(({ node }) => node)
  if (offline.length > 0)
    call.terminal.progress(
      `Not run, because they were not online: ${offline.join(', ')}. With --queue, they run the command when they are back.`,
    )
  return done(`${jobTable(job)}${summaryOf(job)}\n`, json, exitCodeOf(job))
}

async function askedOf(call: Call): Promise<Messages['RunJobRequest']> {
  const { flags, terminal } = call
  const argv = await commandOf(call)
  const { order, limit } = orderOf(call)
  const maxFail = count(call, 'max-fail') ?? (order === 'serial' ? 0 : undefined)
  const maxOutput = count(call, 'max-output')
  const lock = flags.get('lock')
  return {
    argv,
    env: environmentOf(call),
    ...(flags.has('stdin') && { stdin: await terminal.readInput('') }),
    ...targetsOf(call),
    order,
    limit,
    notes: flags.has('commands'),
    timeoutMs: durationOf(call),
    ...(maxFail !== undefined && { maxFail }),
    ...(maxOutput !== undefined && { maxOutput }),
    queue: flags.has('queue'),
    ...(typeof lock === 'string' && { lock }),
    user: terminal.user,
  }
}

async function commandOf({ words, flags, terminal }: Call): Promise<readonly string[]> {
  const file = flags.get('commands')
  if (words.length > 0 === (typeof file === 'string'))
    throw new Refusal(
      'Specify a command, or a file of commands: systole job run --on=<nodes>|--all -- <command> [<argument>...]',
    )
  if (typeof file !== 'string') return words
  const lines = (await terminal.readFile(file)).split('\n').filter((line) => /^\s*[^\s#]/.test(line))
  if (lines.length === 0) throw new Refusal(`${file} holds no command.`)
  return ['sh', '-c', eachLine, 'sh', ...lines]
}

/** Each line in a shell of its own: what it sets, and where it goes, is over with it. How it ended is said on descriptor 3, which an older node does not open. */
const eachLine =
  'for line; do (eval "$line") 3>&-; code=$?; { echo $code >&3; } 2>/dev/null; [ $code = 0 ] || { echo "Exit code $code: $line" >&2; exit $code; }; done'

function orderOf(call: Call): Pick<Messages['RunJobRequest'], 'order' | 'limit'> {
  const given = ['serial', 'parallel', 'once'].filter((name) => call.flags.has(name))
  if (given.length > 1) throw new Refusal(`Specify one of ${given.map((name) => `--${name}`).join(' and ')}.`)
  const [order = 'parallel'] = given
  const limit = order === 'once' ? 1 : (count(call, order) ?? 0)
  if (given.length > 0 && limit < 1) throw new Refusal(`--${order} requires a number of nodes from 1.`)
  return { order, limit }
}

function count({ flags }: Call, name: string): number | undefined {
  const written = flags.get(name)
  if (typeof written !== 'string') return undefined
  if (!/^\d{1,9}$/.test(written)) throw new Refusal(`'${written}' is not a number: --${name} requires one.`)
  return Number(written)
}

function durationOf({ flags }: Call): number {
  const written = flags.get('timeout')
  if (typeof written !== 'string') return defaultTimeoutMs
  const ms = parseDurationMs(written)
  if (ms === undefined || ms <= 0) throw new Refusal(`'${written}' is not a duration. Examples: 30s, 10min, 1h.`)
  return ms
}

function environmentOf({ flags }: Call): Readonly<Record<string, string>> {
  const written = flags.get('env')
  if (typeof written !== 'string') return {}
  const pairs = written.split('\n').map((pair) => {
    const at = pair.indexOf('=')
    if (at < 1) throw new Refusal(`'${pair}' is not of the form name=value.`)
    return [pair.slice(0, at), pair.slice(at + 1)] as const
  })
  return Object.fromEntries(pairs)
}
