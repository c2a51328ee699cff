/**
 * pcs's words for self-fencing by a watchdog. There is no SBD: `systoled` feeds the watchdog itself, and there are no shared disks
 * with messages on them.
 */
import {
  type EditResult,
  readConfiguration,
  setClusterOptions,
  setNodeAttributes,
  type XmlElement,
} from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Command, changeFlags, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { alignColumns } from '../../table.ts'
import { expectWords } from '../../words.ts'
import { kernelWatchdogs } from './kernel-watchdogs.ts'
import { deviceName, watchdogSettingOf } from './watchdog-setting.ts'

const usage = '[watchdog=<path>[@<node>]]... [SBD_WATCHDOG_TIMEOUT=<seconds>]'

export const sbdEnable: Command = {
  path: ['stonith', 'sbd', 'enable'],
  usage,
  summary: 'Let every node feed a watchdog, which resets it when it hangs or has lost quorum',
  details:
    'Without a path it is /dev/watchdog; path@node sets it for one node. A node begins at once if it is a member of the cluster. For lost nodes to count as reset by it, set fencing-watchdog-timeout as well: -1 waits twice the watchdog’s time. There is no SBD daemon, and there are no shared disks: for those use a fence device such as fence_scsi.',
  examples: [
    'systole stonith sbd enable',
    'systole stonith sbd enable watchdog=/dev/watchdog watchdog=/dev/watchdog1@n2 SBD_WATCHDOG_TIMEOUT=5',
  ],
  flags: [...changeFlags, { name: 'no-watchdog-validation', summary: 'Accepted for pcs’s sake' }],
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
  summary: 'Let no node feed a watchdog any more',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd disable' })
    return await changeCib(call, {
      edit: (cib) => setWatchdogs(cib, { all: '', byNode: new Map(), seconds: '', waited: '' }),
      message: () => 'No node feeds a watchdog any more, and none counts as fenced by one.',
    })
  },
}

export const sbdStatus: Command = {
  path: ['stonith', 'sbd', 'status'],
  usage: '',
  summary: 'Show which nodes feed a watchdog now',
  flags: [{ name: 'full', summary: 'Accepted for pcs’s sake' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd status' })
    const { members } = await liveCluster(call).getState({})
    const { cib } = await call.cluster.readCib()
    const { devices, waited } = watchdogSettingOf(cib)
    const nodes = members.map(({ node, watchdogMs }) => ({
      node,
      device: devices.get(node) ?? null,
      fed: watchdogMs !== undefined,
      timeoutMs: watchdogMs ?? null,
    }))
    const rows = nodes.map(({ node, device, fed, timeoutMs }) => [
      node,
      device ?? 'none',
      fed ? 'yes' : 'no',
      timeoutMs === null ? '' : `${timeoutMs / 1000} s`,
    ])
    const table = alignColumns([['Node', 'Watchdog', 'Fed', 'Resets after'], ...rows])
    return done(`${table}${describeWait(waited)}\n`, { nodes, fencingWatchdogTimeout: waited })
  },
}

export const sbdConfig: Command = {
  path: ['stonith', 'sbd', 'config'],
  usage: '',
  summary: 'Show which watchdogs are configured',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith sbd config' })
    const { cib } = await call.cluster.readCib()
    const { devices, timeout, waited } = watchdogSettingOf(cib)
    const watchdogs = Object.fromEntries([...devices].map(([node, device]) => [node, device ?? null]))
    const facts = { watchdogs, timeout, fencingWatchdogTimeout: waited }
    return done(`${describeSetting(cib)}\n${describeWait(waited)}\n`, facts)
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
    const text =
      found.length === 0 ? 'The kernel of this machine knows no watchdog.\n' : `Watchdogs:\n${lines.join('')}`
    return Promise.resolve(done(text, found))
  },
}

interface Wanted {
  readonly all: string
  readonly byNode: ReadonlyMap<string, string>
  /** Of the watchdogs, and of those who wait for them; undefined: as they are. */
  readonly seconds?: string
  readonly waited?: string
}

/** What was set for nodes before is forgotten. */
function setWatchdogs(cib: XmlElement, { all, byNode, seconds, waited }: Wanted): EditResult {
  const values = {
    [deviceName]: all,
    ...(seconds === undefined ? {} : { 'watchdog-timeout': seconds }),
    ...(waited === undefined ? {} : { 'fencing-watchdog-timeout': waited }),
  }
  const set = readConfiguration(cib)
    .nodes.filter(({ attributes }) => attributes.some(({ pairs }) => pairs.some(({ name }) => name === deviceName)))
    .map(({ name }) => [name, ''] as const)
  let result = setClusterOptions(cib, { values })
  for (const [node, device] of new Map([...set, ...byNode])) {
    if (!result.ok) return result
    result = setNodeAttributes(result.value.cib, { nodes: [node], values: { [deviceName]: device } })
  }
  return result
}

function readWords(words: readonly string[]): Wanted {
  const pairs = words.map((word) => {
    const [name = '', ...value] = word.split('=')
    return [name, value.join('=')] as const
  })
  const unknown = pairs.filter(([name]) => name !== 'watchdog' && name !== 'SBD_WATCHDOG_TIMEOUT')
  if (unknown.length > 0)
    throw new Refusal(
      ...unknown.map(([name]) =>
        name === 'device'
          ? 'There is no SBD on shared disks here (device=): use a fence device such as fence_scsi.'
          : `'${name}' is an option of the SBD daemon, which is not there: use ${usage}.`,
      ),
    )
  const devices = pairs.filter(([name]) => name === 'watchdog').map(([, value]) => value.split('@'))
  for (const [path = ''] of devices)
    if (!path.startsWith('/')) throw new Refusal(`The watchdog '${path}' is no absolute path, such as /dev/watchdog.`)
  const byNode = devices.flatMap(([path = '', node]): readonly [string, string][] => (node ? [[node, path]] : []))
  const [all] = devices.find(([, node]) => node === undefined) ?? []
  const seconds = pairs.findLast(([name]) => name === 'SBD_WATCHDOG_TIMEOUT')?.[1]
  if (seconds !== undefined && !/^[1-9]\d*$/.test(seconds))
    throw new Refusal(`SBD_WATCHDOG_TIMEOUT=${seconds} is no whole number of seconds above 0.`)
  // Nodes that none is named for have none then.
  return {
    all: all ?? (byNode.length > 0 ? '' : '/dev/watchdog'),
    byNode: new Map(byNode),
    ...(seconds === undefined ? {} : { seconds }),
  }
}

function describeSetting(cib: XmlElement): string {
  const { devices, timeout } = watchdogSettingOf(cib)
  const lines = [...devices].map(([node, device]) => `  ${node}: ${device ?? 'none'}`)
  const time = timeout === '0' ? 'as the devices are set' : timeout
  return `Watchdogs:\n${lines.join('\n')}\nTime of the watchdogs: ${time}`
}

const nextStep = (cib: XmlElement): string =>
  describeWait(watchdogSettingOf(cib).waited) === notCounted
    ? `\n${notCounted} Next: systole property set fencing-watchdog-timeout=-1`
    : ''

const notCounted = 'Lost nodes do not count as reset by their watchdogs (fencing-watchdog-timeout=0).'

function describeWait(waited: string): string {
  if (/^\s*-/.test(waited))
    return 'Lost nodes count as reset after twice the time of their watchdogs, once their leases are over.'
  return /^0+\D*$/.test(waited.trim())
    ? notCounted
    : `Lost nodes count as reset by their watchdogs ${waited} after their leases are over.`
}
