/**
 * pcs's words for self-fencing by a watchdog, and by messages on shared disks. There is no SBD daemon: `systoled` feeds the watchdog and reads the
 * disks itself.
 */
import {
  configuredPrimitives,
  type EditResult,
  readConfiguration,
  setClusterOptions,
  setNodeAttributes,
  type XmlElement,
} from '../../../cib/index.ts'
import { type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { changeCib } from '../../change/change.ts'
import { deviceName, disksName, watchdogSettingOf } from '../../facts/watchdog-setting.ts'
import { expectWords } from '../../grammar/words.ts'
import { kernelWatchdogs } from './kernel-watchdogs.ts'
import { disksOfThisHost, headerAndSlots } from './sbd-device.ts'

const usage = '[watchdog=<path>[@<node>]]... [device=<path>[@<node>]]... [SBD_WATCHDOG_TIMEOUT=<seconds>]'
/** As SBD has it. */
const mostDisks = 3

export const sbdEnable: Command = {
  path: ['stonith', 'sbd', 'enable'],
  usage,
  summary: 'Enable the watchdog on every node, which resets a node that hangs or loses quorum',
  details:
    "The default path is /dev/watchdog; path@node sets the path for one node. Cluster members start at once. To count lost nodes as reset by the watchdog, also set fencing-watchdog-timeout: -1 waits twice the watchdog timeout. With device=, up to three for each node, a node reads messages on these disks (initialized with 'stonith sbd device setup'), and a fence_sbd device fences it through them. Such a node does not need quorum: it needs its disks, or the confirmation of the store that it is not being fenced. There is no SBD daemon: systoled does all this.",
  examples: [
    'systole stonith sbd enable',
    'systole stonith sbd enable watchdog=/dev/watchdog watchdog=/dev/watchdog1@n2 SBD_WATCHDOG_TIMEOUT=5',
    'systole stonith sbd enable device=/dev/disk/by-id/wwn-0x5000c5 watchdog=/dev/watchdog',
  ],
  flags: [
    ...changeFlags,
    {
      name: 'no-watchdog-validation',
      summary:
        'Without effect, accepted for compatibility with pcs: a node opens its watchdog when it starts to feed it',
      withoutEffect: 'a node opens its watchdog when it starts to feed it.',
    },
  ],
  run: async (call) => {
    const wanted = readWords(call.words)
    return await changeCib(call, {
      edit: (cib) => setWatchdogs(cib, wanted),
      message: ({ cib }) => `${describeSetting(cib)}${nextStep(cib)}`,
    })
  },
}

export const sbdDisable: Command = {
  path: ['stonith', 'sbd', 'disable'],
  usage: '',
  summary: 'Disable the watchdog on all nodes',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd disable' })
    return await changeCib(call, {
      edit: (cib) => setWatchdogs(cib, { watchdogs: none, disks: none, seconds: '', waited: '' }),
      message: () => 'Disabled the watchdog on all nodes. Lost nodes no longer count as reset by it.',
    })
  },
}

export const sbdStatus: Command = {
  path: ['stonith', 'sbd', 'status'],
  usage: '',
  summary: 'Show which nodes feed a watchdog and which disks they read',
  flags: [{ name: 'full', summary: 'Also show the header and slots of each disk, as the program sbd shows them' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd status [--full]' })
    const { members, localNode } = await liveCluster(call).getState({})
    const { cib } = await call.cluster.readCib()
    const { devices, disks, waited } = watchdogSettingOf(cib)
    const nodes = members.map(({ node, watchdogMs, sbdDisks }) => ({
      node,
      device: devices.get(node) ?? null,
      fed: watchdogMs !== undefined,
      timeoutMs: watchdogMs ?? null,
      disks: disks.get(node) ?? [],
      disksRead: sbdDisks,
    }))
    const withDisks = nodes.some((node) => node.disks.length > 0 || node.disksRead.length > 0)
    const rows = nodes.map(({ node, device, fed, timeoutMs, disksRead, ...wanted }) => [
      node,
      device ?? 'none',
      fed ? 'yes' : 'no',
      timeoutMs === null ? '' : `${timeoutMs / 1000} s`,
      ...(withDisks ? [wanted.disks.join(' ') || 'none', disksRead.length > 0 ? 'yes' : 'no'] : []),
    ])
    const heads = ['Node', 'Watchdog', 'Fed', 'Resets after', ...(withDisks ? ['Disks', 'Read'] : [])]
    const contents = call.flags.has('full') ? (disks.get(localNode) ?? []).map(headerAndSlots) : []
    const text = [`${alignColumns([heads, ...rows])}${describeWait(waited)}\n`, ...contents.map(({ text }) => text)]
    return done(text.join('\n'), {
      nodes,
      fencingWatchdogTimeout: waited,
      ...(call.flags.has('full') ? { disks: contents } : {}),
    })
  },
}

export const sbdConfig: Command = {
  path: ['stonith', 'sbd', 'config'],
  usage: '',
  summary: 'Show which watchdogs are configured',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd config' })
    const { cib } = await call.cluster.readCib()
    const { devices, disks, timeout, waited } = watchdogSettingOf(cib)
    const watchdogs = Object.fromEntries([...devices].map(([node, device]) => [node, device ?? null]))
    const facts = { watchdogs, disks: Object.fromEntries(disks), timeout, fencingWatchdogTimeout: waited }
    return done(`${describeSetting(cib)}\n${describeWait(waited)}\n`, facts)
  },
}

/** What pcs's daemon asks on each node. */
export const sbdLocalConfig: Command = {
  path: ['stonith', 'sbd', 'local_config_in_json'],
  usage: '',
  summary: 'Show the watchdog and disks of this host as JSON with SBD’s option names',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd local_config_in_json' })
    const { localNode } = await liveCluster(call).getState({})
    const { devices, timeout } = watchdogSettingOf((await call.cluster.readCib()).cib)
    const device = devices.get(localNode)
    const facts = {
      ...(device === undefined ? {} : { SBD_WATCHDOG_DEV: device }),
      ...(timeout === '0' ? {} : { SBD_WATCHDOG_TIMEOUT: timeout }),
      SBD_DEVICE: (await disksOfThisHost(call)).join(';'),
    }
    return done(`${JSON.stringify(facts)}\n`, facts)
  },
}

export const sbdWatchdogList: Command = {
  path: ['stonith', 'sbd', 'watchdog', 'list'],
  usage: '',
  summary: 'Show the watchdogs of this machine',
  run: (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd watchdog list' })
    const found = kernelWatchdogs()
    const lines = found.map(({ device, identity, timeout }) => `  ${device}: ${identity}, resets after ${timeout} s\n`)
    const text = found.length === 0 ? 'This machine has no watchdog device.\n' : `Watchdogs:\n${lines.join('')}`
    return Promise.resolve(done(text, found))
  },
}

/** A value for all nodes, and others for some. */
interface PerNode {
  readonly all: string
  readonly byNode: ReadonlyMap<string, string>
}

const none: PerNode = { all: '', byNode: new Map() }

interface Wanted {
  readonly watchdogs: PerNode
  readonly disks: PerNode
  /** Of the watchdogs, and of those who wait for them; undefined: as they are. */
  readonly seconds?: string
  readonly waited?: string
}

/** What was set for nodes before is forgotten. */
function setWatchdogs(cib: XmlElement, { watchdogs, disks, seconds, waited }: Wanted): EditResult {
  const values = {
    [deviceName]: watchdogs.all,
    [disksName]: disks.all,
    ...(seconds === undefined ? {} : { 'watchdog-timeout': seconds }),
    ...(waited === undefined ? {} : { 'fencing-watchdog-timeout': waited }),
  }
  const first = setClusterOptions(cib, { values })
  return setOnNodes(setOnNodes(first, deviceName, watchdogs.byNode), disksName, disks.byNode)
}

function setOnNodes(before: EditResult, name: string, values: ReadonlyMap<string, string>): EditResult {
  if (!before.ok) return before
  const set = readConfiguration(before.value.cib)
    .nodes.filter(({ attributes }) => attributes.some(({ pairs }) => pairs.some((pair) => pair.name === name)))
    .map((node) => [String(node.name), ''] as const)
  let result: EditResult = before
  for (const [node, value] of new Map([...set, ...values])) {
    if (!result.ok) return result
    result = setNodeAttributes(result.value.cib, { nodes: [node], values: { [name]: value } })
  }
  return result
}

function readWords(words: readonly string[]): Wanted {
  const pairs = words.map((word) => {
    const [name = '', ...value] = word.split('=')
    return [name, value.join('=')] as const
  })
  const unknown = pairs.filter(([name]) => !['watchdog', 'device', 'SBD_WATCHDOG_TIMEOUT'].includes(name))
  if (unknown.length > 0)
    throw new Refusal(
      ...unknown.map(([name]) => `'${name}' is an option of the SBD daemon, which Systole does not use. Use ${usage}.`),
    )
  const valuesOf = (name: string): readonly string[] =>
    pairs.filter((pair) => pair[0] === name).map(([, value]) => value)
  const seconds = valuesOf('SBD_WATCHDOG_TIMEOUT').at(-1)
  if (seconds !== undefined && !/^[1-9]\d*$/.test(seconds))
    throw new Refusal(`SBD_WATCHDOG_TIMEOUT=${seconds} is not a whole number of seconds above 0.`)
  const watchdogs = perNode(valuesOf('watchdog'), { what: 'watchdog', example: '/dev/watchdog', most: 1 })
  return {
    // Nodes that none is named for have none then.
    watchdogs: watchdogs.all === '' && watchdogs.byNode.size === 0 ? { ...none, all: '/dev/watchdog' } : watchdogs,
    disks: perNode(valuesOf('device'), { what: 'disk', example: '/dev/disk/by-id/…', most: mostDisks }),
    ...(seconds === undefined ? {} : { seconds }),
  }
}

interface PathKind {
  readonly what: string
  readonly example: string
  readonly most: number
}

/** `path` for all nodes, `path@node` for one. */
function perNode(values: readonly string[], { what, example, most }: PathKind): PerNode {
  const all: string[] = []
  const byNode = new Map<string, readonly string[]>()
  for (const value of values) {
    const [path = '', node] = value.split('@')
    if (!path.startsWith('/') || /[\s,;]/.test(path))
      throw new Refusal(`The ${what} '${path}' is not an absolute path, such as ${example}.`)
    if (node) byNode.set(node, [...(byNode.get(node) ?? []), path])
    else all.push(path)
  }
  const tooMany = [['all nodes', all] as const, ...byNode].find(([, paths]) => paths.length > most)
  if (tooMany)
    throw new Refusal(`${what}= is given ${tooMany[1].length} times for ${tooMany[0]}. The maximum is ${most}.`)
  return { all: all.join(','), byNode: new Map([...byNode].map(([node, paths]) => [node, paths.join(',')])) }
}

function describeSetting(cib: XmlElement): string {
  const { devices, disks, timeout } = watchdogSettingOf(cib)
  const lines = [...devices].map(([node, device]) => `  ${node}: ${device ?? 'none'}`)
  const readers = [...disks].filter(([, paths]) => paths.length > 0)
  const read = readers.map(([node, paths]) => `  ${node}: ${paths.join(' ')}\n`)
  const ofDisks = readers.length > 0 ? 'as set in the disk headers' : 'as set in the devices'
  const time = timeout === '0' || readers.length > 0 ? ofDisks : timeout
  const disksText = read.length === 0 ? '' : `Disks:\n${read.join('')}`
  return `Watchdogs:\n${lines.join('\n')}\n${disksText}Watchdog timeout: ${time}`
}

function nextStep(cib: XmlElement): string {
  const { disks, waited } = watchdogSettingOf(cib)
  const [written] = [...disks.values()].filter((paths) => paths.length > 0)
  if (written) {
    const fences = configuredPrimitives(readConfiguration(cib)).some(({ agent }) => agent.type === 'fence_sbd')
    return fences ? '' : `\nNext: systole stonith create <id> fence_sbd devices=${written.join(',')}`
  }
  return describeWait(waited) === notCounted
    ? `\n${notCounted} Next: systole property set fencing-watchdog-timeout=-1`
    : ''
}

const notCounted = 'Lost nodes do not count as reset by their watchdogs (fencing-watchdog-timeout=0).'

function describeWait(waited: string): string {
  if (/^\s*-/.test(waited))
    return 'Lost nodes count as reset after their leases expire plus twice the watchdog timeout.'
  return /^0+\D*$/.test(waited.trim())
    ? notCounted
    : `Lost nodes count as reset by their watchdogs ${waited} after their leases expire.`
}
