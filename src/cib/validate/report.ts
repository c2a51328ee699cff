/** What can be wrong with a CIB, and how it is said. An error makes the CIB refused; a warning does not. */
import { assertNever, didYouMean } from '../../base/index.ts'
import type { Place, XmlElement } from '../document.ts'

export interface Where {
  /** `/cib/configuration/resources/primitive[@id='web']`. */
  readonly path: string
  /** In the text that was read; elements made by an edit have none. */
  readonly place?: Place
}

export type CibFinding =
  | {
      readonly code: 'unknown-element'
      readonly element: string
      readonly parent: string
      readonly similar: readonly string[]
    }
  | {
      readonly code: 'unknown-attribute'
      readonly attribute: string
      readonly element: string
      readonly similar: readonly string[]
    }
  | { readonly code: 'missing-attribute'; readonly attribute: string; readonly element: string }
  | { readonly code: 'missing-section'; readonly section: string }
  | {
      readonly code: 'bad-value'
      readonly name: string
      readonly value: string
      readonly expected: string
      readonly similar: readonly string[]
    }
  | {
      readonly code: 'unknown-option'
      readonly name: string
      readonly where: string
      readonly similar: readonly string[]
    }
  | { readonly code: 'duplicate-id'; readonly id: string; readonly first: Where }
  | { readonly code: 'bad-id'; readonly id: string }
  | { readonly code: 'too-long'; readonly sentence: string }
  | { readonly code: 'resource-twice'; readonly id: string; readonly parents: readonly string[] }
  | {
      readonly code: 'unknown-reference'
      readonly what: string
      readonly id: string
      readonly by: string
      readonly similar: readonly string[]
    }
  | {
      readonly code: 'unknown-node'
      readonly node: string
      readonly by: string
      readonly similar: readonly string[]
    }
  | { readonly code: 'bad-pattern'; readonly attribute: string; readonly pattern: string; readonly why: string }
  | { readonly code: 'control-character'; readonly name: string; readonly character: string }
  | { readonly code: 'empty'; readonly element: string; readonly id: string; readonly needs: string }
  | { readonly code: 'too-many'; readonly element: string; readonly id: string; readonly what: string }
  | { readonly code: 'refers-to-itself'; readonly id: string; readonly constraint: string }
  | { readonly code: 'order-loop'; readonly loop: readonly string[]; readonly constraints: readonly string[] }
  | { readonly code: 'colocation-loop'; readonly loop: readonly string[]; readonly constraints: readonly string[] }
  /** It is taken, and nothing obeys it. */
  | { readonly code: 'without-effect'; readonly name: string; readonly value: string; readonly reason: string }
  /** It meant something once: what it is, and what to do. */
  | { readonly code: 'obsolete'; readonly what: string; readonly advice: string }
  | {
      readonly code: 'same-operation'
      readonly resource: string
      readonly operation: string
      readonly interval: string
      readonly id: string
      readonly first: string
    }

export type CibReport = CibFinding & Where & { readonly severity: 'error' | 'warning' }

/** The place and the sentence: `line 7, column 3: There is no resource 'wbe'. Did you mean 'web'?` */
export function describeCibReport(report: CibReport): string {
  return `${describeWhere(report)}: ${describeFinding(report)}`
}

function describeWhere({ path, place }: Where): string {
  return place === undefined ? path : `line ${place.line}, column ${place.column}`
}

/** Without the place: for what was typed in a command. */
export function describeFinding(report: CibFinding): string {
  switch (report.code) {
    case 'unknown-element':
      return `A ${report.parent} cannot hold a '${report.element}' element.${didYouMean(report.similar)}`
    case 'unknown-attribute':
      return `A ${report.element} has no attribute '${report.attribute}'.${didYouMean(report.similar)}`
    case 'missing-attribute':
      return `This ${report.element} has no '${report.attribute}'.`
    case 'missing-section':
      return `The CIB has no '${report.section}' section.`
    case 'bad-value':
      return `'${report.value}' is not a valid value for ${report.name}: expected ${report.expected}.${didYouMean(report.similar)}`
    case 'unknown-option':
      return `There is no ${report.where} '${report.name}'.${didYouMean(report.similar)}`
    case 'duplicate-id':
      return `The id '${report.id}' is already used at ${describeWhere(report.first)}.`
    case 'bad-id':
      return `'${report.id}' cannot be an id: ids begin with a letter or '_' and hold letters, digits, '_', '-' and '.'.`
    case 'too-long':
      return report.sentence
    case 'resource-twice':
      return `The resource '${report.id}' is configured ${report.parents.length} times, in ${report.parents.join(' and ')}.`
    case 'unknown-reference':
      return `${report.by} names the ${report.what} '${report.id}', which does not exist.${didYouMean(report.similar)}`
    case 'unknown-node':
      return `${report.by} names the node '${report.node}', which is not configured.${didYouMean(report.similar)}`
    case 'bad-pattern':
      return `'${report.pattern}' is not a regular expression for ${report.attribute}: ${report.why}.`
    case 'control-character':
      return `The attribute '${report.name}' holds the control character ${report.character}, which a CIB cannot hold.`
    case 'empty':
      return `The ${report.element} '${report.id}' has no ${report.needs}.`
    case 'too-many':
      return `The ${report.element} '${report.id}' has more than one ${report.what}.`
    case 'refers-to-itself':
      return `The constraint '${report.constraint}' relates '${report.id}' to itself.`
    case 'order-loop':
      return `These cannot all start, for each waits for the one before: ${report.loop.join(', then ')}. Remove one of ${report.constraints.join(', ')}.`
    case 'colocation-loop':
      return `These colocations form a loop: ${report.loop.join(' with ')}. Remove one of ${report.constraints.join(', ')}.`
    case 'without-effect':
      return `${report.name}=${report.value} has no effect: ${report.reason}`
    case 'obsolete':
      return `${report.what} ${report.advice}`
    case 'same-operation':
      return `The resource '${report.resource}' has two ${report.operation} operations with the interval ${report.interval}.`
    default:
      return assertNever(report)
  }
}

export type AddReport = (severity: 'error' | 'warning', at: XmlElement, finding: CibFinding) => void
