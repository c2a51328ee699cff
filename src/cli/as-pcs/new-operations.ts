/**
 * Operations of a new resource, judged as pcs 0.12 judges them: all of them, each for every mistake that it has, in the order in which it names
 * them. Ours stops at the first.
 */
import { parseDurationMs } from '../../base/index.ts'
import { type Message, saidByPcs } from '../call/message.ts'
import type { WrittenOperation } from '../grammar/resource-words.ts'
import { type InstalledAgent, operationMistakes } from '../host/agents.ts'
import { badCharacter } from '../pcs-words/about-ids.ts'
import { quoted } from '../pcs-words/said.ts'
import { booleans, operationOptions, truths } from '../pcs-words/sentences.ts'
import { isAnyRole } from './operations.ts'

export interface OperationMistake {
  readonly message: Message
  /** --force lets it pass. */
  readonly forceable: boolean
}

const failures = ['block', 'demote', 'fence', 'ignore', 'restart', 'restart-container', 'standby', 'stop']

/** `10`, `5s`, `1min`: neither milliseconds nor capital letters. */
const isTime = (text: string): boolean => /^\d+(s|sec|m|min|h|hr)?$/.test(text)

export function newOperationMistakes(
  operations: readonly WrittenOperation[],
  installed: InstalledAgent,
): readonly OperationMistake[] {
  const found = operations.flatMap((operation) => [
    ...optionMistakes(operation).map((message) => ({ message, forceable: false })),
    ...operationMistakes(installed, [operation.name]).map((message) => ({ message, forceable: true })),
    ...valueMistakes(operation).map((message) => ({ message, forceable: false })),
  ])
  return [...found, ...alike(operations).map((message) => ({ message, forceable: false }))]
}

function optionMistakes({ attributes }: WrittenOperation): readonly Message[] {
  const unknown = [...attributes.keys()].filter((name) => !operationOptions.includes(name))
  if (unknown.length === 0) return []
  const option = unknown.length === 1 ? `option '${unknown[0]}'` : `options: ${quoted(unknown)}`
  return [saidByPcs(`invalid resource operation ${option}, allowed options are: ${quoted(operationOptions)}`)]
}

function valueMistakes({ attributes }: WrittenOperation): readonly Message[] {
  const wrong = (name: string, isRight: (value: string) => boolean, wanted: string): readonly Message[] => {
    const value = attributes.get(name)
    return value === undefined || isRight(value)
      ? []
      : [saidByPcs(`'${value}' is not a valid ${name} value, use ${wanted}`)]
  }
  const oneOf = (words: readonly string[]) => (value: string) => words.includes(value.toLowerCase())
  const time = 'time interval (e.g. 1, 2s, 3m, 4h, ...)'
  const both = attributes.has('interval-origin') && attributes.has('start-delay')
  return [
    ...wrong('role', isAnyRole, "'Promoted', 'Started', 'Stopped', 'Unpromoted'"),
    ...wrong('on-fail', oneOf(failures), quoted(failures)),
    ...wrong('record-pending', oneOf(truths), booleans),
    ...wrong('enabled', oneOf(truths), booleans),
    ...(both
      ? [saidByPcs("Only one of resource operation options 'interval-origin' and 'start-delay' can be used")]
      : []),
    ...idMistakes(attributes.get('id')),
    ...wrong('interval', isTime, time),
    ...wrong('timeout', isTime, time),
  ]
}

function idMistakes(id: string | undefined): readonly Message[] {
  const bad = id === undefined ? undefined : badCharacter(id, 'operation id')
  return bad === undefined ? [] : [saidByPcs(bad)]
}

/** Two operations of one name and interval: which of them runs when is not known. */
function alike(operations: readonly WrittenOperation[]): readonly Message[] {
  const groups = new Map<string, { readonly name: string; readonly intervals: readonly string[] }>()
  for (const { name, attributes } of operations) {
    const interval = attributes.get('interval') ?? (name === 'monitor' ? '60s' : '0s')
    if (!isTime(interval)) continue
    const key = `${name} ${parseDurationMs(interval)}`
    groups.set(key, { name, intervals: [...(groups.get(key)?.intervals ?? []), interval] })
  }
  const lines = [...groups.values()].flatMap(({ name, intervals }) =>
    intervals.length > 1 ? [`${name} with intervals ${intervals.join(', ')}`] : [],
  )
  if (lines.length === 0) return []
  return [saidByPcs(`multiple specification of the same operation with the same interval:\n${lines.join('\n')}`)]
}

/** Ids that something has already. pcs stops at the first. */
export function takenOperationId(
  operations: readonly WrittenOperation[],
  resource: string,
  has: (id: string) => boolean,
): string | undefined {
  const seen = new Set([resource])
  for (const { attributes } of operations) {
    const id = attributes.get('id')
    if (id === undefined) continue
    if (seen.has(id) || has(id)) return id
    seen.add(id)
  }
  return undefined
}
