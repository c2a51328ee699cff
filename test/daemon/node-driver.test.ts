/** The daemon's driver of a node's core. */
import { afterEach, describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { NodeDriver, type NodeDriverPorts } from '../../src/daemon/node/node-driver.ts'
import { defaultTimings } from '../../src/daemon/nodes/cluster-file.ts'
import type { Executor } from '../../src/executor/index.ts'
import { planOf, stopOfWeb } from '../node/driven-node.ts'

const told: unknown[] = []
const opened: NodeDriver[] = []

afterEach(() => {
  for (const driver of opened.splice(0)) driver.end()
  told.length = 0
})

function driver(executor: Partial<Executor> = {}): NodeDriver {
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
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    executor: () => executor,
    planOwnStops: async () => await Promise.resolve(planOf(stopOfWeb)),
    quorumGained: note('quorum gained'),
    quorumLost: note('quorum lost'),
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
})
