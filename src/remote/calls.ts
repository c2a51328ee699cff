/**
 * What a cluster node and a remote node ask of each other. Each call has one answer; results that are not answered are told
 * again over the next connection, so all of them may come twice.
 */
import type { ResourceId } from '../base/index.ts'
import type { OperationRecord } from '../cib/index.ts'
import type { TermAnswer } from '../rpc/index.ts'
import type { ClusterAction, ResourceAction } from '../transition/index.ts'
import type { HardwareCalls } from './hardware-calls.ts'
import type { TaskCalls } from './task-calls.ts'

interface Call<Request, Answer> {
  readonly request: Request
  readonly answer: Answer
}

type Nothing = Readonly<Record<string, never>>

export interface OwnRequest {
  /** The cluster node that wants to hold the connection. */
  readonly owner: string
  /** Grows with each owner: the store's revision at which this one was recorded. */
  readonly token: number
  /** Above the call ids of everything that is recorded of the remote node. */
  readonly firstCallId: number
  /** Serial numbers of certificates that must not own this node any more, of cluster nodes that were removed. The same owner calls again when there are more. */
  readonly revoked?: readonly string[]
  /** Addresses of the cluster's nodes, by the list of nodes: the same owner calls again when they change. An older version does not tell them. */
  readonly members?: readonly string[]
}

export interface OwnAnswer {
  readonly accepted: boolean
  /** The highest token that the remote node has seen. */
  readonly highestToken: number
  /** When its daemon started, in milliseconds since the epoch: another one has forgotten what the last one was told. */
  readonly incarnation: number
  /** What its tasks do not outlive. An older version, which runs none, does not tell it. */
  readonly bootId?: string
}

/** What the cluster asks of a remote node. */
export interface RemoteCalls extends TaskCalls, HardwareCalls {
  /** The first call on a connection; nothing else is obeyed before it. */
  readonly own: Call<OwnRequest, OwnAnswer>
  /** An action of a transition, as a cluster node's own executor takes it. */
  readonly perform: Call<
    {
      readonly term: number
      readonly plannedFrom: number
      readonly transitionKey: string
      readonly timeoutMs: number
      readonly action: ResourceAction | ClusterAction
      /** Names of its parameters that this cluster calls secret and that do not say so themselves. An older version does not tell them, or hear of them. */
      readonly secret?: readonly string[]
    },
    TermAnswer
  >
  /** What it believes and shows; with authorities (PEM) it believes those from now on, and renews its certificate where it shall. An older version does not know it. */
  readonly pki: Call<
    { readonly follow?: { readonly trust: readonly string[]; readonly renew: boolean } },
    { readonly trusts: readonly string[]; readonly certifiedBy: string }
  >
  /** The connection ends in order: nobody else takes it, and the remote node need not wait for it. */
  readonly release: Call<Nothing, Nothing>
}

/** What a remote node asks of the cluster node that holds its connection. */
export interface OwnerCalls {
  readonly announce: Call<
    { readonly records: readonly OperationRecord[]; readonly term: number },
    { readonly written: boolean }
  >
  readonly record: Call<
    {
      readonly records: readonly OperationRecord[]
      /** The failure that the result is, where it counts: resource, operation, interval, seconds since the epoch. */
      readonly failure?: {
        readonly resource: ResourceId
        readonly operation: string
        readonly intervalMs: number
        readonly at: number
      }
    },
    { readonly revision: number }
  >
  readonly forget: Call<{ readonly resource: ResourceId; readonly recordId?: string }, Nothing>
  /** A call of crm_attribute or another command of Pacemaker's, made by an agent there. */
  readonly tool: Call<
    {
      readonly tool: string
      readonly arguments: readonly string[]
      readonly resource?: string
      readonly onNode?: string
      /** A user of the remote node who is not root, as its host knows him. An older remote node does not tell. */
      readonly by?: { readonly name: string; readonly groups: readonly string[] }
    },
    { readonly exitCode: number; readonly output: string; readonly errors: string }
  >
  /** Another cluster node holds the connection now. */
  readonly taken: Call<{ readonly by: string }, Nothing>
  /** A new certificate, before the old one runs out: signed for the remote node's own name and for this key (PEM). */
  readonly renew: Call<{ readonly publicKey: string }, { readonly certificate: string; readonly authority: string }>
  /** The remote node is to be shut down: what it runs shall stop first. */
  readonly leave: Call<Nothing, Nothing>
}

export type CallTable = Readonly<Record<string, Call<unknown, unknown>>>

/** The other side's calls, answered here. */
export type CallHandlers<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends Call<infer Request, infer Answer>
    ? (request: Request) => Promise<Answer>
    : never
}
export type RequestOf<Of> = Of extends Call<infer Request, unknown> ? Request : never
export type AnswerOf<Of> = Of extends Call<unknown, infer Answer> ? Answer : never
