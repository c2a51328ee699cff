/**
 * What is said to people, in our words, together with what it is about: by that a dialect finds words of its own
 * (src/cli/start/voice.ts). A sentence that is about nothing known is said in our words in every dialect.
 */
import type { EditReport } from '../../cib/index.ts'
import type { Dialect } from './speech.ts'

export type About =
  | EditReport
  /** Words are missing or too many: the usage of the command says the rest. */
  | { readonly code: 'wrong-call'; readonly error?: string; readonly hint?: string }
  /** No command is named so; the words before it name an area, or none. */
  | { readonly code: 'unknown-command'; readonly known: readonly string[]; readonly isArea: boolean }
  | { readonly code: 'unknown-flag'; readonly flag: string }
  | { readonly code: 'flag-needs-value'; readonly flag: string }
  | { readonly code: 'flag-takes-no-value'; readonly flag: string }
  /** A word where `name=value` is wanted. */
  | { readonly code: 'no-pair'; readonly word: string }
  | { readonly code: 'pair-twice'; readonly name: string; readonly values: readonly [string, string] }
  | { readonly code: 'needs-running-cluster' }
  | { readonly code: 'wait-without-cluster' }
  | { readonly code: 'bad-wait'; readonly value: string }
  | { readonly code: 'bad-score'; readonly value: string }
  | {
      readonly code: 'bad-choice'
      readonly name: string
      readonly value: string /** The words that it takes, or what they are: 'boolean', '1..9'. */
      readonly choices: readonly string[] | string
    }
  | {
      readonly code: 'unknown-names'
      readonly names: readonly string[]
      readonly known: readonly string[]
      readonly what: string
    }
  | { readonly code: 'no-such-item'; readonly what: string; readonly id: string }
  | { readonly code: 'no-agent'; readonly agent: string }
  | { readonly code: 'bad-agent-name'; readonly agent: string }
  | { readonly code: 'no-metadata'; readonly agent: string }
  | { readonly code: 'many-agents'; readonly agent: string; readonly names: readonly string[] }
  | { readonly code: 'no-operation-given' }
  | { readonly code: 'bad-ticket-name'; readonly ticket: string }
  | { readonly code: 'property-not-set'; readonly names: readonly string[]; readonly set: string }
  | {
      readonly code: 'unknown-parameter'
      readonly name: string
      readonly known: readonly string[]
      /** The class of the agent, and of one of class ocf its provider. */
      readonly standard: string
      readonly provider?: string | undefined
    }
  | {
      readonly code: 'missing-parameter'
      readonly name: string
      readonly older: readonly string[]
      readonly isFencing: boolean
    }
  | { readonly code: 'unknown-operation'; readonly name: string; readonly known: readonly string[] }
  | { readonly code: 'bad-duration'; readonly name: string; readonly value: string }
  | { readonly code: 'bad-capacity'; readonly name: string; readonly value: string }
  | { readonly code: 'before-and-after' }
  | { readonly code: 'all-and-names' }
  | { readonly code: 'no-node-in-file' }
  | { readonly code: 'runs-nowhere' }
  | { readonly code: 'required-missing'; readonly names: readonly string[] }
  | { readonly code: 'one-place-only'; readonly inWords: boolean }
  | { readonly code: 'not-in-schema' }
  | { readonly code: 'options-exclude'; readonly kind: string; readonly names: readonly string[] }
  /** The rule as it was typed, and where it cannot be read. */
  | { readonly code: 'rule-syntax'; readonly rule: string; readonly column: number }
  | { readonly code: 'one-bundle' }
  | { readonly code: 'promotable-twice' }
  | { readonly code: 'side-without-group'; readonly side: 'before' | 'after' }
  /** A name where an operation's is expected. */
  | { readonly code: 'no-operation-name'; readonly word: string }
  | { readonly code: 'cannot-promote'; readonly agent: string; readonly resource?: string; readonly group?: string }
  /** Where the sentence is pcs's own already. */
  | {
      readonly code: 'said-by-pcs'
      readonly before?: readonly string[]
      readonly errors: readonly string[]
      readonly after?: readonly string[]
      readonly closes?: boolean
    }
  | { readonly code: 'bad-format'; readonly value: string; readonly known: readonly string[] }

export interface Message {
  readonly own: string
  readonly about?: About
}

/** Mistakes that pcs finds one by one and ends with a sentence of its own, in its words: our own commands refuse them elsewhere. */
export const saidByPcs = (...errors: readonly string[]): Message => ({
  own: errors.join(' '),
  about: { code: 'said-by-pcs', errors, closes: true },
})

export const ownWords = (message: string | Message): string => (typeof message === 'string' ? message : message.own)

/** What another dialect says at that point where ours says nothing, or says it in its answer. */
export type Notice =
  | { readonly code: 'defaults-may-be-overridden' }
  | { readonly code: 'utilization-without-effect' }
  | { readonly code: 'nodes-not-validated' }
  | {
      readonly code: 'order-added'
      readonly first: string
      readonly then: string
      /** `kind: Mandatory`, or `score: 5` of before there were kinds. */
      readonly strength: string
      readonly options: readonly string[]
    }
  | { readonly code: 'old-flag'; readonly flag: string }
  /** What is taken today and will not be. */
  | { readonly code: 'deprecated'; readonly text: string /** 0.11 advised against it as well. */; readonly long?: true }
  | { readonly code: 'rule-in-words' }
  | { readonly code: 'bare-score' }
  | { readonly code: 'assumed-agent'; readonly typed: string; readonly agent: string }
  | { readonly code: 'constraint-cleared'; readonly ids: readonly string[] }
  | {
      readonly code: 'banned'
      readonly constraint: string
      readonly resource: string
      readonly node: string
      readonly promoted: boolean
    }
  | { readonly code: 'moved-with-constraint'; readonly resource: string }
  /** Of what was asked for, these are not there. */
  | { readonly code: 'left-out'; readonly what: string; readonly ids: readonly string[] }
  /** What goes besides what was named, as pcs lists it. */
  | { readonly code: 'removed-besides'; readonly lines: readonly string[] }
  | { readonly code: 'unmanaged'; readonly ids: readonly string[] }
  | { readonly code: 'rules-not-shown' }
  /** Constraints whose role no command can be given. */
  | { readonly code: 'role-left-out'; readonly ids: readonly string[] }
  | { readonly code: 'interval-moved'; readonly operation: string; readonly from: string; readonly to: string }
  | { readonly code: 'schema-is-newest' }
  | { readonly code: 'wait-is-old' }
  /** Mistakes that --force lets pass. */
  | { readonly code: 'forced'; readonly messages: readonly (string | Message)[] }
  /** It was changed, and what was waited for has not come. */
  | { readonly code: 'not-as-asked'; readonly text: string }

/** What a line called. */
export interface CallNames {
  /** The words of the command's name as typed: `resource remove`, `stonith update`. */
  readonly typed: string
  readonly words: readonly string[]
  /** What follows the name. */
  readonly usage: string
  /** Whose words are spoken; those of pcs 0.12 where left out. */
  readonly dialect?: Dialect
}

export interface Voice {
  /** All that standard error gets where a line is refused. */
  readonly refusal: (messages: readonly (string | Message)[], call: CallNames) => string
  /** What is said besides the answer, while it is worked on; undefined for nothing. */
  readonly aside: (line: string) => string | undefined
  readonly notice: (notice: Notice, call: CallNames) => string | undefined
  /** Before anything is done. */
  readonly before: (call: CallNames) => string | undefined
}
