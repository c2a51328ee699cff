import type { WrittenTruth } from '../../cib/index.ts'
import { Refusal } from '../call/command.ts'
import type { Speech } from '../call/speech.ts'
import { readBoolean } from '../grammar/constraint-words.ts'
import { judgesAsPcs, writesAs011 } from './speech.ts'

/**
 * Yes or no in a constraint. pcs takes every word that Pacemaker takes and writes it as it is, and the schema has true, false, 1 and 0; pcs 0.11
 * itself wants true or false in most places.
 */
export function readWrittenTruth(
  name: string,
  text: string,
  { speech, wantsWords = true }: { readonly speech: Speech; readonly wantsWords?: boolean },
): WrittenTruth {
  if (!judgesAsPcs(speech)) return readBoolean(name, text)
  const lower = text.toLowerCase()
  if (wantsWords && writesAs011(speech) && lower !== 'true' && lower !== 'false')
    throw new Refusal({
      own: `'${text}' is not a value for ${name}. Specify true or false.`,
      about: { code: 'bad-choice', name, value: text, choices: ['false', 'true'] },
    })
  const value = readBoolean(name, text)
  if (lower === '0' || lower === '1') return lower
  if (lower === 'true' || lower === 'false') return value
  throw new Refusal({
    own: `The schema of the CIB has no '${text}' for ${name}. Specify true or false.`,
    about: { code: 'not-in-schema' },
  })
}

/** The same as a function of what is written alone. */
export const truthReader =
  (speech: Speech) =>
  (name: string, text: string): WrittenTruth =>
    readWrittenTruth(name, text, { speech })
