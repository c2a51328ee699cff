/** corosync.conf: sections in braces, `key: value` lines (corosync.conf(5)). */

export interface CorosyncSection {
  readonly name: string
  readonly values: ReadonlyMap<string, string>
  readonly sections: readonly CorosyncSection[]
}

export interface CorosyncFacts {
  readonly clusterName: string | undefined
  readonly nodes: readonly { readonly name: string; readonly address: string; readonly id: string }[]
  /** Milliseconds until a silent node is given up. */
  readonly tokenMs: number | undefined
  readonly twoNode: boolean
  /** The model of the quorum device, such as `net`. */
  readonly quorumDevice: string | undefined
  /** Options of votequorum that are on. */
  readonly quorumOptions: readonly string[]
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

export function corosyncFacts(root: CorosyncSection): CorosyncFacts {
  const section = (name: string): CorosyncSection | undefined => root.sections.find((each) => each.name === name)
  const [totem, quorum] = [section('totem'), section('quorum')]
  const device = quorum?.sections.find(({ name }) => name === 'device')
  const token = Number(totem?.values.get('token') ?? Number.NaN)
  const isOn = (option: string): boolean => quorum?.values.get(option) === '1'
  return {
    clusterName: totem?.values.get('cluster_name'),
    nodes: (section('nodelist')?.sections ?? [])
      .filter(({ name }) => name === 'node')
      .map(({ values }) => {
        const address = values.get('ring0_addr') ?? ''
        return { name: values.get('name') ?? address, address, id: values.get('nodeid') ?? '' }
      }),
    tokenMs: Number.isFinite(token) ? token : undefined,
    twoNode: isOn('two_node'),
    quorumDevice: device?.values.get('model'),
    quorumOptions: ['wait_for_all', 'auto_tie_breaker', 'last_man_standing', 'allow_downscale'].filter(isOn),
  }
}
