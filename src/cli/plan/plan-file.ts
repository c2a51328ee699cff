/** A plan in a file: it is applied as it was shown, or not at all. It has the secrets of the configuration, so that only its owner may read it. */
import { configurationElement, parseXml, printXml, type XmlElement } from '../../cib/index.ts'
import { withoutHolds } from '../../holds/index.ts'
import { Refusal } from '../call/command.ts'
import type { PlannedAction } from '../change/planned-actions.ts'
import { md5 } from '../host/md5.ts'

export interface SavedPlan {
  readonly systolePlan: 1
  readonly file: string
  readonly made: string
  readonly version: number
  /** Of the configuration that it was made from. */
  readonly before: string
  readonly configuration: string
  readonly applied?: { readonly name: string; readonly xml: string }
  readonly actions: readonly string[]
}

export const digestOf = (cib: XmlElement): string => md5(printXml(configurationElement(withoutHolds(cib))))

export const textsOf = (actions: readonly PlannedAction[]): readonly string[] => actions.map(({ text }) => text)

export function printSavedPlan(plan: SavedPlan): string {
  return `${JSON.stringify(plan)}\n`
}

export function readSavedPlan(file: string, text: string): SavedPlan | undefined {
  if (!text.startsWith('{"systolePlan":')) return undefined
  const plan = parsed(text)
  if (plan?.systolePlan === 1 && typeof plan.configuration === 'string' && Array.isArray(plan.actions)) return plan
  throw new Refusal(`${file} is not a plan that this version can read. Make it again with 'systole plan'.`)
}

function parsed(text: string): SavedPlan | undefined {
  try {
    return JSON.parse(text) as SavedPlan
  } catch {
    return undefined
  }
}

export function configurationOfPlan(file: string, { configuration }: SavedPlan): XmlElement {
  const read = parseXml(configuration)
  if (read.ok && read.value.name === 'configuration') return read.value
  throw new Refusal(`${file} is damaged. Make the plan again with 'systole plan'.`)
}
