/** The services as types: what a handler gets and answers, what a caller sends and receives. */
import type { CallerIdentity } from './caller.ts'
import type { MessageName } from './forms/codec.ts'
import type { Messages } from './generated/systole.ts'

export interface Method {
  readonly path: string
  readonly request: MessageName
  readonly response: MessageName
  readonly requestStream: boolean
  readonly responseStream: boolean
}

export type Service = Readonly<Record<string, Method>>

export interface CallContext {
  readonly caller: CallerIdentity
  /** Ends when the caller is gone. */
  readonly signal: AbortSignal
}

export type Request<M extends Method> = Messages[M['request']]
export type Response<M extends Method> = Messages[M['response']]

export type Handler<M extends Method> = M extends { readonly responseStream: true }
  ? (request: Request<M>, send: (response: Response<M>) => void, context: CallContext) => Promise<void>
  : (request: Request<M>, context: CallContext) => Promise<Response<M>>

/** Throw a RefusedError to refuse. */
export type Handlers<S extends Service> = { readonly [Name in keyof S]: Handler<S[Name]> }

export interface CallOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export type Caller<M extends Method> = M extends { readonly responseStream: true }
  ? (
      request: Request<M>,
      onResponse: (response: Response<M>) => void,
      options?: CallOptions,
    ) => /** Resolves when the stream ends or the signal is aborted. */ Promise<void>
  : (request: Request<M>, options?: CallOptions) => Promise<Response<M>>

export type Callers<S extends Service> = { readonly [Name in keyof S]: Caller<S[Name]> }
