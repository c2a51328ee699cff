/** Which documents the site has, in the order in which its list shows them. Paths are those of the checkout. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Chapter {
  readonly title: string
  readonly pages: readonly SourcePage[]
}

export interface SourcePage {
  /** `docs/guides/fencing.md` */
  readonly path: string
  readonly title: string
  readonly markdown: string
}

export function readChapters(root: string): readonly Chapter[] {
  const page = (path: string): SourcePage => {
    const markdown = readFileSync(join(root, path), 'utf8')
    return { path, title: titleOf(path, markdown), markdown }
  }
  const folder = (path: string): readonly SourcePage[] =>
    readdirSync(join(root, path))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => page(`${path}/${name}`))
  const byTitle = (pages: readonly SourcePage[]): readonly SourcePage[] =>
    [...pages].sort((a, b) => a.title.localeCompare(b.title, 'en'))
  return [
    { title: 'Start', pages: ['README.md', 'docs/guides/install.md', 'docs/guides/coming-from-pcs.md'].map(page) },
    { title: 'Guides', pages: byTitle(folder('docs/guides')) },
    { title: 'Concepts', pages: byTitle(folder('docs/concepts')) },
    { title: 'Reference', pages: folder('docs/reference') },
    { title: 'Compatibility and figures', pages: byTitle(folder('docs')) },
    { title: 'Project', pages: ['CHANGELOG.md', 'SECURITY.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].map(page) },
    { title: 'Decisions', pages: folder('docs/adr') },
  ]
}

function titleOf(path: string, markdown: string): string {
  const [, title] = /^# +(.+)$/m.exec(markdown) ?? []
  if (title === undefined) throw new Error(`${path} has no title: its first heading is to begin with '# '.`)
  return title.replaceAll('`', '')
}
