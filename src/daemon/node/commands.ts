/** Commands of this node as the DC: to itself, or over the wire. Who takes them there the core of the node decides. */

import { availableParallelism, loadavg } from 'node:os'
import type { NodeName } from '../../base/index.ts'
import type { ControllerEffect, ControllerInput } from '../../controller/index.ts'
import type { Command } from '../../executor/index.ts'
import { heardFrom } from '../../node/index.ts'
import { RefusedError, type TermAnswer } from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import { notAdmitted } from '../node-list/refusal-codes.ts'
import type { Peers } from '../peers/peers.ts'

type Execute = Extract<ControllerEffect, { kind: 'execute' }>

export interface CommandSides {
  readonly self: NodeName
  readonly peers: Pick<Peers, 'to'>
  readonly log: Log
  readonly take: (command: Command) => Promise<TermAnswer>
  /** What the node says of its load with an answer. */
  readonly feed: (input: ControllerInput) => void
}

/** What the controller hears of it: nothing when it was taken, since the result comes through the store. */
export async function sendCommand(effect: Execute, sides: CommandSides): Promise<ControllerInput | undefined> {
  const { node, term, plannedFrom, transition, transitionKey, action, timeoutMs } = effect
  const notTaken = (why: 'unknown' | 'refused', message: string): ControllerInput => ({
    kind: 'not-taken',
    transitionKey,
    why,
    message,
  })
  try {
    const answer =
      node === sides.self
        ? await sides.take({ term, plannedFrom, transitionKey, action, timeoutMs })
        : await sides.peers.to(node).execute({
            term,
            plannedFrom,
            transition,
            transitionKey,
            timeoutMs,
            action: JSON.stringify(asAnyVersionReadsIt(action)),
          })
    const { loadAverage, processors } = answer
    if (loadAverage !== undefined && processors)
      sides.feed({ kind: 'load', node, load: { processors, load: loadAverage / processors } })
    return heardFrom(answer, transitionKey)
  } catch (error) {
    // Refused before any handler: nothing was done, and nothing was taken.
    // What a node does not understand it will never understand, however often it is told.
    const isAnswer = error instanceof RefusedError && [...notAdmitted, 'bad-message'].includes(error.code)
    if (isAnswer) return notTaken('refused', error.message)
    sides.log.warn('a command did not arrive for sure', { to: node, transitionKey, error })
    return notTaken('unknown', error instanceof Error ? error.message : String(error))
  }
}

/** The first versions know one word for a history that is to be forgotten, and would ask the agent for a `delete`. */
function asAnyVersionReadsIt(action: Execute['action']): Execute['action'] {
  if (action.kind === 'cluster' || action.operation !== 'delete') return action
  return { ...action, kind: 'cluster', operation: 'lrm_delete' }
}

/** What is told beside an answer never keeps it from being given. */
export function load(): { readonly loadAverage: number; readonly processors: number } {
  try {
    return { loadAverage: loadavg()[0] ?? 0, processors: availableParallelism() }
  } catch {
    return { loadAverage: 0, processors: 0 }
  }
}
