/** Where an answer differs on purpose; the reference of the commands tells of it too. */
import type { AnswerDifference } from './compare.ts'
import type { Call } from './run.ts'

export interface Purpose {
  readonly reason: string
  /** Whether a call may differ so. */
  readonly covers: (call: Call, difference: AnswerDifference, exitCode: number) => boolean
}

const [usage, configuration] = [64, 78]

export const purposes: readonly Purpose[] = [
  {
    reason: 'a wrong call or a CIB that makes no sense is refused with a sentence, without the usage or the whole CIB',
    covers: (_, { aspect }, exitCode) =>
      (aspect === 'errors' || aspect === 'output') && (exitCode === usage || exitCode === configuration),
  },
]

/** @param exitCode theirs */
export const purposeOf = (call: Call, difference: AnswerDifference, exitCode: number): string | undefined =>
  purposes.find(({ covers }) => covers(call, difference, exitCode))?.reason
