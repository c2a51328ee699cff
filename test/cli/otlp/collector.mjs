/**
 * A small collector of OpenTelemetry: takes OTLP/HTTP in its JSON encoding at /v1/traces, reads it by the schema of OTLP, and prints what it has read, one line a request. What the schema does not
 * have is answered with 400. Arguments: address, port, and how it answers: `ok`, `partial`, `redirect` or `endless`.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import protobuf from 'protobufjs'

const [address = '127.0.0.1', port = '0', manner = 'ok'] = process.argv.slice(2)
const { root } = protobuf.parse(readFileSync(join(import.meta.dirname, 'trace.proto'), 'utf8'))
const type = root.lookupType('otlp.ExportTraceServiceRequest')

/** The ids of the JSON encoding are hexadecimal, and 64-bit numbers texts; names are not those of another case. */
function read(text) {
  const given = JSON.parse(text)
  for (const { scopeSpans } of given.resourceSpans)
    for (const { spans } of scopeSpans)
      for (const span of spans)
        for (const [name, bytes] of [
          ['traceId', 16],
          ['spanId', 8],
          ['parentSpanId', 8],
        ]) {
          if (span[name] === undefined) continue
          if (!new RegExp(`^[0-9a-f]{${bytes * 2}}$`).test(span[name]) || /^0+$/.test(span[name]))
            throw new Error(`${name} is '${span[name]}'`)
          span[name] = Buffer.from(span[name], 'hex').toString('base64')
        }
  const whole = type.toObject(type.decode(type.encode(type.fromObject(given)).finish()), {
    longs: String,
    bytes: String,
  })
  // What the schema does not have has not come through.
  if (canonical(whole) !== canonical(given)) throw new Error('a field is unknown or of another type')
  return whole
}

const canonical = (value) =>
  JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

const server = createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    if (
      request.method !== 'POST' ||
      request.url !== '/v1/traces' ||
      request.headers['content-type'] !== 'application/json'
    )
      return response.writeHead(404).end(`nothing at ${request.url}`)
    if (manner === 'redirect') return response.writeHead(307, { location: '/v1/traces' }).end()
    response.setHeader('content-type', 'application/json')
    if (manner === 'endless') return setInterval(() => response.write(' '.repeat(65_536)), 1)
    try {
      const trace = read(Buffer.concat(parts).toString('utf8'))
      process.stdout.write(`${JSON.stringify({ trace, authorization: request.headers.authorization ?? '' })}\n`)
      return response.end(
        manner === 'partial' ? '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}' : '{}',
      )
    } catch (error) {
      return response.writeHead(400).end(`not OTLP: ${error.message}`)
    }
  })
})
server.listen(Number(port), address, () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`))
