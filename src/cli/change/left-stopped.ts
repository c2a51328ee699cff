/**
 * Resources that ought to run and do not, with the decision's own reasons: what a change will leave so, told before it is
 * made, and what is so once the cluster has settled. "Settled" alone would let a start that failed pass for a success.
 */
import type { XmlElement } from '../../cib/index.ts'
import { type Cause, explainResource, type PrimitiveAssignment, type Schedule } from '../../scheduler/index.ts'
import type { PrimitiveResource } from '../../status/index.ts'
import type { StoppedTogether } from '../facts/status-facts.ts'
import { decide } from './decide.ts'

export interface LeftStopped {
  /** As it is configured: of a clone, all its instances. */
  readonly resource: string
  /** Empty where the decision gives it a place and it has yet to get there. */
  readonly causes: readonly string[]
}

/** What the change leaves without a place that had one before, or is new. */
export function leftStoppedBetween(was: Schedule, is: Schedule): readonly LeftStopped[] {
  const nowhereBefore = new Set(meantToRun(was).filter((id) => !hasPlace(was, id)))
  return managed(is)
    .filter((id) => !hasPlace(is, id) && !nowhereBefore.has(id))
    .map((id) => explained(is, id))
}

/** Which of these are active nowhere. */
export function notRunning(cib: XmlElement, resources: ReadonlySet<string>, now: Date): readonly LeftStopped[] {
  const decision = decide(cib, now)
  return managed(decision)
    .filter((id) => resources.has(id) && !instancesOf(decision, id).some(({ state }) => state.active.length > 0))
    .map((id) => explained(decision, id))
}

/** What ought to run and runs nowhere, and not because it is about to: by the causes at which the chains of reasons begin. */
export function stoppedTogether(cib: XmlElement, now: Date): readonly StoppedTogether[] {
  const decision = decide(cib, now)
  const groups = new Map<string, string[]>()
  for (const id of managed(decision)) {
    if (instancesOf(decision, id).some(({ state }) => state.active.length > 0)) continue
    const roots = [...new Set(causesOf(decision, id).flatMap(rootsOf))]
    if (roots.length === 0) continue
    const cause = roots.join('; ')
    groups.set(cause, [...(groups.get(cause) ?? []), id])
  }
  return [...groups].map(([cause, resources]) => ({ resources, cause }))
}

/** Of what runs, but less often than it was asked for: why the decision has no place for the rest. */
export function withoutPlace(cib: XmlElement, now: Date): readonly StoppedTogether[] {
  const decision = decide(cib, now)
  return managed(decision).flatMap((id) => {
    const instances = instancesOf(decision, id)
    if (!instances.some(({ state }) => state.active.length > 0)) return []
    const lacking = new Set(
      instances
        .filter((one) => !one.orphan && decision.assignment.primitives.get(one.id)?.node === undefined)
        .map((one) => one.id),
    )
    const explained = explainResource(decision, id)?.instances.filter((instance) => lacking.has(instance.id)) ?? []
    const roots = [...new Set(explained.flatMap(({ causes }) => causes.flatMap(rootsOf)))]
    // That the others have their instance already is said by the numbers.
    const others = roots.filter((text) => !text.endsWith(describeFull))
    return others.length === 0 ? [] : [{ resources: [id], cause: others.join('; ') }]
  })
}

const describeFull = 'clone-node-max instances are placed there already'

function rootsOf({ text, because }: Cause): readonly string[] {
  return because.length === 0 ? [text] : because.flatMap(rootsOf)
}

export function printLeftStopped(stopped: readonly LeftStopped[]): string {
  return stopped.map(({ resource, causes }) => `  * ${resource}: ${causes.join('; ') || 'about to start'}\n`).join('')
}

/** Primitives by their configured ids, but for those that are stopped on purpose. */
function meantToRun(
  { status, assignment }: Schedule,
  where: (one: PrimitiveAssignment) => boolean = () => true,
): readonly string[] {
  const meant = [...assignment.primitives.values()].filter(
    (one) => where(one) && !one.whyNot.some(({ kind }) => onPurpose.has(kind)),
  )
  return [...new Set(meant.flatMap(({ id }) => status.primitivesById.get(id)?.configuredId ?? []))]
}

/** What is in maintenance is left as it is, and nobody waits for it. */
const managed = (decision: Schedule): readonly string[] => meantToRun(decision, (one) => one.managed)

const onPurpose: ReadonlySet<string> = new Set(['target-role', 'stop-all-resources', 'orphan'])

function hasPlace(decision: Schedule, id: string): boolean {
  return instancesOf(decision, id).some(
    (instance) => decision.assignment.primitives.get(instance.id)?.node !== undefined,
  )
}

function instancesOf({ status }: Schedule, id: string): readonly PrimitiveResource[] {
  return [...status.primitivesById.values()].filter(({ configuredId }) => configuredId === id)
}

function explained(decision: Schedule, id: string): LeftStopped {
  return { resource: id, causes: [...new Set(causesOf(decision, id).map(inOneLine))] }
}

function causesOf(decision: Schedule, id: string): readonly Cause[] {
  return explainResource(decision, id)?.instances.flatMap((instance) => instance.causes) ?? []
}

/** A cause and what it comes from, down to where it begins. */
function inOneLine({ text, because }: Cause): string {
  return [text, ...because.slice(0, 1).map(inOneLine)].join(' ← ')
}
