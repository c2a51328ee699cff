/** Search over all sections of the documentation, as the site's pages and the tests ask it. */
import MiniSearch from 'minisearch'

/** A section as `sections.js` has it. */
export interface Entry {
  readonly page: string
  readonly title: string
  readonly anchor: string
  readonly heading: string
  readonly text: string
}

export interface Found {
  readonly title: string
  readonly heading: string
  /** From the root of the site. */
  readonly address: string
  readonly excerpt: string
}

const mostFound = 12
const excerptLength = 180

export function searchIn(entries: readonly Entry[]): (words: string) => readonly Found[] {
  const index = new MiniSearch<Entry & { readonly id: number }>({
    fields: ['title', 'heading', 'text'],
    // `pcmk_delay_base`, `on-fail` and `two_node` are found as they are written, and by their parts.
    tokenize: (text) => text.split(/[^\p{L}\p{N}_-]+/u).flatMap((word) => [...new Set([word, ...word.split(/[_-]+/)])]),
    processTerm: (term) => term.toLowerCase() || null,
    searchOptions: {
      boost: { title: 4, heading: 3 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
      boostDocument: (id) => weightOf(entries[Number(id)]),
    },
  })
  index.addAll(entries.map((entry, id) => ({ ...entry, id })))
  return (words) => {
    const all = index.search(words, { combineWith: 'AND' })
    const results = all.length > 0 ? all : index.search(words)
    return results.slice(0, mostFound).flatMap(({ id, terms }) => {
      const entry = entries[Number(id)]
      return entry === undefined ? [] : [foundIn(entry, terms, words.toLowerCase())]
    })
  }
}

/** Decisions and tables of figures are for few: a guide that says the same comes first, and the beginning of a page before its parts. */
function weightOf(entry: Entry | undefined): number {
  if (entry === undefined) return 1
  const { page, anchor } = entry
  const beginning = anchor === '' ? 1.5 : 1
  if (page.startsWith('docs/guides/') || page.startsWith('docs/concepts/')) return 3 * beginning
  return page.startsWith('docs/reference/') || page === 'index.html' ? 2 * beginning : 1
}

function foundIn(entry: Entry, terms: readonly string[], words: string): Found {
  const { title, heading, page, anchor, text } = entry
  const low = text.toLowerCase()
  // What was typed says more than what is like it, and a whole name more than a part of it.
  const rank = (term: string): number => (words.includes(term) ? 1000 : 0) + term.length
  const [at = 0] = [...terms]
    .sort((a, b) => rank(b) - rank(a))
    .map((term) => low.indexOf(term))
    .filter((place) => place >= 0)
  const begin = Math.max(0, at - excerptLength / 3)
  const cut = text.slice(begin, begin + excerptLength)
  return {
    title,
    heading,
    address: anchor === '' ? page : `${page}#${anchor}`,
    excerpt: `${begin > 0 ? '…' : ''}${cut}${begin + excerptLength < text.length ? '…' : ''}`,
  }
}
