/**
 * Parameters that are longer than the kernel takes reach an agent on no node. An error, which leaves open what runs, would have a stop follow
 * the probe, and a fencing the stop, node after node. But nothing has begun with these parameters: what was not started here with others
 * in this boot does not run.
 */
import { type AgentOutcome, ocfExitCodes } from '../resource-agents/index.ts'
import type { Operation } from './operation.ts'

/** `started`: whether an agent was run for it in this boot, or found it running, and nothing has told since that it stopped. */
export function whereTooLong(
  { operation, intervalMs }: Pick<Operation, 'operation' | 'intervalMs'>,
  outcome: AgentOutcome,
  started: boolean,
): AgentOutcome {
  if (outcome.tooLong === undefined || started) return outcome
  if (operation === 'stop') return { ...outcome, status: 'done', exitCode: ocfExitCodes.ok }
  // As an agent says it of parameters that will not do: not active here, and not to be started.
  if (operation === 'monitor' && intervalMs === 0)
    return { ...outcome, status: 'done', exitCode: ocfExitCodes.badArguments }
  return outcome
}
