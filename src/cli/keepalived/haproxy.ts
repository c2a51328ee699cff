/**
 * The virtual servers of keepalived.conf as a configuration of HAProxy, for clusters that give up IPVS. What HAProxy does otherwise, or not at all, is named. Servers see HAProxy's
 * address and not the client's.
 */
import { isIP } from 'node:net'
import type { LeftOut } from './notes.ts'
import type { Statement } from './read-blocks.ts'

export interface Balancing {
  /** Undefined: HAProxy can balance none of them. */
  readonly text: string | undefined
  readonly leftOut: readonly LeftOut[]
}

const algorithms: Readonly<Record<string, string>> = {
  ...{ rr: 'roundrobin', wrr: 'roundrobin', lc: 'leastconn', wlc: 'leastconn', sh: 'source' },
}
const head = `# Made from keepalived.conf. HAProxy must run where the addresses are, or be allowed to bind to others (transparent).
defaults
  mode tcp
  timeout connect 5s
  timeout client 1m
  timeout server 1m
`

/** Undefined where there is no virtual server. */
export function haproxyOf(statements: readonly Statement[]): Balancing | undefined {
  const leftOut: LeftOut[] = []
  const leave = ({ place, keyword, words }: Statement, why: string): void =>
    void leftOut.push({ place, what: [keyword, ...words].join(' '), why })
  const servers = statements.filter(({ keyword }) => keyword === 'virtual_server')
  const named = statements.filter(({ keyword }) => keyword === 'virtual_server_group')
  const groups = new Map(named.map(({ words: [name = ''], inner = [] }) => [name, inner] as const))
  const sections = servers.flatMap((server) => listenSection(server, { groups, leave }) ?? [])
  if (servers.length === 0) return undefined
  return { text: sections.length === 0 ? undefined : [head, ...sections].join('\n'), leftOut }
}

const keptInstead = 'To keep it in the kernel, run keepalived with its option --check on all nodes.'

type Leave = (statement: Statement, why: string) => void

function listenSection(
  block: Statement,
  { groups, leave }: { readonly groups: ReadonlyMap<string, readonly Statement[]>; readonly leave: Leave },
): string | undefined {
  const inner = block.inner ?? []
  const word = (keyword: string): string | undefined => inner.find((line) => line.keyword === keyword)?.words[0]
  const places = placesOf(block, { groups, leave })
  const isUdp = ['UDP', 'SCTP'].includes(word('protocol') ?? '')
  if (places.length === 0)
    leave(block, `HAProxy listens at an address and a port. Write a virtual_server for each. ${keptInstead}`)
  else if (isUdp) leave(block, `HAProxy balances TCP only. ${keptInstead}`)
  if (places.length === 0 || isUdp) return undefined
  const seconds = numberOf(word('delay_loop')) ?? 60
  const name = block.words.slice(block.words[0] === 'group' ? 1 : 0, 2).join('-')
  const lines = [`listen vs-${name.replaceAll(/[^\w.-]/g, '-')}`, ...places.map((at) => `  bind ${at} transparent`)]
  const checks: Statement[] = []
  const servers: string[] = []
  for (const line of inner) {
    if (line.keyword === 'sorry_server' && addressOf(line) !== undefined)
      servers.push(`  server sorry ${addressOf(line)} backup`)
    else if (line.keyword === 'real_server' && addressOf(line) !== undefined)
      servers.push(
        realServer(line, { name: `s${servers.length + 1}`, seconds, checks, leave, host: word('virtualhost') }),
      )
    else lines.push(...ofSection(line, leave))
  }
  return `${[...lines, ...httpCheck(checks, { leave, host: word('virtualhost') }), ...servers].join('\n')}\n`
}

/** Addresses of the block, or of the group that it names. */
function placesOf(
  block: Statement,
  { groups, leave }: { readonly groups: ReadonlyMap<string, readonly Statement[]>; readonly leave: Leave },
): readonly string[] {
  const [kind, group = ''] = block.words
  if (kind !== 'group') return [addressOf(block) ?? []].flat()
  return (groups.get(group) ?? []).flatMap((line) => {
    const at = addressOf({ ...line, words: [line.keyword, ...line.words] })
    if (at === undefined) leave(line, 'HAProxy listens at an address and a port. Write a line for each.')
    return at ?? []
  })
}

/** Lines of a section for a word of a virtual server. */
function ofSection(line: Statement, leave: Leave): readonly string[] {
  const { keyword, words } = line
  const [word = ''] = words
  const algorithm = algorithms[word]
  if ((keyword === 'lb_algo' || keyword === 'lvs_sched') && algorithm !== undefined) return [`  balance ${algorithm}`]
  if (keyword === 'persistence_timeout' && numberOf(word) !== undefined)
    return [`  stick-table type ip size 100k expire ${word}s`, '  stick on src']
  const isDone =
    ['delay_loop', 'virtualhost'].includes(keyword) ||
    (keyword === 'protocol' && word === 'TCP') ||
    (ofForwarding.has(keyword) && word === 'NAT')
  if (!isDone) leave({ ...line, words: words.slice(0, 2) }, reasons[keyword] ?? nothingHere)
  return []
}

const nothingHere = 'HAProxy has nothing for it here. See its manual.'
const ofForwarding: ReadonlySet<string> = new Set(['lb_kind', 'lvs_method'])
const direct =
  'Servers answered the client by themselves. Answers go through HAProxy now: remove the address of the virtual server from them.'
const reasons: Readonly<Record<string, string>> = {
  lb_kind: direct,
  lvs_method: direct,
  alpha: 'Servers of HAProxy are up until a check has failed.',
  ops: 'It is for UDP, which HAProxy does not balance.',
}

const kinds: ReadonlySet<string> = new Set(['TCP_CHECK', 'HTTP_GET', 'SSL_GET'])

function realServer(
  block: Statement,
  {
    name,
    seconds,
    checks,
    leave,
    host,
  }: {
    readonly name: string
    readonly seconds: number
    readonly checks: Statement[]
    readonly leave: Leave
    readonly host: string | undefined
  },
): string {
  const options: string[] = []
  for (const line of block.inner ?? []) {
    const number = numberOf(line.words[0])
    if (line.keyword === 'weight' && number !== undefined && number <= 256) options.push(`weight ${number}`)
    else if (kinds.has(line.keyword)) {
      if (line.keyword !== 'TCP_CHECK') checks.push(line)
      options.push(...checkOptions(line, { seconds, leave }))
    } else if (line.inner !== undefined) {
      leave(line, 'The server is checked by a connection instead.')
      options.push(`check inter ${seconds}s`)
    } else if (line.keyword !== 'virtualhost' || line.words[0] !== host) leave(line, nothingHere)
  }
  return `  ${['server', name, addressOf(block), ...options].join(' ')}`
}

function checkOptions(
  check: Statement,
  { seconds, leave }: { readonly seconds: number; readonly leave: Leave },
): readonly string[] {
  const options: string[] = []
  let every = seconds
  for (const line of check.inner ?? []) {
    const [word = ''] = line.words
    const number = numberOf(word)
    if (line.keyword === 'connect_port' && number !== undefined && number > 0 && number <= 65_535)
      options.push(`port ${number}`)
    else if (line.keyword === 'connect_ip' && isIP(word) !== 0) options.push(`addr ${word}`)
    else if ((line.keyword === 'retry' || line.keyword === 'nb_get_retry') && number !== undefined && number > 0)
      options.push(`fall ${number}`)
    else if (line.keyword === 'delay_loop' && number !== undefined && number > 0) every = number
    else if (line.keyword === 'enable_sni' || (line.keyword === 'url' && line.inner !== undefined)) continue
    else if (line.keyword !== 'virtualhost' || check.keyword === 'TCP_CHECK') leave(line, nothingHere)
  }
  const tls = check.keyword === 'SSL_GET' ? ['check-ssl verify none'] : []
  return [`check inter ${every}s`, ...options, ...tls]
}

/** HAProxy asks all servers of a section for the same. */
function httpCheck(
  checks: readonly Statement[],
  { leave, host }: { readonly leave: Leave; readonly host: string | undefined },
): readonly string[] {
  const urls = checks.flatMap((check) => (check.inner ?? []).filter(({ keyword }) => keyword === 'url'))
  const [first] = urls
  if (first === undefined) return []
  const valueIn = (statement: Statement | undefined, keyword: string): string =>
    statement?.inner?.find((line) => line.keyword === keyword)?.words[0] ?? ''
  const path = valueIn(first, 'path')
  for (const url of urls) {
    if (valueIn(url, 'path') !== path) leave(url, `HAProxy asks all servers for one path, which is ${path}.`)
    for (const line of url.inner ?? [])
      if (line.keyword === 'digest') leave(line, 'HAProxy looks at the status and not at a digest.')
      else if (!['path', 'status_code', 'virtualhost'].includes(line.keyword)) leave(line, nothingHere)
  }
  if (!/^\/[\w./?=&%~+,:;@-]*$/.test(path)) {
    leave(first, 'The path is not one that is written to a configuration. The server is checked by a connection.')
    return []
  }
  const name = valueIn(first, 'virtualhost') || valueIn(checks[0], 'virtualhost') || (host ?? '')
  const isName = /^[\w.-]{1,253}$/.test(name)
  if (name !== '' && !isName) leave(first, 'The virtualhost is not the name of a host. Servers are asked without one.')
  const status = valueIn(first, 'status_code')
  const expected = /^\d{3}(-\d{3})?$/.test(status) ? status : '200'
  const asked = isName
    ? ['  option httpchk', `  http-check send meth GET uri ${path} ver HTTP/1.1 hdr Host ${name}`]
    : [`  option httpchk GET ${path}`]
  return [...asked, `  http-check expect status ${expected}`]
}

function addressOf({ words: [address = '', port = ''] }: Statement): string | undefined {
  const number = numberOf(port)
  if (isIP(address) === 0 || number === undefined || number < 1 || number > 65_535) return undefined
  return isIP(address) === 6 ? `[${address}]:${number}` : `${address}:${number}`
}

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined
