/**
 * The verbs of the orchestrator `jiocloud.orchestrate`, with its exit codes, for scripts that were written for it. docs/guides/orchestrate.md has the table.
 */
import { isBetween, runningVersions, settingsFor, statusTypes, whyLagging } from '../../../rollout/index.ts'
import { type Call, type Command, done, type Flag, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { rolesByNode } from '../../facts/roles-by-node.ts'
import { expectWords } from '../../grammar/words.ts'
import { isDown } from '../../rollout/known.ts'
import { healthOf, linesOf } from './health.ts'
import { hostnameFlag, lifecycle, liveStatus, localVersion, nodeOf, writeLocalVersion } from './known.ts'

type Verb = Omit<Command, 'path' | 'usage'> & {
  readonly name: string
  readonly words?: string
  readonly least?: number
}

/** How many words it takes is what its usage says. */
function verb({ name, words = '', least, run, ...more }: Verb): Command {
  const named = words.match(/<[^>]+>/g) ?? []
  const needed = least ?? named.length
  return {
    ...more,
    path: ['orchestrate', name],
    usage: [words, ...(more.flags ?? []).map(usageOf)].filter((one) => one !== '').join(' '),
    run: async (call) => {
      const most = words.includes('...') ? undefined : named.length
      const usage = `orchestrate ${name} ${words}`.trim()
      expectWords(call.words, { atLeast: needed, usage, ...(most !== undefined && { atMost: most }) })
      return await run(call)
    },
  }
}

const usageOf = ({ name, value }: Flag): string => `[--${name}${value === undefined ? '' : `=<${value}>`}]`

const verbose: Flag = { name: 'verbose', letter: 'v', summary: 'Say more' }
const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')
/** As Python prints it. */
const truth = (is: boolean): string => (is ? 'True' : 'False')
/** The largest that a process has. */
const largestExit = 255

const triggerUpdate = verb({
  name: 'trigger_update',
  aliases: [['rollout', 'trigger']],
  words: '<version>',
  summary: 'Set the version that all nodes are to run',
  details:
    'Nodes learn it by `orchestrate pending_update`; a rollout takes them there. While nodes have not come to the version that was triggered before, or a rollout to another version has not ended, it is refused with their names.',
  examples: ['systole orchestrate trigger_update 17.1'],
  flags: [{ name: 'force', summary: 'Allow it while nodes have not reached the previous version' }],
  completes: ['anything'],
  run: async (call) => {
    const [version = ''] = call.words
    const { outcome } = await liveCluster(call).triggerVersion({
      version,
      force: call.flags.has('force'),
      user: call.terminal.user,
    })
    const text =
      outcome === 'unchanged' ? `${version} was triggered before.` : `All nodes are to run ${version} from now on.`
    return done(`${text}\n`, { version, outcome })
  },
})

const currentVersion = verb({
  name: 'current_version',
  summary: 'Show the version that was triggered last',
  details: 'None, where no version was triggered.',
  run: async (call) => {
    const { desired } = await lifecycle(call)
    return done(`${desired?.version ?? 'None'}\n`, { version: desired?.version ?? null, ...desired })
  },
})

const pending = {
  available: [0, 'Yes, there is an update pending'],
  'up-to-date': [1, 'No updates pending'],
  unknown: [2, 'Could not get current_version'],
  'just-started': [3, "Could not get current_version, but there's also no local version set"],
} as const

const pendingUpdate = verb({
  name: 'pending_update',
  summary: 'Report whether this node runs a version other than the triggered one',
  details:
    'Exit codes: 0 an update is available, 1 the node is up to date, 2 the cluster does not answer, 3 the same on a node without a local version, or no version was triggered yet. The local version is the one in /etc/current_version, or else what is recorded of the node.',
  run: async (call) => {
    const own = await localVersion(call)
    const answer = await pendingBy(call, own)
    const [exitCode, text] = pending[answer.pending]
    return done(`${text}\n`, answer, exitCode)
  },
})

async function pendingBy(
  call: Call,
  own: string,
): Promise<{ readonly pending: keyof typeof pending; readonly version?: string; readonly local?: string }> {
  try {
    const { desired, versions } = await lifecycle(call)
    if (desired === undefined) return { pending: 'just-started', ...(own !== '' && { local: own }) }
    const node = await nodeOf(call)
    const local = own === '' ? versions.find((record) => record.node === node)?.version : own
    return {
      pending: local === desired.version ? 'up-to-date' : 'available',
      version: desired.version,
      ...(local !== undefined && { local }),
    }
  } catch (error) {
    if (!isDown(error)) throw error
    return own === '' ? { pending: 'just-started' } : { pending: 'unknown', local: own }
  }
}

const verifyHosts = verb({
  name: 'verify_hosts',
  words: '<version> [<node>...]',
  least: 1,
  summary: 'Check that nodes run a version',
  details:
    'The nodes are named, or stand on standard input, one on each line. The exit code is 1 if one of them does not run it.',
  examples: ['systole orchestrate verify_hosts 17.1 n1 n2', 'echo n1 | systole orchestrate verify_hosts 17.1'],
  completes: ['anything', 'node'],
  run: async (call) => {
    const [version = '', ...named] = call.words
    liveCluster(call)
    const nodes = named.length > 0 ? named : await nodesOnInput(call)
    if (nodes.length === 0) throw new Refusal('Specify the nodes, or give them on standard input, one on each line.')
    const running = runningVersions((await lifecycle(call)).versions).get(version) ?? []
    const missing = nodes.filter((node) => !running.some((one) => one === node))
    return done(
      lines(missing.map((node) => `${node} does not run ${version}.`)),
      { version, nodes, missing },
      missing.length === 0 ? 0 : 1,
    )
  },
})

const nodesOnInput = async ({ terminal }: Call): Promise<readonly string[]> =>
  (await terminal.readInput('Nodes: ')).split(/\s+/).filter((word) => word !== '')

const hostsAtVersion = verb({
  name: 'hosts_at_version',
  words: '<version>',
  summary: 'Show the nodes that run a version',
  completes: ['anything'],
  run: async (call) => {
    const [version = ''] = call.words
    const nodes = runningVersions((await lifecycle(call)).versions).get(version) ?? []
    return done(lines(nodes), { version, nodes })
  },
})

const runningVersionsVerb = verb({
  name: 'running_versions',
  summary: 'Show the versions that nodes run',
  run: async (call) => {
    const running = runningVersions((await lifecycle(call)).versions)
    const versions = [...running.keys()].toSorted()
    return done(lines(versions), { versions: Object.fromEntries(running) })
  },
})

const checkSingleVersion = verb({
  name: 'check_single_version',
  words: '<version>',
  summary: 'Check that a version is the only one that nodes run',
  details:
    'The exit code is 1 if no node runs it, if a node runs another one, or if a node is being configured or has failed, so that nobody can say. Nodes of which nothing was ever reported do not count.',
  flags: [verbose],
  completes: ['anything'],
  run: async (call) => {
    const [version = ''] = call.words
    const { versions } = await lifecycle(call)
    const running = [...runningVersions(versions).keys()]
    const unwanted = running.filter((one) => one !== version).toSorted()
    const between = versions.filter(isBetween).map(({ node }) => node as string)
    const found = running.includes(version)
    const text = [
      `Wanted version found: ${truth(found)}`,
      `Unwanted versions found: ${unwanted.join(', ')}`,
      ...(between.length === 0 ? [] : [`Nodes between versions: ${between.join(', ')}`]),
    ]
    return done(
      call.flags.has('verbose') ? lines(text) : '',
      { version, found, unwanted, between },
      found && unwanted.length === 0 && between.length === 0 ? 0 : 1,
    )
  },
})

const localVersionVerb = verb({
  name: 'local_version',
  words: '[<version>]',
  least: 0,
  summary: 'Show or set the version in /etc/current_version of this host',
  completes: ['anything'],
  run: async (call) => {
    const [version] = call.words
    if (version !== undefined) await writeLocalVersion(call, version)
    const now = version ?? (await localVersion(call))
    return done(`${now}\n`, { version: now === '' ? null : now })
  },
})

const updateOwnInfo = verb({
  name: 'update_own_info',
  summary: 'Report which version this node runs',
  details:
    'The version is the one in /etc/current_version; without one nothing is reported. Any other version that was recorded of the node is replaced. While a rollout is at work on the node, nothing is recorded: the rollout does it.',
  flags: [hostnameFlag, { name: 'version', value: 'version', summary: 'This version instead' }],
  run: async (call) => {
    const given = call.flags.get('version')
    const version = typeof given === 'string' ? given : await localVersion(call)
    if (version === '') return done('This host has no local version: nothing is reported.\n', { outcome: 'unchanged' })
    const node = await nodeOf(call)
    const answer = await liveCluster(call).reportVersion({ node, version, user: call.terminal.user })
    return done(saidOf(node, answer), { node, ...answer })
  },
})

function saidOf(
  node: string,
  answer: { readonly outcome: string; readonly version?: string; readonly state?: string; readonly rollout?: string },
): string {
  const { outcome, version, state, rollout } = answer
  if (outcome === 'rollout') return `Nothing was recorded: the rollout ${rollout} is at work on ${node}.\n`
  const at = version === undefined ? state : `${state} (${version})`
  return `${node} is ${at}${outcome === 'unchanged' ? ', as before' : ''}.\n`
}

const updateOwnStatus = verb({
  name: 'update_own_status',
  words: '<type> <exit code>',
  summary: 'Report the result of the configuration or the validation of this node',
  details: `The types are ${statusTypes.join(', ')}. The exit code is that of what was run, or -1 while it runs. Puppet's 1, 4 and 6 are failures, and anything but 0 of a validation.`,
  examples: ['systole orchestrate update_own_status puppet $? --log=/var/log/puppet.log'],
  flags: [
    hostnameFlag,
    { name: 'version', value: 'version', summary: 'The version that it was about (default: the local version)' },
    { name: 'log', value: 'file', summary: 'Keep the end of this log with the new state', completes: 'file' },
  ],
  completes: [{ words: [...statusTypes] }, 'anything'],
  run: async (call) => {
    const [status = '', code = ''] = call.words
    if (!/^-?\d{1,3}$/.test(code)) throw new Refusal(`'${code}' is not an exit code.`)
    const node = await nodeOf(call)
    const given = call.flags.get('version')
    // Of another host this host's file says nothing.
    const own = call.flags.has('hostname') ? '' : await localVersion(call)
    const version = typeof given === 'string' ? given : own
    const log = call.flags.get('log')
    const answer = await liveCluster(call).reportVersion({
      node,
      status,
      exitCode: Number(code),
      user: call.terminal.user,
      ...(version !== '' && { version }),
      ...(typeof log === 'string' && { tail: (await call.terminal.readFile(log)).slice(-longestTail) }),
    })
    return done(saidOf(node, answer), { node, ...answer })
  },
})

/** The daemon keeps as much. */
const longestTail = 2000

const getFailures = verb({
  name: 'get_failures',
  summary: 'Check whether anything has failed on any node',
  details:
    'Failures: nodes that are offline or unclean, resources that have failed, and nodes whose configuration or validation has failed. Warnings: standby, maintenance, and failures of resources that run again. The exit code is 1 if there are failures.',
  flags: [
    { name: 'hosts', summary: 'Show them with their nodes' },
    { name: 'show_warnings', summary: 'Count warnings as failures' },
  ],
  run: async (call) => {
    const { failures, warnings } = healthOf(await liveStatus(call), await lifecycle(call))
    const counts = call.flags.has('show_warnings')
    const text = call.flags.has('hosts')
      ? `${linesOf('Failures', failures)}${counts ? linesOf('Warnings', warnings) : ''}`
      : ''
    const all = failures.length + (counts ? warnings.length : 0)
    return done(text, { failures, warnings }, all === 0 ? 0 : 1)
  },
})

const localHealth = verb({
  name: 'local_health',
  summary: 'Count what has failed on this node: the exit code is the number',
  flags: [verbose, hostnameFlag],
  run: async (call) => {
    const node = await nodeOf(call)
    const { failures } = healthOf(await liveStatus(call), await lifecycle(call))
    const own = failures.filter((one) => one.node === node)
    const text = call.flags.has('verbose') ? lines(own.map(({ name, output }) => `${name}: ${output}`)) : ''
    return done(text, { node, failures: own }, Math.min(own.length, largestExit))
  },
})

const upgradeStatus = verb({
  name: 'upgrade_status',
  summary: 'Show which nodes are upgraded, upgrading, pending or have failed',
  details:
    'Upgraded nodes run the version that was triggered. Pending are those that have not begun, or whose setting enable_puppet is False. The answer is always JSON.',
  run: async (call) => {
    const { desired, versions, settings } = await lifecycle(call)
    if (desired === undefined)
      throw new Refusal('No version was triggered yet: see `systole orchestrate trigger_update`.')
    const roles = rolesByNode(await liveStatus(call))
    const buckets = { upgraded: [], upgrading: [], pending: [], failed: [] } as Record<Bucket, string[]>
    for (const record of versions) {
      const own = settingsFor({ node: record.node, roles: roles.get(record.node) ?? [] }, 'config_state', settings)
      if (whyLagging(record, desired.version) === undefined) buckets.upgraded.push(record.node)
      else if (record.state === 'failed') buckets.failed.push(record.node)
      else if (own.enable_puppet !== 'False' && (record.state === 'configuring' || record.state === 'validating'))
        buckets.upgrading.push(record.node)
      else buckets.pending.push(record.node)
    }
    return done(`${JSON.stringify(buckets)}\n`, { version: desired.version, ...buckets })
  },
})

type Bucket = 'upgraded' | 'upgrading' | 'pending' | 'failed'

const debugTimeout = verb({
  name: 'debug_timeout',
  words: '<version>',
  summary: 'Show what has failed, and which nodes run a version, after waiting for it in vain',
  details: 'The exit code is always 1, as the original has it.',
  completes: ['anything'],
  run: async (call) => {
    const [version = ''] = call.words
    const known = await lifecycle(call)
    const { failures } = healthOf(await liveStatus(call), known)
    const nodes = runningVersions(known.versions).get(version) ?? []
    const registered =
      nodes.length === 0
        ? 'No Hosts registered!\n'
        : `Registered hosts that run ${version} are:\n${lines(nodes.map((node) => `   ${node}`))}`
    const lagging = known.versions.flatMap((record) => {
      const why = whyLagging(record, version)
      return why === undefined ? [] : [{ node: record.node, why }]
    })
    const missing = lagging.map(({ node, why }) => `   ${node}: ${why}`)
    const rest = missing.length === 0 ? '' : `Hosts that do not run it are:\n${lines(missing)}`
    return done(`${linesOf('Failures', failures)}${registered}${rest}`, { version, failures, nodes, lagging }, 1)
  },
})

const ping = verb({
  name: 'ping',
  summary: 'Check that the cluster answers on this node',
  run: async (call) => {
    try {
      await lifecycle(call)
      return done('Connection successful\n', { answers: true })
    } catch (error) {
      if (!isDown(error)) throw error
      return done('Connection failed\n', { answers: false, why: error.message }, 1)
    }
  },
})

export const orchestrateVerbs: readonly Command[] = [
  triggerUpdate,
  currentVersion,
  pendingUpdate,
  verifyHosts,
  hostsAtVersion,
  runningVersionsVerb,
  checkSingleVersion,
  localVersionVerb,
  updateOwnInfo,
  updateOwnStatus,
  getFailures,
  localHealth,
  upgradeStatus,
  debugTimeout,
  ping,
]
