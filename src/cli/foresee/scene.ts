/** What a call of the daemon is foreseen from. */
import type { XmlElement } from '../../cib/index.ts'
import type { LocalClient } from '../../rpc/index.ts'
import { suppose, type WhatIf } from '../../scheduler/index.ts'
import type { Call } from '../call/command.ts'
import { secondsOf } from '../host/host-time.ts'

export interface Scene {
  readonly call: Call
  readonly live: LocalClient
  readonly cib: XmlElement
  readonly now: Date
}

export interface Foreseen {
  /** What it would do. */
  readonly sentence: string
  /** The CIB about which the scheduler would then decide. Absent: it decides nothing because of it. */
  readonly after?: XmlElement
  readonly facts?: Readonly<Record<string, unknown>>
}

export const supposed = ({ now }: Scene, cib: XmlElement, what: WhatIf): XmlElement =>
  suppose(cib, what, { now: secondsOf(now) }).cib

export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
