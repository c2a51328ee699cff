/** One document of Markdown as HTML, with links to the other pages of the site, and in sections as the search finds them. */
import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id'
import type { SourcePage } from './contents.ts'
import { escapeHtml } from './escape.ts'

export interface Rendered {
  readonly html: string
  readonly anchors: ReadonlySet<string>
  readonly sections: readonly Section[]
  /** Links to other pages: `docs/guides/fencing.md`, and the heading in it. */
  readonly links: readonly Link[]
  /** Pictures and other files beside the pages that are linked. */
  readonly files: readonly string[]
}

export interface Section {
  /** Empty for what stands before the first heading of a second or lower rank. */
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

export interface Link {
  readonly path: string
  readonly anchor: string
}

/** `docs/guides/fencing.md` → `docs/guides/fencing.html`; the README is the first page. */
export const htmlPath = (path: string): string => (path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html'))

export interface Site {
  readonly root: string
  readonly pages: ReadonlySet<string>
}

/** What is wider than the page is scrolled, by the keyboard as well. */
const scrollable = (kind: string, name: string): string =>
  `<div class="${kind}" tabindex="0" role="region" aria-label="${name}">`

const renderer: RendererObject = {
  // The names of elements in the documents are text.
  html: ({ text }) => escapeHtml(text),
  code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`,
}

export function renderPage(page: SourcePage, site: Site): Rendered {
  const links: Link[] = []
  const files: string[] = []
  const marked = new Marked(gfmHeadingId(), {
    renderer,
    walkTokens: (token) => {
      if (token.type === 'link' || token.type === 'image') placeLink(token as Tokens.Link | Tokens.Image)
    },
  })
  const html = marked
    .parse(page.markdown, { async: false })
    .replaceAll('<table>', `${scrollable('table', 'Table')}<table>`)
    .replaceAll('</table>', '</table></div>')
    // A corner of a table is no heading.
    .replaceAll('<th></th>', '<td></td>')
  const headings = getHeadingList()
  return {
    html,
    anchors: new Set(headings.map(({ id }) => id)),
    sections: sectionsOf(marked.lexer(page.markdown), headings),
    links,
    files,
  }

  function placeLink(token: Tokens.Link | Tokens.Image): void {
    if (/^[a-z]+:/.test(token.href)) return
    const [to = '', anchor = ''] = token.href.split('#')
    const path = to === '' ? page.path : posix.normalize(posix.join(dirname(page.path), to))
    if (site.pages.has(path)) {
      links.push({ path, anchor })
      token.href = relativeTo(page.path, htmlPath(path)) + (anchor && `#${anchor}`)
      return
    }
    if (!existsSync(join(site.root, path)))
      throw new Error(`${page.path} links to ${token.href}, which does not exist.`)
    if (/\.(png|svg|json|yml|yaml)$/.test(path)) {
      files.push(path)
      token.href = relativeTo(page.path, path)
    } else token.href = inCheckout(path, page, site)
  }
}

/** A folder of documents is its first page; of the program's sources the site has none, so the reader stays where he is. */
function inCheckout(path: string, page: SourcePage, site: Site): string {
  const folder = path.replace(/\/$/, '')
  const first = [...site.pages].find((candidate) => dirname(candidate) === folder)
  return first === undefined ? '#' : relativeTo(page.path, htmlPath(first))
}

/** The address of a page as another names it: both are files, so that the site works from a disk. */
export const relativeTo = (from: string, to: string): string => posix.relative(dirname(from), to)

function sectionsOf(tokens: readonly Token[], headings: readonly { readonly id: string }[]): readonly Section[] {
  const sections: { anchor: string; heading: string; text: string }[] = [{ anchor: '', heading: '', text: '' }]
  let seen = 0
  for (const token of tokens) {
    if (token.type === 'heading') {
      const anchor = headings[seen++]?.id ?? ''
      if (seen > 1) sections.push({ anchor, heading: plainText(token), text: '' })
      continue
    }
    const section = sections.at(-1)
    if (section) section.text += `${plainText(token)} `
  }
  return sections.map(({ text, ...section }) => ({ ...section, text: text.replaceAll(/\s+/g, ' ').trim() }))
}

/** What a reader sees of a token, without marks. */
function plainText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flatMap((row) => row.map((cell) => cell.tokens.map(plainText).join(''))).join(' ')
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join(' ')
  if (token.type === 'space' || token.type === 'hr') return ' '
  const { tokens } = token as { readonly tokens?: readonly Token[] }
  if (tokens !== undefined) return tokens.map(plainText).join('')
  return 'text' in token && typeof token.text === 'string' ? decoded(token.text) : ''
}

const decoded = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
