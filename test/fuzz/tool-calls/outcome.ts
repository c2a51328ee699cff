/** How lines beside Pacemaker's programs ended, by command and by option: what docs/guides/pacemaker-commands.md shows. */
import { findTool } from '../../../src/tools/command/run-tool.ts'
import { optionsOf } from '../../../src/tools/help.ts'
import { parseOptions } from '../../../src/tools/options.ts'
import { type ComparedLine, isGrave } from './lines.ts'
import { reasonFor } from './reasons.ts'

export interface Tally {
  /** Exit code, files, output and errors are equal. */
  readonly same: number
  /** Exit code and files are equal. */
  readonly words: number
  /** Exit code or files are those of 2.1.5 instead of 3.0. */
  readonly older: number
  /** Exit code or files are others. */
  readonly result: number
  /** Why, and how often. */
  readonly reasons: Readonly<Record<string, number>>
}

export interface Outcome {
  readonly commands: Readonly<Record<string, Tally>>
  /** `crm_mon --one-shot`. */
  readonly options: Readonly<Record<string, Tally>>
  /** Lines at which the original crashed. */
  readonly crashed: number
}

const none: Tally = { same: 0, words: 0, older: 0, result: 0, reasons: {} }

export function tallyLines(lines: readonly ComparedLine[]): Outcome {
  const commands = new Map<string, Tally>()
  const options = new Map<string, Tally>()
  for (const line of lines.filter(({ isCrashed }) => !isCrashed)) {
    commands.set(line.tool, counted(commands.get(line.tool) ?? none, line))
    for (const name of optionNames(line)) {
      const key = `${line.tool} ${name}`
      options.set(key, counted(options.get(key) ?? none, line))
    }
  }
  const sorted = (tallies: ReadonlyMap<string, Tally>) =>
    Object.fromEntries([...tallies].sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    commands: sorted(commands),
    options: sorted(options),
    crashed: lines.filter(({ isCrashed }) => isCrashed).length,
  }
}

function counted(tally: Tally, line: ComparedLine): Tally {
  if (line.differences.length === 0) return { ...tally, same: tally.same + 1 }
  if (!isGrave(line.differences)) return { ...tally, words: tally.words + 1 }
  if (line.isAsAnother) return { ...tally, older: tally.older + 1 }
  const reason = reasonFor(line)
  return {
    ...tally,
    result: tally.result + 1,
    reasons: { ...tally.reasons, [reason]: (tally.reasons[reason] ?? 0) + 1 },
  }
}

/** The first long name of each option that is given and known. */
function optionNames({ tool, words }: ComparedLine): ReadonlySet<string> {
  const known = findTool(tool)
  const parsed = known && parseOptions(optionsOf(known), words)
  return new Set(parsed?.ok === true ? parsed.value.map(({ name }) => name).filter((name) => name !== '') : [])
}
