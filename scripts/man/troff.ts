/** The little of man(7) that our pages need. */

/** Text of a page: nothing in it is read as a request. */
export const troff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(
      /[\u0080-\uffff]/gu,
      (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^(?=[.'])/gm, '\\&')

/** An argument of a request. */
const quoted = (text: string): string => `"${troff(text).replaceAll('"', '\\(dq')}"`

export const section = (title: string, ...parts: readonly string[]): string =>
  parts.length === 0 ? '' : `.SH ${quoted(title.toUpperCase())}\n${parts.join('')}`

export const subsection = (title: string, ...parts: readonly string[]): string =>
  `.SS ${quoted(title)}\n${parts.join('')}`

/** The first paragraph of a section has the space of its heading. */
export const paragraphs = (text: string, isFirst = true): string =>
  text
    .split(/\n\n+/)
    .map((part, index) => `${isFirst && index === 0 ? '' : '.PP\n'}${lines(part)}`)
    .join('')

/** Lines that begin with spaces are kept as they are. */
function lines(text: string): string {
  if (!/^ /m.test(text)) return `${troff(text.trim())}\n`
  return verbatim(text.trimEnd().split('\n'))
}

export const verbatim = (text: readonly string[]): string =>
  `.EX\n${text.map((line) => `${troff(line)}\n`).join('')}.EE\n`

export const item = (name: string, text: string): string => `.TP\n.B ${quoted(name)}\n${troff(text)}\n`

export interface Page {
  readonly name: string
  readonly number: 7 | 8
  readonly summary: string
  readonly body: readonly string[]
}

/** `date` as 2026-11-27. The summary is what apropos searches. */
export function printPage({ name, number, summary, body }: Page, version: string, date: string): string {
  return [
    `.TH ${quoted(name.toUpperCase())} ${number} "${date}" ${quoted(`Systole ${version}`)} ${quoted('Systole')}\n`,
    `.SH NAME\n${troff(name)} \\- ${troff(summary)}\n`,
    ...body,
  ].join('')
}
