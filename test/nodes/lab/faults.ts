/** What may be wrong with a machine itself: its disk, its processes. Everything below a lab node, nothing of the host's. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from './lab.ts'
import { run } from './network.ts'

export const dataFolder = '/var/lib/systole'

/** A disk of its own for the node's data, which a power cut leaves as it is. Before the lab starts; `unmount` comes before its `close`. */
export async function mountDisk(lab: Lab, node: string, options: string): Promise<{ unmount: () => Promise<void> }> {
  const folder = join(lab.folder, 'nodes', node, 'var')
  mkdirSync(folder, { recursive: true })
  await run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder)
  return { unmount: async () => void (await run('umount', '--lazy', folder)) }
}

/** A line of the shell in a node. */
export async function shell(lab: Lab, node: string, line: string): Promise<string> {
  return (await lab.inNode(node, 'sh', '-c', line)).trim()
}

export type Process = 'systoled' | 'etcd'

const pidFiles: Readonly<Record<Process, string>> = {
  systoled: '/run/systoled.pid',
  etcd: `${dataFolder}/etcd/etcd.pid`,
}

export async function pidOf(lab: Lab, node: string, process: Process): Promise<string> {
  return await shell(lab, node, `cut -d' ' -f1 ${pidFiles[process]}`)
}

export async function signal(lab: Lab, node: string, process: Process, name: 'STOP' | 'CONT' | 'KILL'): Promise<void> {
  await lab.inNode(node, 'kill', `-${name}`, await pidOf(lab, node, process))
}

/** The node whose etcd leads the store. */
export async function storeLeader(lab: Lab): Promise<string> {
  for (const node of lab.nodes) if ((await memberStatus(lab, node)).isLeader) return node
  throw new Error('No member leads the store.')
}

interface MemberStatus {
  readonly isLeader: boolean
  readonly appliedIndex: number
}

/** As the node's own member has it. */
export async function memberStatus(lab: Lab, node: string): Promise<MemberStatus> {
  const pki = '/etc/systole/pki'
  const tls = [`--cacert=${pki}/authority.crt`, `--cert=${pki}/node.crt`, `--key=${pki}/node.key`]
  const endpoint = `--endpoints=https://${lab.network.address(node)}:7702`
  const asked = ['env', 'ETCDCTL_API=3', 'etcdctl', endpoint, ...tls, 'endpoint', 'status', '-w', 'json']
  const [{ Status }] = JSON.parse(await lab.inNode(node, ...asked)) as [
    {
      readonly Status: {
        readonly header: { readonly member_id: number }
        readonly leader: number
        readonly raftAppliedIndex: number
      }
    },
  ]
  return { isLeader: Status.leader === Status.header.member_id, appliedIndex: Status.raftAppliedIndex }
}

/** Each of etcd's flushes takes so much longer, until what this answers with is called. */
export async function slowDisk(lab: Lab, node: string, delayMs: number): Promise<() => Promise<void>> {
  const into = ['-t', String(lab.power.pid1(node)), '-m', '-p']
  const flushes = 'fdatasync,fsync'
  const injection = ['-e', `trace=${flushes}`, '-e', `inject=${flushes}:delay_exit=${delayMs * 1000}`]
  const strace = ['strace', '-f', '-q', '-p', await pidOf(lab, node, 'etcd'), ...injection, '-o', '/dev/null']
  const child = spawn('nsenter', [...into, ...strace], { stdio: 'ignore' })
  await lab.until(`etcd of ${node} is slowed down`, async () => {
    const status = await shell(lab, node, `cat /proc/${await pidOf(lab, node, 'etcd')}/status`)
    return !/^TracerPid:\s*0$/m.test(status)
  })
  return async () => {
    const ended = once(child, 'exit')
    await lab.inNode(node, 'pkill', '-INT', 'strace')
    await ended
  }
}

/** The sentences below `status`. */
export async function notes(lab: Lab, node: string): Promise<string> {
  const { notes: list } = JSON.parse(await lab.systole(node, 'cluster', 'status', '--json')) as {
    readonly notes: readonly string[]
  }
  return list.join('\n')
}

/** Before the lab starts: a calendar of its own for each daemon, and for what it starts but etcd. Its monotonic clock is the machine's. */
export function giveCalendars(lab: Lab): void {
  const program = join(lab.folder, 'programs/systoled')
  const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
  const settings = 'FAKETIME_TIMESTAMP_FILE=/run/calendar FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1'
  rmSync(program)
  const daemon = join(lab.folder, 'systole/bin/systoled')
  const script = `#!/bin/sh
[ -e /run/calendar ] || { [ -e /etc/systole/calendar ] && cat /etc/systole/calendar || echo +0; } >/run/calendar
exec env LD_PRELOAD=${faketime} ${settings} ${daemon} "$@"
`
  writeFileSync(program, script, { mode: 0o755 })
}

/** Seconds that the calendar of the node is ahead, from now on. A boot sets it to what `/etc/systole/calendar` says, or right. */
export async function setCalendar(lab: Lab, node: string, aheadSeconds: number): Promise<void> {
  const text = aheadSeconds < 0 ? String(aheadSeconds) : `+${aheadSeconds}`
  await shell(lab, node, `echo '${text}' >/run/calendar.new && mv /run/calendar.new /run/calendar`)
}

/** A busy machine starts a daemon slowly; what is looked at is not how fast. Of a cluster that has formed; the times are read when it starts. */
export async function grantTimeToRestart(lab: Lab, members: readonly string[] = lab.nodes): Promise<void> {
  const [first = ''] = members
  await lab.systole(first, 'cluster', 'stop', '--all')
  for (const node of members) {
    const file = JSON.parse(await lab.inNode(node, 'cat', '/etc/systole/cluster.json')) as { readonly timings?: object }
    const patient = { ...file, timings: { ...file.timings, restartGraceMs: 30_000 } }
    writeFileSync(join(lab.folder, 'nodes', node, 'etc/cluster.json'), JSON.stringify(patient))
    await lab.inNode(node, 'sh', '-c', 'kill -TERM $(cat /run/systoled.pid)')
  }
  for (const node of members)
    await lab.until(`${node} is started`, async () => (await lab.try(node, 'cluster', 'start')) !== undefined)
  await lab.until('all nodes are online', async () => {
    const { nodes, quorum } = await lab.status(first)
    const all = nodes.length === members.length && nodes.every(({ online, unclean }) => online && !unclean)
    return quorum.quorate && all
  })
}
