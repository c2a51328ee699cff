/** What the scheduler saw, from a file: a CIB with its moment and, where Systole wrote it, what was decided from it. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { reasonOf, utcOffsetAt } from '../../../base/index.ts'
import {
  parseXml,
  printXml,
  secretNames,
  unreadableSchema,
  withoutSecrets,
  type XmlElement,
} from '../../../cib/index.ts'
import { schedule } from '../../../scheduler/index.ts'
import { readTextFile } from '../../../tools/index.ts'
import { type DecisionRecord, decisionText, printDecision, recordedPlan } from '../../../transition/index.ts'
import { Refusal } from '../../call/command.ts'
import { md5 } from '../../host/md5.ts'
import { digestsOfHidden } from './hidden-digests.ts'

export interface SavedState {
  readonly cib: XmlElement
  /** Seconds since the epoch. */
  readonly decidedAt: number
  readonly record?: DecisionRecord
}

const text = (longest: number) => v.pipe(v.string(), v.maxLength(longest))
const longestName = 2048
/** Beyond it there are no dates (ECMAScript). */
const lastMoment = 8.64e12
const mostActions = 1_000_000
const record = v.strictObject({
  version: text(100),
  utcOffset: v.pipe(v.number(), v.integer(), v.minValue(-86400), v.maxValue(86400)),
  plan: v.exactOptional(
    v.pipe(
      v.array(v.strictObject({ name: text(longestName), after: v.array(text(longestName)) })),
      v.maxLength(mostActions),
    ),
  ),
  error: v.exactOptional(text(100_000)),
})

export function readSavedState(path: string): SavedState {
  const content = contentOf(path)
  const parsed = parseXml(content)
  if (!parsed.ok) {
    const [report] = parsed.reports
    throw new Refusal(
      `${path} is not well-formed XML: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
    )
  }
  const cib = parsed.value
  if (cib.name !== 'cib') throw new Refusal(`${path} holds <${cib.name}>, not a CIB.`)
  const unreadable = unreadableSchema(cib)
  if (unreadable !== undefined) throw new Refusal(`${path}: ${unreadable}`)
  const decidedAt = Number(cib.attributes['execution-date'])
  if (!Number.isSafeInteger(decidedAt) || decidedAt <= 0 || decidedAt > lastMoment)
    throw new Refusal(
      `${path} does not say when its decision was made (execution-date). Ask about such a file with 'systole simulate --xml-file=${path}'.`,
    )
  const decided = decisionText(content)
  return { cib, decidedAt, ...(decided !== undefined && { record: readRecord(path, decided) }) }
}

function contentOf(path: string): string {
  try {
    return readTextFile(path)
  } catch (error) {
    throw new Refusal(`${path} cannot be read: ${reasonOf(error)}.`)
  }
}

function readRecord(path: string, json: string): DecisionRecord {
  try {
    const read = v.safeParse(record, JSON.parse(json))
    if (read.success) return read.output
  } catch {
    // Said below.
  }
  throw new Refusal(`The record of the decision at the end of ${path} is damaged. Save the state again.`)
}

/** The same decision, by this version: a plan, or the reason why there is none. */
export function decide({ cib, decidedAt, record: known }: SavedState): DecisionRecord {
  const version = process.env.SYSTOLE_VERSION ?? ''
  const utcOffset = known?.utcOffset ?? utcOffsetAt(decidedAt)
  try {
    const { graph } = schedule({ cib, now: decidedAt, md5, explain: false, utcOffsetAt: () => utcOffset })
    return { version, utcOffset, plan: recordedPlan(graph) }
  } catch (error) {
    return { version, utcOffset, error: error instanceof Error ? error.message : String(error) }
  }
}

export function printSavedState({ cib, decidedAt, record: decided }: SavedState): string {
  const dated = { ...cib, attributes: { ...cib.attributes, 'execution-date': String(decidedAt) } }
  return `${printXml(dated)}${decided === undefined ? '' : printDecision(decided)}`
}

/** Stars for secret values, and digests that agree with the stars. */
export function stateWithoutSecrets(state: SavedState): SavedState {
  const shown = withoutSecrets(state.cib, secretNames(state.cib))
  return { ...state, cib: digestsOfHidden(state.cib, shown, state.decidedAt) }
}

export interface KeptDecision {
  readonly name: string
  readonly path: string
  /** Seconds since the epoch. */
  readonly decidedAt: number
}

/** Where the DC of this host keeps what it decided from. */
export const decisionsFolder = (): string => join(process.env.SYSTOLE_ROOT || '/', 'var/lib/systole/pengine')

/**
 * The newest last. The moment is that of the file, within a second of the decision: hundreds of files need not be unpacked to be listed.
 */
export function keptDecisions(folder = decisionsFolder()): readonly KeptDecision[] {
  try {
    return readdirSync(folder)
      .flatMap((file) => /^(pe-(?:input|warn|error)-\d+)\.gz$/.exec(file)?.[1] ?? [])
      .map((name) => {
        const path = join(folder, `${name}.gz`)
        return { name, path, decidedAt: statSync(path).mtimeMs / 1000 }
      })
      .sort((a, b) => a.decidedAt - b.decidedAt)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new Refusal(`The decisions of this host in ${folder} cannot be read: ${reasonOf(error)}.`)
  }
}
