/** What a result is written with, so that it can be told whether the parameters have changed since. An entry without them counts as changed. */
import { createHash } from 'node:crypto'
import { type OperationDigests, operationDigests } from '../cib/index.ts'
import { type AgentMetadata, restartParameters } from '../resource-agents/index.ts'
import { agentParameters, type ReportedResult } from './operation.ts'

/** The agent's metadata says which parameters matter for a restart; where it is unknown, all do. */
export function digestsOf(result: ReportedResult, metadata?: AgentMetadata): OperationDigests {
  const parameters = agentParameters(result.attributes)
  if (result.intervalMs > 0) return operationDigests({ parameters, recurringTimeoutMs: result.timeoutMs }, md5)
  if (metadata === undefined) return operationDigests({ parameters }, md5)
  const restartNames = restartParameters(metadata)
  const secretNames = metadata.parameters.filter((parameter) => parameter.private).map(({ name }) => name)
  return operationDigests(
    {
      parameters,
      ...(restartNames === undefined ? {} : { restartNames }),
      ...(secretNames.length === 0 ? {} : { secretNames }),
    },
    md5,
  )
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
