/**
 * `npm run bench:remote-jobs [-- --remotes N]`: jobs on a hundred light-weight remote nodes behind three members of one machine, as a table
 * with the load of the machine: how long they take, and how much the daemons of the members grow.
 */
import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Lab } from '../test/nodes/lab/lab.ts'

const { values } = parseArgs({ options: { remotes: { type: 'string', default: '100' } } })
const count = Number(values.remotes)
const members = ['n1', 'n2', 'n3']
const remotes = Array.from({ length: count }, (_, at) => `r${at + 1}`)
const commandsOfOneJob = 100
const runs = 5
/** So many join at once: each is a daemon that starts. On a busy machine one takes minutes. */
const joinTogether = 4
const joinWithinMs = 600_000
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

async function addAll(): Promise<void> {
  const waiting = [...remotes]
  let done = 0
  const worker = async (): Promise<void> => {
    for (let remote = waiting.shift(); remote !== undefined; remote = waiting.shift()) {
      await lab.until(
        `${remote} has joined`,
        async () => await lab.addRemote(remote, 'n1').then(() => true),
        joinWithinMs,
      )
      console.error(`${++done} of ${count} remote nodes are added`)
    }
  }
  await Promise.all(Array.from({ length: joinTogether }, worker))
  await lab.until('all remote nodes are online', async () => (await online()) === count, 600_000)
}

async function online(): Promise<number> {
  const { nodes } = await lab.status('n1')
  return nodes.filter((node) => remotes.includes(node.name) && node.online).length
}

try {
  await lab.start()
  await lab.formCluster()
  await lab.systole('n1', 'property', 'set', 'fencing-enabled=false', '--force')
  const bare = await mostOf(members)
  const added = await timed(addAll)
  const before = await mostOf(members)
  const on = `--on=${remotes.join(',')}`
  const single: number[] = []
  for (let at = 0; at < runs; at++)
    single.push(await timed(() => lab.systole('n1', 'job', 'run', on, `--parallel=${count}`, '--', 'true')))
  const commands = join(lab.folder, 'commands')
  writeFileSync(commands, 'true\n'.repeat(commandsOfOneJob))
  const many = await timed(() => lab.systole('n1', 'job', 'run', on, `--parallel=${count}`, `--commands=${commands}`))
  const after = await mostOf(members)
  const rows = [
    [`${count} remote nodes added, until all are online`, seconds(added)],
    [`one command on ${count} remote nodes, until all results are there`, seconds(median(single))],
    [`${commandsOfOneJob} commands on each of them, ${commandsOfOneJob * count} results`, seconds(many)],
    ['resident memory of the daemon of a member, the most of three: without remote nodes', mib(bare)],
    ['… with them', mib(before)],
    ['… after the jobs', mib(after)],
    ['… of the daemon of a remote node, the most', mib(await mostOf(remotes))],
  ]
  console.log(
    `${cpus().length} processors, load ${loadavg()
      .map((value) => value.toFixed(1))
      .join(', ')}\n\n| | |\n| --- | --- |`,
  )
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
} finally {
  await lab.close()
}
