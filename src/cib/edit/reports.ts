/** What can be wrong with an edit that an administrator asks for, and how it is said. */
import { didYouMean, failed, ok, type Result } from '../../base/index.ts'
import type { XmlElement } from '../document.ts'

export interface Removed {
  /** The element's name: `primitive`, `rsc_location`, `resource_ref`, `fencing-level` … */
  readonly element: string
  readonly id: string
  /** For members of sets, tags and levels: what they were taken out of. */
  readonly from?: string
}

/** The new document, and what else the caller will want to tell. */
export interface Edited {
  readonly cib: XmlElement
  /** Ids of the elements that were made for the request: the resource, the constraint, the clone. */
  readonly created: readonly string[]
  /** What went away, with everything that referred to it. */
  readonly removed: readonly Removed[]
}

export type EditResult = Result<Edited, EditReport>

export type EditReport =
  | { readonly code: 'resource-not-found'; readonly id: string; readonly similar: readonly string[] }
  | { readonly code: 'node-not-found'; readonly node: string; readonly similar: readonly string[] }
  | { readonly code: 'constraint-not-found'; readonly id: string; readonly similar: readonly string[] }
  /** Of the smaller kinds: a tag, an alert, a recipient, a role, a set of defaults, a mapping of a bundle. */
  | { readonly code: 'not-found'; readonly what: string; readonly id: string; readonly similar: readonly string[] }
  | { readonly code: 'nothing-has-id'; readonly id: string; readonly similar: readonly string[] }
  | { readonly code: 'still-used'; readonly id: string; readonly by: string }
  | { readonly code: 'nothing-left'; readonly id: string; readonly kind: string; readonly remove: string }
  | {
      readonly code: 'operation-not-found'
      readonly resource: string
      readonly operation: string
      /** Of several of a name, what it was to have. */
      readonly attributes?: Readonly<Record<string, string>>
    }
  | {
      readonly code: 'operation-alike'
      readonly resource: string
      readonly operation: string
      readonly id: string
      /** All that it has, in a line. */
      readonly line: string
    }
  | { readonly code: 'operation-twice'; readonly resource: string; readonly id: string; readonly line: string }
  | {
      readonly code: 'level-not-found'
      readonly index?: number | string
      readonly target?: string
      readonly devices?: readonly string[]
    }
  | { readonly code: 'wrong-kind'; readonly id: string; readonly kind: string; readonly wanted: string }
  | { readonly code: 'id-in-use'; readonly id: string; readonly by: string }
  | { readonly code: 'bad-id'; readonly id: string }
  | { readonly code: 'too-long'; readonly sentence: string }
  | { readonly code: 'already-inside'; readonly id: string; readonly kind: string; readonly parent: string }
  | { readonly code: 'member-already'; readonly id: string; readonly group: string }
  | { readonly code: 'must-leave-first'; readonly id: string; readonly kind: string; readonly parent: string }
  | { readonly code: 'not-inside'; readonly id: string; readonly parent: string }
  | {
      readonly code: 'already-exists'
      readonly what: string
      readonly id: string
      /** More that say the same. */
      readonly others?: readonly string[]
    }
  | {
      readonly code: 'unknown-option'
      readonly name: string
      readonly where: string
      readonly similar: readonly string[]
      /** All that could have been meant. */
      readonly known: readonly string[]
      /** The word after which it would stand. */
      readonly after?: string
    }
  | { readonly code: 'bad-value'; readonly name: string; readonly value: string; readonly expected: string }
  | { readonly code: 'no-value'; readonly name: string }
  | { readonly code: 'last-of-group'; readonly id: string; readonly group: string }
  | { readonly code: 'nothing-given'; readonly what: string }
  | { readonly code: 'given-twice'; readonly id: string }
  | { readonly code: 'refers-to-itself'; readonly id: string }
  | { readonly code: 'part-of-clone'; readonly id: string; readonly kind: string; readonly outer: string }
  | { readonly code: 'cannot-be-unique'; readonly id: string; readonly agentClass: string; readonly agent: string }
  | { readonly code: 'cannot-be-promoted'; readonly id: string; readonly agentClass: string; readonly agent: string }
  | { readonly code: 'in-one-group'; readonly id: string; readonly other: string; readonly group: string }

type Sentences = { readonly [Code in EditReport['code']]: (report: Extract<EditReport, { code: Code }>) => string }

const sentences: Sentences = {
  'resource-not-found': (report) => `There is no resource '${report.id}'.${didYouMean(report.similar)}`,
  'node-not-found': (report) => `There is no node '${report.node}'.${didYouMean(report.similar)}`,
  'constraint-not-found': (report) => `There is no constraint '${report.id}'.${didYouMean(report.similar)}`,
  'not-found': (report) => `There is no ${report.what} '${report.id}'.${didYouMean(report.similar)}`,
  'nothing-has-id': (report) => `Nothing in the configuration has the id '${report.id}'.${didYouMean(report.similar)}`,
  'still-used': (report) => `'${report.id}' is still used by ${report.by}: remove that first.`,
  'nothing-left': (report) =>
    `Nothing would be left of the ${report.kind} '${report.id}': use '${report.remove} ${report.id}' to remove it.`,
  'operation-not-found': (report) => `'${report.resource}' has no operation ${report.operation}.`,
  'operation-alike': (report) =>
    `'${report.resource}' has the operation ${report.operation} already: '${report.id}'. Change it with 'resource update ${report.resource} op ${report.operation}', or add --force to have both.`,
  'operation-twice': (report) => `The same operation already exists: '${report.id}'.`,
  'level-not-found': (report) =>
    `There is no fencing level${report.index === undefined ? '' : ` ${report.index}`}${report.target === undefined ? '' : ` for ${report.target}`} with what is given.`,
  'wrong-kind': (report) => `'${report.id}' is a ${report.kind}; this needs a ${report.wanted}.`,
  'id-in-use': (report) => `'${report.id}' already exists: the id is used by ${report.by}.`,
  'bad-id': (report) =>
    `'${report.id}' cannot be an id: ids begin with a letter or '_' and hold letters, digits, '_', '-' and '.'.`,
  'too-long': (report) => report.sentence,
  'already-inside': (report) => `'${report.id}' is already in the ${report.kind} '${report.parent}'.`,
  'member-already': (report) =>
    `'${report.id}' is in the group '${report.group}' already: --before or --after another member moves it there.`,
  'must-leave-first': (report) =>
    `Take '${report.id}' out of the ${report.kind} '${report.parent}' first: a ${report.kind} holds one resource.`,
  'not-inside': (report) => `'${report.id}' is not in '${report.parent}'.`,
  'already-exists': (report) => `The same ${report.what} already exists: '${report.id}'.`,
  'unknown-option': ({ where, name, similar, after }) =>
    `There is no ${where} '${name}'.${after === undefined ? didYouMean(similar) : ` Specify it after '${after}'.`}`,
  'bad-value': (report) => `'${report.value}' is not a valid value for ${report.name}: expected ${report.expected}.`,
  'no-value': (report) => `The parameter '${report.name}' has no value: give it one, or leave it out.`,
  'last-of-group': (report) =>
    `'${report.id}' is the only member of the group '${report.group}', which constraints or tags name: dissolve it first with 'resource ungroup ${report.group}'.`,
  'nothing-given': (report) => `No ${report.what} is given.`,
  'given-twice': (report) => `'${report.id}' is given twice.`,
  'refers-to-itself': (report) => `'${report.id}' cannot refer to itself.`,
  'part-of-clone': (report) =>
    `'${report.id}' is inside the ${report.kind} '${report.outer}': constrain '${report.outer}', or add --force.`,
  'cannot-be-unique': (report) =>
    `'${report.id}' cannot be globally unique: its agent has class ${report.agentClass}, and only agents of class ocf receive the instance number.`,
  'cannot-be-promoted': (report) =>
    `'${report.id}' cannot be promoted: its agent is of the class ${report.agentClass}, and only agents of the class ocf know promote and demote.`,
  'in-one-group': (report) =>
    `'${report.other}' and '${report.id}' are in the group '${report.group}', which orders its members itself. Add --force to order them all the same.`,
}

export function describeEditReport(report: EditReport): string {
  const sentence = sentences[report.code] as (report: EditReport) => string
  return sentence(report)
}

export function edited(cib: XmlElement, more: Partial<Omit<Edited, 'cib'>> = {}): EditResult {
  return ok({ cib, created: more.created ?? [], removed: more.removed ?? [] })
}

/** Refuses where there is a report, and edits otherwise. */
export function unless(reports: readonly EditReport[], edit: () => EditResult): EditResult {
  return reports.length > 0 ? failed(...reports) : edit()
}
