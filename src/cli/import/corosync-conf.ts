/** corosync.conf: sections in braces, `key: value` lines (corosync.conf(5)). */

export interface CorosyncSection {
  readonly name: string
  readonly values: ReadonlyMap<string, string>
  readonly sections: readonly CorosyncSection[]
}

export interface CorosyncNode {
  readonly name: string
  readonly id: string
  /** `ringX_addr`, as written: an address or a host name. */
  readonly links: readonly { readonly number: number; readonly address: string }[]
  readonly votes: number
}

/** A section `interface`. */
export interface CorosyncLink {
  readonly number: number
  /** `knet_link_priority`. */
  readonly priority?: number
  /** Of older files: the network in which every node finds its own address. */
  readonly network?: string
}

export interface CorosyncFacts {
  readonly clusterName: string | undefined
  readonly nodes: readonly CorosyncNode[]
  readonly links: readonly CorosyncLink[]
  /** `token`, where it is written. */
  readonly tokenMs: number | undefined
  /** After which a silent node is given up there: with the default and the coefficient for the number of nodes. */
  readonly effectiveTokenMs: number
  readonly twoNode: boolean
  readonly quorumDevice: QuorumDevice | undefined
  /** Options of votequorum that are on. */
  readonly quorumOptions: readonly string[]
  /** Names of what is in the file and was not read: `totem.crypto_cipher`, `logging`. */
  readonly others: readonly string[]
}

export interface QuorumDevice {
  /** Such as `net`. */
  readonly model: string
  readonly host?: string
  readonly algorithm?: string
  readonly heuristics: boolean
}

/** The line at which the text is no corosync.conf, or its sections. */
export function parseCorosyncConf(text: string): CorosyncSection | { readonly badLine: number } {
  interface Open {
    readonly name: string
    readonly values: Map<string, string>
    readonly sections: CorosyncSection[]
  }
  const root: Open = { name: '', values: new Map(), sections: [] }
  const open: Open[] = [root]
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) continue
    const opening = /^([\w-]+)\s*\{$/.exec(trimmed)
    const pair = /^([\w.-]+)\s*:\s*(.*)$/.exec(trimmed)
    const current = open.at(-1) ?? root
    if (opening?.[1] !== undefined) open.push({ name: opening[1], values: new Map(), sections: [] })
    else if (trimmed === '}' && open.length > 1) {
      open.pop()
      open.at(-1)?.sections.push(current)
    } else if (pair?.[1] !== undefined) current.values.set(pair[1], pair[2] ?? '')
    else return { badLine: index + 1 }
  }
  return open.length === 1 ? root : { badLine: lines.length }
}

/** corosync.conf(5): the token, and what each node from the third on adds to it; in milliseconds. */
const defaultTokenMs = 3000
const defaultCoefficientMs = 650

export function corosyncFacts(root: CorosyncSection): CorosyncFacts {
  const section = (name: string): CorosyncSection | undefined => root.sections.find((each) => each.name === name)
  const [totem, quorum] = [section('totem'), section('quorum')]
  const nodes = (section('nodelist')?.sections ?? []).filter(({ name }) => name === 'node').map(nodeOf)
  const tokenMs = numberOf(totem, 'token')
  const coefficientMs = numberOf(totem, 'token_coefficient') ?? defaultCoefficientMs
  const isOn = (option: string): boolean => quorum?.values.get(option) === '1'
  return {
    clusterName: totem?.values.get('cluster_name'),
    nodes,
    links: (totem?.sections ?? []).filter(({ name }) => name === 'interface').map(linkOf),
    tokenMs,
    effectiveTokenMs: (tokenMs ?? defaultTokenMs) + Math.max(0, nodes.length - 2) * coefficientMs,
    twoNode: isOn('two_node'),
    quorumDevice: deviceOf(quorum?.sections.find(({ name }) => name === 'device')),
    quorumOptions: ['wait_for_all', 'auto_tie_breaker', 'last_man_standing', 'allow_downscale'].filter(isOn),
    others: othersOf(root),
  }
}

function nodeOf({ values }: CorosyncSection): CorosyncNode {
  const links = [...values].flatMap(([key, address]) => {
    const number = /^ring(\d)_addr$/.exec(key)?.[1]
    return number === undefined ? [] : [{ number: Number(number), address }]
  })
  const [first] = links.sort((one, other) => one.number - other.number)
  const votes = Number(values.get('quorum_votes') ?? '1')
  return { name: values.get('name') ?? first?.address ?? '', id: values.get('nodeid') ?? '', links, votes }
}

/** `ringnumber` is what `linknumber` was called; the first is 0. */
function linkOf(section: CorosyncSection, index: number): CorosyncLink {
  const number = numberOf(section, 'linknumber') ?? numberOf(section, 'ringnumber') ?? index
  const priority = numberOf(section, 'knet_link_priority')
  const network = section.values.get('bindnetaddr')
  return { number, ...(priority === undefined ? {} : { priority }), ...(network === undefined ? {} : { network }) }
}

function deviceOf(device: CorosyncSection | undefined): QuorumDevice | undefined {
  if (device === undefined) return undefined
  const net = device.sections.find(({ name }) => name === 'net')?.values
  const heuristics = device.sections.find(({ name }) => name === 'heuristics')?.values.get('mode') ?? 'off'
  const [host, algorithm] = [net?.get('host'), net?.get('algorithm')]
  return {
    model: device.values.get('model') ?? '',
    ...(host === undefined ? {} : { host }),
    ...(algorithm === undefined ? {} : { algorithm }),
    heuristics: heuristics !== 'off',
  }
}

function numberOf(section: CorosyncSection | undefined, key: string): number | undefined {
  const number = Number(section?.values.get(key) ?? Number.NaN)
  return Number.isFinite(number) ? number : undefined
}

/** What is read, or says nothing that could be otherwise here. */
const known: Readonly<Record<string, RegExp>> = {
  totem: /^(version|cluster_name|token|token_coefficient|ip_version)$/,
  quorum: /^(provider|expected_votes|two_node|wait_for_all|auto_tie_breaker|last_man_standing|allow_downscale)$/,
  interface: /^(linknumber|ringnumber|knet_link_priority|bindnetaddr)$/,
  node: /^(name|nodeid|quorum_votes|ring\d_addr)$/,
  nodelist: /^$/,
}

function othersOf({ sections }: CorosyncSection): readonly string[] {
  const names = sections.flatMap(({ name, values, sections: inner }) => {
    const read = known[name]
    if (read === undefined) return [name]
    const below = name === 'totem' || name === 'nodelist' ? inner : []
    const keysOf = (each: CorosyncSection): readonly string[] =>
      [...each.values.keys()].filter((key) => !known[each.name]?.test(key)).map((key) => `${each.name}.${key}`)
    return [...keysOf({ name, values, sections: [] }), ...below.flatMap(keysOf)]
  })
  return [...new Set(names)]
}
