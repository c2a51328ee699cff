/**
 * The options of a corosync.conf that pcs sets, each with what becomes of it here. The token is the only one that has a counterpart: what the others
 * would tune is not there.
 */
import { didYouMean, similarWords } from '../../../base/index.ts'
import { Refusal } from '../../call/command.ts'
import { parsePairs, type Section } from '../../grammar/words.ts'

/** Milliseconds. */
export const defaultTokenMs = 1000
const shortestTokenMs = 300

export const corosyncSections = ['transport', 'compression', 'crypto', 'totem'] as const

/** The token in milliseconds; undefined where none is named. Whatever else is named is refused, all of it at once. */
export function readToken(sections: readonly Section[]): number | undefined {
  const options = sections.flatMap(({ keyword, words }) =>
    [...parsePairs(words, `${keyword} options`)].map(([name, value]) => ({ keyword, name, value })),
  )
  const wrong = options.flatMap(({ keyword, name }) =>
    keyword === 'totem' && name === 'token' ? [] : [refusalOf(keyword, name)],
  )
  if (wrong.length > 0) throw new Refusal(...wrong)
  const [token, ...others] = options.map(({ value }) => tokenOf(value))
  if (others.some((other) => other !== token))
    throw new Refusal('totem token is given twice with different values. Omit one.')
  return token
}

/** Empty: the default, as an empty value has it in pcs. */
function tokenOf(text: string): number {
  const tokenMs = text === '' ? defaultTokenMs : Number(text)
  if (Number.isInteger(tokenMs) && tokenMs >= shortestTokenMs) return tokenMs
  throw new Refusal(
    `'${text}' is not a token timeout. Specify whole milliseconds, at least ${shortestTokenMs}; the default is ${defaultTokenMs}.`,
  )
}

function refusalOf(section: string, name: string): string {
  const known = refused[section] ?? {}
  const because = known[name]
  if (because !== undefined) return `'${section} ${name}' has no equivalent: ${because}`
  const similar = similarWords(name, [...Object.keys(known), ...(section === 'totem' ? ['token'] : [])])
  return `'${name}' is not a ${section} option.${didYouMean(similar)}`
}

const packets = 'all traffic uses TCP connections, for which the kernel determines the packet size.'
const ring =
  'it is a timer of Corosync’s ring protocol, which Systole does not use. Only the token decides when a silent node is suspected.'
const flow = 'it limits messages of Corosync’s ring protocol, which Systole does not use.'
const tls = 'all connections use TLS with the cluster’s own certificates, which cannot be disabled or weakened.'
const compression = 'traffic between nodes is not compressed: heartbeats are a few bytes.'

const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  transport: {
    ip_version: 'a node is reached at its configured address (addr=).',
    knet_pmtud_interval: packets,
    netmtu: packets,
    link_mode:
      "heartbeats use all links, and all other traffic uses one link that is up. Set the preferred link with 'cluster link update' (link_priority).",
  },
  compression: { level: compression, model: compression, threshold: compression },
  crypto: { cipher: tls, hash: tls, model: tls },
  totem: {
    block_unlisted_ips: 'only hosts with a certificate of the cluster get an answer.',
    consensus: ring,
    downcheck: ring,
    fail_recv_const: ring,
    heartbeat_failures_allowed: ring,
    hold: ring,
    join: ring,
    max_messages: flow,
    max_network_delay: ring,
    merge: ring,
    miss_count_const: ring,
    send_join: ring,
    seqno_unchanged_const: ring,
    token_coefficient:
      'the token does not depend on the number of nodes. Set the value that you want with totem token=<milliseconds>.',
    token_retransmit: 'each node sends three heartbeats per token.',
    token_retransmits_before_loss_const: 'each node sends three heartbeats per token.',
    window_size: flow,
  },
}
