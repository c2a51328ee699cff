/**
 * The two ways in which a program answers for many CIBs or for one: a line of JSON for each line of input, or the texts of
 * one simulation. Files, clocks and streams are the caller's.
 */
import { type Md5, parseXml, unreadableSchema } from '../../cib/index.ts'
import { parseMoment, type StatusInput, utc } from '../../status/index.ts'
import { type SimulationText, simulateCib } from './print-simulation.ts'

export interface Surroundings {
  readonly md5: Md5
  readonly readFile: (path: string) => string
  /** Seconds since the epoch, where neither the CIB nor the caller names a moment. */
  readonly now: () => number
  /** What rules and dates without a time zone mean; UTC where it is left out. */
  readonly utcOffsetAt?: StatusInput['utcOffsetAt']
  /** Milliseconds, to tell how long a simulation took. */
  readonly ticks: () => number
}

export interface Request {
  readonly file: string
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

export function simulateFile({ file, date, showScores }: Request, around: Surroundings): SimulationText {
  const { md5, readFile, now, utcOffsetAt } = around
  const parsed = parseXml(readFile(file))
  if (!parsed.ok)
    throw new Error(parsed.reports.map(({ message, place }) => `${file}:${place.line}: ${message}`).join('\n'))
  const unreadable = unreadableSchema(parsed.value)
  if (unreadable !== undefined) throw new Error(`${file}: ${unreadable}`)
  const moment = momentOf(parsed.value.attributes['execution-date'], date, utcOffsetAt)
  return simulateCib({
    cib: parsed.value,
    md5,
    showScores,
    isSanitized: true,
    now: moment?.seconds ?? now(),
    ...(utcOffsetAt && { utcOffsetAt }),
    ...(moment && { dateLine: moment.line }),
  })
}

/** What the caller says wins over the moment that the CIB was saved with. */
export function momentOf(
  executionDate: string | undefined,
  date: string | undefined,
  utcOffsetAt: StatusInput['utcOffsetAt'] = utc,
): { readonly seconds: number; readonly line: string } | undefined {
  if (date !== undefined) {
    const seconds = parseMoment(date, { now: 0, utcOffsetAt })
    if (seconds === undefined) throw new Error(`'${date}' is not a date and time such as '2026-11-20 14:00:00Z'.`)
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
