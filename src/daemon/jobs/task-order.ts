/** What the runner of a task gets to know: the command, with the environment that every task has on its node. */
import type { NodeName } from '../../base/index.ts'
import type { TaskRecord } from '../../jobs/index.ts'
import type { TaskOrder } from './task-files.ts'

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Of the output that is kept. */
export const defaultOutputBytes = 1024 * 1024

export type OrderedTask = Pick<TaskRecord, 'argv' | 'env' | 'stdin' | 'timeoutMs' | 'maxOutput' | 'notes' | 'id'> & {
  readonly owner: Pick<TaskRecord['owner'], 'kind' | 'name'>
}

export function orderOf({ id, owner, ...task }: OrderedTask, node: NodeName): TaskOrder {
  const { argv, env, stdin, timeoutMs, maxOutput = defaultOutputBytes, notes } = task
  const { PATH = defaultPath, SYSTOLE_ROOT } = process.env
  return {
    argv,
    env: {
      PATH,
      HOME: '/root',
      USER: 'root',
      LOGNAME: 'root',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      ...(SYSTOLE_ROOT !== undefined && { SYSTOLE_ROOT }),
      SYSTOLE_NODE: node,
      SYSTOLE_TASK: id,
      [`SYSTOLE_${owner.kind.toUpperCase()}`]: owner.name,
      ...env,
    },
    ...(stdin !== undefined && { stdin }),
    timeoutMs,
    maxOutput,
    ...(notes && { notes }),
  }
}
