/** What a simulation is asked beside its CIB: crm_simulate's what-if arguments, with what they mean to ours. */
import { formatOperationSpec, type OperationSpec } from '../../src/scheduler/simulate/operation-spec.ts'
import type { WhatIf } from '../../src/scheduler/simulate/what-if.ts'
import { allNamed, nodeStatesOf, nodesOf, resourcesOf, type Tree } from './cib-tree.ts'
import type { Random } from './random.ts'

export interface Question {
  readonly args: readonly string[]
  readonly whatIf: WhatIf
  readonly failures: readonly OperationSpec[]
  /** Seconds since the epoch, where it is not the CIB's own moment. */
  readonly now?: number
}

export const noQuestion: Question = { args: [], whatIf: {}, failures: [] }

/** Drawn for a CIB; none where the CIB has nothing to ask about. */
export function drawQuestion(cib: Tree, random: Random): Question {
  const draw = random.pick(questions)
  return draw?.(cib, random) ?? noQuestion
}

type Draw = (cib: Tree, random: Random) => Question | undefined

const asked = (option: string, name: string, whatIf: WhatIf): Question => ({
  args: [option, name],
  whatIf,
  failures: [],
})

const ofMember =
  (option: string, ask: (node: string) => WhatIf): Draw =>
  (cib, random) => {
    const members = nodesOf(cib).filter(
      ({ attributes }) => attributes.type === undefined || attributes.type === 'member',
    )
    const name = random.pick(members)?.attributes.uname
    return name === undefined ? undefined : asked(option, name, ask(name))
  }

const ofTicket =
  (option: string, ask: (ticket: string) => WhatIf): Draw =>
  (cib, random) => {
    const ticket = random.pick(allNamed(cib, 'rsc_ticket'))?.attributes.ticket
    return ticket === undefined ? undefined : asked(option, ticket, ask(ticket))
  }

function drawResult(cib: Tree, random: Random): OperationSpec | undefined {
  const node = random.pick(nodeStatesOf(cib))
  const recorded = node === undefined ? undefined : random.pick(allNamed(node, 'lrm_rsc_op'))
  const key = /^(.+)_([a-z]+)_(\d+)$/.exec(recorded?.attributes.operation_key ?? '')
  const resource = random.below(3) === 0 ? random.pick(resourcesOf(cib, 'primitive'))?.attributes.id : key?.[1]
  if (node?.attributes.uname === undefined || resource === undefined) return undefined
  const [operation, intervalMs] = random.pick([
    [key?.[2] ?? 'start', Number(key?.[3] ?? 0)],
    ['monitor', 10_000],
    ['start', 0],
    ['stop', 0],
    ['promote', 0],
    ['demote', 0],
  ] as const) ?? ['start', 0]
  const exitCode = random.pick([1, 1, 5, 7, 0]) ?? 1
  return { resource, operation, intervalMs, node: node.attributes.uname, exitCode }
}

const questions: readonly Draw[] = [
  ofMember('--node-up', (node) => ({ nodesUp: [node] })),
  ofMember('--node-down', (node) => ({ nodesDown: [node] })),
  ofMember('--node-down', (node) => ({ nodesDown: [node] })),
  ofMember('--node-fail', (node) => ({ nodesFailed: [node] })),
  ofMember('--node-fail', (node) => ({ nodesFailed: [node] })),
  ofTicket('--ticket-grant', (ticket) => ({ ticketsGranted: [ticket] })),
  ofTicket('--ticket-revoke', (ticket) => ({ ticketsRevoked: [ticket] })),
  ofTicket('--ticket-standby', (ticket) => ({ ticketsOnStandby: [ticket] })),
  // The reference forgets about quorum where nothing else is asked.
  (_, random) => {
    const [quorate, watchdog] = [random.below(2) === 0, random.below(2) === 0]
    const args = ['--quorum', String(quorate), '--watchdog', String(watchdog)]
    return { ...noQuestion, args, whatIf: { quorate, watchdog } }
  },
  (_, random) => {
    const watchdog = random.below(2) === 0
    return asked('--watchdog', String(watchdog), { watchdog })
  },
  (cib, random) => {
    const now = Number(cib.attributes['execution-date']) + (random.pick([-3_600, 86_400, 40_000_000]) ?? 0)
    return { ...noQuestion, args: ['--set-datetime', new Date(now * 1000).toISOString()], now }
  },
  (cib, random) => {
    const result = drawResult(cib, random)
    return result && asked('--op-inject', formatOperationSpec(result), { results: [result] })
  },
  (cib, random) => {
    const result = drawResult(cib, random)
    return result && { ...asked('--op-fail', formatOperationSpec(result), {}), failures: [result] }
  },
  (cib, random) => {
    const result = drawResult(cib, random)
    return result && { ...asked('--op-fail', formatOperationSpec(result), {}), failures: [result] }
  },
]
