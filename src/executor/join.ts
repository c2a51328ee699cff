/**
 * A DC asks for a start that another DC has begun before it: it cannot know whether that will ever be answered. The start under way
 * answers for both, under the newer key. A second one would take its time again, and a service that is slow to come up would be away for twice as long.
 */
import type { Line } from './line.ts'
import { agentParameters, type Operation } from './operation.ts'

/** The line with the start under way as the answer; undefined where this is another operation. */
export function joinedStart(line: Line, asked: Operation): Line | undefined {
  const { current, waiting } = line
  if (current?.phase !== 'running' || waiting.length > 0 || !isSameStart(current.operation, asked)) return undefined
  return { ...line, current: { ...current, operation: asked } }
}

/** One that was begun with other parameters, or with less time, is another. */
function isSameStart(begun: Operation, asked: Operation): boolean {
  return (
    begun.operation === 'start' &&
    asked.operation === 'start' &&
    begun.term !== undefined &&
    asked.term !== undefined &&
    begun.term < asked.term &&
    begun.timeoutMs === asked.timeoutMs &&
    asText(begun.agent) === asText(asked.agent) &&
    asText(agentParameters(begun.attributes)) === asText(agentParameters(asked.attributes))
  )
}

const asText = (record: object): string =>
  JSON.stringify(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)))
