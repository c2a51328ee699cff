/**
 * `npm run bench:jobs [-- --without-ansible] [--mebibytes N]`: how fast jobs are on six nodes of one machine, and how much memory a copy takes, as a table with the
 * load of the machine. Debian's ansible-playbook runs on the same nodes in the same run, over nsenter: without SSH, which would cost it more. Fails where a figure that
 * is required is not reached.
 */
import { spawn } from 'node:child_process'
import { appendFileSync, createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connectLocal, type Messages } from '../src/rpc/index.ts'
import { Lab } from '../test/nodes/lab/lab.ts'
import { run } from '../test/nodes/lab/network.ts'

const { values } = parseArgs({
  options: { 'without-ansible': { type: 'boolean', default: false }, mebibytes: { type: 'string', default: '1024' } },
})
const nodes = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']
const copiedTo = ['n1', 'n2', 'n3']
const runs = 15
const tasks = 1000
const separateJobs = 50
/** One takes it seconds: what 1,000 take is reckoned from these. */
const ansibleTasks = 20
const requiredSeconds = 15
/** Of the DC and of every other node, while a file is copied that is many times as large. */
const requiredGrowth = 96
const lab = new Lab(nodes)

const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const mib = (value: number): string => `${Math.round(value)} MiB`

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** From the call of `systole` to the first character that it prints. */
async function untilFirstOutput(): Promise<number> {
  const [program = '', ...into] = lab.doorTo('n1').replace(':$PATH', ':/usr/sbin:/usr/bin:/sbin:/bin').split(' ')
  const begun = performance.now()
  const child = spawn(program, [...into, 'systole', 'job', 'run', '--on=n1', '--', 'echo', 'first'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const first = await new Promise<number>((resolve) =>
    child.stdout.once('data', () => resolve(performance.now() - begun)),
  )
  await new Promise((resolve) => child.once('exit', resolve))
  return first
}

const asked = (argv: readonly string[], of: readonly string[]): Messages['RunJobRequest'] => ({
  argv,
  env: {},
  nodes: of,
  order: 'parallel',
  limit: 0,
  timeoutMs: 60_000,
  queue: false,
  notes: false,
  user: 'root',
})

/** The same for a program that is connected to the daemon already. */
async function untilFirstAnswer(daemon: ReturnType<typeof connectLocal>): Promise<number> {
  let job: Messages['Job'] | undefined
  const ms = await timed(async () => {
    job = await daemon.runJob(asked(['echo', 'first'], ['n1']))
    await daemon.readJobOutput({ id: job.id, node: 'n1', offset: 0, waitMs: 10_000 })
  })
  await ended(daemon, job)
  return ms
}

async function ended(daemon: ReturnType<typeof connectLocal>, begun: Messages['Job'] | undefined): Promise<void> {
  let job = begun
  while (job !== undefined && job.state !== 'done')
    job = await daemon.getJob({ id: job.id, newerThan: job.revision, waitMs: 10_000 })
}

async function memoryOf(node: string): Promise<number> {
  const status = await lab.inNode(node, 'sh', '-c', 'cat /proc/$(cat /run/systoled.pid)/status')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** The most that a node's daemon has grown while something is done. */
async function growth(of: readonly string[], work: () => Promise<unknown>): Promise<number> {
  const before = await Promise.all(of.map(memoryOf))
  let most = 0
  let isOver = false
  const done = work().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const now = await Promise.all(of.map(memoryOf))
    most = Math.max(most, ...now.map((value, at) => value - (before[at] ?? 0)))
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 1000))])
  }
  await done
  return most
}

/** Not of zeros, and no two pieces alike. */
async function writeLarge(path: string, mebibytes: number): Promise<void> {
  const file = createWriteStream(path)
  for (let at = 0; at < mebibytes; at++) {
    const piece = Buffer.alloc(1024 * 1024, `${at} ${readFileSync('/proc/sys/kernel/random/uuid', 'utf8')}`)
    if (!file.write(piece)) await new Promise<void>((resolve) => file.once('drain', () => resolve()))
  }
  await new Promise<void>((resolve) => file.end(() => resolve()))
}

/** Milliseconds for 1,000 tasks, by what some of them took beyond an empty playbook. */
async function ansible(): Promise<number> {
  const hosts = nodes.map((node) => `${node} ansible_nsenter_pid=${lab.power.pid1(node)}`)
  const inventory = join(lab.folder, 'inventory')
  writeFileSync(
    inventory,
    `[all:vars]\nansible_connection=community.docker.nsenter\nansible_python_interpreter=/usr/bin/python3\n[all]\n${hosts.join('\n')}\n`,
  )
  const play = async (count: number): Promise<number> => {
    const book = join(lab.folder, `playbook-${count}.yaml`)
    writeFileSync(book, `- hosts: all\n  gather_facts: false\n  tasks:${count === 0 ? ' []' : ''}\n`)
    for (let at = 0; at < count; at++) appendFileSync(book, '    - ansible.builtin.command: "true"\n')
    return await timed(() => run('ansible-playbook', '-f', String(nodes.length), '-i', inventory, book))
  }
  const empty = await play(0)
  return ((await play(ansibleTasks)) - empty) * (tasks / ansibleTasks) + empty
}

try {
  await lab.start()
  await lab.formCluster(nodes)
  const daemon = connectLocal(`/proc/${lab.power.pid1('n1')}/root`)
  const first: number[] = []
  const bare: number[] = []
  const answer: number[] = []
  for (let at = 0; at < runs; at++) {
    first.push(await untilFirstOutput())
    bare.push(await timed(() => lab.systole('n1', 'job', 'list')))
    answer.push(await untilFirstAnswer(daemon))
  }
  const whole: number[] = []
  for (let at = 0; at < runs; at++)
    whole.push(await timed(() => lab.systole('n1', 'job', 'run', '--all', '--', 'true')))
  const commands = join(lab.folder, 'commands')
  writeFileSync(commands, 'true\n'.repeat(tasks))
  const many: number[] = []
  for (let at = 0; at < 3; at++)
    many.push(await timed(() => lab.systole('n1', 'job', 'run', '--all', `--commands=${commands}`)))
  const grownByMany = await growth(nodes, () => lab.systole('n1', 'job', 'run', '--all', `--commands=${commands}`))
  const { nodes: seen } = await lab.status('n1')
  const ofDc = await memoryOf(seen.find(({ dc }) => dc)?.name ?? 'n1')
  const separate = await timed(async () => {
    for (let at = 0; at < separateJobs; at++) await ended(daemon, await daemon.runJob(asked(['true'], nodes)))
  })
  const together = await timed(async () => {
    const jobs = Array.from({ length: separateJobs }, async () => await daemon.runJob(asked(['true'], nodes)))
    for (const job of await Promise.all(jobs)) await ended(daemon, job)
  })
  daemon.close()
  const load = loadavg().map((value) => value.toFixed(1))
  const large = join(lab.folder, 'large')
  await writeLarge(large, Number(values.mebibytes))
  const copy = (): Promise<string> =>
    lab.systole('n1', 'job', 'copy', large, `--on=${copiedTo.join(',')}`, '--to=/var/lib/systole/large')
  let copied = 0
  const grown = await growth(copiedTo, async () => {
    copied = await timed(copy)
  })
  const again = await timed(copy)
  const rows = [
    ['`job run` on the own node until its first output', `${Math.round(median(first))} ms`],
    ['… of which a command of `systole` that only asks the daemon takes', `${Math.round(median(bare))} ms`],
    ['the same for a program that is connected to the daemon', `${Math.round(median(answer))} ms`],
    ['`job run --all -- true` on six nodes, whole', `${Math.round(median(whole))} ms`],
    [`${tasks} trivial commands on six nodes, a result for each of the ${tasks * nodes.length}`, seconds(median(many))],
    ['by how much the daemon of a node grew while these ran once more, at most', mib(grownByMany)],
    ['… resident memory of the daemon of the DC after it', mib(ofDc)],
    [`${separateJobs} jobs on six nodes, one after another`, seconds(separate)],
    [`${separateJobs} jobs on six nodes, all at once`, seconds(together)],
    ...(values['without-ansible']
      ? []
      : [
          [`ansible-playbook, the same nodes: ${tasks} tasks, reckoned from ${ansibleTasks}`, seconds(await ansible())],
        ]),
    [`a file of ${values.mebibytes} MiB to three nodes`, seconds(copied)],
    ['the same again: it is there already', seconds(again)],
    ['by how much the daemon of a node grew meanwhile, at most', mib(grown)],
  ]
  console.log(`${cpus().length} processors, load ${load.join(', ')}\n\n| | |\n| --- | --- |`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
  console.log(
    `| published: Directord, ${tasks} tasks on six nodes | 19 s, asynchronous 15 s |\n| published: Ansible, the same | 949 to 1,947 s |`,
  )
  if (median(many) > requiredSeconds * 1000 || grown > requiredGrowth) process.exitCode = 1
} finally {
  await lab.close()
}
