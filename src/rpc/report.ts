/** What a caller is told when a call does not do what it asked for. */
import { OutsideError } from '../base/index.ts'
import type { Report } from './generated/systole.ts'

/** The other side refuses, with a code for programs and sentences for people. Nothing has been changed. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly code: string
  readonly sentences: readonly string[]
  constructor(report: Report) {
    super(report.sentences.join(' '))
    this.code = report.code
    this.sentences = report.sentences
  }
}

/** What came with a status: whoever sent it may have written anything. */
export function refusalIn(text: string): RefusedError {
  try {
    const { code, sentences } = JSON.parse(text) as Partial<Record<keyof Report, unknown>>
    if (typeof code === 'string' && Array.isArray(sentences)) return refuse(code, ...sentences.map(String))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  return refuse('refused', 'It was refused, and the reason cannot be read: is its version the same?')
}

export const refuse = (code: string, ...sentences: readonly string[]): RefusedError =>
  new RefusedError({ code, sentences })

/** Nobody answers at the other end, so nothing has been asked. */
export class UnreachableError extends OutsideError {
  override readonly name = 'UnreachableError'
  /**
   * Whether the host answered that nobody listens (or the connection broke in a way that only a live kernel causes):
   * the daemon is down and the host is up. False where nothing at all came back.
   */
  readonly hostAnswered: boolean
  constructor(message: string, hostAnswered: boolean, cause: unknown) {
    super(message, { cause })
    this.hostAnswered = hostAnswered
  }
}

/** The daemon of this host restarts itself, and has not started yet. */
export class RestartingError extends UnreachableError {}

/** The call was sent, and no answer came: what it asked for may have been done. */
export class NoAnswerError extends OutsideError {
  override readonly name = 'NoAnswerError'
  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/** The connection over which the call was sent has ended, as where the daemon restarts. */
export class ConnectionEndedError extends NoAnswerError {}

/** The other side failed in a way that it did not expect itself. */
export class RemoteFailureError extends Error {
  override readonly name = 'RemoteFailureError'
}

/** The metadata entry that carries a Report, as JSON in bytes. */
export const reportKey = 'systole-report-bin'
