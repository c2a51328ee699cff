/**
 * A plan in a form that outlives the version that made it: what is done where, and what waits for what, by names instead of numbers. The DC
 * keeps it beside what it decided from; `systole state replay` decides again and compares.
 */
import type { GraphAction, TransitionGraph } from './graph.ts'

export interface PlannedAction {
  /** `web_start_0 n1`; without a node for what happens at none. */
  readonly name: string
  /** The names of those that must have succeeded before. */
  readonly after: readonly string[]
}

/** In the order of the names, so that equal plans are equal texts. */
export function recordedPlan(graph: TransitionGraph): readonly PlannedAction[] {
  const names = new Map([...graph.actions, ...(graph.absent ?? [])].map((action) => [action.id, nameOf(action)]))
  return graph.actions
    .map((action) => ({
      name: nameOf(action),
      after: [...new Set(action.inputs.flatMap((id) => names.get(id) ?? []))].sort(),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** With its node and, where a migration has halves of the same name, with its way. Pseudo actions are no deeds, and say so. */
export function nameOf(action: GraphAction): string {
  const where = action.node === undefined ? '' : ` ${action.node}`
  if (action.kind === 'pseudo') return `(${action.internalKey ?? action.key})${where}`
  return `${action.internalKey ?? action.key}${where}`
}

export interface PlanDifference {
  /** Actions of the first plan that the second one lacks. */
  readonly missing: readonly string[]
  readonly added: readonly string[]
  /** Of the actions that both have: which waits for something else. */
  readonly otherOrder: readonly {
    readonly name: string
    readonly noLongerAfter: readonly string[]
    readonly nowAfter: readonly string[]
  }[]
}

export function comparePlans(first: readonly PlannedAction[], second: readonly PlannedAction[]): PlanDifference {
  const known = new Map(first.map((action) => [action.name, action]))
  const found = new Map(second.map((action) => [action.name, action]))
  const otherOrder = second.flatMap(({ name, after }) => {
    const before = known.get(name)?.after
    if (before === undefined) return []
    const [old, fresh] = [new Set(before), new Set(after)]
    // What comes or goes is listed itself: that others wait for it is no further difference.
    const noLongerAfter = before.filter((one) => !fresh.has(one) && found.has(one))
    const nowAfter = after.filter((one) => !old.has(one) && known.has(one))
    return noLongerAfter.length + nowAfter.length === 0 ? [] : [{ name, noLongerAfter, nowAfter }]
  })
  return {
    missing: first.flatMap(({ name }) => (found.has(name) ? [] : [name])),
    added: second.flatMap(({ name }) => (known.has(name) ? [] : [name])),
    otherOrder,
  }
}

export const isSamePlan = ({ missing, added, otherOrder }: PlanDifference): boolean =>
  missing.length + added.length + otherOrder.length === 0

/** What was decided, at the end of a saved input: an XML comment, so that every program that reads a CIB reads the file. */
export interface DecisionRecord {
  readonly version: string
  /** Seconds east of UTC: rules without a time zone mean the host's. */
  readonly utcOffset: number
  readonly plan?: readonly PlannedAction[]
  /** In the place of a plan, where the scheduler failed. */
  readonly error?: string
}

const mark = 'systole-decision '

export function printDecision(record: DecisionRecord): string {
  // Two hyphens must not stand in a comment; in JSON they stand nowhere but in a string.
  return `<!-- ${mark}${JSON.stringify(record).replaceAll('--', '-\\u002d')} -->\n`
}

/** The JSON of the record in the text of a saved input, where there is one. It is a file: nobody has checked it. */
export function decisionText(text: string): string | undefined {
  const begin = text.lastIndexOf(`<!-- ${mark}`)
  if (begin === -1) return undefined
  const end = text.indexOf(' -->', begin)
  return end === -1 ? undefined : text.slice(begin + `<!-- ${mark}`.length, end)
}
