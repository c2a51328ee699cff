/** Writes the site: every page, what the search knows, and the pictures. Fails on a link that leads nowhere, with the page that has it. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import packageFile from '../../package.json' with { type: 'json' }
import { type Chapter, readChapters, type SourcePage } from './contents.ts'
import type { Entry } from './found.ts'
import { framePage } from './frame.ts'
import { htmlPath, type Rendered, renderPage } from './render.ts'

/** Marks a folder as one that was made here, and may be made anew. */
const mark = '.systole-site'

export async function buildSite(
  root: string,
  folder: string,
): Promise<{ readonly pages: number; readonly sections: number }> {
  const chapters = readChapters(root)
  const pages = uniquePages(chapters)
  const site = { root, pages: new Set(pages.keys()) }
  const rendered = new Map([...pages].map(([path, page]) => [path, renderPage(page, site)] as const))
  const dead = deadLinks(rendered)
  if (dead.length > 0) throw new Error(`Links that lead nowhere:\n${dead.join('\n')}`)
  empty(folder)
  for (const [path, page] of pages) {
    const html = rendered.get(path)?.html ?? ''
    write(folder, htmlPath(path), framePage({ page, html, chapters, version: packageFile.version }))
  }
  for (const path of new Set([...rendered.values()].flatMap(({ files }) => files))) copy(join(root, path), folder, path)
  copy(join(root, 'src/console/icon.svg'), folder, 'icon.svg')
  const entries = searchEntries(pages, rendered)
  write(folder, 'sections.js', `globalThis.systoleSections = ${JSON.stringify(entries)}\n`)
  await bundle(root, folder)
  return { pages: pages.size, sections: entries.length }
}

/** A page that stands in two chapters is one page. */
const uniquePages = (chapters: readonly Chapter[]): ReadonlyMap<string, SourcePage> =>
  new Map(chapters.flatMap(({ pages }) => pages.map((page) => [page.path, page] as const)))

function deadLinks(rendered: ReadonlyMap<string, Rendered>): readonly string[] {
  return [...rendered].flatMap(([from, { links }]) =>
    links.flatMap(({ path, anchor }) => {
      const isThere = anchor === '' || rendered.get(path)?.anchors.has(anchor) === true
      return isThere ? [] : [`${from}: ${path} has no heading '#${anchor}'`]
    }),
  )
}

const searchEntries = (
  pages: ReadonlyMap<string, SourcePage>,
  rendered: ReadonlyMap<string, Rendered>,
): readonly Entry[] =>
  [...rendered].flatMap(([path, { sections }]) =>
    sections
      .filter(({ heading, text }) => heading !== '' || text !== '')
      .map((section) => ({ page: htmlPath(path), title: pages.get(path)?.title ?? path, ...section })),
  )

/** Only a folder of ours is emptied: whoever names his home by mistake keeps it. */
function empty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, mark)))
    throw new Error(`${folder} is not empty, and was not made by 'npm run site'. Name another folder.`)
  rmSync(folder, { recursive: true, force: true })
  write(folder, mark, '')
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function copy(from: string, folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  copyFileSync(from, join(folder, path))
}

async function bundle(root: string, folder: string): Promise<void> {
  await build({
    entryPoints: [
      { in: join(root, 'scripts/site/browser/search.ts'), out: 'search' },
      { in: join(root, 'scripts/site/site.css'), out: 'site' },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    platform: 'browser',
    target: ['firefox128', 'chrome128'],
    // Not a module: browsers load none from a disk.
    format: 'iife',
    legalComments: 'none',
    tsconfig: join(root, 'scripts/site/browser/tsconfig.json'),
    logLevel: 'warning',
  })
}
