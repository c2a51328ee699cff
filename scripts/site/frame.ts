/** The page around a document: list of pages, search, and the way to the next one. */
import type { Chapter, SourcePage } from './contents.ts'
import { escapeHtml } from './escape.ts'
import { htmlPath, relativeTo } from './render.ts'

export interface Framed {
  readonly page: SourcePage
  readonly html: string
  readonly chapters: readonly Chapter[]
  readonly version: string
}

export function framePage({ page, html, chapters, version }: Framed): string {
  const to = (path: string): string => relativeTo(page.path, path)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title === 'Systole' ? page.title : `${page.title} – Systole`)}</title>
<link rel="icon" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('sections.js')}" defer></script>
<script src="${to('search.js')}" defer data-root="${to('.') || '.'}/"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="home" href="${to('index.html')}">Systole</a> <span>${escapeHtml(version)}</span>
<form role="search">
<input id="search" type="search" placeholder="Search (press /)" aria-label="Search the documentation" aria-controls="found" autocomplete="off">
</form>
<ol id="found" aria-label="Found" hidden></ol>
<p id="count" role="status"></p>
</header>
<div class="columns">
<nav aria-label="Pages">
${chapters.map((chapter) => chapterList(chapter, page, to)).join('\n')}
</nav>
<main id="content" tabindex="-1">
${html}
</main>
</div>
</body>
</html>
`
}

function chapterList(chapter: Chapter, page: SourcePage, to: (path: string) => string): string {
  const isOpen = chapter.title === 'Start' || chapter.pages.some(({ path }) => path === page.path)
  const items = chapter.pages.map(({ path, title }) => {
    const here = path === page.path ? ' aria-current="page"' : ''
    return `<li><a href="${to(htmlPath(path))}"${here}>${escapeHtml(title)}</a></li>`
  })
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(chapter.title)}</summary><ul>${items.join('')}</ul></details>`
}
