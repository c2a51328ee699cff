/** Blocks of name/value pairs in the form in which pcs gives them out as JSON, and in the lines that it prints. */
import { childElements, hiddenValue, type IsSecret, secretNames, type XmlElement } from '../../cib/index.ts'
import type { Call } from '../call/command.ts'
import { secondsOf } from '../host/host-time.ts'
import { type RuleForm, ruleForms, ruleLines } from './rule.ts'

export interface NvsetForm {
  readonly id: string
  readonly options: Readonly<Record<string, string>>
  readonly rule: RuleForm | null
  readonly nvpairs: readonly { readonly id: string; readonly name: string; readonly value: string }[]
}

/** What a form is read with. */
export interface FormContext {
  readonly cib: XmlElement
  /** Seconds since 1970. */
  readonly now: number
  /** Whose values are shown as stars. */
  readonly isHidden: IsSecret
}

export function formContext(call: Call, cib: XmlElement, showSecrets = false): FormContext {
  // Programs that read pcs's JSON or its commands write back what they read.
  const readByProgram =
    call.speech.program === 'pcs' && ['json', 'cmd'].includes(String(call.flags.get('output-format')))
  const isHidden = showSecrets || readByProgram ? () => false : secretNames(cib)
  return { cib, now: secondsOf(call.terminal.now()), isHidden }
}

/** The pairs of each by name. */
export function nvsetForms(parent: XmlElement, kind: string, context: FormContext): readonly NvsetForm[] {
  return childElements(parent, kind).map((set) => {
    const { id = '', ...options } = set.attributes
    return {
      id,
      options,
      rule: ruleForms(set, context.cib, context.now)[0] ?? null,
      nvpairs: childElements(set, 'nvpair')
        .map(({ attributes }) => ({
          id: attributes.id ?? '',
          name: attributes.name ?? '',
          value: context.isHidden(attributes.name ?? '') ? hiddenValue : (attributes.value ?? ''),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    }
  })
}

/** A heading and a line for each pair, by name. */
export function nvsetLines(
  set: NvsetForm,
  label: string,
  withIds = false,
  rule: readonly string[] = set.rule ? ruleLines(set.rule, withIds) : [],
): readonly string[] {
  const heading = [`${label}${standing(set)}:`, ...(set.id === '' ? [] : [set.id]), ...pairWords(set.options)].join(' ')
  const values = set.nvpairs.map(
    ({ id, name, value }) => `${pairWords({ [name]: value }).join('')}${withIds ? ` (id: ${id})` : ''}`,
  )
  return [heading, ...[...values, ...rule].map((line) => `  ${line}`)]
}

function standing({ rule }: NvsetForm): string {
  if (rule?.in_effect === 'EXPIRED') return ' (expired)'
  return rule?.in_effect === 'NOT_YET_IN_EFFECT' ? ' (not yet in effect)' : ''
}

/** `name=value`, in quotes where a blank or an equals sign would mislead; in single ones where the value has double ones. */
export function pairWords(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([name, value]) => `${quoted(name)}=${quoted(value)}`)
}

function quoted(text: string): string {
  if (!/[= ]/.test(text)) return text
  if (!text.includes('"')) return `"${text}"`
  return text.includes("'") ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`
}
