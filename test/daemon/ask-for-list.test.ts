import { afterEach, expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { type ClusterFile, parseClusterFile, printClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { AskForList } from '../../src/daemon/peers/ask-for-list.ts'

const [alpha, beta, gamma] = [nodeName('alpha'), nodeName('beta'), nodeName('gamma')]

function file(): ClusterFile {
  const parsed = parseClusterFile(
    JSON.stringify({ clusterName: 'x', nodesVersion: 3, nodes: [alpha, beta, gamma].map((name) => ({ name })) }),
  )
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

afterEach(() => {
  vi.useRealTimers()
})

/** What the others answer: with quorum, without, or nothing. */
function asking(answers: Record<string, boolean | undefined>) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let quorate = false
  const to = (node: string) => ({
    getClusterFile: async () => {
      const answer = answers[node]
      if (answer === undefined) throw new Error('off')
      return { json: printClusterFile(file()), quorate: answer }
    },
  })
  const asks = new AskForList({
    self: alpha,
    peers: { to } as never,
    file,
    quorate: () => quorate,
    onNodeList: () => undefined,
    onRemoved: () => undefined,
  })
  const round = async (): Promise<boolean> => {
    vi.advanceTimersByTime(1000)
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    return asks.findsNobody
  }
  asks.begin()
  return {
    asks,
    round,
    answers,
    reachQuorum: () => {
      quorate = true
    },
  }
}

test('a node is stranded only once it has asked and no node that it knows answers with quorum', async () => {
  const { asks, round, answers, reachQuorum } = asking({ beta: false })
  expect(asks.findsNobody).toBe(false)
  expect(await round()).toBe(true)
  answers.gamma = true
  expect(await round()).toBe(false)
  answers.gamma = undefined
  expect(await round()).toBe(true)
  reachQuorum()
  expect(asks.findsNobody).toBe(false)
})

test('one that takes no part any more is not', async () => {
  const { asks, round } = asking({})
  expect(await round()).toBe(true)
  asks.end()
  expect(asks.findsNobody).toBe(false)
})
