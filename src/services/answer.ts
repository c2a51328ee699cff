/** What DNS answers to a question about the names of a zone (RFC 1034, 2308, 2782, 8482). Pure: chance is an input. */
import type { Target, Zone } from './zone.ts'

export interface DnsQuestion {
  readonly name: string
  /** As `A`, `SRV`. */
  readonly type: string
}

export type DnsRecord = { readonly name: string; readonly ttl: number } & (
  | { readonly type: 'A' | 'AAAA' | 'NS'; readonly data: string }
  | {
      readonly type: 'SRV'
      readonly data: {
        readonly priority: number
        readonly weight: number
        readonly port: number
        readonly target: string
      }
    }
  | {
      readonly type: 'SOA'
      readonly data: {
        readonly mname: string
        readonly rname: string
        readonly serial: number
        readonly refresh: number
        readonly retry: number
        readonly expire: number
        readonly minimum: number
      }
    }
)

export interface DnsAnswer {
  readonly kind: 'answer'
  readonly code: 'NOERROR' | 'NXDOMAIN' | 'REFUSED'
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

export type DnsDecision =
  | DnsAnswer
  /** Somebody else knows: that cluster. */
  | { readonly kind: 'cluster'; readonly cluster: string }
  /** Nothing of this domain. */
  | { readonly kind: 'elsewhere' }

/** More of them would fill any packet. */
const mostAnswers = 250

/** `chance`: from 0 up to 1, each time another. */
export function answer(question: DnsQuestion, zone: Zone, chance: () => number): DnsDecision {
  const asked = question.name.toLowerCase()
  const below = belowDomain(asked, zone.domain)
  if (below === undefined) return { kind: 'elsewhere' }
  const { name, suffix, other } = inCluster(below, zone)
  if (other !== undefined) return { kind: 'cluster', cluster: other }
  const targets = zone.names.get(name)
  if (targets === undefined) return negative('NXDOMAIN', zone)
  if (name === '' && ['SOA', 'NS', 'ANY'].includes(question.type)) return aboutZone(question, zone)
  const records = recordsOf(question, ordered(targets, chance), { zone, suffix })
  return records.answers.length === 0 ? negative('NOERROR', zone) : { kind: 'answer', code: 'NOERROR', ...records }
}

function belowDomain(name: string, domain: string): string | undefined {
  if (name === domain) return ''
  return name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : undefined
}

interface Within {
  /** Below the domain, or below the cluster in it. */
  readonly name: string
  /** The domain as it was asked for: with the cluster's name where that was said, so that whoever passes the question on can resolve what it leads to. */
  readonly suffix: string
  readonly other?: string
}

const kinds: ReadonlySet<string> = new Set(['service', 'node', 'addr'])

function inCluster(below: string, { domain, cluster, others }: Zone): Within {
  const dot = below.lastIndexOf('.')
  const last = below.slice(dot + 1)
  if (last === '' || kinds.has(last)) return { name: below, suffix: domain }
  const name = dot < 0 ? '' : below.slice(0, dot)
  if (last === cluster) {
    // The cluster's name itself exists, and has nothing of its own.
    return { name: name === '' ? 'service' : name, suffix: `${last}.${domain}` }
  }
  return others.has(last) ? { name: below, suffix: domain, other: last } : { name: below, suffix: domain }
}

const negative = (code: DnsAnswer['code'], zone: Zone): DnsAnswer => ({
  kind: 'answer',
  code,
  answers: [],
  authorities: [soaOf(zone)],
  additionals: [],
})

/** A refusal says nothing else. */
export const refusal: DnsAnswer = { kind: 'answer', code: 'REFUSED', answers: [], authorities: [], additionals: [] }

function soaOf({ domain, ttl, serial, self }: Zone): DnsRecord {
  const times = { refresh: 3600, retry: 600, expire: 86_400, minimum: ttl }
  return {
    name: domain,
    type: 'SOA',
    ttl,
    data: { mname: `${self}.${domain}`, rname: `hostmaster.${domain}`, serial, ...times },
  }
}

function aboutZone({ type }: DnsQuestion, zone: Zone): DnsAnswer {
  const { domain, ttl, self } = zone
  const host = `${self}.${domain}`
  const soa = soaOf(zone)
  const ns: DnsRecord = { name: domain, type: 'NS', ttl, data: host }
  return {
    kind: 'answer',
    code: 'NOERROR',
    answers: type === 'NS' ? [ns] : [soa],
    authorities: [],
    additionals: type === 'NS' ? addressesOf(zone.names.get(self) ?? [], host, ttl) : [],
  }
}

function recordsOf(
  { name, type }: DnsQuestion,
  targets: readonly Target[],
  { zone, suffix }: { readonly zone: Zone; readonly suffix: string },
): Pick<DnsAnswer, 'answers' | 'authorities' | 'additionals'> {
  const { ttl } = zone
  const none = { authorities: [], additionals: [] }
  if (type === 'SRV') {
    const places = targets.filter(({ port }) => port !== 0)
    const answers = places.map(
      ({ port, weight, host }): DnsRecord => ({
        name,
        type: 'SRV',
        ttl,
        data: { priority: 1, weight, port, target: `${host}.${suffix}` },
      }),
    )
    const hosts = new Map(places.map((target) => [target.host, target]))
    const additionals = [...hosts].map(
      ([host, { address, family }]): DnsRecord => ({
        name: `${host}.${suffix}`,
        type: family === 4 ? 'A' : 'AAAA',
        ttl,
        data: address,
      }),
    )
    return { answers, authorities: [], additionals }
  }
  // Of everything that there is, addresses are enough (RFC 8482).
  const families = type === 'A' ? [4] : type === 'AAAA' ? [6] : type === 'ANY' ? [4, 6] : []
  return {
    ...none,
    answers: addressesOf(targets, name, ttl).filter((one) => families.includes(one.type === 'A' ? 4 : 6)),
  }
}

function addressesOf(targets: readonly Target[], name: string, ttl: number): readonly DnsRecord[] {
  const known = new Set<string>()
  const records: DnsRecord[] = []
  for (const { address, family } of targets) {
    if (known.has(address)) continue
    known.add(address)
    records.push({ name, type: family === 4 ? 'A' : 'AAAA', ttl, data: address })
  }
  return records
}

/** Whoever takes the first one takes each as often as its weight says. Those of weight 0 come last. */
function ordered(targets: readonly Target[], chance: () => number): readonly Target[] {
  if (targets.length < 2) return targets
  const drawn = targets.map((target) => ({
    target,
    place: target.weight === 0 ? 1e300 * (1 + chance()) : -Math.log(1 - chance()) / target.weight,
  }))
  return drawn
    .sort((a, b) => a.place - b.place)
    .slice(0, mostAnswers)
    .map(({ target }) => target)
}
