/** What a reading of keepalived.conf collects besides what it means: mistakes, words without a counterpart, and words that are not needed. */
import { didYouMean, similarWords } from '../../base/index.ts'
import { mapped, notNeeded, withoutCounterpart } from './keywords.ts'
import type { Statement } from './read-blocks.ts'

/** As a cluster file has them. */
export type Fields = Readonly<Record<string, unknown>>

export interface LeftOut {
  /** `keepalived.conf:12`. */
  readonly place: string
  readonly what: string
  /** What to do instead; absent where the cluster needs nothing for it. */
  readonly why?: string
}

export class Notes {
  readonly mistakes: string[] = []
  readonly leftOut: LeftOut[] = []

  wrong({ place }: Statement, sentence: string): void {
    this.mistakes.push(`${place}: ${sentence}`)
  }

  leave({ place, keyword, words }: Statement, why?: string): void {
    const known = ['virtual_server', 'virtual_server_group'].includes(keyword) ? words : words.slice(0, 1)
    const what = [keyword, ...(keyword === 'authentication' ? [] : known)].join(' ')
    this.leftOut.push({ place, what: why === undefined ? keyword : what, ...(why !== undefined && { why }) })
  }

  isKnown(keyword: string, block: string): boolean {
    return mapped[block]?.has(keyword) === true || Object.hasOwn(withoutCounterpart, keyword) || notNeeded.has(keyword)
  }

  /** Whether a statement of a block becomes something; if it does not, it is noted what it is. */
  isMapped(statement: Statement, block: string): boolean {
    const { keyword } = statement
    const known = mapped[block] ?? new Set()
    if (known.has(keyword)) return true
    const why = Object.hasOwn(withoutCounterpart, keyword) ? withoutCounterpart[keyword] : undefined
    if (why !== undefined) this.leave(statement, why)
    else if (notNeeded.has(keyword)) this.leave(statement)
    else {
      const words = [...known, ...notNeeded, ...Object.keys(withoutCounterpart)]
      const where = block === 'top' ? 'keepalived.conf' : block
      this.wrong(
        statement,
        `'${keyword}' is not a known word of ${where}.${didYouMean(similarWords(keyword, words)) || ' Remove the line.'}`,
      )
    }
    return false
  }

  /** A number that a statement has, or undefined with a mistake noted. */
  number(statement: Statement, { from, to }: { readonly from: number; readonly to: number }): number | undefined {
    const [text = ''] = statement.words
    const value = Number(text)
    if (/^-?\d+(\.\d+)?$/.test(text) && value >= from && value <= to) return value
    this.wrong(statement, `'${text}' is not a number from ${from} to ${to}, as ${statement.keyword} needs.`)
    return undefined
  }
}
