/** The daemon's driver of a node's core. */
import { afterEach, describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { NodeDriver, type NodeDriverPorts } from '../../src/daemon/node/node-driver.ts'
import { defaultTimings } from '../../src/daemon/node-list/cluster-file.ts'
import type { Executor } from '../../src/executor/index.ts'
import { planOf, stopOfWeb, web } from '../node/driven-node.ts'

const told: unknown[] = []
const opened: NodeDriver[] = []

afterEach(() => {
  for (const driver of opened.splice(0)) driver.end()
  told.length = 0
})

function driver(executor: Partial<Executor> = {}, more: Partial<NodeDriverPorts> = {}): NodeDriver {
  const note =
    (what: string) =>
    (...more: readonly unknown[]): void =>
      void told.push([what, ...more])
  const ports = {
    self: nodeName('n1'),
    incarnation: 7,
    timings: { ...defaultTimings, restartGraceMs: 8000 },
    list: { nodes: [{ name: nodeName('n1'), votes: true }], store: { kind: 'etcd' } },
    met: false,
    log: { info: () => undefined, warn: () => undefined, error: note('error') },
    executor: () => executor,
    planOwnStops: async () => await Promise.resolve(planOf(stopOfWeb)),
    quorumGained: note('quorum gained'),
    quorumLost: note('quorum lost'),
    depart: note('depart'),
    ...more,
  }
  const made = new NodeDriver(ports as unknown as NodeDriverPorts)
  opened.push(made)
  return made
}

const command = { term: 1, plannedFrom: 1, transitionKey: '', timeoutMs: 0, action: stopOfWeb }

describe('the driver of a node', () => {
  test('tells the executor whether this node has quorum', () => {
    const node = driver({ setQuorum: (quorate) => void told.push(['executor', quorate]) })
    node.feed({ kind: 'quorum', lease: 'L1', until: monotonicMs(monotonicNow() + 60_000) })
    expect(node.quorate).toBe(true)
    node.feed({ kind: 'quorum', until: monotonicMs(Number.NEGATIVE_INFINITY) })
    node.feed({ kind: 'quorum-lost', why: 'left' })
    expect(node.quorate).toBe(false)
    expect(told).toEqual([['executor', true], ['quorum gained'], ['executor', false], ['quorum lost']])
  })

  test('has the controller wait for as long as the cluster says', () => {
    expect(driver().state.timings.controller.registrationMs).toBe(8000)
  })

  test('refuses commands once it has ended', async () => {
    const node = driver({ highestTerm: 1 })
    node.end()
    expect(await node.takeCommand(command)).toMatchObject({ accepted: false, why: 'closing' })
  })

  test('tries again to stop what could not be stopped', async () => {
    let times = 0
    const node = driver({
      mayRun: [],
      setQuorum: () => undefined,
      stopLocally: async () => {
        if (++times === 1) throw new Error('the disk is full')
        return await Promise.resolve([])
      },
    })
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    await expect.poll(() => times, { timeout: 10_000 }).toBe(2)
    await expect.poll(() => node.state.ownStops.attempts).toEqual([])
  })

  test('asks again for a plan that could not be made, and has it carried out', async () => {
    let plans = 0
    let stopped = 0
    const node = driver(
      {
        mayRun: [],
        setQuorum: () => undefined,
        stopLocally: async () => {
          stopped++
          return await Promise.resolve([])
        },
      },
      {
        planOwnStops: async () => {
          if (++plans === 1) throw new Error('the planner is gone')
          return await Promise.resolve(planOf(stopOfWeb) as never)
        },
      },
    )
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    await expect.poll(() => stopped, { timeout: 10_000 }).toBe(1)
    expect(plans).toBe(2)
  })

  test('reports what could not be stopped, and knows what may run', async () => {
    const node = driver({
      mayRun: [web],
      setQuorum: () => undefined,
      stopLocally: async () => await Promise.resolve([web]),
    })
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    await expect.poll(() => node.state.ownStops.leftRunning, { timeout: 10_000 }).toEqual([web])
    expect(told).toContainEqual(['error', 'some resources could not be stopped', { resources: [web] }])
  })

  test('refuses a command of a former term with the highest that its executor has seen', async () => {
    const node = driver({ highestTerm: 2 })
    const shutdown = { ...stopOfWeb, kind: 'cluster', operation: 'do_shutdown' } as unknown as typeof stopOfWeb
    expect(await node.takeCommand({ ...command, action: shutdown })).toMatchObject({
      accepted: false,
      why: 'old-term',
      highestTerm: 2,
    })
  })

  test('says with an answer how busy its machine is', async () => {
    const perform = async () => await Promise.resolve({ kind: 'taken', done: true } as never)
    const node = driver({ highestTerm: 1, setQuorum: () => undefined, perform })
    node.feed({ kind: 'began' })
    const answer = await node.takeCommand(command)
    expect(answer).toMatchObject({ accepted: true, done: true })
    expect(answer.processors).toBeGreaterThan(0)
  })

  test('answers what is under way when it ends, and wakes nobody any more', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    const never = async () => await new Promise<never>(() => undefined)
    const node = driver({ highestTerm: 1, setQuorum: () => undefined, perform: never })
    node.feed({ kind: 'began' })
    const answer = node.takeCommand(command)
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    expect(timers()).toBe(before + 1)
    node.end()
    expect(timers()).toBe(before)
    expect(await answer).toMatchObject({ accepted: false, why: 'closing' })
  })

  test('performs that the node goes', async () => {
    const node = driver({ mayRun: [], setQuorum: () => undefined, stopLocally: async () => await Promise.resolve([]) })
    node.feed({ kind: 'began' })
    node.feed({ kind: 'leave' })
    const gone = ['depart', expect.objectContaining({ disarm: true })]
    await expect.poll(() => told, { timeout: 10_000 }).toContainEqual(gone)
  })
})
