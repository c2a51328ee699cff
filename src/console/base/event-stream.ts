/** Server-sent events as text comes in, and what they make of the status: pure. */
import type { StatusFacts } from '../../cli/index.ts'

export interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** What `status --json` prints on a host without a cluster has hardly anything in it. */
export type Status = StatusFacts | { readonly configured: false }

/** Takes pieces of the stream, and gives the events that are whole. */
export function eventReader(): (piece: string) => readonly StreamEvent[] {
  let rest = ''
  return (piece) => {
    const parts = `${rest}${piece}`.split('\n\n')
    rest = parts.pop() ?? ''
    return parts.flatMap(eventIn)
  }
}

function eventIn(text: string): readonly StreamEvent[] {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const at = line.indexOf(': ')
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 2))
  }
  const [event, data] = [fields.get('event'), fields.get('data')]
  if (event === undefined || data === undefined) return []
  return [{ id: fields.get('id') ?? '', event, data: JSON.parse(data) as unknown }]
}

interface Change {
  readonly part: string
  readonly key?: string
  readonly value: unknown
}

const keyOf: Readonly<Record<string, string>> = { nodes: 'name', resources: 'id', fencing: 'id', holds: 'id' }

/** A snapshot takes the place of everything; a change that of its part. */
export function afterEvent(status: Status | undefined, { event, data }: StreamEvent): Status | undefined {
  if (event === 'snapshot') return data as Status
  if (event !== 'change' || status === undefined) return status
  const { part, key, value } = data as Change
  if (key === undefined) return { ...status, [part]: value } as Status
  const list = (status as unknown as Readonly<Record<string, unknown>>)[part]
  return {
    ...status,
    [part]: withOne(Array.isArray(list) ? list : [], { name: keyOf[part] ?? 'id', key, value }),
  } as Status
}

function withOne(
  list: readonly unknown[],
  { name, key, value }: { readonly name: string; readonly key: string; readonly value: unknown },
): readonly unknown[] {
  const own = (one: unknown): boolean => (one as Readonly<Record<string, unknown>>)[name] === key
  const fresh = value === null ? [] : Array.isArray(value) ? value : [value]
  const at = list.findIndex(own)
  if (at < 0) return [...list, ...fresh]
  return [...list.slice(0, at), ...fresh, ...list.slice(at).filter((one) => !own(one))]
}
