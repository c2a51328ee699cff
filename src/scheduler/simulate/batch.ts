/**
 * The two ways in which a program answers for many CIBs or for one: a line of JSON for each line of input, or the texts of
 * one simulation. Files, clocks and streams are the caller's.
 */
import { type Md5, parseXml } from '../../cib/index.ts'
import { parseMoment, utc } from '../../status/index.ts'
import { type SimulationText, simulateCib } from './simulate.ts'
import { suppose, type WhatIf } from './what-if.ts'

export interface Surroundings {
  readonly md5: Md5
  readonly readFile: (path: string) => string
  /** Seconds since the epoch, where neither the CIB nor the caller names a moment. */
  readonly now: () => number
  /** Milliseconds, to tell how long a simulation took. */
  readonly ticks: () => number
}

export interface Request {
  readonly file: string
  /** Asked of the CIB before it is simulated. */
  readonly whatIf?: WhatIf
  /** As given with `-t`. */
  readonly date?: string
  /** Keep the scores, which take as much memory as the resources and nodes multiplied. */
  readonly showScores: boolean
}

/** `FILE` or `FILE<TAB>-t<TAB>DATE`. */
export function parseRequest(line: string): Request {
  const [file = '', ...args] = line.split('\t')
  const at = args.findIndex((word) => word === '-t' || word === '--set-datetime')
  const date = at < 0 ? undefined : args[at + 1]
  return { file, showScores: true, ...(date !== undefined && { date }) }
}

export function answerLine(line: string, around: Surroundings): string {
  const request = parseRequest(line)
  const begun = around.ticks()
  try {
    const { summary, scores, graph } = simulateFile(request, around)
    return JSON.stringify({
      file: request.file,
      summary,
      scores: scores(),
      graph: graph(),
      ms: around.ticks() - begun,
    })
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return JSON.stringify({ file: request.file, error: message, ms: around.ticks() - begun })
  }
}

export function simulateFile(
  { file, date, whatIf, showScores }: Request,
  { md5, readFile, now }: Surroundings,
): SimulationText {
  const parsed = parseXml(readFile(file))
  if (!parsed.ok)
    throw new Error(parsed.reports.map(({ message, place }) => `${file}:${place.line}: ${message}`).join('\n'))
  const cib = whatIf ? suppose(parsed.value, whatIf) : parsed.value
  const moment = momentOf(cib.attributes['execution-date'], date)
  return simulateCib({
    cib,
    md5,
    showScores,
    isSanitized: true,
    now: moment?.seconds ?? now(),
    ...(moment && { dateLine: moment.line }),
  })
}

/** What the caller says wins over the moment that the CIB was saved with. */
function momentOf(
  executionDate: string | undefined,
  date: string | undefined,
): { readonly seconds: number; readonly line: string } | undefined {
  if (date !== undefined) {
    const seconds = parseMoment(date, { now: 0, utcOffsetAt: utc })
    if (seconds === undefined) throw new Error(`'${date}' is no moment: write one like '2026-11-20 14:00:00Z'.`)
    return { seconds, line: `Setting effective cluster time: ${date}` }
  }
  const seconds = Number(executionDate)
  if (executionDate === undefined || !Number.isFinite(seconds) || seconds <= 0) return undefined
  const text = new Date(seconds * 1000)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
  return { seconds, line: `Using the original execution date of: ${text}` }
}
