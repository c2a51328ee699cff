/** The flags of `simulate` that ask "what if", and the question that they make. */
import { type OperationSpec, parseOperationSpec, type WhatIf } from '../../../scheduler/index.ts'
import { type Call, type Flag, Refusal } from '../../call/command.ts'
import { readBoolean } from '../../grammar/constraint-words.ts'

const truth = { words: ['true', 'false'] }
const operation = 'resource_operation_interval@node=rc'

export const questionFlags: readonly Flag[] = [
  {
    name: 'node-up',
    letter: 'u',
    value: 'node',
    completes: 'node',
    repeats: true,
    summary: 'Assume that the node is online',
  },
  {
    name: 'node-down',
    letter: 'd',
    value: 'node',
    completes: 'node',
    repeats: true,
    summary: 'Assume that the node has left cleanly',
  },
  { name: 'node-fail', value: 'node', completes: 'node', repeats: true, summary: 'Assume that the node is lost' },
  {
    name: 'node-pending',
    value: 'node',
    completes: 'node',
    repeats: true,
    summary: 'Assume that the node is joining and not ready yet',
  },
  { name: 'node-add', value: 'node', repeats: true, summary: 'Assume one additional node' },
  {
    name: 'quorum',
    letter: 'q',
    value: 'true|false',
    completes: truth,
    summary: 'Assume that the cluster has quorum, or not',
  },
  {
    name: 'op-inject',
    letter: 'i',
    value: operation,
    repeats: true,
    summary: 'Assume that an operation ended with this result: web_monitor_10000@n1=7',
  },
  {
    name: 'op-fail',
    letter: 'F',
    value: operation,
    repeats: true,
    summary: 'Assume that an operation of the transition ends with this result: web_start_0@n2=1',
  },
  { name: 'ticket-grant', letter: 'g', value: 'ticket', repeats: true, summary: 'Assume that the ticket is granted' },
  { name: 'ticket-revoke', letter: 'r', value: 'ticket', repeats: true, summary: 'Assume that the ticket is revoked' },
  {
    name: 'ticket-standby',
    letter: 'b',
    value: 'ticket',
    repeats: true,
    summary: 'Assume that the ticket is in standby',
  },
  {
    name: 'ticket-activate',
    letter: 'e',
    value: 'ticket',
    repeats: true,
    summary: 'Assume that the ticket is active again',
  },
  {
    name: 'watchdog',
    letter: 'w',
    value: 'true|false',
    completes: truth,
    summary: 'Assume that the nodes have a watchdog, or not',
  },
  {
    name: 'with',
    value: 'command',
    repeats: true,
    summary: 'Assume that this command was run: --with "resource disable web"',
  },
  {
    name: 'set-datetime',
    letter: 't',
    value: 'date',
    summary: 'Assume this date and time for rules, failure-timeouts and locks',
  },
]

export interface Question {
  readonly whatIf: WhatIf
  /** Operations that fail when the transition comes to them. */
  readonly failures: readonly OperationSpec[]
}

export function readQuestion(call: Call): Question {
  const boolean = (name: string): boolean | undefined => {
    const value = call.flags.get(name)
    return typeof value === 'string' ? readBoolean(name, value) : undefined
  }
  const names = (name: string): readonly string[] => flagValues(call, name).flatMap((value) => value.split(','))
  const [quorate, watchdog] = [boolean('quorum'), boolean('watchdog')]
  return {
    whatIf: {
      ...(quorate === undefined ? {} : { quorate }),
      ...(watchdog === undefined ? {} : { watchdog }),
      nodesAdded: names('node-add'),
      nodesUp: names('node-up'),
      nodesDown: names('node-down'),
      nodesFailed: names('node-fail'),
      nodesPending: names('node-pending'),
      ticketsGranted: names('ticket-grant'),
      ticketsRevoked: names('ticket-revoke'),
      ticketsOnStandby: names('ticket-standby'),
      ticketsActive: names('ticket-activate'),
      results: flagValues(call, 'op-inject').map(readOperation),
    },
    failures: flagValues(call, 'op-fail').map(readOperation),
  }
}

/** All values of a flag that may be given several times. */
export function flagValues(call: Call, name: string): readonly string[] {
  const value = call.flags.get(name)
  return typeof value === 'string' ? value.split('\n') : []
}

function readOperation(text: string): OperationSpec {
  const spec = parseOperationSpec(text)
  if (spec) return spec
  throw new Refusal(
    `'${text}' is not an operation with a result. Specify <resource>_<operation>_<interval in ms>@<node>=<exit code>, such as web_monitor_10000@n1=7.`,
  )
}
