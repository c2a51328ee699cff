/** 10,000 streams of events that somebody with one token asks for: so many as a token may have are open, and all others are refused with a sentence. */
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounds } from '../../src/web/bounds.ts'
import { type FrozenCluster, frozenToken, serveFrozen } from '../console-e2e/lab/frozen-cluster.ts'
import { largeMembers, smallCib } from '../console-e2e/lab/large-cib.ts'

const asked = 10_000
let cluster: FrozenCluster
/** The door takes 64 connections of an address, and 100 new ones in ten seconds: somebody with many addresses is worse. */
const agents = [2, 3, 4, 5].map(
  (last) => new Agent({ keepAlive: true, localAddress: `127.0.0.${last}`, rejectUnauthorized: false }),
)

beforeAll(async () => {
  cluster = await serveFrozen(smallCib(), { members: largeMembers.slice(0, 3), dc: 'node-01' })
})
afterAll(async () => {
  for (const agent of agents) agent.destroy()
  await cluster?.close()
})

const ask = async (path: string, agent = agents[0]): Promise<IncomingMessage> =>
  await new Promise((resolve, reject) => {
    request(`${cluster.address}${path}`, { agent, headers: { authorization: `Bearer ${frozenToken}` } }, resolve)
      .on('error', reject)
      .end()
  })

test(`of ${asked} streams that one token asks for, ${bounds.streamsOfToken} are open, the others have a status and a sentence, and nothing grows`, async () => {
  const open: IncomingMessage[] = []
  const refused = new Map<string, number>()
  let left = asked
  const before = process.memoryUsage().rss
  const askOn = async (agent: Agent): Promise<void> => {
    while (left-- > 0) {
      const response = await ask('/api/v1/events', agent)
      if (response.statusCode === 200) {
        response.on('error', () => undefined).resume()
        open.push(response)
        continue
      }
      let body = ''
      for await (const part of response.setEncoding('utf8') as AsyncIterable<string>) body += part
      const { status, detail } = JSON.parse(body) as { readonly status: number; readonly detail: string }
      const said = `${response.statusCode ?? 0} ${status} ${detail}`
      refused.set(said, (refused.get(said) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 8 }, () => agents.map(askOn)).flat())
  expect(open).toHaveLength(bounds.streamsOfToken)
  const sentence = `This token has ${bounds.streamsOfToken} streams under way, which is the most.`
  expect([...refused]).toEqual([[`429 429 ${sentence}`, asked - bounds.streamsOfToken]])
  // Client and server are one process here: 10,000 streams would take gigabytes.
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024)
  expect((await ask('/api/v1/status')).statusCode).toBe(200)
  for (const stream of open) stream.destroy()
  await expect
    .poll(async () => {
      const again = await ask('/api/v1/events')
      again.on('error', () => undefined).destroy()
      return again.statusCode
    })
    .toBe(200)
}, 300_000)
