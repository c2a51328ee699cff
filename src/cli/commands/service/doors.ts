/** Where services can be asked for beside the command line: cluster options that open a port on every node, and say so. */
import type { Result } from '../../../base/index.ts'
import { clusterOptionValue, readConfiguration, setClusterOptions, type XmlElement } from '../../../cib/index.ts'
import {
  type DnsSetting,
  type Door,
  dnsOption,
  type HttpSetting,
  httpOption,
  parseDnsSetting,
  parseHttpSetting,
  printDnsSetting,
  printHttpSetting,
} from '../../../services/index.ts'
import { type Call, type Command, changeFlags, done, type Outcome, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { takenBefore, untilOpen } from './door-open.ts'

interface Kind<Setting extends Door> {
  readonly word: 'dns' | 'http'
  readonly called: string
  readonly option: string
  readonly parse: (text: string) => Result<Setting | undefined, string>
  readonly print: (setting: Setting) => string
  /** What is opened, as sentences. */
  readonly opens: (setting: Setting) => string
}

const dnsKind: Kind<DnsSetting> = {
  word: 'dns',
  called: 'DNS',
  option: dnsOption,
  parse: parseDnsSetting,
  print: printDnsSetting,
  opens: (setting) =>
    [
      `DNS is on. Every node answers questions about ${setting.domain} at ${whereOf(setting)}, by UDP and TCP, ${whoOf(setting)}.`,
      'They learn the names, addresses and ports of healthy services, and the addresses of the nodes.',
      ...(setting.forward.length === 0
        ? []
        : [
            `Questions about other names are passed on to ${setting.forward.join(', ')} for this host, the nodes of the cluster${setting.clients === undefined ? '' : ' and the named clients'}.`,
          ]),
      ...[...setting.clusters].map(
        ([name, addresses]) =>
          `Questions about services and nodes of the cluster ${name} are passed on to ${addresses.join(', ')}.`,
      ),
    ].join('\n'),
}

const httpKind: Kind<HttpSetting> = {
  word: 'http',
  called: 'HTTP',
  option: httpOption,
  parse: parseHttpSetting,
  print: printHttpSetting,
  opens: (setting) =>
    [
      `HTTP is on. Every node answers at ${whereOf(setting)}, without encryption, ${whoOf(setting)}.`,
      'They read the services, their instances, addresses and states, and the reasons of failures. They change nothing.',
    ].join('\n'),
}

/** The settings that `property set` may write as well, each with its reader. */
const readers: Readonly<Record<string, (text: string) => Result<unknown, string>>> = {
  [dnsOption]: parseDnsSetting,
  [httpOption]: parseHttpSetting,
}

/** What is wrong with options of these names, a sentence each. */
export const doorMistakes = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const parsed = readers[name]?.(value)
    return parsed === undefined || parsed.ok ? [] : parsed.reports.map((report) => `${name}: ${report}`)
  })

function whereOf({ listen, port }: Door): string {
  const places = listen.map((where) =>
    where === 'local' ? '127.0.0.1' : where === 'node' ? 'its addresses in the cluster' : where,
  )
  return `${places.join(' and ')}, port ${port}`
}

const whoOf = ({ clients }: Door): string =>
  clients === undefined
    ? 'for anyone who can reach it'
    : `for this host, the nodes of the cluster and ${clients.join(', ')} only`

function current<Setting extends Door>(
  cib: XmlElement,
  { option, parse }: Kind<Setting>,
): Result<Setting | undefined, string> {
  return parse(clusterOptionValue(readConfiguration(cib), option))
}

async function enable<Setting extends Door>(call: Call, kind: Kind<Setting>): Promise<Outcome> {
  const { parse, print, option, opens } = kind
  const broken = call.words.filter((word) => /\s/.test(word))
  if (broken.length > 0) throw new Refusal(...broken.map((word) => `'${word}' may not have blanks in it.`))
  const bare = call.words.filter((word) => !word.includes('='))
  if (bare.length > 0) throw new Refusal(...bare.map((word) => `Expected <option>=<value> instead of '${word}'.`))
  const { cib } = await call.cluster.readCib()
  const settingFor = (before: XmlElement): Setting => {
    const was = current(before, kind)
    const old = was.ok && was.value !== undefined ? print(was.value).split(' ') : []
    const changed = call.words.map((word) => word.slice(0, Math.max(word.indexOf('='), 0)))
    const kept = old.filter((word) => !changed.some((key) => word.startsWith(`${key}=`)))
    const parsed = parse(['on', ...kept, ...call.words.filter((word) => !/^[^=]*=$/.test(word))].join(' '))
    if (!parsed.ok) throw new Refusal(...parsed.reports)
    if (parsed.value === undefined) throw new Refusal(`'${call.words.join(' ')}' is not a setting.`)
    return parsed.value
  }
  const setting = settingFor(cib)
  const { live } = call.cluster
  const was = current(cib, kind)
  const listened = was.ok && was.value !== undefined && placesOf(was.value) === placesOf(setting)
  const waits = live !== undefined && !listened && !call.flags.has('preview')
  const taken = waits ? await takenBefore(live, setting) : undefined
  const outcome = await changeCib(call, {
    edit: (before) => setClusterOptions(before, { values: { [option]: print(settingFor(before)) }, force: false }),
    message: () => opens(setting),
    facts: () => ({ [kind.word]: factsOf(setting) }),
  })
  if (!waits || outcome.kind !== 'done') return outcome
  const trouble = taken ?? (await untilOpen(live, setting))
  if (trouble === undefined) return outcome
  return { ...outcome, text: `${outcome.text}${trouble}\n`, json: { ...(outcome.json as object), trouble } }
}

const placesOf = ({ listen, port }: Door): string => [...listen, port].join(' ')

async function disable<Setting extends Door>(call: Call, { word, option, called }: Kind<Setting>): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: `service ${word} disable` })
  return await changeCib(call, {
    edit: (cib) => setClusterOptions(cib, { values: { [option]: '' }, force: true }),
    message: () => `${called} is off. Nodes no longer listen for it.`,
  })
}

async function show<Setting extends Door>(call: Call, kind: Kind<Setting>): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: `service ${kind.word}` })
  const setting = current((await call.cluster.readCib()).cib, kind)
  if (!setting.ok) throw new Refusal(...setting.reports.map((report) => `The cluster option ${kind.option}: ${report}`))
  return setting.value === undefined
    ? done(`${kind.called} is off.\n`, { [kind.word]: null })
    : done(`${kind.opens(setting.value)}\n  ${kind.option}=${kind.print(setting.value)}\n`, {
        [kind.word]: factsOf(setting.value),
      })
}

const factsOf = (setting: Door): unknown =>
  Object.fromEntries(
    Object.entries(setting).map(([key, value]) => [key, value instanceof Map ? Object.fromEntries(value) : value]),
  )

const dnsUsage =
  '[domain=<domain>] [port=<number>] [listen=local|node|<ip>,...] [clients=<network>,...] [ttl=<duration>] [without-quorum=refuse|mark] [forward=<ip>,...] [cluster.<name>=<ip>,...]...'

export const serviceDnsEnable: Command = {
  path: ['service', 'dns', 'enable'],
  usage: dnsUsage,
  summary: 'Let every node answer DNS questions about services and nodes; opens port 53 by UDP and TCP',
  details:
    'Each node listens at 127.0.0.1 and at its own addresses in the cluster (listen=local,node), or at the addresses that are given. Names are <service>.service.<domain>, <tag>.<service>.service.<domain>, _<service>._tcp.service.<domain> and <node>.node.<domain>; the domain is systole by default. Only healthy instances are in the answers, which are valid for ttl (5s). Anyone who reaches the port may ask, or with clients= only this host, the nodes and these networks. Without quorum a node refuses to answer, or with without-quorum=mark says what it knew last, with ttl 0. With forward= other names are passed on to these name servers; with cluster.<name>= names of that cluster to its nodes, at port 53. Options that are not given stay as they are; an empty value restores the default.',
  examples: [
    'systole service dns enable',
    'systole service dns enable domain=cluster.internal clients=10.0.0.0/8 forward=10.0.0.53',
    'systole service dns enable cluster.east=10.1.0.1,10.1.0.2',
  ],
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => await enable(call, dnsKind),
}

export const serviceDnsDisable: Command = {
  path: ['service', 'dns', 'disable'],
  usage: '',
  summary: 'Close the DNS port of every node',
  flags: changeFlags,
  run: async (call) => await disable(call, dnsKind),
}

export const serviceDnsShow: Command = {
  path: ['service', 'dns', 'show'],
  bare: [['service', 'dns']],
  usage: '',
  summary: 'Show whether the nodes answer DNS questions, where, and to whom',
  run: async (call) => await show(call, dnsKind),
}

export const serviceHttpEnable: Command = {
  path: ['service', 'http', 'enable'],
  usage: '[port=<number>] [listen=local|node|<ip>,...] [clients=<network>,...]',
  summary: 'Let every node answer Consul’s clients about services by HTTP, read-only; opens port 8500',
  details:
    'Each node listens at 127.0.0.1 and at its own addresses in the cluster (listen=local,node), or at the addresses that are given, without encryption. It answers GET of /v1/catalog/services, /v1/catalog/service/<name>, /v1/health/service/<name>, /v1/agent/services as Consul does, also with index and wait, and sends changes as server-sent events at /v1/systole/events. Anyone who reaches the port may read, or with clients= only this host, the nodes and these networks. Without quorum a node answers only requests with the parameter stale. Options that are not given stay as they are; an empty value restores the default.',
  examples: ['systole service http enable listen=local', 'systole service http enable clients=10.0.0.0/8'],
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => await enable(call, httpKind),
}

export const serviceHttpDisable: Command = {
  path: ['service', 'http', 'disable'],
  usage: '',
  summary: 'Close the HTTP port for services of every node',
  flags: changeFlags,
  run: async (call) => await disable(call, httpKind),
}

export const serviceHttpShow: Command = {
  path: ['service', 'http', 'show'],
  bare: [['service', 'http']],
  usage: '',
  summary: 'Show whether the nodes answer about services by HTTP, where, and to whom',
  run: async (call) => await show(call, httpKind),
}
