/**
 * A QUERY of an argument that the play sets on some of its nodes only, by `--run-once` or for other targets, leaves the others out, as Directord does: nobody can have meant
 * it to fail there. An argument that the play sets nowhere, or on every node, must be there.
 */
import type { Component } from './component.ts'
import type { PlayStep } from './graph.ts'

export function leaveOutWithoutArgument(steps: readonly PlayStep[]): readonly PlayStep[] {
  const known = new Map<string, Set<string>>()
  for (const { nodes, once, components } of steps)
    for (const name of components.flatMap(setBy)) {
      const on = known.get(name) ?? new Set<string>()
      known.set(name, on)
      if (once !== true) for (const node of nodes) on.add(node)
    }
  return steps.map((step) => {
    const isPartial = ({ verb, words: [name = ''] = [] }: Component): boolean => {
      const on = verb === 'QUERY' ? known.get(name) : undefined
      return on !== undefined && step.nodes.some((node) => !on.has(node))
    }
    if (!step.components.some(isPartial)) return step
    return {
      ...step,
      components: step.components.map((one) =>
        isPartial(one) ? { ...one, options: { ...one.options, 'no-wait': '' } } : one,
      ),
    }
  })
}

function setBy({ verb, options, text = '' }: Component): readonly string[] {
  const printed = ['stdout-arg', 'stderr-arg'].flatMap((option) => options[option] ?? [])
  if (verb === 'ARG') return [...printed, text.split(/\s/)[0] ?? '']
  return verb === 'FACTER' ? [...printed, 'facter'] : printed
}
