/**
 * A service as the configuration declares it: one meta-attribute of the resource that provides it, `systole-service-<name>`, whose value is
 * words such as `port=80 tags=public weight=10`. Pacemaker passes over meta-attributes that it does not know, its schema takes any name,
 * and whatever copies, exports or deletes the resource takes the service along.
 */
import { durationWord, failed, ok, parseDurationMs, type Result } from '../base/index.ts'

export const serviceAttributePrefix = 'systole-service-'

export type Check =
  /** The recorded results of the resource's own operations. */
  | { readonly kind: 'monitor' }
  /** Beside those, a probe of the node that runs the instance. */
  | (Timing & { readonly kind: 'tcp' })
  | (Timing & { readonly kind: 'http'; readonly path: string })
  /** The protocol grpc.health.v1; an empty name asks for the server as a whole. */
  | (Timing & { readonly kind: 'grpc'; readonly grpcService: string })
  /** A program in the folder of checks, by its name there. */
  | (Timing & { readonly kind: 'command'; readonly command: string })

interface Timing {
  readonly intervalMs: number
  readonly timeoutMs: number
}

export interface ServiceDefinition {
  readonly name: string
  /** The resource that declares it: a primitive, group, clone or bundle. */
  readonly resource: string
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly tags: readonly string[]
  readonly weight: number
  /** Of the node, an IP address, or the resource (such as a virtual IP) whose parameter `ip` it is. */
  readonly address: string
  readonly role?: 'Promoted'
  /** How many instances are to be healthy, where it is not as many as the resource has. */
  readonly expected?: number
  readonly check: Check
}

export const nodeAddress = 'node'

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const mostTags = 20
const defaultIntervalMs = 10_000
const defaultTimeoutMs = 3000
/** A check costs a connection or a process each time. */
const intervals = { from: 1000, to: 3_600_000, text: '1s to 1h' }
/** A check that hangs keeps others waiting (`CheckTurns`). */
const timeouts = { from: 100, to: 60_000, text: '100ms to 1min' }
const longestPath = 1024

/** A label of DNS, so that it can be asked for. */
const isServiceName = (name: string): boolean => label.test(name)

const keys = [
  'port',
  'protocol',
  'tags',
  'weight',
  'address',
  'role',
  'expected',
  'check',
  'path',
  'grpc-service',
  'command',
  'interval',
  'timeout',
] as const
type Key = (typeof keys)[number]
type Words = ReadonlyMap<Key, string>

/** From the words of its value. Each report is a sentence. */
export function parseService(
  { name, resource }: Pick<ServiceDefinition, 'name' | 'resource'>,
  text: string,
): Result<ServiceDefinition, string> {
  const reports: string[] = []
  const words = readWords(text, reports)
  if (!isServiceName(name))
    reports.push(
      `'${name}' cannot be the name of a service. Use up to 63 lower-case letters, digits and hyphens, as DNS does.`,
    )
  const check = readCheck(words, reports)
  const role = words.get('role')
  const expected = readNumber(words, { key: 'expected', from: 1, to: 1000 }, reports)
  const definition = {
    name,
    resource,
    port: readNumber(words, { key: 'port', from: 1, to: 65_535 }, reports) ?? 0,
    protocol: oneOf(words, { key: 'protocol', values: ['tcp', 'udp'] }, reports),
    tags: readTags(words, reports),
    weight: readNumber(words, { key: 'weight', from: 0, to: 65_535 }, reports) ?? 1,
    address: words.get('address') ?? nodeAddress,
    ...(role === undefined ? {} : { role: oneOf(words, { key: 'role', values: ['Promoted'] }, reports) }),
    ...(expected === undefined ? {} : { expected }),
    check,
  }
  if (!words.has('port')) reports.push('A service needs a port: port=<number>.')
  if (definition.protocol === 'udp' && ['tcp', 'http', 'grpc'].includes(check.kind))
    reports.push(`check=${check.kind} cannot probe a service of the protocol udp. Use check=command or check=monitor.`)
  return reports.length > 0 ? failed(...reports) : ok(definition)
}

function readWords(text: string, reports: string[]): Words {
  const words = new Map<Key, string>()
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const [, written = word, value = ''] = /^([^=]*)=(.*)$/.exec(word) ?? []
    const key = keys.find((known) => known === written)
    if (key === undefined) reports.push(`A service has no option '${written}'. Options: ${keys.join(', ')}.`)
    else if (words.has(key)) reports.push(`The option ${key} is given twice.`)
    else if (value === '') reports.push(`The option ${key} has no value.`)
    else words.set(key, value)
  }
  return words
}

function readNumber(
  words: Words,
  { key, from, to }: { readonly key: Key; readonly from: number; readonly to: number },
  reports: string[],
): number | undefined {
  const written = words.get(key)
  if (written === undefined) return undefined
  const number = /^\d{1,6}$/.test(written) ? Number(written) : Number.NaN
  if (number >= from && number <= to) return number
  reports.push(`The ${key} '${written}' is not a number from ${from} to ${to}.`)
  return undefined
}

/** The first of the values is the default. */
function oneOf<Value extends string>(
  words: Words,
  { key, values }: { readonly key: Key; readonly values: readonly [Value, ...Value[]] },
  reports: string[],
): Value {
  const written = words.get(key) ?? values[0]
  const found = values.find((value) => value === written)
  if (found === undefined) reports.push(`The ${key} '${written}' must be ${values.join(' or ')}.`)
  return found ?? values[0]
}

function readTags(words: Words, reports: string[]): readonly string[] {
  const tags = [...new Set(words.get('tags')?.split(',') ?? [])]
  for (const tag of tags)
    if (!label.test(tag))
      reports.push(`'${tag}' cannot be a tag. Use up to 63 lower-case letters, digits and hyphens, as DNS does.`)
  if (tags.length > mostTags) reports.push(`A service has at most ${mostTags} tags.`)
  return tags
}

function readCheck(words: Words, reports: string[]): Check {
  const kind = oneOf(words, { key: 'check', values: ['monitor', 'tcp', 'http', 'grpc', 'command'] }, reports)
  const unused = { path: 'http', command: 'command', 'grpc-service': 'grpc' } as const
  for (const key of ['path', 'command', 'grpc-service'] as const)
    if (words.has(key) && kind !== unused[key]) reports.push(`The option ${key} needs check=${unused[key]}.`)
  if (kind === 'monitor') {
    for (const key of ['interval', 'timeout'] as const)
      if (words.has(key))
        reports.push(
          `The option ${key} needs a check of the service's own: check=tcp, check=http, check=grpc or check=command.`,
        )
    return { kind }
  }
  const intervalMs = readDuration(words, { key: 'interval', otherwise: defaultIntervalMs, bounds: intervals }, reports)
  const timeoutMs = readDuration(words, { key: 'timeout', otherwise: defaultTimeoutMs, bounds: timeouts }, reports)
  if (kind === 'tcp') return { kind, intervalMs, timeoutMs }
  if (kind === 'http') return { kind, intervalMs, timeoutMs, path: readPath(words, reports) }
  if (kind === 'grpc') return { kind, intervalMs, timeoutMs, grpcService: readGrpcService(words, reports) }
  const command = words.get('command') ?? ''
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(command))
    reports.push(
      command === ''
        ? 'check=command needs command=<name>: a program in the folder checks of /etc/systole.'
        : `The command '${command}' is not the name of a program in the folder checks of /etc/systole.`,
    )
  return { kind, intervalMs, timeoutMs, command }
}

/** A name of protobuf, with its package. */
function readGrpcService(words: Words, reports: string[]): string {
  const name = words.get('grpc-service') ?? ''
  if (!/^[\w./-]{0,200}$/.test(name))
    reports.push(`The grpc-service '${name}' is not the name of a service of gRPC, such as shop.v1.Cart.`)
  return name
}

function readPath(words: Words, reports: string[]): string {
  const path = words.get('path') ?? '/'
  if (path.length > longestPath) reports.push(`The path has ${path.length} characters. The limit is ${longestPath}.`)
  else if (!/^\/[\x21-\x7e]*$/.test(path)) reports.push(`The path '${path}' must begin with /.`)
  return path
}

interface Duration {
  readonly key: 'interval' | 'timeout'
  readonly otherwise: number
  readonly bounds: { readonly from: number; readonly to: number; readonly text: string }
}

function readDuration(words: Words, { key, otherwise, bounds }: Duration, reports: string[]): number {
  const written = words.get(key)
  if (written === undefined) return otherwise
  const ms = parseDurationMs(written)
  if (ms !== undefined && ms >= bounds.from && ms <= bounds.to) return ms
  reports.push(`The ${key} '${written}' is not a duration from ${bounds.text}. Examples: 5s, 1500ms, 1min.`)
  return otherwise
}

/** The words that stand for it in the configuration: only what is not the default. */
export function printService(service: ServiceDefinition): string {
  const { port, protocol, tags, weight, address, role, expected, check } = service
  const words = [
    `port=${port}`,
    ...(protocol === 'tcp' ? [] : [`protocol=${protocol}`]),
    ...(tags.length === 0 ? [] : [`tags=${tags.join(',')}`]),
    ...(weight === 1 ? [] : [`weight=${weight}`]),
    ...(address === nodeAddress ? [] : [`address=${address}`]),
    ...(role === undefined ? [] : [`role=${role}`]),
    ...(expected === undefined ? [] : [`expected=${expected}`]),
    ...printCheck(check),
  ]
  return words.join(' ')
}

function printCheck(check: Check): readonly string[] {
  if (check.kind === 'monitor') return []
  return [
    `check=${check.kind}`,
    ...(check.kind === 'http' && check.path !== '/' ? [`path=${check.path}`] : []),
    ...(check.kind === 'grpc' && check.grpcService !== '' ? [`grpc-service=${check.grpcService}`] : []),
    ...(check.kind === 'command' ? [`command=${check.command}`] : []),
    ...(check.intervalMs === defaultIntervalMs ? [] : [`interval=${durationWord(check.intervalMs)}`]),
    ...(check.timeoutMs === defaultTimeoutMs ? [] : [`timeout=${durationWord(check.timeoutMs)}`]),
  ]
}
