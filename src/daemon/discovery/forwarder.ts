/**
 * Questions that others answer: the servers are asked one after the other, each for a moment. A question that is under way is not asked again: whoever
 * has the same waits for the same answer, which also ends a circle of servers that ask each other.
 */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import { ownerOfAddress } from '../../base/index.ts'
import { answersTo, isTruncated, longestUdp, type Query, shortestUdp, writeQuery } from './codec.ts'
import { readMessages, withLength } from './stream.ts'

export interface Elsewhere {
  readonly servers: readonly string[]
  readonly port: number
  /** Whether the server is to ask others in turn. */
  readonly recursion: boolean
  readonly tcp: boolean
}

const mostUnderWay = 256
/** Of one asker: names of a server that does not answer are under way for seconds, and must not keep others from asking. */
const mostOfAsker = 64
const mostServers = 3
const patienceMs = 1500

export class Forwarder {
  readonly #underWay = new Map<string, Promise<Buffer | undefined>>()
  readonly #ofAsker = new Map<string, number>()

  get underWay(): number {
    return this.#underWay.size
  }

  /** The answer with the number of the question; undefined where nobody has answered in time. `asker`: an address. */
  async ask(query: Query, elsewhere: Elsewhere, asker: string): Promise<Buffer | undefined> {
    const { servers, recursion, tcp } = elsewhere
    const size = Math.min(Math.max(query.edns?.size ?? shortestUdp, shortestUdp), longestUdp)
    const key = [
      query.question.toString('hex'),
      servers,
      recursion,
      tcp,
      query.edns && size,
      query.edns?.wantsSignatures,
    ].join(' ')
    const same = this.#underWay.get(key)
    const owner = ownerOfAddress(asker)
    const own = this.#ofAsker.get(owner) ?? 0
    if (same === undefined && (this.#underWay.size >= mostUnderWay || own >= mostOfAsker)) return undefined
    const asked = same ?? askAll({ ...query, edns: query.edns && { ...query.edns, size } }, elsewhere)
    if (same === undefined) {
      this.#underWay.set(key, asked)
      this.#ofAsker.set(owner, own + 1)
      void asked.finally(() => {
        this.#underWay.delete(key)
        const left = (this.#ofAsker.get(owner) ?? 1) - 1
        if (left > 0) this.#ofAsker.set(owner, left)
        else this.#ofAsker.delete(owner)
      })
    }
    const answer = await asked
    if (answer === undefined) return undefined
    const copy = Buffer.from(answer)
    copy.writeUInt16BE(query.id, 0)
    return copy
  }
}

type Asked = Pick<Query, 'question'> & { readonly edns: Query['edns'] | undefined }

async function askAll(
  { question, edns }: Asked,
  { servers, port, recursion, tcp }: Elsewhere,
): Promise<Buffer | undefined> {
  const ask = tcp ? askByTcp : askByUdp
  for (const host of servers.slice(0, mostServers)) {
    const id = randomInt(0x1_0000)
    const packet = writeQuery({ question, ...(edns && { edns }) }, { id, recursion, size: edns?.size ?? shortestUdp })
    const answer = await ask({ host, port, packet, isAnswer: (bytes) => answersTo(bytes, { id, question }) })
    if (answer !== undefined && !hasFailed(answer)) return answer
  }
  return undefined
}

/** The next server may do better. */
const hasFailed = (answer: Buffer): boolean => [2, 5].includes(answer.readUInt16BE(2) & 15) && !isTruncated(answer)

interface Attempt {
  readonly host: string
  readonly port: number
  readonly packet: Buffer
  readonly isAnswer: (packet: Buffer) => boolean
}

/** From a port that nobody knows, connected: what comes from elsewhere never arrives. */
async function askByUdp({ host, port, packet, isAnswer }: Attempt): Promise<Buffer | undefined> {
  return await new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
    let isOver = false
    const end = (answer?: Buffer): void => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(end, patienceMs)
    socket.on('error', () => end())
    socket.on('message', (answer) => {
      if (isAnswer(answer)) end(answer)
    })
    socket.connect(port, host, () => {
      if (!isOver) socket.send(packet, (error) => error && end())
    })
  })
}

async function askByTcp({ host, port, packet, isAnswer }: Attempt): Promise<Buffer | undefined> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port })
    const end = (answer?: Buffer): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(end, patienceMs)
    const read = readMessages((answer) => {
      if (isAnswer(answer)) end(answer)
    })
    socket.on('error', () => end())
    socket.on('close', () => end())
    socket.on('data', (data) => {
      if (!read(data)) end()
    })
    socket.write(withLength(packet))
  })
}
