/**
 * The virtual servers of keepalived.conf as a configuration of HAProxy, for clusters that give up IPVS. What HAProxy does otherwise, or not at all, is named. Servers see HAProxy's
 * address and not the client's.
 */
import { isIP } from 'node:net'
import type { LeftOut } from './notes.ts'
import type { Statement } from './read-blocks.ts'

export interface Balancing {
  readonly text: string
  readonly leftOut: readonly LeftOut[]
}

const algorithms: Readonly<Record<string, string>> = {
  ...{ rr: 'roundrobin', wrr: 'roundrobin', lc: 'leastconn', wlc: 'leastconn', sh: 'source' },
}
const ofIpvs: ReadonlySet<string> = new Set([
  'lb_kind',
  'lvs_method',
  'protocol',
  'hysteresis',
  'alpha',
  'omega',
  'ops',
])
const head = `# Made from keepalived.conf. HAProxy must run where the addresses are, or be allowed to bind to others (transparent).
defaults
  mode tcp
  timeout connect 5s
  timeout client 1m
  timeout server 1m
`

/** Undefined where nothing is balanced that HAProxy could. */
export function haproxyOf(statements: readonly Statement[]): Balancing | undefined {
  const leftOut: LeftOut[] = []
  const leave = ({ place, keyword, words }: Statement, why: string): void =>
    void leftOut.push({ place, what: [keyword, ...words].join(' '), why })
  const servers = statements.filter(({ keyword }) => keyword === 'virtual_server')
  const sections = servers.flatMap((server) => listenSection(server, leave) ?? [])
  return sections.length === 0 ? undefined : { text: [head, ...sections].join('\n'), leftOut }
}

type Leave = (statement: Statement, why: string) => void

function listenSection(block: Statement, leave: Leave): string | undefined {
  const at = addressOf(block)
  const inner = block.inner ?? []
  const word = (keyword: string): string | undefined => inner.find((line) => line.keyword === keyword)?.words[0]
  if (at === undefined) leave(block, 'HAProxy listens at an address and a port. Write a virtual_server for each.')
  else if (word('protocol') === 'UDP') leave(block, 'HAProxy balances TCP.')
  if (at === undefined || word('protocol') === 'UDP') return undefined
  const seconds = numberOf(word('delay_loop')) ?? 60
  const lines = [
    `listen vs-${(block.words[0] ?? '').replaceAll(/[^\w.]/g, '-')}-${block.words[1] ?? ''}`,
    `  bind ${at} transparent`,
  ]
  const checks: Statement[] = []
  const servers: string[] = []
  for (const line of inner) {
    const { keyword } = line
    const algorithm = algorithms[line.words[0] ?? '']
    if ((keyword === 'lb_algo' || keyword === 'lvs_sched') && algorithm !== undefined)
      lines.push(`  balance ${algorithm}`)
    else if (keyword === 'persistence_timeout' && numberOf(line.words[0]) !== undefined)
      lines.push(`  stick-table type ip size 100k expire ${line.words[0]}s`, '  stick on src')
    else if (keyword === 'sorry_server' && addressOf(line) !== undefined)
      servers.push(`  server sorry ${addressOf(line)} backup`)
    else if (keyword === 'real_server' && addressOf(line) !== undefined)
      servers.push(realServer(line, { name: `s${servers.length + 1}`, seconds, checks, leave }))
    else if (keyword !== 'delay_loop' && !ofIpvs.has(keyword))
      leave({ ...line, words: line.words.slice(0, 2) }, 'HAProxy has nothing for it here. See its manual.')
  }
  return `${[...lines, ...httpCheck(checks, leave), ...servers].join('\n')}\n`
}

const kinds: ReadonlySet<string> = new Set(['TCP_CHECK', 'HTTP_GET', 'SSL_GET'])

function realServer(
  block: Statement,
  {
    name,
    seconds,
    checks,
    leave,
  }: { readonly name: string; readonly seconds: number; readonly checks: Statement[]; readonly leave: Leave },
): string {
  const options: string[] = []
  for (const line of block.inner ?? []) {
    const number = numberOf(line.words[0])
    if (line.keyword === 'weight' && number !== undefined && number <= 256) options.push(`weight ${number}`)
    else if (line.inner !== undefined && line.keyword !== 'weight') {
      if (!kinds.has(line.keyword)) leave(line, 'The server is checked by a connection instead.')
      else if (line.keyword !== 'TCP_CHECK') checks.push(line)
      const port = numberOf(line.inner.find(({ keyword }) => keyword === 'connect_port')?.words[0])
      const retry = numberOf(line.inner.find(({ keyword }) => keyword === 'retry')?.words[0])
      options.push(`check inter ${seconds}s`)
      if (port !== undefined && port <= 65_535) options.push(`port ${port}`)
      if (retry !== undefined && retry > 0) options.push(`fall ${retry}`)
      if (line.keyword === 'SSL_GET') options.push('check-ssl verify none')
    } else leave(line, 'HAProxy has nothing for it here. See its manual.')
  }
  return `  ${['server', name, addressOf(block), ...options].join(' ')}`
}

/** HAProxy asks all servers of a section for the same. */
function httpCheck(checks: readonly Statement[], leave: Leave): readonly string[] {
  const urls = checks.flatMap((check) => (check.inner ?? []).filter(({ keyword }) => keyword === 'url'))
  const [first] = urls
  if (first === undefined) return []
  const valueIn = (url: Statement, keyword: string): string =>
    url.inner?.find((line) => line.keyword === keyword)?.words[0] ?? ''
  const path = valueIn(first, 'path')
  for (const url of urls) {
    if (valueIn(url, 'path') !== path) leave(url, `HAProxy asks all servers for one path, which is ${path}.`)
    if (valueIn(url, 'digest') !== '') leave(url, 'HAProxy looks at the status and not at a digest.')
  }
  if (!/^\/[\w./?=&%~+,:;@-]*$/.test(path)) {
    leave(first, 'The path is not one that is written to a configuration. The server is checked by a connection.')
    return []
  }
  const status = valueIn(first, 'status_code')
  const expected = /^\d{3}(-\d{3})?$/.test(status) ? status : '200'
  return [`  option httpchk GET ${path}`, `  http-check expect status ${expected}`]
}

function addressOf({ words: [address = '', port = ''] }: Statement): string | undefined {
  const number = numberOf(port)
  if (isIP(address) === 0 || number === undefined || number < 1 || number > 65_535) return undefined
  return isIP(address) === 6 ? `[${address}]:${number}` : `${address}:${number}`
}

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined
