/** The documentation as a site: built as users build it, and read from the disk. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSite } from '../../scripts/site/build.ts'
import { type Entry, searchIn } from '../../scripts/site/found.ts'
import { renderPage } from '../../scripts/site/render.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'systole-site-'))
const site = join(folder, 'site')
let search: ReturnType<typeof searchIn>

beforeAll(async () => {
  await buildSite(root, site)
  const script = readFileSync(join(site, 'sections.js'), 'utf8')
  search = searchIn(JSON.parse(script.slice(script.indexOf('['))) as readonly Entry[])
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const htmlFiles = (): readonly string[] =>
  readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))

describe('the pages', () => {
  test('are all documents, and each names what it needs by a path on the disk', () => {
    const names = htmlFiles()
    for (const name of readdirSync(join(root, 'docs/guides')).filter((file) => file.endsWith('.md')))
      expect(names).toContain(`docs/guides/${name.replace('.md', '.html')}`)
    for (const name of names) {
      const html = readFileSync(join(site, name), 'utf8')
      for (const [, address = ''] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (/^[a-z]+:/.test(address)) continue
        const [path = '', anchor = ''] = address.split('#')
        const target = path === '' ? join(site, name) : join(site, dirname(name), path)
        expect(existsSync(target), `${name}: ${address}`).toBe(true)
        if (anchor !== '' && !address.endsWith('#content'))
          expect(readFileSync(target, 'utf8'), `${name}: ${address}`).toContain(`id="${anchor}"`)
      }
    }
  })

  test('show HTML in a document as text', () => {
    const markdown = '# A\n\n<script>alert(1)</script>\n\nthe element <master> is old\n'
    const { html, sections } = renderPage({ path: 'a.md', title: 'A', markdown }, { root, pages: new Set(['a.md']) })
    expect(html).not.toMatch(/<script|<master/)
    expect(html).toContain('&lt;master&gt;')
    expect(sections.map(({ text }) => text).join()).toContain('the element <master> is old')
  })
})

describe('the search', () => {
  test.each([
    ['two nodes fence delay', 'docs/guides/two-nodes.html'],
    ['pcmk_delay_base', 'docs/guides/two-nodes.html'],
    ['delay_base', 'docs/guides/two-nodes.html'],
    ['split brain', 'docs/concepts/quorum.html'],
    ['move a resource', 'docs/guides/holds.html'],
    ['acl enable', 'docs/reference/commands.html#systole-acl-enable'],
    ['stickines', 'docs/concepts/scores.html'],
    ['lost majority', 'docs/guides/lost-majority.html'],
  ])('finds %s', (words, page) => {
    const addresses = search(words).map(({ address }) => address)
    expect(addresses.slice(0, 4).some((address) => address.startsWith(page))).toBe(true)
  })

  test('shows the words where they stand, and nothing for words that are nowhere', () => {
    const [first] = search('pcmk_delay_base')
    expect(first?.excerpt).toContain('pcmk_delay_base')
    expect(search('xyzzyplugh')).toEqual([])
    expect(search('<script>')).not.toBeUndefined()
  })
})

describe('the build', () => {
  const page = (markdown: string) => () =>
    renderPage({ path: 'docs/a.md', title: 'A', markdown }, { root, pages: new Set(['docs/a.md']) })

  test('refuses a link to a file that does not exist', () => {
    expect(page('[x](nowhere.md)')).toThrow('docs/a.md links to nowhere.md, which does not exist.')
  })

  test('refuses a link to a heading that does not exist, and leaves the site as it was', async () => {
    const copy = join(folder, 'copy')
    for (const name of ['docs/guides', 'docs/concepts', 'docs/reference', 'docs/adr', 'src/console'])
      mkdirSync(join(copy, name), { recursive: true })
    for (const name of ['README', 'docs/guides/install', 'docs/guides/coming-from-pcs'])
      writeFileSync(join(copy, `${name}.md`), '# T\n')
    for (const name of ['CHANGELOG', 'SECURITY', 'ARCHITECTURE', 'CONTRIBUTING'])
      writeFileSync(join(copy, `${name}.md`), '# T\n\n[there](docs/guides/install.md#gone)\n')
    const before = readFileSync(join(site, 'index.html'), 'utf8')
    await expect(buildSite(copy, site)).rejects.toThrow("SECURITY.md: docs/guides/install.md has no heading '#gone'")
    expect(readFileSync(join(site, 'index.html'), 'utf8')).toBe(before)
  })

  test('empties no folder that it did not make', async () => {
    const home = join(folder, 'home')
    mkdirSync(home)
    writeFileSync(join(home, 'letter'), 'kept')
    await expect(buildSite(root, home)).rejects.toThrow('is not empty')
    expect(readFileSync(join(home, 'letter'), 'utf8')).toBe('kept')
  })
})
