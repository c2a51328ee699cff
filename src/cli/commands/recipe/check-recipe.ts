/** A recipe before it begins: each command is tried on a copy of the configuration, in order, and what is waited for must be there by then. */
import type { XmlElement } from '../../../cib/index.ts'
import { withoutHolds } from '../../../holds/index.ts'
import { catalogueOf } from '../../../services/index.ts'
import type { ClusterAccess } from '../../call/access.ts'
import { type Call, changeFlags, Refusal } from '../../call/command.ts'
import { findCommand } from '../../call/tree.ts'
import { consequences } from '../../change/change.ts'
import { afterwards, type PlannedAction } from '../../change/planned-actions.ts'
import { statusOf } from '../../facts/status-view.ts'
import { refuseUnknown } from './awaited.ts'
import type { Recipe, Step } from './recipe-file.ts'

export interface CheckedStep {
  readonly text: string
  readonly place: string
  /** Of a command: what it would cause once the steps before it have done what they cause. */
  readonly actions: readonly PlannedAction[]
}

/** Throws a Refusal with every step that is wrong. */
export async function checkRecipe(call: Call, { steps }: Recipe): Promise<readonly CheckedStep[]> {
  const now = call.terminal.now()
  let current = withoutHolds((await call.cluster.readCib()).cib)
  const checked: CheckedStep[] = []
  for (const step of steps) {
    const before = current
    const mistakes = step.run === undefined ? awaitedMistakes(call, current, step) : commandMistakes(call, step.run)
    if (mistakes.length === 0 && step.run !== undefined) {
      const tried = await tryOn(call, step.run, current)
      if ('cib' in tried) current = tried.cib
      else mistakes.push(...tried.sentences)
    }
    // What follows builds on it: more mistakes would be about this one.
    if (mistakes.length > 0) throw new Refusal(...mistakes.map((sentence) => `${step.place}: ${sentence}`))
    const actions = before === current ? [] : consequences(before, current, now).actions
    checked.push({ text: step.text, place: step.place, actions })
    if (before !== current) current = afterwards(current, now)
  }
  return checked
}

function awaitedMistakes(call: Call, cib: XmlElement, { wait }: Step): string[] {
  const status = statusOf(call, cib)
  const services = catalogueOf(status, () => undefined).services.map(({ definition }) => definition.name)
  const mistake = wait && refuseUnknown(status, services, wait)
  return mistake === undefined ? [] : [mistake]
}

const ownFlags = /^(?:--(?:wait|confirm-within|preview|file)(?:=|$)|-f$)/

function commandMistakes(call: Call, words: readonly string[]): string[] {
  const line = words.join(' ')
  const operator = words.find((word) => /^(&&|\|\|?|;|>+|<)$/.test(word))
  if (operator !== undefined) return [`'${operator}' is for a shell. Write one command in a step.`]
  const flag = words.find((word) => ownFlags.test(word))
  if (flag !== undefined)
    return [`A step does not take '${flag}': the recipe waits after each step, and takes it back.`]
  const command = findCommand(call.commands, words)?.command
  const isChange = command?.flags?.some(({ name }) => name === changeFlags[0]?.name) === true
  const isOther = ['plan', 'apply', 'cluster', 'recipe'].includes(command?.path[0] ?? '')
  return isChange && !isOther ? [] : [`'${line}' does not change the configuration, or cannot be one step of several.`]
}

async function tryOn(
  call: Call,
  words: readonly string[],
  start: XmlElement,
): Promise<{ readonly cib: XmlElement } | { readonly sentences: readonly string[] }> {
  let current = start
  const copy: ClusterAccess = {
    live: undefined,
    close: () => undefined,
    readCib: () => Promise.resolve({ cib: current, version: 0 }),
    push: ({ cib }) => {
      current = cib
      return Promise.resolve({ kind: 'saved', version: 0 })
    },
  }
  try {
    const outcome = await call.runOn(words, copy)
    return outcome.kind === 'refused' ? { sentences: outcome.sentences } : { cib: current }
  } catch (error) {
    if (error instanceof Refusal) return { sentences: error.sentences }
    throw error
  }
}
