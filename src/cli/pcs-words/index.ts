/**
 * The words of pcs 0.12: what scripts that were written for it look for on standard error. Facts of its interface, by what a
 * message is about; what no row knows is said in our words. pcs is silent while it works, and when it has changed something.
 */

import type { Voice } from '../call/message.ts'
import type { Dialect } from '../call/speech.ts'
import { errorsOf } from './errors.ts'
import { inOlderWords } from './in-older-words.ts'
import { adviceAgainst, isAdviceOfPresentPcs, notices } from './notices.ts'

const closing = 'Error: Errors have occurred, therefore pcs is unable to continue'

export const pcsVoice = (dialect: Dialect): Voice => ({
  refusal: (messages, call) => {
    const { lines, closes } = errorsOf(messages, call)
    const said = dialect === '0.12' ? lines : lines.flatMap(inOlderWords)
    return [...said, ...(closes ? [closing] : [])].map((line) => `${line}\n`).join('')
  },
  aside: () => undefined,
  notice: (notice, call) =>
    dialect !== '0.12' && isAdviceOfPresentPcs(notice) ? undefined : notices(notice, { ...call, dialect }),
  before: (call) => (dialect === '0.12' ? adviceAgainst(call) : undefined),
})
