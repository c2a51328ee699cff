/** Jobs and tasks as the log names them: without the secrets of their commands. Everything else is for those who may read jobs. */
import { type IsSecret, wordsWithoutSecrets } from '../../cib/index.ts'
import type { JobRecord, TaskRecord } from '../../jobs/index.ts'

export function jobForLog({ id, user, argv }: JobRecord, isSecret: IsSecret): object {
  return { job: id, user, command: wordsWithoutSecrets(argv, isSecret) }
}

export function taskForLog(
  { id, state, exitCode, signal, reason, owner, argv }: TaskRecord,
  isSecret: IsSecret,
): object {
  const command = wordsWithoutSecrets(argv, isSecret)
  return { task: id, state, owner: `${owner.kind} ${owner.name}`, user: owner.user, command, exitCode, signal, reason }
}
