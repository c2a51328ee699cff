/** What the command line asks about versions of nodes, and what nodes report of themselves (src/rollout/lifecycle.ts). Who may, is settled before. */
import { didYouMean, longestName, type NodeName, similarWords, tooLong } from '../../base/index.ts'
import {
  hasEnded,
  isUnderWay,
  type LifecycleKnown,
  longestExcerpt,
  reported,
  type StatusType,
  settingKinds,
  settingScopes,
  statusTypes,
  triggered,
  type VersionReport,
  whyNotTriggered,
  withTransition,
} from '../../rollout/index.ts'
import { type Handlers, type localService, type Messages, refuse } from '../../rpc/index.ts'
import { type Comparison, type Entry, unchanged, type Write } from '../../store/index.ts'
import { toBytes } from '../records/json-value.ts'
import {
  desiredVersionKey,
  nodeListKey,
  nodeVersionKey,
  nodeVersionsPrefix,
  rolloutsPrefix,
  settingKey,
  settingsPrefix,
} from '../records/keys.ts'
import { desiredIn } from '../rollout/known-rollouts.ts'
import { lifecycleOf, membersOf, settingsIn } from '../rollout/lifecycle.ts'
import { type Below, storedRollouts, versionIn } from '../rollout/rollout-records.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'
import { type AnsweringDaemon, configuredFile } from './configured-file.ts'

type LifecycleHandlers = Pick<
  Handlers<typeof localService>,
  'getLifecycle' | 'triggerVersion' | 'reportVersion' | 'changeSetting'
>

/** Others who change the same at the same time come first that often. */
const attempts = 20
const longestVersion = 255
const longestValue = 4096
const mostSettings = 1000

/** `below`: what this node has seen of rollouts and versions. */
interface LifecycleDaemon extends AnsweringDaemon {
  readonly node: AnsweringDaemon['node'] & {
    readonly rollouts: { readonly below: (prefix: string) => readonly Entry[] }
  }
}

export function lifecycleHandlers(daemon: LifecycleDaemon): LifecycleHandlers {
  return {
    getLifecycle: () => {
      configuredFile(daemon)
      return Promise.resolve({ known: JSON.stringify(known(daemon)) })
    },
    triggerVersion: async (asked) => await changed(daemon, (stored) => trigger(daemon, stored, asked)),
    reportVersion: async (asked) => await changed(daemon, (stored) => report(daemon, stored, asked)),
    changeSetting: async (asked) => {
      await changed(daemon, (stored) => setting(daemon, stored, asked))
      return {}
    },
  }
}

/** By what this node has seen. */
function known({ node }: LifecycleDaemon): LifecycleKnown {
  const { desired, versions } = lifecycleOf(node)
  return {
    ...(desired && { desired }),
    versions: versions.map((record) => ({ ...record, log: record.log.map(({ tail: _, ...line }) => line) })),
    settings: settingsIn(node.rollouts.below),
  }
}

interface Changed {
  readonly answer: Messages['VersionAnswer']
  readonly compare: readonly Comparison[]
  readonly writes: readonly Write[]
}

/** By what the store has now, and again where it was changed meanwhile. */
async function changed(
  daemon: LifecycleDaemon,
  change: (stored: Below) => Changed,
): Promise<Messages['VersionAnswer']> {
  configuredFile(daemon)
  const { node } = daemon
  if (!(await quorumSoon(node))) throw refuse('no-quorum', 'This node has no quorum: nothing was recorded.')
  const prefixes = [desiredVersionKey, nodeVersionsPrefix, rolloutsPrefix, settingsPrefix, nodeListKey]
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const entries = (await Promise.all(prefixes.map(async (prefix) => (await node.store.list(prefix)).entries))).flat()
    const { answer, compare, writes } = change((prefix) => entries.filter(({ key }) => key.startsWith(prefix)))
    if (writes.length === 0) return answer
    if ((await node.store.transaction({ compare, writes })).applied) return answer
  }
  throw refuse('in-use', 'Others are changing this at this moment. Nothing was recorded: try again.')
}

const put = (key: string, value: unknown): Write => ({ kind: 'put', key, value: toBytes(value) })
const entryOf = (stored: Below, key: string): Entry | undefined => stored(key).find((entry) => entry.key === key)

function refuseBadVersion(version: string): void {
  if (!/^[^\s/]+$/u.test(version) || version.length > longestVersion)
    throw refuse(
      'bad-version',
      `'${version.slice(0, 60)}' is not a version: use up to ${longestVersion} characters without blanks and slashes.`,
    )
}

function trigger(daemon: LifecycleDaemon, stored: Below, asked: Messages['TriggerVersionRequest']): Changed {
  const { node } = daemon
  const { version, force, user } = asked
  refuseBadVersion(version)
  const { desired } = desiredIn(stored)
  const { versions } = lifecycleOf({ file: node.file, view: node.view, rollouts: { below: stored } })
  const rollouts = activeRollouts(stored).map(({ id, definition }) => ({ id, version: definition.version }))
  const why = whyNotTriggered(version, { desired, versions, rollouts })
  if (why.length > 0 && !force) throw refuse('nodes-lag', ...why, 'Nothing was changed. Wait for them, or add --force.')
  if (desired?.version === version) return { answer: { outcome: 'unchanged', version }, compare: [], writes: [] }
  const next = triggered(desired, {
    version,
    user: user || 'unknown',
    node: node.name,
    since: new Date().toISOString(),
  })
  return {
    answer: { outcome: 'changed', version },
    compare: [unchanged(desiredVersionKey, entryOf(stored, desiredVersionKey))],
    writes: [put(desiredVersionKey, next)],
  }
}

const activeRollouts = (stored: Below) =>
  storedRollouts(stored)
    .map(({ record }) => record)
    .filter((record) => !hasEnded(record))

function report(daemon: LifecycleDaemon, stored: Below, asked: Messages['ReportVersionRequest']): Changed {
  const name = knownNode(daemon, asked.node)
  const said = reportIn(asked)
  const key = nodeVersionKey(name)
  const entry = entryOf(stored, key)
  const before = versionIn(entry)
  const answer = (outcome: string, one = before): Messages['VersionAnswer'] => ({
    outcome,
    state: one?.state ?? 'provisioned',
    ...(one?.version !== undefined && { version: one.version }),
  })
  const rollout = activeRollouts(stored).find(({ nodes }) => nodes.some((one) => one.node === name && isUnderWay(one)))
  if (rollout) return { answer: { ...answer('rollout'), rollout: rollout.id }, compare: [], writes: [] }
  const next = reported(before, said, desiredIn(stored).desired?.version)
  if (next === undefined) return { answer: answer('unchanged'), compare: [], writes: [] }
  const tail = asked.tail?.slice(-longestExcerpt)
  const record = withTransition(name, before, {
    version: next,
    by: `reported by ${asked.user || 'unknown'} on ${daemon.node.name}`,
    at: new Date().toISOString(),
    ...(tail !== undefined && tail !== '' && { tail }),
  })
  return {
    answer: answer('changed', record),
    // A node that is removed at this moment leaves no record. A rollout that begins there compares this record too.
    compare: [unchanged(key, entry), unchanged(nodeListKey, entryOf(stored, nodeListKey))],
    writes: [put(key, record)],
  }
}

function knownNode({ node }: LifecycleDaemon, name: string): NodeName {
  const { versions } = lifecycleOf(node)
  const names = [...membersOf(node.file), ...versions.map((one) => one.node)]
  const found = names.find((one) => one === name)
  if (found !== undefined) return found
  throw refuse('no-such-node', `There is no node '${name}'.${didYouMean(similarWords(name, names))}`)
}

function reportIn({ version, status, exitCode }: Messages['ReportVersionRequest']): VersionReport {
  if (version !== undefined) refuseBadVersion(version)
  if (status === undefined) {
    if (version === undefined) throw refuse('no-report', 'There is nothing to report: neither a version nor a status.')
    return { kind: 'version', version }
  }
  if (!isStatusType(status))
    throw refuse('bad-status', `'${status}' is not a type of status. Choose ${statusTypes.join(', ')}.`)
  if (exitCode === undefined || !Number.isInteger(exitCode))
    throw refuse('bad-status', 'The result of a status is an exit code, or -1 while it is under way.')
  return { kind: 'status', type: status, exitCode, ...(version !== undefined && { version }) }
}

const isStatusType = (text: string): text is StatusType => (statusTypes as readonly string[]).includes(text)

function setting(daemon: LifecycleDaemon, stored: Below, asked: Messages['SettingRequest']): Changed {
  const { name, key, value } = asked
  const kind = settingKinds.find((one) => one === asked.kind)
  const scope = settingScopes.find((one) => one === asked.scope)
  if (kind === undefined || scope === undefined)
    throw refuse('bad-setting', `A setting is of ${settingKinds.join(' or ')}, and of ${settingScopes.join(', ')}.`)
  if ((name === undefined) !== (scope === 'global'))
    throw refuse('bad-setting', 'A setting of a role or a node needs its name, and one of the cluster has none.')
  for (const text of [name, key])
    if (text !== undefined && !/^[^\s/]+$/u.test(text))
      throw refuse('bad-setting', `'${text.slice(0, 60)}' cannot be a name here: use no blanks and slashes.`)
  const long = tooLong('key', key, longestName) ?? tooLong('name', name ?? '', longestName)
  const longValue = tooLong('value', value ?? '', longestValue)
  if (long !== undefined || longValue !== undefined) throw refuse('too-long', long ?? longValue ?? '')
  if (scope === 'host' && name !== undefined && value !== undefined) knownNode(daemon, name)
  const place = { kind, scope, key, ...(name !== undefined && { name }) }
  const at = settingKey(place)
  const before = entryOf(stored, at)
  if (before === undefined && value !== undefined && stored(settingsPrefix).length >= mostSettings)
    throw refuse('too-many', `There are ${mostSettings} settings already. Delete some of them first.`)
  const answer = { outcome: 'changed' }
  if (value === undefined && before === undefined) return { answer, compare: [], writes: [] }
  return {
    answer,
    compare: [unchanged(at, before), unchanged(nodeListKey, entryOf(stored, nodeListKey))],
    writes: [value === undefined ? { kind: 'delete', key: at } : put(at, { ...place, value })],
  }
}
