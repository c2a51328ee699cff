/**
 * `npm run bench:jobs`: how fast jobs are on six nodes of one machine. Prints a table in Markdown, with the load of the machine, and what the documents of Directord and
 * Ansible say of 1,000 trivial tasks on six nodes.
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { Lab } from '../test/nodes/lab/lab.ts'

const nodes = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']
const runs = 15
const tasks = 1000
const lab = new Lab(nodes)

const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** From the call of `systole` to the first character that it prints. */
async function untilFirstOutput(): Promise<number> {
  const [program = '', ...into] = lab.doorTo('n1').split(' ')
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

async function memoryOfDc(): Promise<string> {
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? 'n1'
  const status = await lab.inNode(dc, 'sh', '-c', 'cat /proc/$(cat /run/systoled.pid)/status')
  return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)} MiB`
}

try {
  await lab.start()
  await lab.formCluster(nodes)
  const first: number[] = []
  const bare: number[] = []
  for (let run = 0; run < runs; run++) {
    first.push(await untilFirstOutput())
    bare.push(await timed(() => lab.systole('n1', 'job', 'list')))
  }
  const whole: number[] = []
  for (let run = 0; run < runs; run++)
    whole.push(await timed(() => lab.systole('n1', 'job', 'run', '--all', '--', 'true')))
  const commands = join(lab.folder, 'commands')
  writeFileSync(commands, 'true\n'.repeat(tasks))
  const many: number[] = []
  for (let run = 0; run < 3; run++)
    many.push(await timed(() => lab.systole('n1', 'job', 'run', '--all', `--commands=${commands}`)))
  const before = await memoryOfDc()
  const file = join(lab.folder, 'big')
  const megabytes = 64
  writeFileSync(file, Buffer.alloc(megabytes * 1024 * 1024, readFileSync('/proc/sys/kernel/random/uuid')))
  const copied = await timed(() => lab.systole('n1', 'job', 'copy', file, '--all', '--to=/var/lib/systole/big'))
  const rows = [
    ['`job run` on this node until its first output', `${Math.round(median(first))} ms`],
    [
      '… of which a command of `systole` that only asks the daemon (`job list`) takes',
      `${Math.round(median(bare))} ms`,
    ],
    ['`job run --all -- true` on six nodes, whole', `${Math.round(median(whole))} ms`],
    [`${tasks} trivial commands on six nodes, one job`, `${(median(many) / 1000).toFixed(1)} s`],
    [`a file of ${megabytes} MiB to six nodes`, `${(copied / 1000).toFixed(1)} s`],
    ['memory of the DC before and after that', `${before}, ${await memoryOfDc()}`],
  ]
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(', ')
  console.log(`${cpus().length} processors, load ${load}\n\n| | |\n| --- | --- |`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
  console.log(
    '| published: Directord, 1,000 tasks on six nodes | 19 s, asynchronous 15 s |\n| published: Ansible, the same | 949 to 1,947 s |',
  )
} finally {
  await lab.close()
}
