/** One packet in, one out: reads the question, asks the zone, and passes on what others know. */
import { answer, type DnsAnswer, type DnsSetting, refusal, type Zone } from '../../services/index.ts'
import type { Allowance } from './allowance.ts'
import type { Callers } from './callers.ts'
import {
  type Code,
  longestTcp,
  longestUdp,
  type Manner,
  notReady,
  type Query,
  readQuery,
  shortestUdp,
  staleAnswer,
  writeAnswer,
} from './codec.ts'
import type { Forwarder } from './forwarder.ts'

export interface ResponderPorts {
  readonly setting: DnsSetting
  readonly callers: Callers
  readonly allowance: Allowance
  readonly forwarder: Pick<Forwarder, 'ask'>
  /** Undefined: nothing is known yet. */
  readonly zone: () => Zone | undefined
  readonly hasQuorum: () => boolean
  readonly now: () => number
}

export interface Caller {
  readonly address: string
  readonly tcp: boolean
}

type Reply = Buffer | undefined
type Outcome = Omit<DnsAnswer, 'code' | 'kind'> & { readonly code: Code }

const nothing = { answers: [], authorities: [], additionals: [] }
const outcome = (code: Code): Outcome => ({ code, ...nothing })
const refused = outcome(refusal.code)
const port = 53

/** Undefined: no answer. It never throws for what is in the packet. */
export function respond(packet: Buffer, caller: Caller, ports: ResponderPorts): Reply | Promise<Reply> {
  const { callers, allowance, now } = ports
  const allowed = allowance.take(caller.address, { now: now(), isKnown: callers.isKnown(caller.address) })
  if (allowed === 'nothing' || (allowed === 'short' && caller.tcp)) return undefined
  const read = readQuery(packet)
  if (read.kind === 'ignored') return undefined
  if (read.kind === 'wrong') return read.reply
  const { query } = read
  if (allowed === 'short') return shortened(writeAnswer(withoutEdns(query), outcome('NOERROR'), plain))
  return respondTo(query, caller, ports)
}

const plain: Manner = { limit: shortestUdp, authoritative: false, recursion: false }

const withoutEdns = ({ edns: _edns, ...query }: Query): Query => query

/** "Ask by TCP". */
function shortened(reply: Buffer): Buffer {
  reply.writeUInt16BE(reply.readUInt16BE(2) | 0x0200, 2)
  return reply
}

function respondTo(query: Query, caller: Caller, ports: ResponderPorts): Reply | Promise<Reply> {
  const { setting, callers, zone: known } = ports
  const recursion = setting.forward.length > 0 && callers.isTrusted(caller.address)
  const manner: Manner = { limit: limitOf(query, caller), authoritative: false, recursion }
  if (query.edns !== undefined && query.edns.version !== 0) return writeAnswer(query, outcome('BADVERS'), manner)
  const isUnfit = query.class !== 'IN' || ['AXFR', 'IXFR', 'OPT', 'TSIG', 'TKEY'].includes(query.type)
  if (isUnfit || !callers.isAnswered(caller.address)) return writeAnswer(query, refused, manner)
  const zone = known()
  if (zone === undefined) return writeAnswer(query, refused, { ...manner, note: notReady })
  const decision = answer(query, zone, Math.random)
  switch (decision.kind) {
    case 'answer':
      return ofZone(decision, query, { manner, ports })
    case 'cluster':
      // Who is asked for another cluster asks nobody else: a circle ends here.
      if (!query.recursion) return writeAnswer(query, refused, manner)
      return passOn(query, {
        caller,
        ports,
        manner,
        servers: setting.clusters.get(decision.cluster) ?? [],
        further: false,
      })
    case 'elsewhere':
      if (!recursion || !query.recursion) return writeAnswer(query, refused, manner)
      return passOn(query, { caller, ports, manner, servers: setting.forward, further: true })
  }
}

function limitOf({ edns }: Query, { tcp }: Caller): number {
  if (tcp) return longestTcp
  return Math.min(Math.max(edns?.size ?? shortestUdp, shortestUdp), longestUdp)
}

function ofZone(
  found: DnsAnswer,
  query: Query,
  { manner, ports }: { readonly manner: Manner; readonly ports: ResponderPorts },
): Buffer {
  if (ports.hasQuorum()) return writeAnswer(query, found, { ...manner, authoritative: true })
  if (ports.setting.withoutQuorum === 'refuse') return writeAnswer(query, refused, { ...manner, note: notReady })
  const soon = <Record extends { readonly ttl: number }>(records: readonly Record[]): readonly Record[] =>
    records.map((record) => ({ ...record, ttl: 0 }))
  const { code, answers, authorities, additionals } = found
  const old = { code, answers: soon(answers), authorities: soon(authorities), additionals: soon(additionals) }
  return writeAnswer(query, old, { ...manner, note: staleAnswer })
}

interface Passing {
  readonly caller: Caller
  readonly ports: ResponderPorts
  readonly manner: Manner
  readonly servers: readonly string[]
  /** Whether those may ask others in turn. */
  readonly further: boolean
}

async function passOn(query: Query, { caller, ports, manner, servers, further }: Passing): Promise<Buffer> {
  const asked = { servers, port, recursion: further, tcp: caller.tcp }
  const found = await ports.forwarder.ask(query, asked, caller.address)
  if (found === undefined) return writeAnswer(query, outcome('SERVFAIL'), manner)
  // A server that does not keep to what it was asked for would flood whoever is named as the asker.
  return found.length > manner.limit ? shortened(writeAnswer(query, outcome('NOERROR'), manner)) : found
}
