/** The value of an argument, as Directord reads it: what Python would read of itself, or JSON, and everything else as text. */

const words: Readonly<Record<string, unknown>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
}
const deepest = 50

export function literal(text: string): unknown {
  const trimmed = text.trim()
  if (Object.hasOwn(words, trimmed)) return words[trimmed]
  if (!/^[[({"\d-]/.test(trimmed)) return text
  try {
    return JSON.parse(trimmed) as unknown
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  // A text in quotes of Python keeps them, as it always did.
  const reader = new PythonReader(trimmed)
  const value = /^[[({]/.test(trimmed) ? reader.whole() : undefined
  return value === undefined ? text : value
}

/** Lists, tuples, maps, texts, numbers and words. Undefined where it is something else. */
class PythonReader {
  readonly #text: string
  #at = 0
  #isWrong = false

  constructor(text: string) {
    this.#text = text
  }

  whole(): unknown {
    const value = this.#value(0)
    this.#blanks()
    return this.#isWrong || this.#at < this.#text.length ? undefined : value
  }

  #value(depth: number): unknown {
    this.#blanks()
    const next = this.#text[this.#at] ?? ''
    if (depth > deepest) return this.#wrong()
    if (next === '[') return this.#items(']', depth)
    if (next === '(') return this.#items(')', depth)
    if (next === '{') return this.#map(depth)
    if (next === '"' || next === "'") return this.#quoted(next)
    const word = /^[\w.+-]+/.exec(this.#text.slice(this.#at, this.#at + 400))?.[0] ?? ''
    this.#at += word.length
    if (Object.hasOwn(words, word)) return words[word]
    return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : this.#wrong()
  }

  #items(end: string, depth: number): readonly unknown[] {
    const items: unknown[] = []
    this.#at++
    while (!this.#isWrong && !this.#takes(end)) {
      items.push(this.#value(depth + 1))
      if (!this.#takes(',') && !this.#isNext(end)) this.#wrong()
    }
    return items
  }

  #map(depth: number): Readonly<Record<string, unknown>> {
    const pairs: [string, unknown][] = []
    this.#at++
    while (!this.#isWrong && !this.#takes('}')) {
      const key = this.#value(depth + 1)
      if (!this.#takes(':')) this.#wrong()
      pairs.push([String(key), this.#value(depth + 1)])
      if (!this.#takes(',') && !this.#isNext('}')) this.#wrong()
    }
    return Object.fromEntries(pairs)
  }

  #quoted(quote: string): string {
    const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }
    let value = ''
    for (this.#at++; this.#text[this.#at] !== quote; this.#at++) {
      let next = this.#text[this.#at]
      if (next === '\\') {
        next = this.#text[++this.#at]
        next = Object.hasOwn(escapes, next ?? '') ? escapes[next ?? ''] : next
      }
      if (next === undefined) {
        this.#wrong()
        return value
      }
      value += next
    }
    this.#at++
    return value
  }

  #takes(character: string): boolean {
    const isNext = this.#isNext(character)
    if (isNext) this.#at++
    return isNext
  }

  #isNext(character: string): boolean {
    this.#blanks()
    return this.#text[this.#at] === character
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #wrong(): undefined {
    this.#isWrong = true
    return undefined
  }
}
