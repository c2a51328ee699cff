/**
 * `npm run bench:remote-jobs [-- --remotes N]`: jobs on 20, 50 and a hundred light-weight remote nodes behind three members of one machine, with the load of the machine: how
 * long they take, what a node that joins costs, and how much the daemons of the members grow. Each row is printed once it is known: on a busy machine the last come late.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Lab } from '../test/nodes/lab/lab.ts'
import { CpuAccount } from './cpu-account.ts'

const { values } = parseArgs({ options: { remotes: { type: 'string', default: '100' } } })
const count = Number(values.remotes)
const members = ['n1', 'n2', 'n3']
/** Of these as many as there are to be. */
const stages = [20, 50, 100, count].filter((one, at, all) => one <= count && all.indexOf(one) === at)
const remotes = Array.from({ length: count }, (_, at) => `r${at + 1}`)
const commandsOfOneJob = 100
const runs = 5
/** So many join at once: each is a daemon that starts. On a busy machine one takes minutes. */
const joinTogether = 4
const joinWithinMs = 1_200_000
const lab = new Lab([...members, ...remotes], { remotes })

const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const mib = (value: number): string => `${Math.round(value)} MiB`

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Of the daemon of a node, in MiB. */
async function memoryOf(node: string): Promise<number> {
  const status = await lab.inNode(node, 'sh', '-c', 'cat /proc/$(cat /run/systoled.pid)/status')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function mostOf(nodes: readonly string[]): Promise<number> {
  return Math.max(...(await Promise.all(nodes.map(memoryOf))))
}

async function add(wanted: readonly string[], isThere: number): Promise<void> {
  const waiting = [...wanted]
  const worker = async (): Promise<void> => {
    for (let remote = waiting.shift(); remote !== undefined; remote = waiting.shift())
      await lab.until(
        `${remote} has joined`,
        async () => await lab.addRemote(remote, 'n1').then(() => true),
        joinWithinMs,
      )
  }
  await Promise.all(Array.from({ length: joinTogether }, worker))
  await lab.until('all remote nodes are online', async () => (await online()) === isThere, 600_000)
}

async function online(): Promise<number> {
  const { nodes } = await lab.status('n1')
  return nodes.filter((node) => remotes.includes(node.name) && node.online).length
}

function row(what: string, value: string): void {
  const load = loadavg().map((one) => one.toFixed(1))
  console.log(`| ${what} | ${value} | ${load.join(', ')} |`)
}

/** Why connections to remote nodes ended, as the members log it. */
function broken(): string {
  const lines = members.flatMap((node) =>
    readFileSync(join(lab.folder, 'nodes', node, 'systoled.log'), 'utf8').split('\n'),
  )
  const reasons = lines
    .filter((line) => line.includes('the connection to a remote node broke'))
    .map((line) => /"reason":"([^"]*)"/.exec(line)?.[1] ?? '')
  const counts = [...new Set(reasons)].map((reason) => `${reason}: ${reasons.filter((one) => one === reason).length}`)
  return counts.length === 0 ? 'none' : counts.join(', ')
}

const secondsOf = (accounts: readonly CpuAccount[]): number => accounts.reduce((sum, one) => sum + one.seconds, 0)

/** How many of the nodes have run it. A machine that is busier than its nodes bear loses some of them for a moment. */
async function succeeded(...words: readonly string[]): Promise<number> {
  const text = await lab.systole('n1', 'job', 'run', ...words).catch((error: unknown) => {
    const cause = error instanceof Error ? error.cause : undefined
    if (typeof cause !== 'object' || cause === null || !('stdout' in cause)) throw error
    return String(cause.stdout)
  })
  return text.match(/^r\d+ +succeeded/gm)?.length ?? 0
}

async function stage(from: number, to: number, accounts: readonly CpuAccount[]): Promise<void> {
  const before = secondsOf(accounts)
  const added = await timed(() => add(remotes.slice(from, to), to))
  row(`${from} to ${to} remote nodes: added, until all are online`, seconds(added))
  row(
    '… of the processors of the three members, each that joins',
    seconds((1000 * (secondsOf(accounts) - before)) / (to - from)),
  )
  row('… resident memory of the daemon of a member, the most of three', mib(await mostOf(members)))
  const on = `--on=${remotes.slice(0, to).join(',')}`
  const single: number[] = []
  const missing: number[] = []
  for (let at = 0; at < runs; at++)
    single.push(await timed(async () => missing.push(to - (await succeeded(on, `--parallel=${to}`, '--', 'true')))))
  row(`one command on ${to} remote nodes, until all results are there`, seconds(median(single)))
  const commands = join(lab.folder, 'commands')
  writeFileSync(commands, 'true\n'.repeat(commandsOfOneJob))
  const many = await timed(async () =>
    missing.push(to - (await succeeded(on, `--parallel=${to}`, `--commands=${commands}`))),
  )
  row(`${commandsOfOneJob} commands on each of them, ${commandsOfOneJob * to} results`, seconds(many))
  row(`… in these ${runs + 1} jobs, nodes that were lost for a moment and did not run it`, missing.join(', '))
  row('… connections that broke so far', broken())
  row('… resident memory of the daemon of a member, the most of three', mib(await mostOf(members)))
}

const accounts: CpuAccount[] = []
try {
  await lab.start()
  await lab.formCluster()
  await lab.systole('n1', 'property', 'set', 'fencing-enabled=false', '--force')
  accounts.push(...members.map((node) => new CpuAccount(lab.power.pid1(node))))
  console.log(`${cpus().length} processors\n\n| | | load |\n| --- | --- | --- |`)
  row('resident memory of the daemon of a member, the most of three: without remote nodes', mib(await mostOf(members)))
  for (const [at, to] of stages.entries()) await stage(stages[at - 1] ?? 0, to, accounts)
  row('resident memory of the daemon of a remote node, the most', mib(await mostOf(remotes)))
} finally {
  for (const account of accounts) account.close()
  await lab.close()
}
