/** The log in which the bench's agents stamp what they do: `SECONDS NODE rsc RESOURCE ACTION`. */
import { existsSync, readFileSync } from 'node:fs'

export interface StampedEvent {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly node: string
  readonly resource: string
  /** `start-begin`, `start-done`, `stop-begin`, `stop-done`, `monitor-fail`. */
  readonly what: string
}

export function readEvents(file: string, since: number): readonly StampedEvent[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [seconds = '', node = '', source, resource = '', what = ''] = line.split(' ')
      const time = Number(seconds) * 1000
      return source === 'rsc' && time >= since ? [{ time, node, resource, what }] : []
    })
}
