/** What a host that wants to join says before it is known, and what it is answered. */
import * as v from 'valibot'
import { BadMessageError, checkedJson, type Form, textUpTo } from './words.ts'

export interface EnrolmentRequest {
  readonly secret: string
  readonly node: string
  /** PEM; the node keeps the private half. */
  readonly publicKey: string
  /** It shall be no member but a remote node. */
  readonly remote?: boolean
  /** It shall be the witness, by the name that the cluster has for it. */
  readonly witness?: boolean
}

export interface EnrolmentAnswer {
  readonly certificate: string
  /** With the key only where an older version answers: no node but one that founds a cluster keeps it whole. */
  readonly authority: { readonly certificate: string; readonly key?: string }
  /** The text of cluster.json. */
  readonly clusterFile: string
}

const pem = textUpTo(16 * 1024)

/** Older hosts say `false`, or nothing, where they do not want to be one. */
const wish = v.optional(v.boolean(), false)

const requestForm: Form<EnrolmentRequest> = v.object({
  secret: textUpTo(1024),
  node: textUpTo(255),
  publicKey: pem,
  remote: wish,
  witness: wish,
})

const answerForm: Form<EnrolmentAnswer> = v.object({
  certificate: pem,
  authority: v.object({ certificate: pem, key: v.exactOptional(pem) }),
  clusterFile: textUpTo(1024 * 1024),
})

const refusalForm = v.object({ code: textUpTo(255), sentences: v.array(textUpTo(64 * 1024)) })

/** Undefined where it is none. */
export const readEnrolmentRequest = (text: string) => unlessBad(() => checkedJson(requestForm, 'a request', text))
export const readEnrolmentAnswer = (text: string) => unlessBad(() => checkedJson(answerForm, 'an answer', text))
export const readEnrolmentRefusal = (text: string) => unlessBad(() => checkedJson(refusalForm, 'a refusal', text))

function unlessBad<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof BadMessageError) return undefined
    throw error
  }
}
