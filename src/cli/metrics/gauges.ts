/** Gauges of one moment: each is filled once, printed, and forgotten. */
import { Gauge, type Registry } from 'prom-client'

export type Labels = Readonly<Record<string, string>>
export type Sample = readonly [value: number, labels?: Labels]

/** A metric without values is not printed: nothing is known of it. */
export function gauge(
  registry: Registry,
  about: { readonly name: string; readonly help: string; readonly labels?: readonly string[] },
  samples: readonly Sample[],
): void {
  if (samples.length === 0) return
  const { name, help, labels = [] } = about
  const made = new Gauge({ name, help, labelNames: [...labels], registers: [registry] })
  for (const [value, at = {}] of samples) made.set(at, value)
}

export const asNumber = (is: boolean): number => (is ? 1 : 0)

/** One sample for each word: 1 for those that hold. */
export const statuses = (holds: Readonly<Record<string, boolean>>, labels: Labels): readonly Sample[] =>
  Object.entries(holds).map(([status, is]) => [asNumber(is), { ...labels, status }])
