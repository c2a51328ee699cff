/** `cleanup` and `refresh`: forget what was recorded, so that it is looked at again. */

import { parseDurationMs } from '../../../base/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { waitUntilSettled, withoutInstance } from '../../change/wait.ts'
import { select, statusOf } from '../../facts/status-view.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'

const flags = [
  { name: 'node', value: 'node', summary: 'The same as node=<node>' },
  {
    name: 'strict',
    summary:
      'Without effect, accepted for compatibility with pcs: members of a group or clone are always treated individually',
    withoutEffect: 'members of a group or clone are always treated individually.',
  },
  { name: 'wait', value: '[seconds]', summary: 'Wait until the cluster has settled' },
] as const

export const resourceCleanup: Command = {
  path: ['resource', 'cleanup'],
  aliases: [['stonith', 'cleanup']],
  usage: '[<resource>] [node=<node>] [operation=<operation> [interval=<interval>]]',
  summary: 'Clear failures, so that a resource can run where it failed',
  details: 'Only resources with failures are affected. They are probed again, and their fail counts are reset.',
  flags,
  completes: ['resource'],
  run: (call) => forget(call, true),
}

export const resourceRefresh: Command = {
  path: ['resource', 'refresh'],
  aliases: [['stonith', 'refresh']],
  usage: '[<resource>] [node=<node>]',
  summary: 'Clear all recorded operations, so that every resource is probed again',
  flags,
  completes: ['resource'],
  run: (call) => forget(call, false),
}

async function forget(call: Call, onlyFailed: boolean): Promise<Outcome> {
  const names = call.words.filter((word) => !word.includes('='))
  expectWords(names, { atLeast: 0, atMost: 1, usage: call.command.usage })
  const options = parsePairs(
    call.words.filter((word) => word.includes('=')),
    'options',
  )
  const [resource] = names
  const flagNode = call.flags.get('node')
  const node = options.get('node') ?? (typeof flagNode === 'string' ? flagNode : undefined)
  const operation = options.get('operation')
  const interval = options.get('interval')
  const intervalMs = interval === undefined ? undefined : parseDurationMs(interval)
  if (interval !== undefined && intervalMs === undefined)
    throw new Refusal(`'${interval}' is not an interval. Examples: 10s, 1min, 500ms.`)
  if (interval !== undefined && operation === undefined) throw new Refusal('interval= requires operation=<operation>.')
  const { deleted } = await liveCluster(call).deleteHistory({
    onlyFailed,
    ...(resource === undefined ? {} : { resource }),
    ...(node === undefined ? {} : { node }),
    ...(operation === undefined ? {} : { operation }),
    ...(intervalMs === undefined ? {} : { intervalMs }),
  })
  // What is configured no more may have a history: a name is doubted only where nothing was found.
  if (deleted.length === 0) await refuseUnknown(call, { resource, node })
  const lines = deleted.map((item) => `${onlyFailed ? 'Cleaned up' : 'Refreshed'} ${item.resource} on ${item.node}\n`)
  const text =
    lines.length > 0
      ? lines.join('')
      : onlyFailed
        ? 'There are no failures to clean up.\n'
        : 'There is nothing to refresh.\n'
  const wait = call.flags.get('wait')
  if (wait === undefined) return done(text, { deleted })
  const settled = await waitUntilSettled(call, {
    wait,
    version: 0,
    concerned: new Set(deleted.map(({ resource }) => withoutInstance(resource))),
  })
  return done(`${text}${settled.message}\n`, { deleted, settled: settled.settled }, settled.settled ? 0 : 1)
}

async function refuseUnknown(
  call: Call,
  { resource, node }: { readonly resource: string | undefined; readonly node: string | undefined },
): Promise<void> {
  const { cib } = await call.cluster.readCib()
  select(statusOf(call, cib), {
    ids: resource === undefined ? [] : [resource],
    ...(node === undefined ? {} : { node }),
    hideInactive: false,
    keep: () => true,
  })
}
