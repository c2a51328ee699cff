/** What pcs says of a line that it carries out. */
import type { CallNames, Notice } from '../call/message.ts'
import { errorsOf } from './errors.ts'

export function notices(notice: Notice, call: CallNames): string {
  switch (notice.code) {
    case 'defaults-may-be-overridden':
      return 'Warning: Defaults do not apply to resources which override them with their own defined values'
    case 'utilization-without-effect':
      return "Warning: Utilization attributes configuration has no effect until cluster property option 'placement-strategy' is set to one of the values: 'balanced', 'minimal', 'utilization'"
    case 'nodes-not-validated':
      return 'Warning: Validation for node existence in the cluster will be skipped'
    case 'order-added':
      return `Adding ${notice.first} ${notice.then} (${notice.strength}) (Options: ${notice.options.join(' ')})`
    case 'old-flag':
      return `Deprecation Warning: Using '--${notice.flag}' is deprecated and will be replaced with '${notice.flag}' in a future release. Specify --future to switch to the future behavior.`
    case 'rule-in-words':
      return 'Deprecation Warning: Specifying a rule as multiple arguments is deprecated and might be removed in a future release, specify the rule as a single string instead'
    case 'bare-score':
      return 'Deprecation Warning: Specifying score as a standalone value is deprecated and might be removed in a future release, use score=value instead'
    case 'assumed-agent':
      return `Assumed agent name '${notice.agent}' (deduced from '${notice.typed}')`
    case 'constraint-cleared':
      return notice.ids.map((id) => `Removing constraint: ${id}`).join('\n')
    case 'banned':
      return [
        `Warning: Creating location constraint '${notice.constraint}' with a score of -INFINITY for resource ${notice.resource} on ${notice.node}.`,
        `\tThis will prevent ${notice.resource} from ${notice.promoted ? 'being promoted' : 'running'} on ${notice.node} until the constraint is removed${call.dialect === '0.11' ? '' : '.'}`,
        `\tThis will be the case even if ${notice.node} is the last node in the cluster`,
      ].join('\n')
    case 'left-out':
      return notice.ids
        .map(
          (id) => `Warning: Unable to find ${notice.what === 'fence device' ? 'stonith device' : 'resource'} '${id}'`,
        )
        .join('\n')
    case 'removed-besides':
      return notice.lines.join('\n')
    case 'unmanaged':
      return notice.ids.map((id) => `Warning: '${id}' is unmanaged`).join('\n')
    case 'schema-is-newest':
      return 'Cluster CIB has been upgraded to latest version'
    case 'rules-not-shown':
      return 'Warning: Constraints with rules are not displayed.'
    case 'role-left-out':
      return notice.ids
        .map(
          (id) =>
            `Warning: Resource role detected in constraint '${id}' but not supported by this command. Command for creating the constraint is omitted.`,
        )
        .join('\n')
    case 'interval-moved':
      return `Warning: changing a ${notice.operation} operation interval from ${notice.from} to ${notice.to} to make the operation unique`
    case 'wait-is-old':
      return "Deprecation Warning: Using '--wait' is deprecated. Instead, use the 'pcs status wait' command to wait for the cluster to settle into stable state. Use the 'pcs status query resource' commands to verify that the resource is in the expected state after the wait."
    case 'forced':
      return errorsOf(notice.messages, call)
        .lines.map((line) => line.replace(/^Error: /, 'Warning: ').replace(/, use --force to override$/, ''))
        .join('\n')
    case 'deprecated':
      return `Deprecation Warning: ${notice.text}`
    case 'not-as-asked':
      return `Error: ${notice.text}`
    case 'moved-with-constraint':
      return `Warning: A move constraint has been created and the resource '${notice.resource}' may or may not move depending on other configuration`
  }
}

/** What pcs 0.12 advises against and older ones print nothing about. */
export const isAdviceOfPresentPcs = (notice: Notice): boolean =>
  ['old-flag', 'removed-besides', 'rule-in-words', 'bare-score', 'wait-is-old', 'utilization-without-effect'].includes(
    notice.code,
  ) ||
  (notice.code === 'deprecated' && notice.long !== true)

/** Commands that pcs 0.12 advises against as a whole. */
export const adviceAgainst = ({ typed }: CallNames): string | undefined =>
  /^constraint location (delete|remove)$/.test(typed)
    ? "Deprecation Warning: This command is deprecated and will be removed. Please use 'pcs constraint delete' or 'pcs constraint remove' instead."
    : undefined
