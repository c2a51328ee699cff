/** The answer of another cluster to GET /api/v1/status: what is taken of it. The one place for this protocol; whoever answers is another's machine. */
import { array, boolean, literal, maxLength, nullable, object, picklist, pipe, safeParse, string, union } from 'valibot'
import type { News } from './told.ts'

const mostNodes = 10_000
const mostSentences = 10_000
const keptSentences = 3
const longestSentence = 300

const text = pipe(string(), maxLength(64 * 1024))
const statusForm = object({
  result: union([
    object({ configured: literal(false) }),
    object({
      configured: literal(true),
      cluster: nullable(text),
      quorum: object({ quorate: boolean() }),
      nodes: pipe(array(object({ online: boolean() })), maxLength(mostNodes)),
      attention: pipe(
        array(object({ level: picklist(['critical', 'warning', 'note']), text })),
        maxLength(mostSentences),
      ),
    }),
  ]),
})
const problemForm = object({ detail: text })

export class AnswerError extends Error {}

export function newsIn(body: string): News {
  const read = safeParse(statusForm, jsonIn(body))
  if (!read.success)
    throw new AnswerError(
      `its answer is not a status (at '${read.issues[0].path?.map(({ key }) => String(key)).join('.') ?? ''}')`,
    )
  const { result } = read.output
  if (!result.configured) throw new AnswerError('the host does not belong to a cluster')
  const { cluster, quorum, nodes, attention } = result
  const urgent = attention.flatMap(({ level, text: said }) =>
    level === 'note' ? [] : [{ level, text: printable(said).slice(0, longestSentence) }],
  )
  const sorted = [
    ...urgent.filter(({ level }) => level === 'critical'),
    ...urgent.filter(({ level }) => level === 'warning'),
  ]
  return {
    cluster: printable(cluster ?? '').slice(0, 128),
    quorate: quorum.quorate,
    nodesOnline: nodes.filter(({ online }) => online).length,
    nodes: nodes.length,
    urgent: sorted.length,
    worst: sorted.slice(0, keptSentences),
  }
}

const mostAuthorities = 8
const fingerprintForm = /^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/

/** SHA-256 of the authorities that it believes. One of an older version does not say. */
export function authoritiesIn(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): readonly string[] {
  const said = headers['systole-authorities']
  const words = typeof said === 'string' ? said.split(', ') : []
  return words.filter((word) => fingerprintForm.test(word)).slice(0, mostAuthorities)
}

/** The sentence of a refusal. */
export function problemIn(body: string): string | undefined {
  try {
    const read = safeParse(problemForm, jsonIn(body))
    return read.success ? printable(read.output.detail).slice(0, longestSentence) : undefined
  } catch {
    return undefined
  }
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new AnswerError('its answer is not JSON')
  }
}

/** What a terminal would obey, marks of direction among them. */
export const printable = (said: string): string => said.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ').trim()
