/** Performs what the controller asks for, and feeds back what came of it. */
import { clearFailureEdits, failureEdits } from '../../attributes/index.ts'
import { assertNever, isDefect, type NodeName } from '../../base/index.ts'
import type { NodeStateRecord, TransientAttributeRecord } from '../../cib/index.ts'
import type { ControllerEffect, ControllerInput, Edit, WalkReport } from '../../controller/index.ts'
import { writesOfEdits } from '../../controller/index.ts'
import type { FencingRecord } from '../../rpc/index.ts'
import type { LeaseId, Revision, Store, Write } from '../../store/index.ts'
import { membershipNotes } from '../alerts/outbox.ts'
import { abandoned, recordWrites } from '../fencing/fencing-records.ts'
import type { Log } from '../host/log.ts'
import { storeWrite, writeAsDc } from '../records/guarded-writes.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'

export interface PerformPorts {
  readonly node: NodeName
  readonly store: Store
  readonly log: Log
  readonly feed: (input: ControllerInput) => void
  readonly walked: (report: WalkReport) => void
  readonly compute: (effect: Extract<ControllerEffect, { kind: 'compute' }>) => Promise<ControllerInput>
  readonly execute: (effect: Extract<ControllerEffect, { kind: 'execute' }>) => Promise<ControllerInput | undefined>
  /** This node has won the election of that term. */
  readonly takeUpLeftOff: (term: number, history: readonly FencingRecord[]) => void
  readonly attributes: () => readonly TransientAttributeRecord[]
  readonly nodeStates: () => ReadonlyMap<NodeName, NodeStateRecord>
  /** The fencing history as this node knows it. */
  readonly fencingHistory: () => readonly FencingRecord[]
  /** Whether this node is (still) the DC of that term, by its own view. */
  readonly holdsTerm: (term: number) => boolean
}

export function performControllerEffect(effect: ControllerEffect, ports: PerformPorts): void {
  const { store, log, feed } = ports
  traceEffect(effect, log)
  switch (effect.kind) {
    case 'campaign':
      background(log, 'campaign', async () => await campaign(effect.lease, ports))
      return
    case 'resign':
      background(log, 'resign', async () => await resign(effect.term, ports))
      return
    case 'write':
      write(effect, effect.edits, ports)
      return
    case 'record-failures':
      write(effect, failureEdits(ports.attributes(), effect.failures), ports)
      return
    case 'clear-failures': {
      const { node, resource, edits } = effect
      write(effect, [...clearFailureEdits(ports.attributes(), { node, resource }), ...edits], ports)
      return
    }
    case 'compute':
      background(log, 'compute', async () => {
        const answer = await ports.compute(effect)
        log.debug('computed', { actions: answer.kind === 'computed' ? answer.graph.actions.length : answer.kind })
        feed(answer)
      })
      return
    case 'execute':
      background(log, 'execute', async () => {
        const answer = await ports.execute(effect)
        if (answer) feed(answer)
      })
      return
    case 'fence':
    case 'withdraw-fencing':
      // Passed on to this node's own fencing by the loop of its core.
      return
    case 'revoke-lease':
      log.info('the lease of a lost node is ended', { lost: effect.node })
      background(log, 'revoke-lease', async () => await store.revokeLease(effect.lease as LeaseId))
      return
    case 'publish':
      background(log, 'publish', async () => {
        const write: Write = { kind: 'put', key: keys.transition, value: toBytes(effect.record) }
        const { term } = effect.record
        await store.transaction({
          compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }],
          writes: [write],
        })
      })
      return
    case 'walked':
      ports.walked(effect.report)
      return
    case 'log':
      log.info(effect.message, effect.fields)
      return
    default:
      assertNever(effect)
  }
}

/** Where the time of a recovery goes: with SYSTOLE_LOG=debug. */
function traceEffect(effect: ControllerEffect, log: Log): void {
  if (effect.kind === 'execute') log.debug('to a node', { to: effect.node, action: effect.action.key })
  else if (effect.kind === 'compute') log.debug('a transition is computed', { because: effect.reason })
  else if (effect.kind !== 'log') log.debug('the controller asks', { for: effect.kind })
}

function write(
  asked: { readonly id: number; readonly term: number },
  edits: readonly Edit[],
  ports: PerformPorts,
): void {
  // The view that this was decided from.
  const known = ports.nodeStates()
  background(ports.log, 'write', async () => {
    const states = edits.flatMap((edit) => (edit.kind === 'put-node-state' ? [edit.record] : []))
    const writes = [...writesOfEdits(edits).map(storeWrite), ...membershipNotes(known, states)]
    const { term, id } = asked
    const { outcome, revision } = await writeAsDc(ports.store, term, {
      writes,
      stillWanted: () => ports.holdsTerm(term),
    })
    ports.log.debug('written', { id, outcome, revision })
    ports.feed({ kind: 'written', id, outcome, revision })
  })
}

async function campaign(lease: string, ports: PerformPorts): Promise<void> {
  const { store, node, log, feed } = ports
  try {
    const { applied, revision } = await store.transaction({
      compare: [{ kind: 'absent', key: keys.dc }],
      writes: [{ kind: 'put', key: keys.dc, value: toBytes({ node }), lease: lease as LeaseId }],
    })
    if (applied) {
      log.info('this node is the DC')
      background(log, 'abandoned fencing', async () => await endAbandonedFencing(revision, ports))
    }
  } catch (error) {
    log.warn('the election could not be decided', { error })
  }
  feed({ kind: 'campaigned' })
}

/** What earlier DCs have begun, of which nobody will hear any more. It is known here: it was written before they were gone. */
async function endAbandonedFencing(term: number, ports: PerformPorts): Promise<void> {
  const { store, fencingHistory, holdsTerm, takeUpLeftOff } = ports
  const history = fencingHistory()
  const records = abandoned(history, new Date())
  if (records.length > 0)
    await writeAsDc(store, term, { writes: recordWrites(records), stillWanted: () => holdsTerm(term) })
  takeUpLeftOff(term, history)
}

async function resign(term: number, { store, log, feed }: PerformPorts): Promise<void> {
  try {
    await store.transaction({
      compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }],
      writes: [{ kind: 'delete', key: keys.dc }],
    })
  } catch (error) {
    log.warn('this node could not give up being the DC', { error })
  }
  feed({ kind: 'campaigned' })
}

/** What the store does not answer is asked for again by the core when it matters: the view tells what is. */
function background(log: Log, what: string, act: () => Promise<void>): void {
  act().catch((error: unknown) => {
    if (isDefect(error)) throw error
    log.warn('the controller was not obeyed', { what, error })
  })
}
