/** Two programs with the same task, measured in turn: whatever else the machine does at the time meets both. */
import { type Measured, measureProcess } from './measured-process.ts'

export interface Contender {
  readonly command: readonly string[]
  /** CPU seconds after which it is stopped, once it is known what the one before it took. */
  readonly limitSeconds: (before: Measured | undefined) => number
  /** By the clock, from the moment at which it is asked. */
  readonly patienceSeconds?: () => number
}

/** A run that takes longer is long enough for the rest of the machine to average out. */
const longEnoughSeconds = 10

/** Of `rounds` runs of each, the least CPU time and the most memory. One that takes long, or to no end, is run once. */
export function measureInTurn(contenders: readonly Contender[], rounds: number): readonly Measured[] {
  const best: Measured[] = []
  for (let round = 0; round < rounds; round++)
    for (const [index, { command, limitSeconds, patienceSeconds }] of contenders.entries()) {
      const known = best[index]
      if (known !== undefined && (known.kind !== 'ended' || known.cpuSeconds > longEnoughSeconds)) continue
      const found = measureProcess({
        command,
        limitSeconds: limitSeconds(best[index - 1]),
        ...(patienceSeconds && { patienceSeconds: patienceSeconds() }),
      })
      best[index] = known === undefined ? found : better(known, found)
    }
  return best
}

/** A failure is not made good by a run that did well. */
function better(a: Measured, b: Measured): Measured {
  if (a.kind !== 'ended') return a
  if (b.kind !== 'ended') return b
  const faster = a.cpuSeconds <= b.cpuSeconds ? a : b
  return { ...faster, peakMb: Math.max(a.peakMb, b.peakMb) }
}
