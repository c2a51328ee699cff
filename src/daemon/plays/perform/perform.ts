/**
 * The components of one part of a play, on one node: each is rendered with what this node keeps, and left out if the same was done here before. Started as the
 * command of a task (run-task.ts), which it tells on its descriptor 3 how each has ended, and what others are to know.
 */
import { writeSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Component } from '../../../plays/index.ts'
import { BlueprintError, render } from './blueprint.ts'
import { digestOf, Kept } from './kept.ts'
import { type Done, perform } from './verbs.ts'

/** On its standard input. */
export interface PerformOrder {
  readonly components: readonly Component[]
  /** What QUERY has collected: by node, by name. */
  readonly query: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** What was done before is done again. */
  readonly force: boolean
  readonly play: string
  /** Where the node keeps what is to be known later. */
  readonly folder: string
}

/** What is not left out when it comes again: it is quick, or means this moment, or looks itself whether it is needed. */
const alwaysDone = new Set([
  'EXEC',
  'ARG',
  'ENV',
  'ADD',
  'COPY',
  'WORKDIR',
  'CACHEFILE',
  'CACHEEVICT',
  'QUERY',
  'QUERY_WAIT',
  'WAIT',
  'REBOOT',
])
const noteDescriptor = 3

export async function main(): Promise<number> {
  const order = JSON.parse(await text(process.stdin)) as PerformOrder
  const kept = new Kept(order.folder, order.play, order.query)
  let hasChanged = false
  let facts: Readonly<Record<string, unknown>> = {}
  for (const component of order.components) {
    process.stdout.write(`> ${component.label}\n`)
    const done = await one(component, kept, { force: order.force, hasChanged })
    if (done === 'before') process.stdout.write('  done before\n')
    else {
      if (done.facts) facts = { ...facts, ...done.facts }
      if (done.changed) hasChanged = true
    }
    const exitCode = done === 'before' ? 0 : done.exitCode
    note(String(exitCode))
    if (exitCode !== 0) {
      process.stderr.write(`Exit code ${exitCode}: ${component.label}\n`)
      return exitCode
    }
  }
  if (Object.keys(facts).length > 0) note(`=${JSON.stringify(facts)}`)
  return 0
}

const note = (line: string): void => void writeSync(noteDescriptor, `${line}\n`)

async function one(
  component: Component,
  kept: Kept,
  { force, hasChanged }: { readonly force: boolean; readonly hasChanged: boolean },
): Promise<Done | 'before'> {
  try {
    const digest = digestOfComponent(component, kept)
    // A service is restarted again once something before it has changed.
    const isStale =
      force || component.options['skip-cache'] !== undefined || (component.verb === 'SERVICE' && hasChanged)
    const isKept = !alwaysDone.has(component.verb)
    if (isKept && !isStale && kept.isDone(digest) && hasItsArguments(component, kept)) return 'before'
    const done = await perform(component, kept)
    if (done.exitCode !== 0) return done
    for (const [option, printed] of [
      ['stdout-arg', done.stdout],
      ['stderr-arg', done.stderr],
    ] as const) {
      const name = component.options[option]
      if (name !== undefined) kept.set('args', name, printed.trim())
    }
    if (isKept) kept.noteDone(digest, component.label)
    return done
  } catch (error) {
    if (!(error instanceof BlueprintError) && !(error instanceof Error)) throw error
    process.stderr.write(`${error.message}\n`)
    return { exitCode: 1, stdout: '', stderr: error.message, changed: false }
  }
}

/** By what it is once it is rendered, and by the variables that its command sees. */
function digestOfComponent(
  { verb, text: written = '', words = [], options, files = [] }: Component,
  kept: Kept,
): string {
  const values = kept.arguments()
  const { 'skip-cache': _, timeout: __, ...meant } = options
  return digestOf(
    verb,
    verb === 'EXEC' ? '' : render(written, values),
    JSON.stringify(verb === 'EXEC' ? words : words.map((word) => render(word, values))),
    JSON.stringify(Object.entries(meant).sort(([a], [b]) => (a < b ? -1 : 1))),
    JSON.stringify(kept.environment()),
    ...files.map(({ data }) => data),
  )
}

/** What it would set may have been forgotten since. */
function hasItsArguments({ verb, options }: Component, kept: Kept): boolean {
  const known = kept.arguments()
  const names = [options['stdout-arg'], options['stderr-arg'], ...(verb === 'FACTER' ? ['facter'] : [])]
  return names.every((name) => name === undefined || Object.hasOwn(known, name))
}
