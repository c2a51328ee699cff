import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const top = resolve(import.meta.dirname, '../..')
const folders = ['agents', 'bench', 'demo', 'docs', 'packaging', 'proto', 'scripts', 'src', 'test']
const inFolders = folders.flatMap((folder) =>
  readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
)
const files = [...inFolders, ...readdirSync(top).filter((name) => name.includes('.'))]
/** The changelog names files as they were. */
const pages = files.filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
const textOf = (file: string): string => readFileSync(join(top, file), 'utf8')

/** Each end of a path, because a text names a file from the folder that it is about. */
const ends = new Set(
  files.flatMap((name) => {
    const parts = name.split('/')
    return parts.map((_, index) => parts.slice(index).join('/'))
  }),
)

/** Files of the project in backquotes; neither what the build makes nor what is on a node. */
const namedIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([\w-][\w./-]*\.(?:ts|mjs|sh|proto|md))`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('dist/'))

test('every file that a page or a comment names exists', () => {
  const readers = [...pages, ...files.filter((name) => /^(src|scripts|bench)\/.*\.ts$/.test(name))]
  const gone = (file: string): readonly string[] => namedIn(textOf(file)).filter((name) => !ends.has(name))
  expect(readers.flatMap((file) => gone(file).map((name) => `${file}: ${name}`))).toEqual([])
})

test('every link leads to a page, and to a title on it', () => {
  const broken = (page: string): readonly string[] =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = '', title] = link.split('#')
        const target = path === '' ? page : join(dirname(page), path)
        return !existsSync(join(top, target)) || (title !== undefined && !titlesOf(target).includes(title))
      })
  expect(pages.flatMap((page) => broken(page).map((link) => `${page}: ${link}`))).toEqual([])
})

/** As GitHub makes them of the headings. */
function titlesOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test('no page has the marks of a merge that was not finished, and each guide is in the README', () => {
  expect(pages.filter((page) => /^(<{7}|>{7}) /m.test(textOf(page)))).toEqual([])
  const guides = files.filter((name) => /^docs\/guides\/[^/]+\.md$/.test(name))
  expect(guides.filter((guide) => !textOf('README.md').includes(`(${guide})`))).toEqual([])
})
