/**
 * The recorded answers of Pacemaker's `crm_simulate` to the cases of this suite, a file for each topic: a line `# name` for a case, `## level` for a part
 * of its answer, `2.1.5: …` below the name for the parts in which that version answers otherwise.
 */
import { createHash } from 'node:crypto'
import { parseXml, type XmlElement } from '../../../src/cib/index.ts'
import { simulateCib } from '../../../src/scheduler/simulate/print-simulation.ts'
import { type Answer, type Level, linesOf } from '../../fuzz/answer.ts'
import { changedSince300 } from '../../fuzz/reference.ts'
import { smallCib } from '../small-cib.ts'
import type { RuleCase } from './words.ts'

/** Seconds since 1970, for every case: 2023-11-14 22:13:20 UTC, a Tuesday. */
export const moment = 1_700_000_000

/** From what is decided first to what follows from it. */
export const recordedLevels = [
  'status',
  'scores',
  'transition',
  'actions',
  'revised',
] as const satisfies readonly Level[]
export type RecordedLevel = (typeof recordedLevels)[number]

export type RecordedAnswer = Readonly<Record<RecordedLevel, readonly string[]>>

export interface Recording {
  readonly version: string
  readonly answers: ReadonlyMap<string, RecordedAnswer>
}

export interface Recorded {
  readonly name: string
  readonly answer: RecordedAnswer
  /** The parts in which another version answers otherwise, by version. */
  readonly otherwise: readonly { readonly version: string; readonly levels: readonly RecordedLevel[] }[]
  /** Why this is not the reference's answer but this project's. */
  readonly ours?: string | undefined
}

/** The lists of resources have an order; what is done and decided has none that can be seen. */
const ordered: ReadonlySet<RecordedLevel> = new Set(['status', 'revised'])

/** The lines that are compared. `loosely`: beside another major version. */
export function answerOf(answer: Answer, loosely = false): RecordedAnswer {
  const all = linesOf(answer, loosely)
  const told = (level: RecordedLevel): readonly string[] => {
    const lines = all[level].filter((line) => !changedSince300.some((exclusion) => exclusion.line.test(line)))
    return ordered.has(level) ? lines : lines.sort()
  }
  return {
    status: told('status'),
    scores: told('scores'),
    transition: told('transition'),
    actions: told('actions'),
    revised: told('revised'),
  }
}

export function cibOf(each: RuleCase): XmlElement {
  const parsed = parseXml(smallCib(each.cib))
  if (!parsed.ok) throw new Error(`${each.name}: ${parsed.reports.map(({ message }) => message).join(' ')}`)
  // What the oldest reference of Pacemaker 3 takes.
  return { ...parsed.value, attributes: { ...parsed.value.attributes, crm_feature_set: '3.20.0' } }
}

/** What this project's scheduler answers. */
export function decide(each: RuleCase): Answer {
  const { summary, scores, graph } = simulateCib({
    cib: cibOf(each),
    now: moment,
    md5: (text) => createHash('md5').update(text, 'utf8').digest('hex'),
    showScores: true,
  })
  return { summary, scores: scores(), graph: graph() }
}

export function printRecording(version: string, recorded: readonly Recorded[]): string {
  const lines = [`Recorded from ${version}`]
  for (const { name, answer, otherwise, ours } of recorded) {
    lines.push('', `# ${name}`)
    if (ours !== undefined) lines.push(`Decided otherwise than ${version}: ${ours}`)
    for (const other of otherwise) lines.push(`${other.version} answers otherwise: ${other.levels.join(', ')}`)
    for (const level of recordedLevels) lines.push(`## ${level}`, ...answer[level])
  }
  return `${lines.join('\n')}\n`
}

export function parseRecording(text: string): Recording {
  const [head = '', ...parts] = text.trimEnd().split(/\n\n# /)
  const answers = parts.map((part): readonly [string, RecordedAnswer] => {
    const [intro = '', ...sections] = part.split(/^## /m)
    const byLevel = new Map(
      sections.map((section) => {
        const [level = '', ...lines] = section.trimEnd().split('\n')
        return [level, lines] as const
      }),
    )
    const levelOf = (level: RecordedLevel): readonly string[] => byLevel.get(level) ?? []
    return [
      intro.split('\n')[0] ?? '',
      {
        status: levelOf('status'),
        scores: levelOf('scores'),
        transition: levelOf('transition'),
        actions: levelOf('actions'),
        revised: levelOf('revised'),
      },
    ]
  })
  return { version: head.replace('Recorded from ', ''), answers: new Map(answers) }
}
