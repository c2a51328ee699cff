/** What a fence device on another node has said, which the fencing room adds to an answer as JSON. */
import * as v from 'valibot'
import { textForm } from './words.ts'

export const deviceAnswerForm = v.object({
  succeeded: v.boolean(),
  power: v.exactOptional(v.picklist(['on', 'off'], 'power is on or off')),
  timedOut: v.boolean(),
  output: textForm,
  message: textForm,
})
