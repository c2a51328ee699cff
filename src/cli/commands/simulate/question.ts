/** The flags of `simulate` that ask "what if", and the question that they make. */
import { type OperationSpec, parseOperationSpec, type WhatIf } from '../../../scheduler/index.ts'
import { type Call, type Flag, Refusal } from '../../command.ts'
import { readBoolean } from '../../constraint-words.ts'

const truth = { words: ['true', 'false'] }
const operation = 'resource_operation_interval@node=rc'

export const questionFlags: readonly Flag[] = [
  {
    name: 'node-up',
    letter: 'u',
    value: 'node',
    completes: 'node',
    repeats: true,
    summary: 'What if the node were online',
  },
  {
    name: 'node-down',
    letter: 'd',
    value: 'node',
    completes: 'node',
    repeats: true,
    summary: 'What if the node had left cleanly',
  },
  { name: 'node-fail', value: 'node', completes: 'node', repeats: true, summary: 'What if the node were lost' },
  {
    name: 'node-pending',
    value: 'node',
    completes: 'node',
    repeats: true,
    summary: 'What if the node were joining, and not ready yet',
  },
  { name: 'node-add', value: 'node', repeats: true, summary: 'What if there were one node more' },
  {
    name: 'quorum',
    letter: 'q',
    value: 'true|false',
    completes: truth,
    summary: 'What if the cluster had quorum, or had not',
  },
  {
    name: 'op-inject',
    letter: 'i',
    value: operation,
    repeats: true,
    summary: 'What if an operation had ended so: web_monitor_10000@n1=7',
  },
  {
    name: 'op-fail',
    letter: 'F',
    value: operation,
    repeats: true,
    summary: 'What if an operation of the transition ended so: web_start_0@n2=1',
  },
  { name: 'ticket-grant', letter: 'g', value: 'ticket', repeats: true, summary: 'What if the ticket were granted' },
  { name: 'ticket-revoke', letter: 'r', value: 'ticket', repeats: true, summary: 'What if it were taken away' },
  { name: 'ticket-standby', letter: 'b', value: 'ticket', repeats: true, summary: 'What if it were on standby' },
  { name: 'ticket-activate', letter: 'e', value: 'ticket', repeats: true, summary: 'What if it were in use again' },
  {
    name: 'watchdog',
    letter: 'w',
    value: 'true|false',
    completes: truth,
    summary: 'What if the nodes had a watchdog, or had none',
  },
  {
    name: 'with',
    value: 'command',
    repeats: true,
    summary: 'What if this command had been given: --with "resource disable web"',
  },
  {
    name: 'set-datetime',
    letter: 't',
    value: 'date',
    summary: 'What if it were this moment: rules, failure-timeouts and locks are read for it',
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
    `'${text}' is no operation with its result: write <resource>_<operation>_<interval in ms>@<node>=<exit code>, such as web_monitor_10000@n1=7.`,
  )
}
