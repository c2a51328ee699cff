/** What a request says, checked before anything is done with it. One place for all that comes from the net. */
import type { IncomingMessage } from 'node:http'
import { array, boolean, maxLength, optional, pipe, record, safeParse, strictObject, string, union } from 'valibot'
import { closedFlags, type Endpoint } from './command-table.ts'
import { Problem } from './problem.ts'

export const longestBody = 1024 * 1024
const longestUrl = 4096
const mostWords = 1000

export interface Target {
  readonly path: string
  readonly query: URLSearchParams
}

/** Nothing that another program might read as another path. */
export function targetOf(url: string): Target {
  if (url.length > longestUrl)
    throw new Problem(414, `The address of the request has more than ${longestUrl} characters.`)
  const [path = '', ...query] = url.split('?')
  if (!/^\/(?:[\w.~%:@+-]+(?:\/[\w.~%:@+-]+)*)?$/.test(path) || /(?:^|\/)\.\.?(?:\/|$)|%(?:2f|5c|00|2e)/i.test(path))
    throw new Problem(400, 'The path of the request has characters that no path here has.')
  return { path, query: new URLSearchParams(query.join('?')) }
}

/** A request of HTTP/0.9 has no version, and its client reads the status as part of the answer. */
export function refuseOtherVersions({ httpVersion }: Pick<IncomingMessage, 'httpVersion'>): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw new Problem(505, `This server speaks HTTP/1.1 and HTTP/1.0, and not HTTP/${httpVersion}.`)
}

export function refuseWithoutHost({ headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new Problem(400, "A request of HTTP/1.1 names the host that it is for: the header 'Host' is missing.")
}

/** Pages of other origins send what a browser knows about its user; nothing here is for them. */
export function refuseOtherOrigin({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const { origin, host = '' } = headers
  const site = headers['sec-fetch-site']
  if (
    (origin !== undefined && origin !== `https://${host}`) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none')
  )
    throw new Problem(403, 'Requests from pages of another origin are refused.')
}

export function tokenIn({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const { authorization = '' } = headers
  const [, token] = /^Bearer ([\w-]{1,200})$/i.exec(authorization) ?? []
  if (token !== undefined) return token
  const why = authorization === '' ? 'A token is required.' : 'The header Authorization has no token that can be read.'
  throw new Problem(
    401,
    `${why} Send 'Authorization: Bearer <token>' (\`systole token create\` on a node makes a token), or log in with POST /api/v1/session.`,
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  )
}

export interface Given {
  readonly words: readonly string[]
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>
  readonly files: Readonly<Record<string, string>>
  readonly isDryRun: boolean
}

const wordForm = pipe(string(), maxLength(64 * 1024))
const bodyForm = strictObject({
  words: optional(pipe(array(wordForm), maxLength(mostWords))),
  flags: optional(record(wordForm, union([boolean(), wordForm, pipe(array(wordForm), maxLength(mostWords))]))),
  files: optional(record(pipe(string(), maxLength(255)), string())),
})

/** `word=a&word=b`, and flags by their names. */
export function givenInQuery({ flags, method }: Endpoint, query: URLSearchParams): Pick<Given, 'words' | 'flags'> {
  const words = query.getAll('word')
  const asked: Record<string, string | boolean | readonly string[]> = {}
  for (const name of new Set(query.keys())) {
    if (name === 'word' || (name === 'dry-run' && method === 'POST')) continue
    const flag = flags.find((one) => one.name === name)
    if (flag === undefined) throw new Problem(400, unknownFlag(name))
    const values = query.getAll(name)
    const [first = ''] = values
    if (flag.value === undefined) {
      if (!['', 'true', 'false'].includes(first)) throw new Problem(400, `'${name}' is true or false.`)
      asked[name] = first !== 'false'
    } else asked[name] = values.length > 1 ? values : first === '' ? true : first
  }
  return { words, flags: asked }
}

export function givenInBody(text: string): Omit<Given, 'isDryRun'> {
  let value: unknown
  try {
    value = text === '' ? {} : JSON.parse(text)
  } catch {
    throw new Problem(400, 'The body of the request is not JSON.')
  }
  const read = safeParse(bodyForm, Array.isArray(value) ? undefined : value)
  if (!read.success)
    throw new Problem(
      400,
      `The body of the request has a mistake at '${read.issues[0].path?.map(({ key }) => String(key)).join('.') ?? ''}'. It has 'words' (a list of texts), 'flags' (by name) and 'files' (texts by name).`,
    )
  const { words = [], flags = {}, files = {} } = read.output
  return { words, flags, files }
}

const unknownFlag = (name: string): string =>
  closedFlags.has(name)
    ? `'${name}' reads or writes files of the host, runs an agent on it, or is decided by the API: it cannot be given here.`
    : `There is no option '${name}'. The description is at /api/openapi.json.`

/** The line that would be typed. A word that reads as an option belongs into `flags`, where it is checked. */
export function lineOf({ command, flags }: Endpoint, given: Pick<Given, 'words' | 'flags'>): readonly string[] {
  for (const word of given.words)
    if (/^-(?!\d|INFINITY)/i.test(word))
      throw new Problem(
        400,
        `'${word.slice(0, 80)}' looks like an option. Give options in 'flags', by their names without hyphens.`,
      )
  const options = Object.entries(given.flags).flatMap(([name, value]): readonly string[] => {
    const flag = flags.find((one) => one.name === name)
    if (flag === undefined) throw new Problem(400, unknownFlag(name))
    if (value === false) return []
    if (value === true) {
      if (flag.value !== undefined && !flag.value.startsWith('['))
        throw new Problem(400, `'${name}' needs a value: ${flag.value}.`)
      return [`--${name}`]
    }
    if (flag.value === undefined) throw new Problem(400, `'${name}' is true or false.`)
    return (typeof value === 'string' ? [value] : value).map((one) => `--${name}=${one}`)
  })
  return [...command.path, ...given.words, ...options]
}

/** The version of the configuration that `If-Match` names. */
export function expectedVersion({ headers }: Pick<IncomingMessage, 'headers'>): number | undefined {
  const said = headers['if-match']
  if (said === undefined || said === '*') return undefined
  const [, version] = /^"(\d{1,15})"$/.exec(said) ?? []
  if (version !== undefined) return Number(version)
  throw new Problem(
    400,
    `If-Match is a version of the configuration in quotes, such as "17", as the header ETag has it.`,
  )
}

/** Whoever sends more than it may is not read to the end. */
export async function bodyOf(request: IncomingMessage, longest = longestBody): Promise<string> {
  const tooLong = (): Problem =>
    new Problem(413, `The body of the request has more than ${longest} bytes.`, {
      headers: { connection: 'close' },
    })
  if (Number(request.headers['content-length'] ?? 0) > longest) throw tooLong()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > longest) throw tooLong()
    chunks.push(chunk)
  }
  if (size > 0 && !/^application\/json(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new Problem(415, `The body of the request must be JSON, with 'Content-Type: application/json'.`)
  return Buffer.concat(chunks).toString('utf8')
}
