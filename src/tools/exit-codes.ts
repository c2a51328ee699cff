/** Exit codes of Pacemaker's tools (`crm_error --list --exit`), by the names that the code here has for them. */
import { resultCodes } from './result-codes.ts'

export const exitCodes = {
  ok: 0,
  error: 1,
  invalidParameter: 2,
  unimplemented: 3,
  insufficientPrivileges: 4,
  notConfigured: 6,
  usage: 64,
  dataError: 65,
  noInput: 66,
  noSuchHost: 68,
  unavailable: 69,
  software: 70,
  osFile: 72,
  canNotCreate: 73,
  protocol: 76,
  configuration: 78,
  notConnected: 102,
  old: 103,
  noSuchObject: 105,
  quorum: 106,
  unsafe: 107,
  exists: 108,
  multiple: 109,
  expired: 110,
  notYet: 111,
  unreadable: 112,
  timeout: 124,
} as const

/** In the words that the XML output has for it. */
export const describeExit = (exitCode: number): string =>
  resultCodes('exit').find(({ code }) => code === exitCode)?.description ?? 'Unknown exit status'
