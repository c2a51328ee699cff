/**
 * The words of pcs 0.12: what scripts that were written for it look for on standard error. Facts of its interface, by what a
 * message is about; what no row knows is said in our words. pcs is silent while it works, and when it has changed something.
 */

import type { Voice } from '../message.ts'
import type { Dialect } from '../speech.ts'
import { errorsOf } from './errors.ts'
import { adviceAgainst, isAdviceOfPresentPcs, notices } from './notices.ts'

const closing = 'Error: Errors have occurred, therefore pcs is unable to continue'

export const pcsVoice = (dialect: Dialect): Voice => ({
  refusal: (messages, call) => {
    const { lines, closes } = errorsOf(messages, call)
    const said = dialect === '0.12' ? lines : lines.flatMap(inOlderWords)
    return [...said, ...(closes ? [closing] : [])].map((line) => `${line}\n`).join('')
  },
  aside: () => undefined,
  notice: (notice, call) => (dialect !== '0.12' && isAdviceOfPresentPcs(notice) ? undefined : notices(notice, call)),
  before: (call) => (dialect === '0.12' ? adviceAgainst(call) : undefined),
})

/** Until 0.11 each resource that is not there to be deleted had a line; Ansible's modules look for its words. */
function inOlderWords(line: string): readonly string[] {
  const [, names] = /^Error: Unable to find (?:stonith )?resources?: ('.*')$/.exec(line) ?? []
  return names === undefined ? [line] : names.split(', ').map((name) => `Error: Resource ${name} does not exist.`)
}
