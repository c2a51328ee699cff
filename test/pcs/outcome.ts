/** How the lines of each command ended beside each version of pcs: written by `npm run fuzz:pcs -- --record`, read for docs/pcs.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Tally } from './tally.ts'

export interface Outcome {
  readonly version: string
  /** The first seed, and the one after the last. */
  readonly seed: number
  readonly next?: number
  readonly lines: number
  readonly commands: Readonly<Record<string, Tally>>
  /** The same by command and long option. */
  readonly options: Readonly<Record<string, Tally>>
}

export type Outcomes = Readonly<Record<string, Outcome>>

export const readOutcomes = (file: string): Outcomes =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Outcomes) : {}

/** The outcomes beside another version stay as they are. */
export function recordOutcome(file: string, beside: string, outcome: Outcome): void {
  const written = { ...readOutcomes(file), [beside]: outcome }
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`)
}

export const sorted = (counted: ReadonlyMap<string, Tally>): Readonly<Record<string, Tally>> =>
  Object.fromEntries([...counted].sort(([a], [b]) => (a < b ? -1 : 1)))
