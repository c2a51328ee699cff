/** crm_mon as a page: the sections of the text as nested lists, with the classes that style sheets for crm_mon know. */
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

interface PageSection {
  readonly title?: string
  /** Two blanks for each level below the title. */
  readonly lines: readonly string[]
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
    ...sections.flatMap(({ title, lines }) => [
      ...(title === undefined ? [] : [`<h2>${escaped(title)}</h2>`]),
      ...list(lines),
    ]),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const depthOf = (line: string): number => (/^ */.exec(line)?.[0].length ?? 0) / 2

/** Lines that stand deeper than the one before them are its list. */
function list(lines: readonly string[]): readonly string[] {
  const out: string[] = ['<ul>']
  const [first] = lines
  const depth = first === undefined ? 0 : depthOf(first)
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const rest = lines.slice(at + 1)
    const end = rest.findIndex((next) => depthOf(next) <= depth)
    const below = end === -1 ? rest : rest.slice(0, end)
    out.push(...item(line.trim().replace(/^\* /, ''), below))
    at += below.length
  }
  return [...out, '</ul>']
}

function item(text: string, below: readonly string[]): readonly string[] {
  if (below.length > 0) return ['<li>', `<h3>${escaped(text.replace(/:$/, ''))}</h3>`, ...list(below), '</li>']
  return [`<li><span class="${classOf(text)}">${escaped(text)}</span></li>`]
}

function classOf(text: string): string {
  if (/^Online:|: online$/.test(text)) return 'online'
  if (/^OFFLINE:|OFFLINE$|UNCLEAN/.test(text)) return 'offline'
  if (/standby/.test(text)) return 'standby'
  if (/\t FAILED|could not be executed|returned '/.test(text)) return 'rsc-failed'
  if (/\(.*unmanaged|maintenance/.test(text)) return 'rsc-managed'
  return /\t (?:Started|Promoted|Unpromoted)/.test(text) ? 'rsc-ok' : 'plain'
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? one)
}
