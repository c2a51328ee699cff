import type { Dialect } from '../call/speech.ts'
import { givenUp, wasKnown } from './options-of-0.11.ts'

/** Those that pcs 0.12 knows. */
const longOptions: ReadonlySet<string> = new Set([
  'debug',
  'version',
  'help',
  'fullhelp',
  'force',
  'skip-offline',
  'autodelete',
  'simulate',
  'all',
  'full',
  'local',
  'wait',
  'config',
  'start',
  'enable',
  'disabled',
  'off',
  'request-timeout',
  'brief',
  'future',
  'safe',
  'no-strict',
  'strict',
  'pacemaker',
  'corosync',
  'no-default-ops',
  'defaults',
  'nodesc',
  'promoted',
  'name',
  'group',
  'node',
  'from',
  'to',
  'after',
  'before',
  'corosync_conf',
  'booth-conf',
  'booth-key',
  'no-watchdog-validation',
  'no-cluster-uuid',
  'no-keys-sync',
  'hide-inactive',
  'monitor',
  'groups',
  'expired',
  'no-expire-check',
  'overwrite',
  'output-format',
  'token',
  'agent-validation',
  'quiet',
  'yes',
])

/** One that pcs knows and a command does not take is answered otherwise than one that nobody knows. */
export const isLongOption = (name: string, dialect: Dialect = '0.12'): boolean =>
  dialect === '0.11' ? wasKnown(name) && (longOptions.has(name) || givenUp.includes(name)) : longOptions.has(name)

/** All that a shortened option may stand for. */
export const optionsBegunBy = (start: string, dialect: Dialect = '0.12'): readonly string[] =>
  [...new Set([...longOptions, ...givenUp])].filter((name) => name.startsWith(start) && isLongOption(name, dialect))
