/** The local etcd member under supervision: real processes that are killed, damaged, starved of disk and cut out. */
import { execFile, execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { EtcdAdmin } from '../../src/store/etcd/admin.ts'
import { EtcdMember, type MemberStatus } from '../../src/store/etcd/member/etcd-member.ts'
import { findMember } from '../../src/store/etcd/member/process.ts'
import { dataDirectory, type MemberSettings, peerUrls, rejoinJournal } from '../../src/store/etcd/member/settings.ts'
import { EtcdCluster } from '../support/etcd-cluster.ts'
import { bytes, eventually, text } from './observing.ts'

const execute = promisify(execFile)

const put = (key: string, value: string | Uint8Array) =>
  ({ kind: 'put', key, value: typeof value === 'string' ? bytes(value) : value }) as const

type CleanUp = () => Promise<void> | void

/** What a test undoes at its end, however it ends: last made, first undone. Tests that mostly wait run side by side. */
function scene(play: (cleanUps: CleanUp[]) => Promise<void>): () => Promise<void> {
  return async () => {
    const cleanUps: CleanUp[] = []
    try {
      await play(cleanUps)
    } finally {
      const failures: unknown[] = []
      for (const cleanUp of cleanUps.reverse())
        await Promise.resolve()
          .then(cleanUp)
          .catch((error: unknown) => failures.push(error))
      expect(failures).toEqual([])
    }
  }
}

class Supervised {
  readonly member: EtcdMember
  readonly reports: string[] = []
  status: MemberStatus
  constructor(settings: MemberSettings, cluster: EtcdCluster, cleanUps: CleanUp[]) {
    this.member = new EtcdMember({
      settings,
      ...(cluster.tls === undefined ? {} : { tls: cluster.tls }),
      events: {
        onStatus: (status) => {
          this.status = status
        },
        onReport: (sentence) => this.reports.push(sentence),
      },
    })
    this.status = this.member.status()
    cleanUps.push(() => this.member.close())
    this.member.run()
  }
  answers() {
    return eventually(
      () => this.status.answers,
      () => `the member answers ${JSON.stringify(this.status)}`,
      30_000,
    )
  }
  reported(pattern: RegExp) {
    const told = () =>
      `a report of ${pattern}; there were ${JSON.stringify(this.reports)}, ${JSON.stringify(this.status)}`
    return eventually(() => this.reports.some((report) => pattern.test(report)), told, 30_000)
  }
}

async function cluster(cleanUps: CleanUp[], options: Parameters<typeof EtcdCluster.prepare>[0]): Promise<EtcdCluster> {
  const prepared = await EtcdCluster.prepare(options)
  cleanUps.push(() => prepared.end())
  return prepared
}

function walOf(settings: MemberSettings): string {
  const folder = join(dataDirectory(settings), 'member/wal')
  const file = readdirSync(folder)
    .filter((name) => name.endsWith('.wal'))
    .sort()[0]
  if (file === undefined) throw new Error('there is no log')
  return join(folder, file)
}

/** The kernel lets go of an ended process's files a moment after its end. */
function unmounted(directory: string): boolean {
  try {
    execFileSync('umount', [directory], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

function timerSlacks(pid: number | undefined): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${thread}/timerslack_ns`, 'utf8').trim())
}

/** The middle of what has been written, not of the space that is set aside. */
function damage(path: string): void {
  const content = readFileSync(path)
  let used = content.length
  while (used > 0 && content[used - 1] === 0) used--
  const file = openSync(path, 'r+')
  const at = Math.floor(used / 2)
  writeSync(file, Buffer.from(content.subarray(at, at + 16).map((byte) => byte ^ 0xff)), 0, 16, at)
  closeSync(file)
  expect(statSync(path).size).toBe(content.length)
}

describe('a member of a cluster of one', () => {
  test(
    'is started, outlives the one who supervises it, is adopted by the next, and ends when asked',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: true })
      const first = new Supervised(one.member(0), one, cleanUps)
      await first.answers()
      const pid = first.status.pid
      // Go's threads wake for several timers at once: an idle member is mostly their waking.
      await eventually(() => timerSlacks(pid).every((slack) => slack === '2000000'), 'its timers are brought together')
      await first.member.close()
      const second = new Supervised(one.member(0), one, cleanUps)
      await second.answers()
      expect(second.status.pid).toBe(pid)
      await second.member.stop()
      expect(second.status.phase).toBe('stopped')
      expect(findMember(one.member(0))).toBeUndefined()
    }),
  )

  test(
    'is started again when it is killed, whether it is a child or was adopted, and keeps its data',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: false })
      const first = new Supervised(one.member(0), one, cleanUps)
      await first.answers()
      const store = one.store()
      cleanUps.push(() => store.close())
      await store.transaction({ compare: [], writes: [put('/systole/a', '1')] })
      let pid = first.status.pid
      one.signal(0, 'SIGKILL')
      await eventually(() => first.status.answers && first.status.pid !== pid, 'it runs again')
      await first.member.close()
      const second = new Supervised(one.member(0), one, cleanUps)
      await second.answers()
      pid = second.status.pid
      one.signal(0, 'SIGKILL')
      await eventually(() => second.status.answers && second.status.pid !== pid, 'it runs again')
      expect(text(await store.get('/systole/a'))).toBe('1')
      expect(second.reports.join()).toMatch(/etcd died/)
    }),
  )

  test(
    'whose log is damaged is left alone, with the reason and the remedy',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: false })
      await one.startMember(0)
      const store = one.store()
      for (let i = 0; i < 50; i++)
        await store.transaction({ compare: [], writes: [put(`/systole/${i}`, 'x'.repeat(500))] })
      await store.close()
      await one.kill(0)
      const wal = walOf(one.member(0))
      damage(wal)
      const before = readFileSync(wal)
      const supervised = new Supervised(one.member(0), one, cleanUps)
      await eventually(() => supervised.status.phase === 'given-up', 'it is given up')
      expect(supervised.status.refusal?.kind).toBe('damaged')
      expect(supervised.status.problem).toMatch(/restore a backup/)
      expect(Buffer.compare(readFileSync(wal), before)).toBe(0)
    }),
  )

  test(
    'whose port is taken says who to look for',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: false })
      await one.startMember(0)
      const store = one.store()
      cleanUps.push(() => store.close())
      await store.get('/systole/there')
      const rival = { ...one.member(0), directory: join(one.directory, 'rival') }
      const supervised = new Supervised(rival, one, cleanUps)
      await eventually(() => supervised.status.refusal !== undefined, 'a refusal')
      expect(supervised.status.refusal?.kind).toBe('port-taken')
    }),
  )

  test(
    'that is not installed says which package to install',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: false, binary: '/nonexistent/etcd' })
      const supervised = new Supervised(one.member(0), one, cleanUps)
      await supervised.reported(/apt-get install etcd-server/)
    }),
  )

  test(
    'that fills its disk ends, and runs again with its data once there is room',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: false })
      const settings = one.member(0)
      mkdirSync(settings.directory)
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', settings.directory])
      cleanUps.push(async () => {
        await one.kill(0)
        await eventually(() => unmounted(settings.directory), 'the disk is let go')
      })
      const supervised = new Supervised(settings, one, cleanUps)
      await supervised.answers()
      const store = one.store({ timeoutMs: 2000 })
      cleanUps.push(() => store.close())
      await store.transaction({ compare: [], writes: [put('/systole/kept', '1')] })
      const ballast = join(settings.directory, 'ballast')
      // As much as there is room for, and more than etcd's own files take: without it there is room again. In a process of its own, because
      // other tests of this file run at the same time.
      await expect(execute('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=1M', 'count=500'])).rejects.toThrow(
        /No space left/,
      )
      const fill = async () => {
        for (let i = 0; i < 200; i++)
          await store.transaction({ compare: [], writes: [put(`/systole/fill/${i}`, new Uint8Array(1_000_000))] })
      }
      await expect(fill()).rejects.toThrow()
      await supervised.reported(/disk under .* is full/)
      rmSync(ballast)
      await supervised.answers()
      expect(text(await store.get('/systole/kept'))).toBe('1')
    }),
    60_000,
  )

  test(
    'that reaches its quota is compacted and takes changes again',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: false, quotaBytes: 16 * 1024 * 1024 })
      const supervised = new Supervised(one.member(0), one, cleanUps)
      await supervised.answers()
      const store = one.store({ timeoutMs: 2000 })
      cleanUps.push(() => store.close())
      // etcd learns its size when it writes its pages out, so that a fast writer gets far beyond the quota before it is refused.
      const isFreed = () => supervised.reports.some((report) => report.includes('The store was compacted'))
      const fill = async () => {
        for (let i = 0; i < 400 && !isFreed(); i++)
          await store.transaction({ compare: [], writes: [put('/systole/config/current', new Uint8Array(500_000))] })
      }
      // Whoever writes while there is no room is refused, waits so long that there is room again, or until its own time is over.
      await fill().catch((error: unknown) => expect(String(error)).toMatch(/The store is full|database space exceeded/))
      await supervised.reported(/The store was compacted/)
      const { applied } = await store.transaction({ compare: [], writes: [put('/systole/config/current', 'small')] })
      expect(applied).toBe(true)
    }),
    60_000,
  )
})

describe.concurrent('a member of a cluster of three', () => {
  const losses: readonly {
    readonly name: string
    readonly inflict: (settings: MemberSettings, others: EtcdAdmin) => void | Promise<void>
  }[] = [
    { name: 'whose log is damaged', inflict: (settings) => damage(walOf(settings)) },
    { name: 'whose data is gone', inflict: (settings) => rmSync(dataDirectory(settings), { recursive: true }) },
    {
      name: 'that was added as a learner and could not start',
      inflict: async (settings, others) => {
        await others.remove(peerUrls(settings))
        await others.addLearner(peerUrls(settings))
        rmSync(dataDirectory(settings), { recursive: true })
        writeFileSync(rejoinJournal(settings), 'promote')
      },
    },
  ]
  for (const { name, inflict } of losses)
    test(
      `${name} is replaced through the others and has their data`,
      scene(async (cleanUps) => {
        const three = await cluster(cleanUps, { size: 3, tls: true })
        const all = three.settings.map((settings) => new Supervised(settings, three, cleanUps))
        for (const supervised of all) await supervised.answers()
        const store = three.store()
        cleanUps.push(() => store.close())
        for (let i = 0; i < 20; i++)
          await store.transaction({ compare: [], writes: [put(`/systole/${i}`, 'x'.repeat(500))] })
        const victim = three.member(1)
        const admin = three.admin()
        cleanUps.push(() => admin.close())
        const before = (await admin.members()).find((member) => member.name === victim.name)?.ID
        await all[1]?.member.close()
        three.signal(1, 'SIGKILL')
        await eventually(() => findMember(victim) === undefined, 'it has ended')
        await inflict(victim, admin)
        const again = new Supervised(victim, three, cleanUps)
        await again.reported(/has joined the others and caught up/)
        await again.answers()
        const members = await admin.members()
        expect(members).toHaveLength(3)
        expect(members.some(({ isLearner }) => isLearner)).toBe(false)
        expect(members.find((member) => member.name === victim.name)?.ID).not.toBe(before)
        const local = three.store({ endpoints: [`127.0.0.1:${victim.clientPort}`] })
        cleanUps.push(() => local.close())
        await local.transaction({ compare: [], writes: [put('/systole/after', '1')] })
        expect((await local.list('/systole/', { serializable: true })).entries).toHaveLength(21)
      }),
      90_000,
    )

  test(
    'that the others removed is not started again and again, and says how to come back',
    scene(async (cleanUps) => {
      const three = await cluster(cleanUps, { size: 3, tls: false })
      const all = three.settings.map((settings) => new Supervised(settings, three, cleanUps))
      for (const supervised of all) await supervised.answers()
      const admin = three.admin([three.endpoints[0] ?? ''])
      cleanUps.push(() => admin.close())
      const url = three.member(2).founders[2]?.peerUrl ?? ''
      await admin.remove([url])
      const removed = all[2]
      await eventually(
        () => removed?.status.phase === 'given-up',
        `it is given up ${JSON.stringify(removed?.reports)}`,
        20_000,
      )
      expect(removed?.status.problem).toMatch(/node add/)
    }),
    60_000,
  )

  test(
    'that joins goes no further once nobody supervises it',
    scene(async (cleanUps) => {
      const one = await cluster(cleanUps, { size: 1, tls: false, spare: 1 })
      await one.startMember(0)
      const store = one.store({ endpoints: one.endpoints.slice(0, 1) })
      cleanUps.push(() => store.close())
      await store.transaction({ compare: [], writes: [put('/systole/a', '1')] })
      const settings = { ...one.member(1), joins: true, otherEndpoints: one.endpoints.slice(0, 1) }
      const joining = new Supervised(settings, one, cleanUps)
      while (joining.member.status().phase !== 'replacing') await new Promise((resolve) => setImmediate(resolve))
      await joining.member.close()
      // Longer than it takes to join.
      await new Promise((resolve) => setTimeout(resolve, 2000))
      const admin = one.admin(one.endpoints.slice(0, 1))
      cleanUps.push(() => admin.close())
      expect(await admin.members()).toHaveLength(1)
      expect(findMember(settings)).toBeUndefined()
    }),
    60_000,
  )
})
