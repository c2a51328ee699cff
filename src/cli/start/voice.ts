/**
 * The one place where it is decided in whose words people are spoken to: Systole's own, or, called as `pcs`, those that
 * scripts for pcs look for. A command says what it has to say once, with what it is about (message.ts).
 */
import { ownWords, type Voice } from '../call/message.ts'
import type { Speech } from '../call/speech.ts'
import { pcsVoice } from '../pcs-words/index.ts'

const own: Voice = {
  refusal: (messages) => messages.map((message) => `Error: ${ownWords(message)}\n`).join(''),
  aside: (line) => line,
  notice: () => undefined,
  before: () => undefined,
}

export const voiceOf = ({ program, dialect }: Speech): Voice => (program === 'pcs' ? pcsVoice(dialect) : own)
