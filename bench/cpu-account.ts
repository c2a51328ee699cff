/**
 * The processor time of everything that runs in a lab node, as the kernel's scheduler counts it: to the nanosecond, of a control group
 * that the node's processes are in and their children are born into, so that nothing is lost of those that end.
 */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export class CpuAccount {
  readonly #group: string
  readonly #parent: string
  readonly #space: string

  /** Of the node whose PID 1 has this id. */
  constructor(pid1: number) {
    this.#space = readlinkSync(`/proc/${pid1}/ns/pid`)
    this.#parent = ownGroup()
    this.#group = join(this.#parent, `systole-bench-${pid1}`)
    mkdirSync(this.#group)
    // Whoever was being started while the list was read is found by the next look.
    while (this.#move(this.#group) > 0);
  }

  get seconds(): number {
    const usage = /^usage_usec (\d+)$/m.exec(readFileSync(join(this.#group, 'cpu.stat'), 'utf8'))
    if (!usage) throw new Error(`${this.#group}/cpu.stat does not say usage_usec.`)
    return Number(usage[1]) / 1e6
  }

  close(): void {
    while (this.#move(this.#parent) > 0);
    rmdirSync(this.#group)
  }

  /** How many of the node's processes were not there yet. */
  #move(group: string): number {
    const there = new Set(readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n'))
    const others = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && !there.has(pid) && this.#isInNode(pid))
    for (const pid of others) ifItLives(() => writeFileSync(join(group, 'cgroup.procs'), pid))
    return others.length
  }

  #isInNode(pid: string): boolean {
    return ifItLives(() => readlinkSync(`/proc/${pid}/ns/pid`)) === this.#space
  }
}

/** Of version 2 of control groups, which counts without being asked to; some machines have it beside version 1. */
function ownGroup(): string {
  const mount = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, , type]) => type === 'cgroup2')?.[1]
  const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
  if (mount === undefined || own === undefined)
    throw new Error('No hierarchy of control groups, version 2, is mounted.')
  return join(mount, own)
}

/** Undefined for a process that ended meanwhile, and for one of the host's that not even root may look into. */
function ifItLives<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    const { code } = error as { readonly code?: string }
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined
    throw error
  }
}
