/**
 * What a member asks of the machine of a remote node, and the measure of the answers (docs/adr/0110-remote-nodes-are-asked-what-they-are.md). There is no call by
 * which a remote node says anything about machines by itself, and no place in an answer for a name: it is about the one that was asked.
 */
import * as v from 'valibot'
import { aspects, type HardwareReading, type HealthReading } from '../hardware/index.ts'
import { listUpTo, textUpTo } from '../rpc/index.ts'

interface Call<Request, Answer> {
  readonly request: Request
  readonly answer: Answer
}

type Nothing = Readonly<Record<string, never>>

export interface HardwareCalls {
  /** It reads what its machine is, which takes seconds. */
  readonly hardware: Call<Nothing, HardwareReading>
  /** How the parts of its machine are that it can read. */
  readonly health: Call<Nothing, HealthReading>
}

const mostParts = 10_000
const longestReason = 200
const mostReasons = 64

const numberForm = v.optional(v.pipe(v.number(), v.finite(), v.minValue(0)))
const numbersForm = v.optional(v.pipe(v.array(v.pipe(v.number(), v.finite(), v.minValue(0))), v.maxLength(mostParts)))
const textForm = v.optional(textUpTo(4096))

/** The firmware of a machine says what it likes, and packages pass it on. What of it becomes a fact is plain and short (`factsOf`). */
export const hardwareForm = v.object({
  cpus: numberForm,
  cores: numberForm,
  sockets: numberForm,
  cpuModel: textForm,
  memoryBytes: numberForm,
  moduleBytes: numberForm,
  diskBytes: numbersForm,
  nicSpeeds: numbersForm,
  vendor: textForm,
  model: textForm,
  firmware: textForm,
  os: textForm,
  kernel: textForm,
  architecture: textForm,
  virtual: textForm,
  bmcAddress: textForm,
})

/** It is shown, and kept as a node attribute. */
const reasonForm = v.pipe(
  textUpTo(longestReason),
  v.transform((text) => text.replace(/\p{C}/gu, '\ufffd')),
)

const conditionForm = v.object({
  colour: v.picklist(['green', 'yellow', 'red']),
  reasons: listUpTo(mostReasons, reasonForm),
})

const nothing = v.object({})

const healthForm = v.object(v.entriesFromList(aspects, v.exactOptional(conditionForm)))

export const hardwareForms = {
  hardware: { request: nothing, answer: hardwareForm },
  health: { request: nothing, answer: healthForm },
} as const

/** As an answer takes it: an interface or a file system may have a long name, and a machine many of them. */
export const measured = (reading: HealthReading): HealthReading =>
  Object.fromEntries(
    Object.entries(reading).map(([aspect, { colour, reasons }]) => [
      aspect,
      { colour, reasons: reasons.slice(0, mostReasons).map((reason) => reason.slice(0, longestReason)) },
    ]),
  )
