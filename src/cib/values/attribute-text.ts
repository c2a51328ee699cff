/**
 * Words of the CIB's attributes: booleans, roles, durations, lists, with the spellings of older versions. Readers take
 * the default for a word that is not understood; validation reports it.
 */
import { parseDurationMs } from '../../base/index.ts'
import type { OrderAction, OrderKind, Role } from './words.ts'

/** An object without the entries that are undefined, for properties that are absent or have a value. */
export function present<T extends object>(entries: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** `true`, `on`, `yes`, `y`, `1` and their opposites in any case; undefined for every other word. */
export function parseBoolean(text: string | undefined): boolean | undefined {
  switch (text?.trim().toLowerCase()) {
    case 'true':
    case 'on':
    case 'yes':
    case 'y':
    case '1':
      return true
    case 'false':
    case 'off':
    case 'no':
    case 'n':
    case '0':
      return false
    default:
      return undefined
  }
}

/** As Pacemaker reads options of resources: whatever is no word for true, an empty one as well, is false. */
export const isTrue = (text: string | undefined): boolean => /^(true|yes|on|y|1)$/i.test(text ?? '')

const roles: Readonly<Record<string, Role>> = {
  stopped: 'Stopped',
  started: 'Started',
  unpromoted: 'Unpromoted',
  slave: 'Unpromoted',
  promoted: 'Promoted',
  master: 'Promoted',
}

/** A role, in any case, `Master` and `Slave` included. */
export function parseRole(text: string | undefined): Role | undefined {
  const word = text?.trim().toLowerCase()
  return word !== undefined && Object.hasOwn(roles, word) ? roles[word] : undefined
}

export function parseOrderAction(text: string | undefined): OrderAction | undefined {
  switch (text?.trim().toLowerCase()) {
    case 'start':
      return 'start'
    case 'promote':
      return 'promote'
    case 'demote':
      return 'demote'
    case 'stop':
      return 'stop'
    default:
      return undefined
  }
}

export function parseOrderKind(text: string | undefined): OrderKind | undefined {
  switch (text?.trim().toLowerCase()) {
    case 'optional':
      return 'Optional'
    case 'mandatory':
      return 'Mandatory'
    case 'serialize':
      return 'Serialize'
    default:
      return undefined
  }
}

/** The interval of an operation: 0 where none is written or understood. */
export function parseIntervalMs(text: string | undefined): number {
  return text === undefined ? 0 : (parseDurationMs(text) ?? 0)
}

/** Words separated by blanks, commas or semicolons. */
export function splitWords(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,;]+/).filter((word) => word !== '')
}
