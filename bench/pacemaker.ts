/** The same rows on Pacemaker and Corosync, by the measurements that lie in ../shared/bench/pacemaker-netns. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pacemakerBench } from './bench-lab.ts'
import { type IdleNode, idleNodes } from './idle.ts'

const env = { ...process.env, PB: 'sysbench' }
const stateFolder = `/var/tmp/pcmk-bench/${env.PB}`

type Row = Readonly<Record<string, unknown>>

/** Why it cannot be run here, or undefined. */
export function pacemakerMissing(): string | undefined {
  if (!existsSync(join(pacemakerBench, 'measure'))) return `${pacemakerBench} is missing`
  const program = ['/usr/sbin/pacemakerd', '/usr/sbin/corosync'].find((path) => !existsSync(path))
  return program === undefined ? undefined : `${program} is not installed`
}

function measure(command: string, ...options: readonly string[]): readonly Row[] {
  const out = mkdtempSync(join(tmpdir(), 'pacemaker-bench-'))
  try {
    const run = spawnSync(join(pacemakerBench, 'measure'), [command, '--out', out, ...options], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env,
    })
    const file = join(out, `${command}.jsonl`)
    if (run.status !== 0 || !existsSync(file))
      throw new Error(`Pacemaker's measurement '${command}' ended with ${run.status}.`)
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row)
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

function numbers(rows: readonly Row[], field: string): readonly number[] {
  return rows.flatMap((row) => (typeof row[field] === 'number' ? [row[field]] : []))
}

const tuned = ['--profile', 'tuned'] as const

export const pacemakerGap = (options: {
  readonly lost: 'ordinary' | 'dc'
  readonly fencing: 'netns' | 'ipmi'
  readonly runs: number
}): readonly number[] =>
  numbers(
    measure(
      options.lost === 'dc' ? 'dc-failure' : 'node-failure',
      ...tuned,
      '--fence',
      options.fencing,
      '-n',
      String(options.runs),
    ),
    'client_gap',
  )

export const pacemakerFormation = (runs: number): readonly number[] =>
  numbers(measure('formation', ...tuned, '--dc-deadtime', '1s', '-n', String(runs)), 'formed')

export const pacemakerRecovery = (runs: number): readonly number[] =>
  numbers(
    measure('crash', ...tuned, '-n', String(runs)).filter((row) => row.rsc === 'p1'),
    'detect_to_started',
  )

export function pacemakerBulk(): number {
  const [row] = measure('bulk', ...tuned, '-n', '1', '--count', '200', '--props', 'load-threshold=800%').filter(
    ({ kind }) => kind === 'start',
  )
  return (Number(row?.cpu_s) * 1000) / Number(row?.actions)
}

export const pacemakerStandby = (runs: number): readonly number[] =>
  numbers(
    measure('moves', ...tuned, '-n', String(runs), '--count', '50', '--props', 'load-threshold=800%').filter(
      ({ kind }) => String(kind).startsWith('standby'),
    ),
    'last_start',
  )

/** The measurement forms the cluster, fills it and looks at it for a minute; what counts is looked at afterwards as it is for Systole. */
export async function pacemakerIdle(): Promise<readonly IdleNode[]> {
  try {
    const nodes = measure('idle', ...tuned, '--count', '20', '--keep').map(({ node }) => String(node))
    const pid1 = (node: string) => Number(readFileSync(join(stateFolder, 'nodes', node, 'pid1'), 'utf8'))
    return await idleNodes(new Map(nodes.map((node) => [node, pid1(node)])))
  } finally {
    spawnSync(join(pacemakerBench, 'cluster'), ['down'], { stdio: 'inherit', env })
  }
}

let commandRows: readonly Row[] | undefined

/** The median in milliseconds of 200 calls on the node that is not the DC; all commands are measured in one go. */
export function pacemakerCommand(operation: string): readonly number[] {
  commandRows ??= measure('cib', ...tuned, '--fence', 'none')
  return numbers(
    commandRows.filter((row) => row.on === 'non-DC' && row.op === operation),
    'p50_ms',
  )
}

/** Of Debian's own program, for what needs no cluster. */
export function callsWithoutCluster([program = '', ...words]: readonly string[]): readonly number[] {
  return Array.from({ length: 50 }, () => {
    const begun = performance.now()
    execFileSync(join('/usr/sbin', program), words, { stdio: 'ignore' })
    return performance.now() - begun
  })
}
