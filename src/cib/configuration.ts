/**
 * Typed views of the CIB's `configuration` section: what an administrator wrote, in Pacemaker's terms, before any rule
 * is evaluated or default applied (Pacemaker Explained). Old spellings are gone here: `master` elements are clones with
 * `promotable=true`, roles are `Promoted` and `Unpromoted`, `stonith-*` options are read as `fencing-*` where 3.0 renamed them.
 * Lists keep the order of the document. Values stay text where rules or units decide their meaning later.
 */

import type { NodeName, ResourceId } from '../base/index.ts'
import type { Place, XmlElement } from './document.ts'
import type { OrderAction, OrderKind, Role, Score } from './values/words.ts'

export type { OrderAction, OrderKind, Role, Score } from './values/words.ts'

export interface Configuration {
  readonly options: readonly NvSet[]
  readonly nodes: readonly NodeDefinition[]
  readonly resources: readonly ResourceDefinition[]
  readonly templates: readonly PrimitiveDefinition[]
  readonly constraints: readonly Constraint[]
  readonly resourceDefaults: readonly NvSet[]
  readonly operationDefaults: readonly NvSet[]
  readonly tags: readonly Tag[]
  readonly fencingLevels: readonly FencingLevel[]
  readonly alerts: readonly AlertDefinition[]
}

/** A program that is called when something happens, once for each recipient. */
export interface AlertDefinition {
  readonly id: string
  readonly path: string
  readonly selects: AlertSelection
  readonly meta: readonly NvSet[]
  /** The program gets them as environment variables. */
  readonly parameters: readonly NvSet[]
  readonly recipients: readonly AlertRecipient[]
}

export interface AlertRecipient {
  readonly id: string
  readonly value: string
  readonly meta: readonly NvSet[]
  readonly parameters: readonly NvSet[]
}

/** The kinds of events that an alert is called for. */
export interface AlertSelection {
  readonly nodes: boolean
  readonly fencing: boolean
  readonly resources: boolean
  /** By name. */
  readonly attributes: 'all' | readonly string[]
}

/**
 * A block of name/value pairs under an optional rule: instance or meta attributes, utilization, options. Lists of sets are
 * in document order; `nvSetsByPrecedence` sorts them by who wins: the higher score, and of equal ones the later one.
 */
export interface NvSet {
  readonly id: string
  /** 0 where none is written. */
  readonly score: Score
  readonly rule?: Rule
  readonly pairs: readonly NvPair[]
}

export interface NvPair {
  readonly id: string
  readonly name: string
  readonly value: string
}

export interface NodeDefinition {
  readonly id: string
  readonly name: NodeName
  /** `ping` nodes of old CIBs are left out. */
  readonly type: 'member' | 'remote'
  /** What every resource's score on the node starts from, where it is not 0. */
  readonly score?: Score
  readonly attributes: readonly NvSet[]
  readonly utilization: readonly NvSet[]
  readonly place?: Place
}

export type ResourceDefinition = PrimitiveDefinition | GroupDefinition | CloneDefinition | BundleDefinition

interface ResourceCommon {
  readonly id: ResourceId
  readonly meta: readonly NvSet[]
  readonly place?: Place
}

export interface Agent {
  readonly class: string
  readonly provider?: string
  readonly type: string
}

export interface PrimitiveDefinition extends ResourceCommon {
  readonly kind: 'primitive'
  /** Merged from the template where one is named: the template's sets stand first, so that the primitive's own win. */
  readonly agent: Agent
  readonly template?: string
  readonly parameters: readonly NvSet[]
  readonly utilization: readonly NvSet[]
  readonly operations: readonly OperationDefinition[]
}

export interface OperationDefinition {
  readonly id: string
  readonly name: string
  readonly intervalMs: number
  /** Every attribute of the `op` element but id, name and interval: timeout, start-delay, on-fail, role, enabled, interval-origin … */
  readonly attributes: Readonly<Record<string, string>>
  readonly meta: readonly NvSet[]
  readonly parameters: readonly NvSet[]
}

export interface GroupDefinition extends ResourceCommon {
  readonly kind: 'group'
  readonly members: readonly PrimitiveDefinition[]
  /** Parameters that every member inherits; absent where none are written. */
  readonly parameters?: readonly NvSet[]
}

export interface CloneDefinition extends ResourceCommon {
  readonly kind: 'clone'
  readonly child: PrimitiveDefinition | GroupDefinition
  /** True for an old `master` element, which is promotable whatever its meta-attributes say. */
  readonly isMasterElement: boolean
  /** Parameters that every instance inherits; absent where none are written. */
  readonly parameters?: readonly NvSet[]
}

export interface BundleDefinition extends ResourceCommon {
  readonly kind: 'bundle'
  readonly container: {
    readonly technology: 'docker' | 'podman' | 'rkt'
    readonly attributes: Readonly<Record<string, string>>
  }
  readonly network?: {
    readonly attributes: Readonly<Record<string, string>>
    readonly portMappings: readonly XmlElement[]
  }
  readonly storage: readonly XmlElement[]
  readonly child?: PrimitiveDefinition
}

export type Constraint = LocationConstraint | ColocationConstraint | OrderConstraint | TicketConstraint

interface ConstraintCommon {
  readonly id: string
  readonly place?: Place
  /** Taken out of the document for rules with a lifetime: the constraint holds only while the rule is true. */
  readonly lifetime?: Rule
  /** Of constraints that `resource move` or `ban` made. */
  readonly origin?: ConstraintOrigin
}

export interface ConstraintOrigin {
  /** Who, as in `root@alpha`. */
  readonly author: string
  /** When, as an ISO 8601 date and time. */
  readonly time: string
  readonly command?: string
}

export interface LocationConstraint extends ConstraintCommon {
  readonly kind: 'location'
  readonly resource:
    | { readonly by: 'id'; readonly id: string }
    | { readonly by: 'pattern'; readonly pattern: string; readonly negated: boolean }
    | { readonly by: 'sets'; readonly sets: readonly ResourceSet[] }
  readonly role?: Role
  readonly where:
    | { readonly by: 'node'; readonly node: string; readonly score: Score }
    | { readonly by: 'rules'; readonly rules: readonly Rule[] }
  readonly discovery: 'always' | 'never' | 'exclusive'
}

export interface ColocationConstraint extends ConstraintCommon {
  readonly kind: 'colocation'
  readonly score: Score
  readonly nodeAttribute?: string
  /** True, false, or undefined where the dependent's `critical` meta-attribute decides. */
  readonly influence?: boolean
  readonly between:
    | {
        readonly by: 'pair'
        readonly dependent: string
        readonly dependentRole?: Role
        readonly dependentInstance?: string
        readonly primary: string
        readonly primaryRole?: Role
        readonly primaryInstance?: string
      }
    | { readonly by: 'sets'; readonly sets: readonly ResourceSet[] }
}

export interface OrderConstraint extends ConstraintCommon {
  readonly kind: 'order'
  readonly orderKind: OrderKind
  /** undefined: the default for the kind (true, but false for Serialize). */
  readonly symmetrical?: boolean
  readonly requireAll: boolean
  readonly between:
    | {
        readonly by: 'pair'
        readonly first: string
        readonly firstAction?: OrderAction
        readonly then: string
        readonly thenAction?: OrderAction
      }
    | { readonly by: 'sets'; readonly sets: readonly ResourceSet[] }
}

export interface TicketConstraint extends ConstraintCommon {
  readonly kind: 'ticket'
  readonly ticket: string
  readonly lossPolicy?: 'stop' | 'demote' | 'fence' | 'freeze'
  readonly on:
    | { readonly by: 'id'; readonly id: string; readonly role?: Role }
    | { readonly by: 'sets'; readonly sets: readonly ResourceSet[] }
}

export interface ResourceSet {
  readonly id: string
  readonly members: readonly string[]
  readonly sequential: boolean
  /** Written as sequential: between sets its end stands for all of it. Otherwise each member counts, also of one that is so by default. */
  readonly sequentialWritten: boolean
  readonly requireAll: boolean
  readonly role?: Role
  readonly action?: OrderAction
  readonly orderKind?: OrderKind
  readonly score?: Score
  /** Of colocations in old CIBs: `group` places later members with earlier ones, `listed` the other way round. */
  readonly ordering?: 'group' | 'listed'
}

export interface Tag {
  readonly id: string
  readonly members: readonly string[]
}

export interface FencingLevel {
  readonly id: string
  readonly index: number
  readonly devices: readonly string[]
  readonly target:
    | { readonly by: 'node'; readonly node: string }
    | { readonly by: 'pattern'; readonly pattern: string }
    | { readonly by: 'attribute'; readonly name: string; readonly value: string }
}

/** A rule and its tree of expressions (Pacemaker Explained, "Rules"). */
export interface Rule {
  readonly id: string
  readonly booleanOp: 'and' | 'or'
  readonly role?: Role
  /** For location constraints: a fixed score, or the name of the node attribute that holds it. */
  readonly score?: Score
  readonly scoreAttribute?: string
  readonly conditions: readonly RuleCondition[]
}

export type RuleCondition =
  | { readonly kind: 'rule'; readonly rule: Rule }
  | {
      readonly kind: 'attribute'
      readonly attribute: string
      readonly operation: 'lt' | 'gt' | 'lte' | 'gte' | 'eq' | 'ne' | 'defined' | 'not_defined'
      readonly value?: string
      readonly type?: 'string' | 'number' | 'integer' | 'version'
      readonly valueSource: 'literal' | 'param' | 'meta'
    }
  | {
      readonly kind: 'date'
      readonly operation: 'gt' | 'lt' | 'in_range' | 'date_spec'
      readonly start?: string
      readonly end?: string
      /** Attributes of `duration` (years, months, weeks, days, hours, minutes, seconds). */
      readonly duration?: Readonly<Record<string, string>>
      /** Attributes of `date_spec`. */
      readonly spec?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'resource'; readonly class?: string; readonly provider?: string; readonly type?: string }
  | { readonly kind: 'operation'; readonly name: string; readonly intervalMs?: number }
