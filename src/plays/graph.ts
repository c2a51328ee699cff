/** A graph of steps on nodes, and what must hold before anything of it runs: every requirement has a provider, and nothing waits for itself. */
import { didYouMean, similarWords } from '../base/index.ts'
import type { Component } from './component.ts'

/** What it requires is done on all of its nodes before it begins on any. */
export interface PlayStep {
  readonly id: string
  /** Ids of steps. */
  readonly requires: readonly string[]
  /** In this order where one is enough. */
  readonly nodes: readonly string[]
  /** On one of them: the first that is online. */
  readonly once?: true
  /** The node boots in it: it is done when the node is back. */
  readonly reboots?: true
  readonly components: readonly Component[]
}

/** Before names are resolved: what it provides and requires by names of things. */
export interface NamedStep extends Omit<PlayStep, 'requires'> {
  readonly provides: readonly string[]
  readonly requires: readonly string[]
  /** `file:line` of the task, and of each requirement. */
  readonly place: string
  readonly placeOfRequirement?: (name: string) => string
}

/** Steps by their names, or what is wrong. `missing` says why nothing provides a name, where that is known. */
export function resolveNames(
  steps: readonly NamedStep[],
  missing: (name: string) => string | undefined,
): { readonly steps: readonly PlayStep[]; readonly mistakes: readonly string[] } {
  const providers = new Map<string, string[]>()
  for (const { id, provides } of steps)
    for (const name of provides) providers.set(name, [...(providers.get(name) ?? []), id])
  const mistakes: string[] = []
  const resolved = steps.map(
    ({ provides: _, place, placeOfRequirement, requires, ...step }): PlayStep => ({
      ...step,
      requires: [
        ...new Set(
          requires.flatMap((name) => {
            const by = providers.get(name)
            if (by !== undefined) return by
            const why = missing(name) ?? `No task provides it.${didYouMean(similarWords(name, [...providers.keys()]))}`
            mistakes.push(`${placeOfRequirement?.(name) ?? place}: ${step.id} requires '${name}'. ${why}`)
            return []
          }),
        ),
      ],
    }),
  )
  if (mistakes.length === 0) {
    const circle = findCircle(resolved)
    if (circle !== undefined) {
      const first = steps.find(({ id }) => id === circle[0])
      mistakes.push(
        `${first?.place ?? ''}: The tasks wait for each other: ${[...circle, circle[0]].join(' requires ')}.`,
      )
    }
  }
  return { steps: resolved, mistakes }
}

/** The ids of steps that require each other in a circle. */
export function findCircle(steps: readonly PlayStep[]): readonly string[] | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const done = new Set<string>()
  for (const { id } of steps) {
    const circle = circleFrom(id, byId, done)
    if (circle !== undefined) return circle
  }
  return undefined
}

/** Without recursion: a chain may be long. */
function circleFrom(
  start: string,
  byId: ReadonlyMap<string, PlayStep>,
  done: Set<string>,
): readonly string[] | undefined {
  const path: { readonly id: string; readonly left: string[] }[] = []
  const onPath = new Set<string>()
  const enter = (id: string): void => {
    onPath.add(id)
    path.push({ id, left: [...(byId.get(id)?.requires ?? [])] })
  }
  if (!done.has(start)) enter(start)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const next = top.left.pop()
    if (next === undefined) {
      done.add(top.id)
      onPath.delete(top.id)
      path.pop()
      continue
    }
    if (onPath.has(next)) return path.slice(path.findIndex(({ id }) => id === next)).map(({ id }) => id)
    if (!done.has(next)) enter(next)
  }
  return undefined
}
