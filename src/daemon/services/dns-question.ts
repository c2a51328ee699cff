/** How many members DNS knows of a service: of another cluster, or of anything else that has a name. */
import { Resolver } from 'node:dns/promises'
import { reasonOf } from '../../base/index.ts'
import type { DnsQuestion } from '../../services/index.ts'

/** Undefined where they are enough, otherwise why not. Never rejects. */
export async function enoughIn(question: DnsQuestion, signal: AbortSignal): Promise<string | undefined> {
  const { name, server, min, timeoutMs } = question
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 })
  const cancel = (): void => resolver.cancel()
  const timer = setTimeout(cancel, timeoutMs)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    if (server !== undefined) resolver.setServers([server])
    const found = await membersOf(resolver, name)
    if (typeof found === 'string') return `${name}: ${found}`
    return found >= min ? undefined : `${name} has ${found} of ${min} members`
  } catch (error) {
    return `${name}: ${reasonOf(error)}`
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

/** A host with two kinds of addresses is one member; SRV records tell members apart by their ports, too. */
async function membersOf(resolver: Resolver, name: string): Promise<number | string> {
  const [services, four, six] = await Promise.all([
    count(resolver.resolveSrv(name).then((all) => all.map((one) => `${one.name} ${one.port}`))),
    count(resolver.resolve4(name)),
    count(resolver.resolve6(name)),
  ])
  const numbers = [services, four, six].filter((one) => typeof one === 'number')
  const most = Math.max(0, ...numbers)
  if (most > 0 || numbers.length > 0) return most
  return String(services)
}

/** No such name, or none of the kind, are none; anything else is a failure. */
async function count(answer: Promise<readonly string[]>): Promise<number | string> {
  try {
    return new Set(await answer).size
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOTFOUND' || code === 'ENODATA') return 0
    return words[code] ?? reasonOf(error)
  }
}

const words: Readonly<Record<string, string>> = {
  ECANCELLED: 'DNS did not answer in time',
  ETIMEOUT: 'DNS did not answer in time',
  ESERVFAIL: 'the DNS server failed',
  EREFUSED: 'the DNS server refused the question',
  ECONNREFUSED: 'no DNS server answers there',
}
