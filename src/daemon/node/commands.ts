/**
 * Commands of the DC to a node, on both sides: sent to this node's own executor or over the wire, and taken by whichever
 * part of the node they concern.
 */
import { availableParallelism, loadavg } from 'node:os'
import type { NodeName } from '../../base/index.ts'
import type { ControllerEffect, ControllerInput } from '../../controller/index.ts'
import type { Answer, Command, Executor } from '../../executor/index.ts'
import { RefusedError, type TermAnswer } from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import { notAdmitted } from '../nodes/admission.ts'
import type { Peers } from '../nodes/peers.ts'

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
  const notTaken = (why: 'unknown' | 'refused' | 'old-term', message: string): ControllerInput => ({
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
    if (answer.accepted) return answer.done ? { kind: 'acknowledged', transitionKey } : undefined
    return notTaken(answer.why === 'old-term' ? 'old-term' : 'refused', answer.message)
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

/** `do_shutdown` is this node's leave to go; what another node is to do goes through its connection; the rest is the executor's. */
export async function takeCommand(
  command: Command,
  parts: {
    readonly self: NodeName
    readonly executor: Pick<Executor, 'perform' | 'highestTerm'> | undefined
    readonly shutDown: () => void
    /** To a node behind a connection that this node holds. */
    readonly route: (node: NodeName, command: Command) => Promise<TermAnswer>
  },
): Promise<TermAnswer> {
  const { executor } = parts
  if (!executor)
    return { accepted: false, done: false, why: 'closing', highestTerm: 0, message: 'This node is still starting.' }
  if (command.action.kind === 'cluster' && command.action.operation === 'do_shutdown') {
    if (command.term < executor.highestTerm) return oldTerm(executor.highestTerm)
    parts.shutDown()
    return { accepted: true, done: true, why: '', highestTerm: command.term, message: '' }
  }
  const { node } = command.action
  const isRouted = node !== undefined && node !== parts.self
  if (isRouted && command.term < executor.highestTerm) return oldTerm(executor.highestTerm)
  const answer = isRouted
    ? await parts.route(node, command)
    : answerOf(await executor.perform(command), executor.highestTerm)
  return { ...answer, ...load() }
}

/** What is told beside an answer never keeps it from being given. */
function load(): { readonly loadAverage: number; readonly processors: number } {
  try {
    return { loadAverage: loadavg()[0] ?? 0, processors: availableParallelism() }
  } catch {
    return { loadAverage: 0, processors: 0 }
  }
}

export function answerOf(answer: Answer, highestTerm: number): TermAnswer {
  if (answer.kind === 'taken') return { accepted: true, done: answer.done, why: '', highestTerm, message: '' }
  return { accepted: false, done: false, why: answer.why, highestTerm: answer.highestTerm, message: answer.message }
}

const oldTerm = (highestTerm: number): TermAnswer => ({
  accepted: false,
  done: false,
  why: 'old-term',
  highestTerm,
  message: `The term has ended: this node has seen term ${highestTerm}.`,
})
