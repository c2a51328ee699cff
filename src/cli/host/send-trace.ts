/** Sends a trace to a collector by OTLP/HTTP in its JSON encoding, once, as the specification says: the answer's status decides, and what a collector rejects in part is reported. */
import { object, optional, safeParse, string, union, number as whole } from 'valibot'
import { Refusal } from '../call/command.ts'

const withinMs = 10_000
const longestAnswer = 64 * 1024
const path = '/v1/traces'

/** The address of a collector, such as http://collector:4318, to which the path of traces is added; a whole one stays. */
export function traceEndpoint(word: string): URL {
  const url = URL.canParse(word) ? new URL(word) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Refusal(`--otlp=${word}: specify the address of a collector, such as http://collector.example.com:4318.`)
  if (!url.pathname.endsWith(path)) url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`
  return url
}

/** `name=value,name=value`, percent-encoded, as OTEL_EXPORTER_OTLP_HEADERS has them. */
export function traceHeaders(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value = ''] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
      const decoded = name === undefined ? undefined : decodedValue(value)
      if (name === undefined || decoded === undefined || /[^\t\x20-\x7e]/.test(decoded))
        throw new Refusal('OTEL_EXPORTER_OTLP_HEADERS cannot be read. Write name=value, separated by commas.')
      return [name, decoded]
    }),
  )
}

function decodedValue(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

const answerForm = object({
  partialSuccess: optional(
    object({ rejectedSpans: optional(union([string(), whole()])), errorMessage: optional(string()) }),
  ),
})

export async function sendTrace(url: URL, headers: Readonly<Record<string, string>>, body: unknown): Promise<void> {
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(withinMs),
    })
    text = await beginningOf(response)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw new Refusal(
      `The collector at ${url.origin} ${isLate ? `has not answered within ${withinMs / 1000} s` : `cannot be reached: ${cause.replace(/\.$/, '')}`}. Nothing is known of the trace there.`,
    )
  }
  const said = text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 200)
  if (!response.ok) throw new Refusal(`The collector at ${url.origin} answered ${response.status}: ${said}`)
  const answer = safeParse(answerForm, parsedOrNothing(text))
  const rejected = answer.success ? Number(answer.output.partialSuccess?.rejectedSpans ?? 0) : 0
  if (rejected > 0) throw new Refusal(`The collector at ${url.origin} rejected ${rejected} spans: ${said}`)
}

/** A collector that answers without end is not read to it. */
async function beginningOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  if (body !== null)
    for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
      parts.push(part)
      length += part.length
      if (length > longestAnswer) break
    }
  return Buffer.concat(parts).toString('utf8')
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
