/** A word to go on alone is on disk only once something has come of it, and is never the beginning of anything later. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { type Paths, pathsBelow } from '../../src/daemon/host/paths.ts'
import { type ClusterFile, parseClusterFile, printClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { keys, membersPrefix } from '../../src/daemon/records/keys.ts'
import { AloneJournal, readJournal } from '../../src/daemon/two-node/alone-journal.ts'
import { registeredIn } from '../../src/daemon/two-node/earlier-confirmation.ts'
import { TwoNodeDriver, type TwoNodePorts } from '../../src/daemon/two-node/two-node-driver.ts'
import { metBefore, noteMet } from '../../src/daemon/two-node/wait-for-all.ts'
import {
  actedWithoutThisNode,
  initialNode,
  judgeEarlierConfirmation,
  livesThatAreOver,
  NodeLoop,
  nodeTimings,
  type StartUpInput,
  twoNodeSituation,
} from '../../src/node/index.ts'
import { initialTwoNode, type TwoNodeInput, twoNodeStep } from '../../src/quorum/index.ts'
import { createStore } from '../../src/store/index.ts'

const lost = [nodeName('n2')]
const never = monotonicMs(Number.NEGATIVE_INFINITY)

let root: string
let paths: Paths

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'systole-word-'))
  paths = pathsBelow(root)
  mkdirSync(paths.run, { recursive: true })
})

afterEach(() => rmSync(root, { recursive: true }))

/** n1 of n1, n2 and a witness that votes. */
class Survivor {
  alone: boolean | undefined
  heartbeat: 'heard' | 'silent' = 'silent'
  witnessVotes = true
  others: { readonly quorate: boolean; readonly version: number; readonly lease?: string } | undefined
  begun = 0
  released = false
  listed: ClusterFile | undefined
  readonly store = createStore({ kind: 'embedded', directory: join(root, 'store') })
  readonly hands: TwoNodeDriver
  #core = initialTwoNode
  #start: NodeLoop | undefined

  constructor(goAlone: TwoNodePorts['goAlone'] = async () => undefined) {
    const entry = this.file(0).nodes[0]
    if (!entry) throw new Error('the test itself is wrong')
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    this.hands = new TwoNodeDriver({
      own: entry,
      paths,
      log,
      file: () => this.file(0),
      view: () => emptyView,
      store: () => this.store,
      peers: { to: () => ({ getClusterFile: async () => this.answer() }) },
      quorate: () => false,
      hearsWitness: () => false,
      heartbeat: () => this.heartbeat,
      isComplete: () => true,
      isAlone: async () => this.alone,
      registered: async () => registeredIn((await this.store.list(membersPrefix)).entries),
      goAlone: async (onPointOfNoReturn: () => void) => {
        this.begun++
        await goAlone(onPointOfNoReturn)
      },
      onNodeList: (file: ClusterFile) => {
        this.listed = file
      },
      feed: (input: TwoNodeInput) => {
        const { state, effects } = twoNodeStep(this.#core, input, monotonicNow())
        this.#core = state
        for (const effect of effects) if (effect.kind === 'go-alone') this.hands.perform(effect)
      },
      feedStartUp: (input: StartUpInput) => this.#start?.feed({ kind: 'start-up', input }),
      waitsForPeer: () => false,
      core: () => this.#core,
    } as unknown as TwoNodePorts)
  }

  /** Begins by the core of a node; true: it may take part, false: it was closed before. */
  async mayBegin(): Promise<boolean> {
    return await new Promise((resolve, reject) => {
      this.#closed = () => resolve(false)
      const loop = new NodeLoop(
        initialNode(
          {
            self: nodeName('n1'),
            incarnation: 1,
            timings: nodeTimings(this.file(0).timings),
            list: this.file(0),
            ...metBefore(paths),
          },
          monotonicNow(),
        ),
        {
          now: monotonicNow,
          random: Math.random,
          wakeAt: () => undefined,
          perform: (effect) => {
            if (effect.kind !== 'start-up') return
            const asked = effect.effect
            if (asked.kind === 'release') {
              this.released = true
              resolve(true)
            } else if (asked.kind !== 'prepare' && asked.kind !== 'start-parts') this.hands.begin(asked).catch(reject)
          },
        },
      )
      this.#start = loop
      loop.feed({ kind: 'start-up', input: { kind: 'start' } })
    })
  }

  #closed: () => void = () => undefined

  /** As the core sees it. */
  look(): void {
    const peers = [{ node: nodeName('n2'), state: this.heartbeat }]
    const facts = { self: nodeName('n1'), list: this.file(0), view: emptyView, peers, hasWholeCopy: true, met: true }
    const situation = twoNodeSituation({ ...facts, quorateUntil: never }, monotonicNow())
    const input: TwoNodeInput = { kind: 'situation', ...(situation === undefined ? {} : { situation }) }
    this.#core = twoNodeStep(this.#core, input, monotonicNow()).state
    this.hands.seen(situation)
  }

  file(version: number) {
    const parsed = parseClusterFile(
      JSON.stringify({
        clusterName: 'x',
        nodes: [{ name: 'n1' }, { name: 'n2' }],
        witness: { name: 'w', votes: this.witnessVotes },
        nodesVersion: version,
      }),
    )
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
    return parsed.value
  }

  async close(): Promise<void> {
    this.#closed()
    this.#start?.end()
    this.hands.close()
    await this.store.close()
  }

  /** Another life of n2 works with this node's store. */
  async isJoined(): Promise<string> {
    const { lease } = await this.store.grantLease(60_000)
    const value = toBytes({ node: 'n2', incarnation: 7 })
    await this.store.transaction({
      compare: [],
      writes: [{ kind: 'put', key: keys.member(nodeName('n2')), value, lease }],
    })
    return lease
  }

  answer(): { readonly json: string; readonly quorate: boolean; readonly lease?: string } {
    if (!this.others) throw new Error('n2 is off')
    const { version, ...others } = this.others
    return { json: printClusterFile(this.file(version)), ...others }
  }
}

const granted = () => readJournal(paths).granted

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++, await delay(20)) if (tries > 250) throw new Error(`never: ${what}`)
}

describe('an administrator’s word', () => {
  test('is not kept where it failed before etcd began anew', async () => {
    const failing = new Survivor(async () => {
      throw new Error('the log cannot be read')
    })
    await expect(failing.hands.goOnWithout([nodeName('n2'), nodeName('w')])).rejects.toThrow(/cannot be read/)
    expect(granted()).toBeUndefined()
    await failing.close()
  })

  test('is on disk from then on', async () => {
    const failing = new Survivor(async (onPointOfNoReturn) => {
      expect(granted()).toBeUndefined()
      onPointOfNoReturn()
      expect(granted()).toEqual({ lost, word: 'administrator' })
      throw new Error('etcd did not come up')
    })
    await expect(failing.hands.goOnWithout([nodeName('n2'), nodeName('w')])).rejects.toThrow(/did not come up/)
    expect(granted()).toEqual({ lost, word: 'administrator' })
    await failing.close()
  })
})

describe('a word that an earlier daemon has left', () => {
  beforeEach(() => new AloneJournal(paths).grant(lost, 'administrator'))

  test('is forgotten where this node’s etcd is one of several: nothing came of it', async () => {
    noteMet(paths)
    const restarted = new Survivor()
    restarted.alone = false
    restarted.others = { quorate: true, version: 0 }
    expect(await restarted.mayBegin()).toBe(true)
    expect({ begun: restarted.begun, granted: granted(), released: restarted.released }).toEqual({
      begun: 0,
      granted: undefined,
      released: true,
    })
    await restarted.close()
  })

  test('begins nothing after a boot either, and nobody takes part before it is known what came of it', async () => {
    const booted = new Survivor()
    const begins = booted.mayBegin()
    await delay(100)
    expect({ begun: booted.begun, released: booted.released }).toEqual({ begun: 0, released: false })
    booted.alone = false
    expect(await begins).toBe(true)
    expect({ begun: booted.begun, granted: granted() }).toEqual({ begun: 0, granted: undefined })
    await booted.close()
  })

  test('is ended where etcd is this node’s own already: who is off is told, and nothing is begun again', async () => {
    const restarted = new Survivor()
    restarted.alone = true
    expect(await restarted.mayBegin()).toBe(true)
    expect({ begun: restarted.begun, granted: granted() }).toEqual({ begun: 0, granted: undefined })
    expect(restarted.listed?.nodes.map(({ votes }) => votes)).toEqual([true, false])
    expect(restarted.listed?.witness?.votes).toBe(false)
    expect(await restarted.store.get(keys.fencingConfirmed(nodeName('n2')))).toBeDefined()
    await restarted.close()
  })

  test('is left alone while another has quorum and etcd is this node’s own: this node does not take part', async () => {
    const restarted = new Survivor()
    restarted.alone = true
    restarted.others = { quorate: true, version: 0 }
    const begins = restarted.mayBegin()
    await delay(100)
    expect({ released: restarted.released, listed: restarted.listed?.nodesVersion }).toEqual({
      released: false,
      listed: 0,
    })
    await restarted.close()
    expect(await begins).toBe(false)
  })

  test('is ended while another has its quorum from this node’s own store, and that life is not off', async () => {
    const restarted = new Survivor()
    restarted.alone = true
    const lease = await restarted.isJoined()
    restarted.others = { quorate: true, version: 0, lease }
    expect(await restarted.mayBegin()).toBe(true)
    expect({ granted: granted(), votes: restarted.listed?.nodes.map(({ votes }) => votes) }).toEqual({
      granted: undefined,
      votes: [true, false],
    })
    expect(await restarted.store.get(keys.member(nodeName('n2')))).toBeDefined()
    expect(await restarted.store.get(keys.fencingConfirmed(nodeName('n2')))).toBeUndefined()
    await restarted.close()
  })

  test('is forgotten with quorum that is not this node’s own', async () => {
    const back = new Survivor()
    back.alone = false
    back.hands.gainedQuorum()
    await until('it is forgotten', () => granted() === undefined)
    // Later the witness loses its vote, and then the link breaks.
    back.heartbeat = 'silent'
    back.witnessVotes = false
    back.look()
    expect(back.begun).toBe(0)
    await back.close()
  })

  test('is forgotten by one of two, too, although the other is not heard', async () => {
    const back = new Survivor()
    back.witnessVotes = false
    back.alone = false
    back.hands.gainedQuorum()
    await until('it is forgotten', () => granted() === undefined)
    expect(back.begun).toBe(0)
    await back.close()
  })
})

describe('what is made of an earlier word', () => {
  const cases: readonly [
    Parameters<typeof judgeEarlierConfirmation>[0],
    ReturnType<typeof judgeEarlierConfirmation>,
  ][] = [
    [{ hasVote: true, alone: true, othersActed: false }, 'finish'],
    [{ hasVote: true, alone: true, othersActed: true }, 'wait'],
    [{ hasVote: true, alone: undefined, othersActed: false }, 'wait'],
    [{ hasVote: true, alone: undefined, othersActed: true }, 'wait'],
    [{ hasVote: true, alone: false, othersActed: false }, 'forget'],
    [{ hasVote: false, alone: true, othersActed: true }, 'forget'],
  ]
  for (const [found, verdict] of cases)
    test(`${JSON.stringify(found)}: ${verdict}`, () => expect(judgeEarlierConfirmation(found)).toBe(verdict))
})

describe('what the others have done meanwhile', () => {
  const [n2, n3] = [nodeName('n2'), nodeName('n3')]
  const registered = new Map([[n2, { incarnation: 7, lease: 'a' }]])
  const acted = (...answers: Parameters<typeof actedWithoutThisNode>[0]): boolean =>
    actedWithoutThisNode(answers, { nodesVersion: 3, registered })

  test('nothing, by whoever has no quorum and no newer list', () =>
    expect(acted({ node: n2, quorate: false, nodesVersion: 3 })).toBe(false))
  test('something, by a newer list', () => expect(acted({ node: n2, quorate: false, nodesVersion: 4 })).toBe(true))
  test('nothing, where quorum comes from this node’s own store, with whatever list', () =>
    expect(acted({ node: n2, quorate: true, lease: 'a', nodesVersion: 4 })).toBe(false))
  test('something, where the lease is another, or is not known', () => {
    expect(acted({ node: n2, quorate: true, lease: 'b', nodesVersion: 3 })).toBe(true)
    expect(acted({ node: n2, quorate: true, nodesVersion: 3 })).toBe(true)
    expect(acted({ node: n3, quorate: true, lease: 'a', nodesVersion: 3 })).toBe(true)
  })

  test('a life that is registered and does not answer is over; one that answers is not', () => {
    const back = { node: n2, quorate: true, lease: 'a', nodesVersion: 3 }
    expect([...livesThatAreOver([n2, n3], [], registered)]).toEqual([
      [n2, 7],
      [n3, 'none'],
    ])
    expect([...livesThatAreOver([n2], [back], registered)]).toEqual([[n2, 'none']])
    expect([...livesThatAreOver([n2], [{ ...back, lease: 'b' }], registered)]).toEqual([[n2, 7]])
  })
})
