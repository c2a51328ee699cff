/** The forms of everything that a cluster node and a remote node say to each other: the frame, and of each call its question and its answer. */
import * as v from 'valibot'
import type { OperationRecord } from '../cib/index.ts'
import {
  actionForm,
  agentForm,
  countForm,
  type Form,
  listUpTo,
  nodeForm,
  numberForm,
  resourceForm,
  textForm,
  textUpTo,
  wordForm,
} from '../rpc/index.ts'
import type { AnswerOf, OwnerCalls, RemoteCalls, RequestOf } from './calls.ts'
import { hardwareForms } from './hardware-calls.ts'
import { lifeForm, taskForms } from './task-calls.ts'

/** Bytes of one message. Before a cluster node has shown its token, it has nothing long to say. */
export const longest = {
  unowned: 16 * 1024,
  /** An action with the parameters of its resource; an answer to a tool: a whole CIB. */
  toRemote: 64 * 1024 * 1024,
  /** Records of an operation, words of a command; a piece of a task's output. */
  fromRemote: 1024 * 1024,
} as const

const idForm = v.pipe(countForm, v.minValue(1))

export type Message = v.InferOutput<typeof messageForm>

export const messageForm = v.variant('kind', [
  v.object({ kind: v.literal('call'), id: idForm, name: textUpTo(64), body: v.unknown() }),
  v.object({ kind: v.literal('answer'), id: idForm, body: v.unknown() }),
  v.object({ kind: v.literal('failed'), id: idForm, message: textForm }),
  v.object({ kind: v.literal('alive') }),
])

export interface CallForm<Request, Answer> {
  readonly request: Form<Request>
  readonly answer: Form<Answer>
}

export type CallForms<Calls> = {
  readonly [Name in keyof Calls]: CallForm<RequestOf<Calls[Name]>, AnswerOf<Calls[Name]>>
}

const nothing = v.object({})

/** Of the parameters of one resource. */
export const mostSecretNames = 1000

const termAnswer = v.object({
  accepted: v.boolean(),
  done: v.boolean(),
  why: textUpTo(64),
  highestTerm: countForm,
  message: textForm,
  loadAverage: v.exactOptional(numberForm),
  processors: v.exactOptional(numberForm),
})

/** Of a user, as another host knows him: it is shown, and stands in the history. */
const userNameForm = v.pipe(
  textUpTo(255),
  v.regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u, 'the name of a user is empty or has control characters'),
)
export const mostGroups = 1000

const longestPem = 16 * 1024

/** Of an authority's certificate: SHA-256, in hexadecimal. */
const fingerprintForm = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, 'no authority has such a fingerprint'))

/** In hexadecimal, as the list of nodes has them. */
const serialForm = v.pipe(v.string(), v.regex(/^[0-9a-f]{1,40}$/, 'no certificate has such a number'))

const addressForm = v.pipe(textUpTo(64), v.ip('an address is none of IP'))

/** What the cluster asks of a remote node. */
export const remoteForms: CallForms<RemoteCalls> = {
  own: {
    request: v.object({
      owner: nodeForm,
      token: countForm,
      firstCallId: countForm,
      revoked: v.exactOptional(listUpTo(10_000, serialForm)),
      members: v.exactOptional(listUpTo(1000, addressForm)),
    }),
    answer: v.object({
      accepted: v.boolean(),
      highestToken: countForm,
      incarnation: countForm,
      bootId: v.exactOptional(lifeForm),
    }),
  },
  perform: {
    request: v.object({
      term: countForm,
      plannedFrom: countForm,
      transitionKey: textUpTo(1024),
      timeoutMs: countForm,
      action: actionForm,
      secret: v.exactOptional(listUpTo(mostSecretNames, textForm)),
    }),
    answer: termAnswer,
  },
  pki: {
    request: v.object({
      follow: v.exactOptional(
        v.object({ trust: v.pipe(listUpTo(4, textUpTo(longestPem)), v.minLength(1)), renew: v.boolean() }),
      ),
    }),
    answer: v.object({ trusts: listUpTo(16, fingerprintForm), certifiedBy: v.union([v.literal(''), fingerprintForm]) }),
  },
  release: { request: nothing, answer: nothing },
  ...taskForms,
  ...hardwareForms,
}

/** A text from a program that ran: XML, in which it is kept, has no way to write some characters (XML 1.0, 2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/gu
const xmlText = v.pipe(
  textForm,
  v.transform((text) => text.replace(notInXml, '\ufffd')),
)

/** An attribute of `lrm_rsc_op`: it is written into the CIB as it is. */
const attributeName = v.pipe(v.string(), v.regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/, 'no attribute has such a name'))

/** A resource with the operation, the interval and the kind of record. */
const recordIdForm = v.pipe(textUpTo(1024), v.regex(/^[^\p{Cc}\p{Cs}\s/]+$/u, 'no record has such a name'))

/** One has some hundred bytes and what its agent has said. Every node keeps it in memory. */
const largestRecord = 64 * 1024

const lengthOf = (attributes: Readonly<Record<string, string>>): number =>
  Object.entries(attributes).reduce((sum, [name, value]) => sum + name.length + value.length, 0)

const recordForm: Form<OperationRecord> = v.object({
  node: nodeForm,
  resource: resourceForm,
  agent: agentForm,
  recordId: recordIdForm,
  attributes: v.pipe(
    v.record(attributeName, xmlText),
    v.maxEntries(100, 'a record has too many attributes'),
    v.check((attributes) => lengthOf(attributes) <= largestRecord, 'a record is too long'),
  ),
  container: v.exactOptional(resourceForm),
})

/** An operation writes its result, its failure, and what it stands for. */
const records = listUpTo(16, recordForm)

/** What a remote node asks of the cluster node that holds its connection. */
export const ownerForms: CallForms<OwnerCalls> = {
  announce: {
    request: v.object({ records, term: countForm }),
    answer: v.object({ written: v.boolean() }),
  },
  record: {
    request: v.object({
      records,
      failure: v.exactOptional(
        v.object({ resource: resourceForm, operation: wordForm, intervalMs: countForm, at: countForm }),
      ),
    }),
    answer: v.object({ revision: countForm }),
  },
  forget: {
    request: v.object({ resource: resourceForm, recordId: v.exactOptional(recordIdForm) }),
    answer: nothing,
  },
  tool: {
    request: v.object({
      tool: textUpTo(64),
      arguments: listUpTo(1000, textUpTo(longest.fromRemote)),
      resource: v.exactOptional(resourceForm),
      onNode: v.exactOptional(nodeForm),
      by: v.exactOptional(v.object({ name: userNameForm, groups: listUpTo(mostGroups, textUpTo(255)) })),
    }),
    answer: v.object({
      exitCode: v.pipe(countForm, v.maxValue(255, 'no program ends so')),
      output: textUpTo(longest.toRemote),
      errors: textUpTo(longest.toRemote),
    }),
  },
  taken: { request: v.object({ by: nodeForm }), answer: nothing },
  renew: {
    request: v.object({ publicKey: textUpTo(longestPem) }),
    answer: v.object({ certificate: textUpTo(longestPem), authority: textUpTo(longestPem) }),
  },
  leave: { request: nothing, answer: nothing },
}

/** The frame's own words around a call. */
const roomForFrame = 1024

/** Whether a cluster node takes this call: it ends the connection of whoever sends another, and all of the remote node's agents use it. */
export function fitsOwner<Name extends keyof OwnerCalls>(name: Name, body: unknown): boolean {
  return (
    v.is(ownerForms[name].request, body) && Buffer.byteLength(JSON.stringify(body)) <= longest.fromRemote - roomForFrame
  )
}

/** Whether a remote node takes this call: it ends the connection of whoever sends another. */
export const fitsRemote = (name: keyof RemoteCalls, body: unknown): boolean => v.is(remoteForms[name].request, body)
