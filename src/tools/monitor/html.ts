/** Pages: sections as nested lists, with the classes that style sheets for crm_mon know. */
import { flag, type GivenOption, hasOption, optionValue, valued } from '../options.ts'

const styles = [
  '.bold { font-weight: bold }',
  '.online { color: green }',
  '.offline { color: red }',
  '.maint { color: blue }',
  '.standby { color: blue }',
  '.health_red { color: red }',
  '.health_yellow { color: GoldenRod }',
  '.rsc-failed { color: red }',
  '.rsc-failure-ignored { color: DarkGreen }',
  '.rsc-managed { color: blue }',
  '.rsc-multiple { color: orange }',
  '.rsc-ok { color: green }',
  '.warning { color: red; font-weight: bold }',
]

export const pageFlags = [
  flag('html-cgi', 'With the headers of a CGI program (with --output-as=html)'),
  valued('html-title', 'TITLE', 'The title of the page (with --output-as=html)'),
  valued('html-stylesheet', 'URI', 'A style sheet for the page (with --output-as=html)'),
]

/** What the options say about the page. */
export function pageOptions(given: readonly GivenOption[]): PageOptions {
  const title = optionValue(given, 'html-title')
  const stylesheet = optionValue(given, 'html-stylesheet')
  return { ...(title === undefined ? {} : { title }), ...(stylesheet === undefined ? {} : { stylesheet }) }
}

export const withHeaders = (given: readonly GivenOption[], page: string): string =>
  hasOption(given, 'html-cgi') || hasOption(given, 'web-cgi') ? `Content-Type: text/html\n\n${page}` : page

export interface PageSection {
  readonly title?: string
  /** Of its list, as HTML. */
  readonly items: readonly string[]
}

export interface PageOptions {
  readonly title?: string
  readonly stylesheet?: string
  /** Seconds until the page loads itself anew. */
  readonly refresh?: number
}

export function printHtml(sections: readonly PageSection[], options: PageOptions): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    `<title>${escaped(options.title ?? 'Cluster Status')}</title>`,
    '<meta charset="utf-8">',
    ...(options.refresh === undefined ? [] : [`<meta http-equiv="refresh" content="${options.refresh}">`]),
    `<style>${styles.join('\n')}</style>`,
    ...(options.stylesheet === undefined ? [] : [`<link rel="stylesheet" href="${escaped(options.stylesheet)}">`]),
    '</head>',
    '<body>',
    ...sections.flatMap(({ title, items }) => [
      ...(title === undefined ? [] : [`<h2>${escaped(title)}</h2>`]),
      ...htmlList(items),
    ]),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

export const htmlList = (items: readonly string[]): readonly string[] => ['<ul>', ...items, '</ul>']

/** `<li>` with a title and what stands below it. */
export const titled = (title: string, items: readonly string[]): string =>
  ['<li>', `<h3>${escaped(title)}</h3>`, ...htmlList(items), '</li>'].join('\n')

const depthOf = (line: string): number => (/^ */.exec(line)?.[0].length ?? 0) / 2

/** Lines that stand deeper than the one before them are its list. */
export function itemsOf(
  lines: readonly string[],
  how: { readonly item: (text: string) => string; readonly title: (text: string) => string },
): readonly string[] {
  const out: string[] = []
  const [first] = lines
  const depth = first === undefined ? 0 : depthOf(first)
  for (let at = 0; at < lines.length; at++) {
    const text = (lines[at] ?? '').trim().replace(/^\* /, '')
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((next) => depthOf(next) <= depth)
    const below = end === -1 ? rest : rest.slice(0, end)
    out.push(below.length > 0 ? titled(how.title(text), itemsOf(below, how)) : how.item(text))
    at += below.length
  }
  return out
}

export const span = (text: string, kind?: string): string =>
  `<span${kind === undefined ? '' : ` class="${kind}"`}>${escaped(text)}</span>`

export const plainItem = (text: string): string => `<li>${escaped(text)}</li>`

export const spansItem = (...spans: readonly string[]): string => `<li>${spans.join('')}</li>`

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? one)
}
