import { expect, test } from 'vitest'
import { answerTo } from '../../../src/scheduler/actions/roles/configuration-changes.ts'

type Case = Parameters<typeof answerTo>[1] & {
  readonly name: string
  readonly difference: Parameters<typeof answerTo>[0]
  readonly answer: ReturnType<typeof answerTo>
}

const once = { isRecurring: false, tellsWhatRestarts: true }
const recurring = { isRecurring: true, tellsWhatRestarts: false }

const cases: readonly Case[] = [
  { name: 'what did not change is left alone', difference: 'none', ...once, answer: 'nothing' },
  { name: 'a parameter that needs a restart restarts', difference: 'restart', ...once, answer: 'restart' },
  { name: 'it does so for a monitor too', difference: 'restart', ...recurring, answer: 'restart' },
  { name: 'another parameter is reloaded', difference: 'reload', ...once, answer: 'reload' },
  {
    name: 'a monitor with another parameter is set up again',
    difference: 'reload',
    ...recurring,
    answer: 'set up again',
  },
  {
    name: 'a monitor of which nobody knows with what it runs is set up again',
    difference: 'unknown',
    ...recurring,
    answer: 'set up again',
  },
  {
    name: 'what was started nobody knows with what is started again',
    difference: 'unknown',
    ...once,
    tellsWhatRestarts: false,
    answer: 'restart',
  },
  {
    name: 'where the history does not tell what needs a restart, everything does',
    difference: 'reload',
    ...once,
    tellsWhatRestarts: false,
    answer: 'restart',
  },
]

for (const { name, difference, answer, ...recorded } of cases)
  test(name, () => expect(answerTo(difference, recorded)).toBe(answer))
