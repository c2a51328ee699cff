/**
 * `npm run bench [-- --only ROW,ROW] [--runs N] [--without-pacemaker]`: each figure beside Pacemaker's, measured in the same run on
 * the same machine, with the ratio that is required. Rows: gap, ipmi, dc, formation, recovery, bulk, standby,
 * crm_attribute, attrd_updater, agents, idle.
 * `--logs FOLDER` keeps what the nodes have logged.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BenchLab } from './bench-lab.ts'
import * as pacemaker from './pacemaker.ts'
import * as systole from './systole.ts'

interface Row {
  readonly key: string
  readonly what: string
  readonly unit: string
  readonly required: number
  readonly aim: string
  readonly ours: () => Promise<readonly number[]>
  readonly theirs: () => Promise<readonly number[]> | readonly number[]
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    runs: { type: 'string', default: '5' },
    'without-pacemaker': { type: 'boolean', default: false },
    logs: { type: 'string' },
  },
})
const runs = Number(values.runs)
if (values.logs !== undefined) BenchLab.keepLogsIn = resolve(values.logs)
const gap = (lost: 'ordinary' | 'dc', fencing: 'netns' | 'ipmi'): Pick<Row, 'ours' | 'theirs'> => ({
  ours: () => systole.serviceGap({ lost, fencing, runs }),
  theirs: () => pacemaker.pacemakerGap({ lost, fencing, runs }),
})

let ourIdle: Awaited<ReturnType<typeof systole.idle>> | undefined
let theirIdle: Awaited<ReturnType<typeof pacemaker.pacemakerIdle>> | undefined

const listOfProviders = ['crm_resource', '--list-ocf-alternatives', 'Dummy']

const rows: readonly Row[] = [
  {
    key: 'gap',
    what: 'service gap, ordinary node loses power',
    unit: 's',
    required: 0.6,
    aim: '< 1.5 s',
    ...gap('ordinary', 'netns'),
  },
  { key: 'ipmi', what: 'the same, IPMI fencing', unit: 's', required: 0.65, aim: '< 2 s', ...gap('ordinary', 'ipmi') },
  {
    key: 'dc',
    what: 'service gap, the DC loses power',
    unit: 's',
    required: 0.75,
    aim: '< 2 s',
    ...gap('dc', 'netns'),
  },
  {
    key: 'formation',
    what: 'three nodes started, all online, DC elected',
    unit: 's',
    required: 1,
    aim: '< 2 s',
    ours: () => systole.formation(runs),
    theirs: () => pacemaker.pacemakerFormation(runs),
  },
  {
    key: 'crm_attribute',
    what: 'crm_attribute of a node, permanent',
    unit: 'ms',
    required: 1,
    aim: 'a third',
    ours: () => systole.commandTimes(['crm_attribute', '-N', 'n1', '-n', 'z', '-v', '@I']),
    theirs: () => pacemaker.pacemakerCommand('crm_attribute -N n1 -n z -v i (nodes)'),
  },
  {
    key: 'attrd_updater',
    what: 'attrd_updater, set',
    unit: 'ms',
    required: 1,
    aim: 'a third',
    ours: () => systole.commandTimes(['attrd_updater', '-n', 'x', '-U', '@I']),
    theirs: () => pacemaker.pacemakerCommand('attrd_updater -n x -U i'),
  },
  {
    key: 'agents',
    what: 'crm_resource --list-ocf-alternatives (crmsh asks for each agent)',
    unit: 'ms',
    required: 2,
    aim: 'as fast',
    ours: () => systole.commandTimes(listOfProviders),
    theirs: () => pacemaker.callsWithoutCluster(listOfProviders),
  },
  {
    key: 'recovery',
    what: 'failure detected, started again',
    unit: 's',
    required: 1,
    aim: '0.05 s',
    ours: () => systole.recovery(runs),
    theirs: () => pacemaker.pacemakerRecovery(runs),
  },
  {
    key: 'bulk',
    what: '200 resources first started: CPU of all nodes per action',
    unit: 'ms',
    required: 1,
    aim: 'half',
    ours: async () => [(await systole.bulkStart()).cpuMsPerAction],
    theirs: () => [pacemaker.pacemakerBulk()],
  },
  {
    key: 'standby',
    what: 'a node with 50 resources to standby, last one started',
    unit: 's',
    required: 1,
    aim: '1.5 s',
    ours: () => systole.standby(Math.min(runs, 3)),
    theirs: () => pacemaker.pacemakerStandby(Math.min(runs, 3)),
  },
  {
    key: 'idle',
    what: 'idle, 20 monitored resources: CPU per node',
    unit: '%',
    required: 1.5,
    aim: '1.0',
    ours: async () => {
      ourIdle = await systole.idle()
      return ourIdle.map(({ cpuPercent }) => cpuPercent)
    },
    theirs: async () => {
      theirIdle = await pacemaker.pacemakerIdle()
      return theirIdle.map(({ cpuPercent }) => cpuPercent)
    },
  },
  {
    key: 'idle',
    what: 'the same: resident memory per node',
    unit: 'MB',
    required: 1.3,
    aim: '1.0',
    ours: () => Promise.resolve((ourIdle ?? []).map(({ residentMb }) => residentMb)),
    theirs: () => (theirIdle ?? []).map(({ residentMb }) => residentMb),
  },
]

function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

function describe(samples: readonly number[]): string {
  if (samples.length === 0) return '-'
  const digits = Math.max(...samples) < 20 ? 3 : 0
  const range =
    samples.length > 1 ? ` [${Math.min(...samples).toFixed(digits)}..${Math.max(...samples).toFixed(digits)}]` : ''
  return `${median(samples).toFixed(digits)}${range}`
}

/** A measurement that fails costs its row, and the run goes on; the exit code tells. */
async function measured(
  what: string,
  measure: () => Promise<readonly number[]> | readonly number[],
): Promise<readonly number[]> {
  try {
    return await measure()
  } catch (error) {
    console.error(`${what} could not be measured:`, error)
    return []
  }
}

const missing = values['without-pacemaker'] ? 'not asked for' : pacemaker.pacemakerMissing()
if (missing !== undefined) console.log(`Pacemaker is not measured: ${missing}.`)
const wanted = values.only?.split(',')
const printed: string[][] = [['what', 'unit', 'Systole', 'Pacemaker', 'ratio', 'required', 'aim', 'verdict']]
let above = 0
let unmeasured = 0
for (const row of rows.filter(({ key }) => wanted === undefined || wanted.includes(key))) {
  console.log(`… ${row.what}`)
  const ours = await measured('Systole', row.ours)
  const theirs = missing === undefined ? await measured('Pacemaker', row.theirs) : []
  const ratio = median(ours) / median(theirs)
  const verdict = Number.isNaN(ratio)
    ? missing === undefined
      ? 'NOT MEASURED'
      : '-'
    : ratio <= row.required
      ? 'within'
      : 'ABOVE'
  if (verdict === 'ABOVE') above++
  if (verdict === 'NOT MEASURED') unmeasured++
  const ratioText = Number.isNaN(ratio) ? '-' : ratio.toFixed(2)
  printed.push([
    row.what,
    row.unit,
    describe(ours),
    describe(theirs),
    ratioText,
    String(row.required),
    row.aim,
    verdict,
  ])
  console.log(printed.at(-1)?.join(' | '))
}
console.log(`\n${printed.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`)
if (ourIdle) for (const { node, byProgram } of ourIdle) console.log(`memory on ${node} (MB): ${byProgram}`)
console.log(above === 0 ? 'No row is above its required ratio.' : `${above} rows are above their required ratio.`)
if (unmeasured > 0) {
  console.log(`${unmeasured} rows could not be measured.`)
  process.exitCode = 1
}
