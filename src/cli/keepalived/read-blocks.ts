/**
 * keepalived.conf as statements in blocks, each with its place: remarks, quotes, included files, parameters ($NAME=value) and lines for one host (@name …), as
 * keepalived.conf(5) describes them. What the words mean is decided elsewhere.
 */
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { reasonOf } from '../../base/index.ts'
import { Refusal } from '../call/command.ts'

export interface Statement {
  readonly keyword: string
  readonly words: readonly string[]
  /** Of a block. */
  readonly inner?: readonly Statement[]
  /** `keepalived.conf:12`. */
  readonly place: string
}

export interface Source {
  readonly file: string
  /** The node whose file it is, where that was said: lines for one host are read by it. */
  readonly node: string | undefined
  readonly readFile: (path: string) => Promise<string>
  /** Names in a folder; absent where only files can be read. */
  readonly listFolder?: ((path: string) => Promise<readonly string[]>) | undefined
}

const largestBytes = 1024 * 1024
const mostFiles = 100
const deepest = 8
/** A letter that begins no remark, until words are made of the line. */
const noRemark: Readonly<Record<string, string>> = { _HASH: '\ue000', _BANG: '\ue001' }

const openers: ReadonlySet<string> = new Set([
  ...['global_defs', 'vrrp_instance', 'vrrp_script', 'vrrp_sync_group', 'vrrp_track_process', 'vrrp_track_file'],
  ...['virtual_server', 'virtual_server_group', 'static_ipaddress', 'static_routes', 'static_rules', 'bfd_instance'],
])

/** A block of keepalived's at the start of a line; in YAML a colon follows the word. */
export const isKeepalived = (text: string): boolean =>
  text.split('\n').some((line) => openers.has(/^\s*(?:@\^?\S+\s+)?(\w+)(?=\s|\{|$)/.exec(line)?.[1] ?? ''))

export async function readBlocks(source: Source): Promise<readonly Statement[]> {
  const reader = new Reader(source)
  await reader.read(source.file, [])
  return reader.statements()
}

/** `*` is any number of letters, `?` one: from left to right, going back to the last `*` where a letter does not fit. */
function fits(name: string, pattern: string): boolean {
  let [at, from] = [0, 0]
  let star: { readonly behind: number; readonly name: number } | undefined
  while (at < name.length) {
    if (pattern[from] === '*') {
      from += 1
      star = { behind: from, name: at }
    } else if (pattern[from] === '?' || pattern[from] === name[at]) [at, from] = [at + 1, from + 1]
    else if (star !== undefined) {
      star = { ...star, name: star.name + 1 }
      ;[at, from] = [star.name, star.behind]
    } else return false
  }
  return /^\**$/.test(pattern.slice(from))
}

type Token = { readonly kind: 'word'; readonly text: string } | { readonly kind: 'open' | 'close' }
interface Line {
  readonly place: string
  readonly tokens: readonly Token[]
}

class Reader {
  readonly #source: Source
  readonly #parameters = new Map<string, string>()
  readonly #lines: Line[] = []
  readonly #mistakes: string[] = []
  #files = 0

  constructor(source: Source) {
    this.#source = source
  }

  async read(file: string, around: readonly string[]): Promise<void> {
    this.#files += 1
    if (this.#files > mostFiles) throw new Refusal(`${file}: more than ${mostFiles} files are included.`)
    const text = await this.#source.readFile(file)
    if (text.length > largestBytes) throw new Refusal(`${file} is longer than 1 MiB: it is not a keepalived.conf.`)
    for (const [at, raw] of text.split(/\r?\n/).entries()) {
      const place = `${file}:${at + 1}`
      const line = this.#forThisHost(raw, place)
      if (line === undefined || this.#isDefinition(line, place)) continue
      const [first, ...rest] = tokensOf(this.#filled(line, place))
      if (first === undefined) continue
      if (first.kind === 'word' && /^include[rmwba]?$/.test(first.text))
        await this.#include(rest, { file, place, around: [...around, file] })
      else this.#lines.push({ place, tokens: [first, ...rest] })
    }
  }

  async #include(
    tokens: readonly Token[],
    { file, place, around }: { readonly file: string; readonly place: string; readonly around: readonly string[] },
  ): Promise<void> {
    const [name] = tokens
    if (name?.kind !== 'word') {
      this.#mistakes.push(`${place}: The name of the included file is missing.`)
      return
    }
    const path = isAbsolute(name.text) ? name.text : resolve(dirname(file), name.text)
    if (/[*?[{]/.test(name.text)) await this.#includeAll(path, { name: name.text, place, around })
    else if (around.includes(path)) this.#mistakes.push(`${place}: '${name.text}' includes itself.`)
    else
      try {
        await this.read(path, around)
      } catch (error) {
        if (error instanceof Refusal && error.sentences.some((one) => one.startsWith(path))) throw error
        const reason = error instanceof Refusal ? error.sentences.join(' ') : `${reasonOf(error)}.`
        this.#mistakes.push(`${place}: '${name.text}' cannot be read: ${reason}`)
      }
  }

  /** In the order of their names. None is no mistake, as for keepalived. */
  async #includeAll(
    path: string,
    { name, place, around }: { readonly name: string; readonly place: string; readonly around: readonly string[] },
  ): Promise<void> {
    const { listFolder } = this.#source
    const [folder, pattern] = [dirname(path), basename(path)]
    if (listFolder === undefined || /[*?[{]/.test(folder) || /[[{]/.test(pattern)) {
      this.#mistakes.push(
        `${place}: Of the pattern '${name}' only * and ? in the last part are read. Write one include for each file.`,
      )
      return
    }
    const names = await listFolder(folder).catch((): readonly string[] => [])
    for (const one of [...names].sort()) {
      if (!fits(one, pattern) || (one.startsWith('.') && !pattern.startsWith('.'))) continue
      const file = resolve(folder, one)
      if (around.includes(file)) this.#mistakes.push(`${place}: '${name}' includes itself.`)
      else await this.read(file, around)
    }
  }

  /** `@name line` is for the host of this name, `@^name line` for all others. */
  #forThisHost(raw: string, place: string): string | undefined {
    const marked = /^\s*@(\^?)(\S+)\s?(.*)$/.exec(raw)
    if (!marked) return raw
    const [, negation = '', host = '', line = ''] = marked
    if (this.#source.node === undefined) {
      this.#mistakes.push(
        `${place}: '@${negation}${host}' is for one host only. Specify whose file it is, such as ${host}=${this.#source.file}.`,
      )
      return undefined
    }
    const isOwn = this.#source.node.split('.')[0] === host || this.#source.node === host
    return isOwn === (negation === '') ? line : undefined
  }

  #isDefinition(line: string, place: string): boolean {
    const [, name, value = ''] = /^\s*\$([A-Za-z_]\w*)=(.*)$/.exec(line) ?? []
    if (name === undefined) {
      if (!/^\s*~(SEQ|LST)\b/.test(line)) return false
      this.#mistakes.push(`${place}: Sequences (~SEQ, ~LST) are not read. Write the lines out.`)
      return true
    }
    if (/\\\s*$/.test(value))
      this.#mistakes.push(`${place}: Parameters of several lines are not read. Write the lines out.`)
    this.#parameters.set(name, value.replace(/\s+[#!].*$/, '').trim())
    return true
  }

  #filled(line: string, place: string): string {
    let text = line
    for (let round = 0; round < 10; round++) {
      const before = text
      text = text.replaceAll(
        /\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)(?=\s|$)/g,
        (all, braced?: string, bare?: string) => {
          const name = braced ?? bare ?? ''
          return this.#parameters.get(name) ?? this.#given(name, place) ?? all
        },
      )
      if (text === before || text.length > 10_000) break
    }
    const unknown = /\$\{([A-Za-z_]\w*)\}/.exec(text.replace(/(^|\s)[#!].*$/, ''))
    if (unknown) this.#mistakes.push(`${place}: There is no parameter '${unknown[1] ?? ''}'.`)
    return text
  }

  /** Those that keepalived defines. */
  #given(name: string, place: string): string | undefined {
    if (name === '_PWD') return dirname(place.replace(/:\d+$/, ''))
    if (name === '_INSTANCE') return this.#source.node?.split('.')[0]
    return noRemark[name]
  }

  /** A statement ends with its line; `{` and `}` may stand on it or on lines of their own. */
  statements(): readonly Statement[] {
    const top: Statement[] = []
    const open: { readonly statement: Statement; readonly inner: Statement[] }[] = []
    let last: Statement | undefined
    const here = (): Statement[] => open.at(-1)?.inner ?? top
    for (const { place, tokens } of this.#lines) {
      let words: string[] = []
      const flush = (): void => {
        const [keyword, ...rest] = words
        words = []
        if (keyword === undefined) return
        last = { keyword, words: rest, place }
        here().push(last)
      }
      for (const token of tokens) {
        if (token.kind === 'word') {
          words.push(token.text)
          continue
        }
        flush()
        if (token.kind === 'open') {
          if (last === undefined || open.length >= deepest) this.#mistakes.push(`${place}: No block can begin here.`)
          else {
            const inner: Statement[] = []
            const around = here()
            around.splice(around.indexOf(last), 1, { ...last, inner })
            open.push({ statement: last, inner })
          }
        } else if (open.pop() === undefined) this.#mistakes.push(`${place}: There is no open block that '}' could end.`)
        last = undefined
      }
      flush()
    }
    for (const { statement } of open)
      this.#mistakes.push(`${statement.place}: The block '${statement.keyword}' has no '}'.`)
    if (this.#mistakes.length > 0) throw new Refusal(...this.#mistakes)
    return top
  }
}

const letters: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  E: '\x1b',
}

/** A remark begins with `#` or `!` wherever it stands outside of quotes. */
function tokensOf(line: string): readonly Token[] {
  const tokens: Token[] = []
  let word: string | undefined
  let quote: string | undefined
  const end = (): void => {
    if (word !== undefined)
      tokens.push({ kind: 'word', text: word.replaceAll('\ue000', '#').replaceAll('\ue001', '!') })
    word = undefined
  }
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ''
    if (quote !== undefined) {
      if (letter === quote) quote = undefined
      else if (letter === '\\' && at + 1 < line.length) {
        at += 1
        const next = line[at] ?? ''
        word = `${word ?? ''}${letters[next] ?? next}`
      } else word = `${word ?? ''}${letter}`
    } else if (letter === '"' || letter === "'") {
      quote = letter
      word ??= ''
    } else if (letter === '#' || letter === '!') break
    else if (/\s/.test(letter)) end()
    else if (letter === '{' || letter === '}') {
      end()
      tokens.push({ kind: letter === '{' ? 'open' : 'close' })
    } else word = `${word ?? ''}${letter}`
  }
  end()
  return tokens
}
