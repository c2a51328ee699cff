/** How pcs says that a constraint, a fencing level or a recipient is there already: with a listing of those that say the same. */
import { childElements, configurationElement, type EditReport, type XmlElement } from '../../cib/index.ts'
import type { Call } from '../call/command.ts'
import type { About } from '../call/message.ts'
import { constraintTextLines } from './constraint-text.ts'
import { constraintsForm } from './constraints.ts'
import { formContext } from './nvset.ts'
import { oldConstraintLines } from './old-constraint-text.ts'

export function aboutDuplicate(call: Call, cib: XmlElement, report: EditReport): About | undefined {
  if (report.code !== 'already-exists') return undefined
  const ids = [report.id, ...(report.others ?? [])]
  const there = elementsIn(configurationElement(cib)).filter(({ attributes }) => ids.includes(attributes.id ?? ''))
  const [first] = there
  if (first === undefined) return undefined
  if (first.name === 'recipient')
    return {
      code: 'said-by-pcs',
      errors: [
        `Recipient '${first.attributes.value}' in alert '${call.words[0] ?? ''}' already exists, use --force to override`,
      ],
      closes: true,
    }
  if (first.name === 'fencing-level') return { code: 'said-by-pcs', errors: [levelSentence(first)], closes: true }
  if (!first.name.startsWith('rsc_')) return undefined
  const context = formContext(call, cib)
  const kind = first.name.slice('rsc_'.length)
  const hasSets = childElements(first, 'resource_set').length > 0
  if (!hasSets && (kind === 'order' || kind === 'colocation')) {
    const layout = { dialect: '0.11', withIds: true, withExpired: true, context } as const
    const lines = oldConstraintLines(there, [kind], layout).slice(1)
    return {
      code: 'said-by-pcs',
      errors: [['duplicate constraint already exists, use --force to override', ...lines].join('\n')],
    }
  }
  const [, ...lines] = constraintTextLines(constraintsForm(there, context), true)
  return {
    code: 'said-by-pcs',
    before: ['Duplicate constraints:', ...lines.map(withSortedMembers)],
    errors: ['Duplicate constraint already exists, use --force to override'],
    closes: true,
  }
}

function elementsIn(element: XmlElement): readonly XmlElement[] {
  return childElements(element).flatMap((child) => [child, ...elementsIn(child)])
}

const withSortedMembers = (line: string): string =>
  line.replace(
    /^( *Resources: )(.*)$/,
    (_, label: string, members: string) => label + members.split(', ').sort().join(', '),
  )

function levelSentence({ attributes }: XmlElement): string {
  const target =
    attributes.target ??
    attributes['target-pattern'] ??
    `${attributes['target-attribute'] ?? ''}=${attributes['target-value'] ?? ''}`
  const devices = (attributes.devices ?? '').split(',').map((device) => `'${device}'`)
  return `Fencing level for '${target}' at level '${attributes.index}' with device(s) ${devices.join(', ')} already exists`
}
