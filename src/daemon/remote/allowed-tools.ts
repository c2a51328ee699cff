/**
 * Which of Pacemaker's commands a remote node may have run, and with which options: those that the resource agents of Debian's packages and
 * OpenStack's call where they may run on a remote node (docs/security.md, "Remote nodes"). A command line that has anything else is refused where it
 * arrives, on the member. What the commands read and change for a remote node `RemoteWorld` decides, so that an option which does more than it
 * seems to still does nothing that is not allowed.
 */
import type { NodeName } from '../../base/index.ts'
import { type GivenOption, givenOptions, type ToolCall } from '../../tools/index.ts'

export interface AllowedTool {
  readonly tool: string
  /** By their first names, as the help has them. */
  readonly options: readonly string[]
  /** For people. */
  readonly purpose: string
}

const common: readonly string[] = ['help', 'version', 'verbose', 'output-as', 'output-to', 'text-fancy', 'quiet']

export const allowedTools: readonly AllowedTool[] = [
  {
    tool: 'crm_attribute',
    options: [
      'name',
      'promotion',
      'pattern',
      'query',
      'update',
      'delete',
      'node',
      'lifetime',
      'id',
      'set-name',
      'default',
      'type',
      'utilization',
      'inhibit-policy-engine',
    ],
    purpose:
      'read attributes and options; set its own attributes, utilization and promotion scores, and those of its resources',
  },
  {
    tool: 'crm_master',
    options: ['query', 'update', 'delete', 'node', 'lifetime', 'id', 'resource'],
    purpose: 'the same for promotion scores',
  },
  {
    tool: 'attrd_updater',
    options: [
      'name',
      'update',
      'update-both',
      'query',
      'delete',
      'all',
      'delay',
      'set',
      'node',
      'private',
      'lifetime',
      'wait',
      'utilization',
    ],
    purpose: 'the same for transient attributes, with dampening',
  },
  {
    tool: 'crm_failcount',
    options: ['query', 'delete', 'resource', 'node', 'operation', 'interval'],
    purpose: 'read fail counts, and forget those of its own resources on itself',
  },
  {
    tool: 'crm_node',
    options: ['name', 'name-for-id', 'list', 'partition', 'cluster-id', 'quorum'],
    purpose: 'who is in the cluster, and whether it has quorum',
  },
  {
    tool: 'crm_mon',
    options: [
      'one-shot',
      'as-xml',
      'web-cgi',
      'html-cgi',
      'html-title',
      'html-stylesheet',
      'interval',
      'simple-status',
      'inactive',
      'group-by-node',
      'show-node-attributes',
      'failcounts',
      'operations',
      'timing-details',
      'tickets',
      'neg-locations',
      'fence-history',
      'hide-headers',
      'include',
      'exclude',
      'node',
      'resource',
      'old-agent-names',
      'show-detail',
      'brief',
      'pending',
      'disable-ncurses',
      'no-curses',
    ],
    purpose: 'the status of the cluster',
  },
  {
    tool: 'cibadmin',
    options: [
      'query',
      'xpath',
      'scope',
      'no-children',
      'node-path',
      'local',
      'sync-call',
      'node',
      'host',
      'timeout',
      'call-id',
    ],
    purpose: 'read the CIB, in which secrets are hidden',
  },
  {
    tool: 'crm_resource',
    options: [
      'list',
      'list-raw',
      'locate',
      'list-operations',
      'get-parameter',
      'get-property',
      'set-parameter',
      'delete-parameter',
      'parameter-value',
      'meta',
      'utilization',
      'resource',
      'node',
      'ban',
      'pending',
    ],
    purpose:
      'where resources run and how they are configured; set the utilization of its own, and ban a resource from itself',
  },
  {
    tool: 'stonith_admin',
    options: ['history'],
    purpose: 'what was fenced',
  },
  {
    tool: 'pacemakerd',
    options: ['features'],
    purpose: 'the version',
  },
]

/** A sentence, where it may not. A call that is not understood is answered by the command itself. */
export function whyNotAllowed(call: ToolCall, remote: NodeName): string | undefined {
  const { tool } = call
  const allowed = allowedTools.find((one) => one.tool === tool)
  if (allowed === undefined) return 'a remote node may not call this command.'
  const given = givenOptions(call) ?? []
  const other = given.find(({ name }) => name !== '' && !allowed.options.includes(name) && !common.includes(name))
  if (other !== undefined)
    return `a remote node may not call it with ${other.name.length === 1 ? '-' : '--'}${other.name}.`
  // Of all nodes it would be long, and no agent needs those of others.
  const isOfOthers = has(given, 'list-operations') && given.findLast(({ name }) => name === 'node')?.value !== remote
  return isOfOthers ? `a remote node may list its own operations only: --node=${remote}.` : undefined
}

const has = (given: readonly GivenOption[], name: string): boolean => given.some((option) => option.name === name)
