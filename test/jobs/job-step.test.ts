import { describe, expect, test } from 'vitest'
import { type NodeName, nodeName, seededRandom } from '../../src/base/index.ts'
import {
  isFinished,
  type JobEffect,
  type JobNode,
  type JobRecord,
  jobStep,
  parseJob,
  type TaskRecord,
} from '../../src/jobs/index.ts'

const now = '2026-11-23T18:00:00.000Z'
const names = ['n1', 'n2', 'n3', 'n4'].map(nodeName)
const fresh: JobRecord = {
  id: 'j1',
  user: 'root',
  node: nodeName('n1'),
  created: now,
  argv: ['true'],
  timeoutMs: 60_000,
  order: 'parallel',
  limit: 4,
  begun: 0,
  state: 'active',
  nodes: names.map((node) => ({ node, state: 'waiting' })),
}

/** The store, and nodes that claim and end tasks when the test says so. */
class Cluster {
  job: JobRecord
  readonly tasks = new Map<string, TaskRecord>()
  readonly away = new Set<NodeName>()
  readonly coming = new Set<NodeName>()
  readonly removed = new Set<NodeName>()
  isLocked = false
  holdsLock = false
  /** The lives of nodes are known. */
  claims = false

  constructor(more: Partial<JobRecord> = {}) {
    this.job = { ...fresh, ...more }
  }

  step(): readonly JobEffect[] {
    const world = {
      tasks: this.tasks,
      isUp: (node: NodeName) => !this.away.has(node),
      isComing: (node: NodeName) => this.coming.has(node),
      lifeOf: (node: NodeName) =>
        this.claims ? { incarnation: Number(node.slice(1)), bootId: `b-${node}` } : undefined,
      isListed: (node: NodeName) => !this.removed.has(node),
      isLocked: this.isLocked,
    }
    const { state, effects } = jobStep(this.job, world, now)
    this.job = state
    for (const effect of effects) {
      if (effect.kind === 'begin') {
        expect(this.tasks.has(effect.task.id)).toBe(false)
        this.tasks.set(effect.task.id, effect.task)
      }
      if (effect.kind === 'change') this.tasks.set(effect.task.id, effect.task)
      if (effect.kind === 'lock') this.holdsLock = true
      if (effect.kind === 'unlock') this.holdsLock = false
    }
    return effects
  }

  taskOn(node: string): TaskRecord {
    const task = [...this.tasks.values()].findLast((one) => one.node === node)
    if (!task) throw new Error(`no task on ${node}`)
    return task
  }

  set(node: string, more: Partial<TaskRecord>): void {
    const task = this.taskOn(node)
    this.tasks.set(task.id, { ...task, ...more })
  }

  end(node: string, exitCode = 0): void {
    this.set(node, { state: 'done', exitCode, started: now, ended: now })
    this.step()
  }

  get states(): string {
    return this.job.nodes.map(({ state }) => state).join(' ')
  }
}

describe('a job', () => {
  test('with much input writes no more tasks at once than a transaction takes, and goes on with the next step', () => {
    const many = Array.from({ length: 50 }, (_, at) => nodeName(`n${at + 1}`))
    const nodes = many.map((node) => ({ node, state: 'waiting' }) as const)
    const cluster = new Cluster({ stdin: 'x'.repeat(256 * 1024), limit: many.length, nodes })
    const steps = (): readonly number[] => {
      const written: number[] = []
      for (let effects = cluster.step(); effects.length > 0; effects = cluster.step()) {
        expect(written.length).toBeLessThan(many.length)
        expect(JSON.stringify(effects).length).toBeLessThan(5 * 1024 * 1024)
        written.push(effects.length)
      }
      return written
    }
    expect(steps()).toEqual([15, 15, 15, 5])
    for (const node of many.slice(0, 25)) cluster.set(node, { state: 'running' })
    for (const node of many.slice(25)) cluster.away.add(node)
    expect(steps()).toEqual([15, 10])
    cluster.job = { ...cluster.job, state: 'cancelling' }
    expect(steps()).toEqual([15, 10])
    for (const node of many.slice(0, 25)) cluster.set(node, { state: 'cancelled' })
    cluster.step()
    expect(cluster.job.state).toBe('done')
  })

  test('has failed where its command ran out of time, whatever that ended with', () => {
    const cluster = new Cluster()
    cluster.step()
    cluster.set('n1', { timedOut: true })
    cluster.end('n1')
    cluster.end('n2')
    expect(cluster.states).toBe('failed succeeded started started')
  })

  test('begins on all nodes, and has ended when all have', () => {
    const cluster = new Cluster()
    cluster.step()
    expect(cluster.states).toBe('started started started started')
    expect([...cluster.tasks.keys()]).toEqual(['j1.1', 'j1.2', 'j1.3', 'j1.4'])
    expect(cluster.taskOn('n2')).toMatchObject({
      argv: ['true'],
      owner: { kind: 'job', name: 'j1', user: 'root' },
      state: 'ready',
    })
    for (const node of ['n1', 'n2', 'n3']) cluster.end(node)
    expect(cluster.job.state).toBe('active')
    cluster.end('n4', 2)
    expect(cluster.job).toMatchObject({ state: 'done', ended: now })
    expect(cluster.states).toBe('succeeded succeeded succeeded failed')
    expect(cluster.step()).toEqual([])
  })

  test('claims its tasks for the life that a node has, where they need not be known to have never begun', () => {
    const claiming = (more: Partial<JobRecord>): Cluster => {
      const cluster = new Cluster(more)
      cluster.claims = true
      cluster.step()
      return cluster
    }
    const cluster = claiming({})
    expect(cluster.taskOn('n2')).toMatchObject({
      state: 'running',
      assigned: true,
      incarnation: 2,
      bootId: 'b-n2',
      started: now,
    })
    cluster.set('n2', { state: 'cancelled', reason: 'the daemon of the node ended before it had begun', ended: now })
    cluster.set('n3', { state: 'cancelled', cancel: true, reason: 'it had not begun', ended: now })
    cluster.away.add(nodeName('n4'))
    cluster.end('n1')
    expect(cluster.states).toBe('succeeded offline cancelled started')
    expect(cluster.job.nodes[1]).toMatchObject({ reason: 'the daemon of the node ended before it had begun' })
    for (const more of [{ order: 'once', limit: 1 }, { queue: true }] as const)
      expect(claiming(more).taskOn('n1').state).toBe('ready')
  })

  test('begins on no more nodes at a time than it may', () => {
    const cluster = new Cluster({ limit: 2 })
    cluster.step()
    expect(cluster.states).toBe('started started waiting waiting')
    cluster.end('n2')
    expect(cluster.states).toBe('started succeeded started waiting')
  })

  test('in series waits until all of those that began have ended, and stops when too many have failed', () => {
    const cluster = new Cluster({ order: 'serial', limit: 2, maxFail: 0 })
    cluster.step()
    cluster.end('n2')
    expect(cluster.states).toBe('started succeeded waiting waiting')
    cluster.end('n1')
    expect(cluster.states).toBe('succeeded succeeded started started')
    const other = new Cluster({ order: 'serial', limit: 1, maxFail: 1 })
    other.step()
    other.end('n1', 1)
    expect(other.states).toBe('failed started waiting waiting')
    other.end('n2', 1)
    expect(other.states).toBe('failed failed skipped skipped')
    expect(other.job.state).toBe('done')
  })

  test('does not wait for a node that was removed, whether its turn has come or not', () => {
    const queued = new Cluster({ queue: true, limit: 1 })
    queued.step()
    expect(queued.states).toBe('started waiting waiting waiting')
    for (const node of names) queued.away.add(node)
    queued.step()
    expect(queued.states).toBe('started waiting waiting waiting')
    for (const node of names) queued.removed.add(node)
    queued.step()
    expect(queued.states).toBe('offline offline offline offline')
    expect(queued.job.state).toBe('done')
  })

  test('leaves out nodes that are away, or waits for them where that was asked for', () => {
    const cluster = new Cluster()
    cluster.away.add(nodeName('n2'))
    cluster.step()
    expect(cluster.states).toBe('started offline started started')
    const queued = new Cluster({ queue: true, order: 'serial', limit: 1 })
    queued.away.add(nodeName('n1'))
    queued.step()
    expect(queued.states).toBe('waiting started waiting waiting')
    for (const node of ['n2', 'n3', 'n4']) queued.end(node)
    expect(queued.states).toBe('waiting succeeded succeeded succeeded')
    queued.away.clear()
    queued.step()
    queued.end('n1')
    expect(queued.job.state).toBe('done')
  })

  test('waits for a remote node to which a member is just connecting, and no longer than that', () => {
    const cluster = new Cluster()
    for (const node of ['n1', 'n2'].map(nodeName)) {
      cluster.away.add(node)
      cluster.coming.add(node)
    }
    cluster.step()
    expect(cluster.states).toBe('waiting waiting started started')
    cluster.away.delete(nodeName('n1'))
    cluster.coming.clear()
    cluster.step()
    expect(cluster.states).toBe('started offline started started')
  })

  test('takes back what a node that is lost had not claimed; what it had claimed is left to it', () => {
    const cluster = new Cluster()
    cluster.step()
    cluster.set('n1', { state: 'running' })
    cluster.away.add(nodeName('n1')).add(nodeName('n2'))
    cluster.step()
    expect(cluster.states).toBe('started offline started started')
    expect(cluster.taskOn('n2')).toMatchObject({ state: 'cancelled' })
    cluster.set('n1', { state: 'lost' })
    cluster.step()
    expect(cluster.states).toBe('lost offline started started')
  })

  test('that runs once goes to another node only if it had not begun on the first', () => {
    const cluster = new Cluster({ order: 'once', limit: 1 })
    cluster.step()
    expect(cluster.states).toBe('started waiting waiting waiting')
    cluster.away.add(nodeName('n1'))
    cluster.step()
    expect(cluster.states).toBe('offline started waiting waiting')
    cluster.set('n2', { state: 'running' })
    cluster.away.add(nodeName('n2'))
    cluster.step()
    expect(cluster.states).toBe('offline started waiting waiting')
    cluster.set('n2', { state: 'lost' })
    cluster.step()
    expect(cluster.states).toBe('offline lost skipped skipped')
    expect(cluster.job.state).toBe('done')
  })

  test('waits for its lock, holds it while it goes on, and frees it', () => {
    const cluster = new Cluster({ lock: 'upgrade' })
    cluster.isLocked = true
    expect(cluster.step()).toEqual([])
    cluster.isLocked = false
    cluster.step()
    expect(cluster.holdsLock).toBe(true)
    cluster.isLocked = true
    for (const node of names) cluster.end(node)
    expect(cluster.holdsLock).toBe(false)
    expect(cluster.job.holdsLock).toBeUndefined()
  })

  test('that is cancelled begins nothing, and ends what runs', () => {
    const cluster = new Cluster({ limit: 3 })
    cluster.step()
    cluster.set('n1', { state: 'running' })
    cluster.end('n3')
    cluster.job = { ...cluster.job, state: 'cancelling' }
    cluster.step()
    expect(cluster.taskOn('n1')).toMatchObject({ state: 'running', cancel: true })
    expect(cluster.taskOn('n2')).toMatchObject({ state: 'cancelled' })
    expect(cluster.states).toBe('started cancelled succeeded cancelled')
    expect(cluster.step()).toEqual([])
    cluster.set('n1', { state: 'cancelled', signal: 'SIGTERM' })
    cluster.step()
    expect(cluster.job.state).toBe('done')
  })

  test('says once that a command is to end', () => {
    const cluster = new Cluster()
    cluster.step()
    for (const node of names) cluster.set(node, { state: 'running' })
    cluster.job = { ...cluster.job, state: 'cancelling' }
    expect(cluster.step()).toHaveLength(4)
    expect(cluster.step()).toEqual([])
  })

  test('counts a node that was lost as failed, and one whose record is gone as lost', () => {
    const cluster = new Cluster({ limit: 1, maxFail: 0 })
    cluster.step()
    cluster.tasks.clear()
    cluster.step()
    expect(cluster.states).toBe('lost skipped skipped skipped')
  })

  test('is read as it was written; what is no job is none', () => {
    const cluster = new Cluster({ lock: 'a', queue: true, maxFail: 1 })
    cluster.step()
    expect(parseJob(JSON.parse(JSON.stringify(cluster.job)))).toEqual(cluster.job)
    const wrong: readonly object[] = [
      { id: '../x' },
      { order: 'any' },
      { nodes: [{}] },
      { argv: 'x' },
      { state: 'new' },
    ]
    for (const more of wrong) expect(parseJob({ ...fresh, ...more })).toBeUndefined()
  })
})

/** Seeds: any order, nodes that come and go, a DC that is another at every step, and tasks that end in any way. */
test('whatever comes, a job ends, no node gets two tasks that may begin, and limits hold', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = seededRandom(seed)
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    const order = pick(['parallel', 'serial', 'once'] as const)
    const limit = order === 'once' ? 1 : 1 + Math.floor(random() * 3)
    const cluster = new Cluster({
      order,
      limit,
      ...(random() < 0.3 && { queue: true }),
      ...(random() < 0.3 && { maxFail: Math.floor(random() * 2) }),
      ...(random() < 0.3 && { lock: 'l' }),
    })
    const turn = (calm: boolean): void => {
      const node = pick(names)
      if (calm || random() < 0.5) cluster.away.delete(node)
      else cluster.away.add(node)
      cluster.isLocked = !calm && random() < 0.2 && !cluster.holdsLock
      const open = [...cluster.tasks.values()].filter((task) => !isFinished(task) && task.node === node)
      for (const task of open) {
        if (cluster.away.has(node)) {
          if (task.state === 'running' && random() < 0.3) cluster.tasks.set(task.id, { ...task, state: 'lost' })
        } else if (task.state === 'ready') cluster.tasks.set(task.id, { ...task, state: 'running' })
        else
          cluster.tasks.set(task.id, { ...task, state: task.cancel ? 'cancelled' : 'done', exitCode: pick([0, 0, 1]) })
      }
      if (!calm && random() < 0.02 && cluster.job.state === 'active')
        cluster.job = { ...cluster.job, state: 'cancelling' }
      cluster.step()
      const began = [...cluster.tasks.values()].filter(
        ({ state, exitCode }) => state !== 'cancelled' || exitCode !== undefined,
      )
      for (const name of names)
        expect({ seed, tasks: began.filter((task) => task.node === name).length }).toEqual({
          seed,
          tasks: Math.min(began.filter((task) => task.node === name).length, 1),
        })
      const running = cluster.job.nodes.filter(({ state }) => state === 'started').length
      expect({ seed, isWithin: running <= limit }).toEqual({ seed, isWithin: true })
      if (order === 'once') expect({ seed, isOnce: began.length <= 1 }).toEqual({ seed, isOnce: true })
    }
    for (let at = 0; at < 30; at++) turn(false)
    for (let at = 0; at < 300 && cluster.job.state !== 'done'; at++) turn(true)
    expect({ seed, state: cluster.job.state, holdsLock: cluster.holdsLock }).toEqual({
      seed,
      state: 'done',
      holdsLock: false,
    })
    const open = (node: JobNode): boolean => node.state === 'waiting' || node.state === 'started'
    expect({ seed, open: cluster.job.nodes.filter(open).length }).toEqual({ seed, open: 0 })
  }
})
