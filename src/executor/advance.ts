import type { MonotonicMs, ResourceId } from '../base/index.ts'
import { ocfExitCodes } from '../resource-agents/index.ts'
import { begin, nextToRun, type Waiting } from './line.ts'
import { changesResource, type Operation, type ReportedResult, reportedResult } from './operation.ts'
import { type ExecutorEffect, type ExecutorState, type ExecutorStep, lineOf, withLine } from './state.ts'

/** Begins whatever can begin on these lines. */
export function advance(state: ExecutorState, resources: readonly ResourceId[], now: MonotonicMs): ExecutorStep {
  const effects: ExecutorEffect[] = []
  let next = state
  for (const resource of resources) {
    const line = lineOf(next, resource)
    const waiting = nextToRun(line, now)
    if (!waiting) continue
    const { callId, operation } = waiting
    const { term } = operation
    const announces = term !== undefined && changesResource(operation)
    const begun = begin(line, { ...waiting, phase: announces ? 'announcing' : 'running' }, now)
    next = withLine(next, resource, begun)
    effects.push(announces ? announcement(waiting, term) : { kind: 'run', callId, operation })
  }
  return { state: next, effects }
}

/** The term is that of the DC which asked. */
export function announcement(
  { callId, operation }: Pick<Waiting, 'callId' | 'operation'>,
  term: number,
): ExecutorEffect {
  return { kind: 'announce', callId, term, result: pendingResult(callId, operation) }
}

function pendingResult(callId: number, operation: Operation): ReportedResult {
  return reportedResult(callId, operation, {
    status: 'pending',
    exitCode: ocfExitCodes.unknown,
    execTimeMs: 0,
    queueTimeMs: 0,
  })
}
