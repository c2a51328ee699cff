/** Words that docs/style-of-words.md asks to avoid, in the text literals of src and in the prose of the documentation. */

/** Each with the better word, as the failing test prints it. */
const patterns: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /(?:^|[.!:] )What (?![^.]*\?)[^.]*/g, instead: 'begin the sentence with its subject' },
  { pattern: /\b(?:tells?|told|telling)\b/gi, instead: 'report, show, notify' },
  { pattern: /(?<!there )\b(?:is|are) no (?!longer\b)/gi, instead: 'is not a' },
  { pattern: /\b(?:that|this|what) is so\b/gi, instead: 'repeat the noun' },
  { pattern: /\bshall\b/gi, instead: 'must, or the present tense' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'fix, repair' },
  { pattern: /\banew\b/gi, instead: 'again, re-' },
  { pattern: /\bnothing had to be\b/gi, instead: 'Nothing to change: …' },
  { pattern: /\bgive(?:s|n)? (?:your|its|his) word\b/gi, instead: 'confirm' },
  { pattern: /’s sake\b/gi, instead: 'for compatibility with' },
  { pattern: /\btime-outs?\b/gi, instead: 'timeout' },
  { pattern: /\b(?:somebody|someone) else\b/gi, instead: 'another user, another node' },
  { pattern: /\bany more\b/gi, instead: 'no longer' },
  { pattern: /\bno more(?=[,.;:!]|$)/gi, instead: 'no longer, stop' },
  { pattern: /\b(?:came|comes|come) of\b/gi, instead: 'the result of' },
  {
    pattern: /\b(?:at most|last|at least|after|of|until as) so many\b|\bthat much of\b/gi,
    instead: 'this many, this much',
  },
  { pattern: /\bas it comes\b/gi, instead: 'as it arrives' },
  { pattern: /\bwhoever\b/gi, instead: 'anyone who, the user who' },
]

export interface Finding {
  readonly line: number
  readonly words: string
  readonly instead: string
}

function findingsIn(text: string, line: number): readonly Finding[] {
  return patterns.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(([words]) => ({ line, words: words.trim(), instead })),
  )
}

/** Literals of at least three words: shorter ones are names and keys. */
export const inSource = (text: string): readonly Finding[] =>
  literalsOf(text)
    .filter((literal) => literal.text.trim().split(/\s+/).length >= 3)
    .flatMap((literal) => findingsIn(literal.text, literal.line))

/** Quoted texts of a shell script, of at least three words. */
export const inShell = (text: string): readonly Finding[] =>
  text
    .split('\n')
    .flatMap((code, index) =>
      code.trimStart().startsWith('#')
        ? []
        : [...code.matchAll(/'[^']*'|"[^"]*"/g)]
            .filter(([quoted]) => quoted.trim().split(/\s+/).length >= 3)
            .flatMap(([quoted]) => findingsIn(quoted.slice(1, -1), index + 1)),
    )

/** The part of the changelog that no release has yet. */
export const unreleased = (changelog: string): string => changelog.split(/^## \[\d/m)[0] ?? ''

/** Without blocks of code and without `code`. A sentence may go over several lines, so each paragraph is read as one. */
export function inProse(text: string): readonly Finding[] {
  const withoutCode = text
    .replace(/^```[\s\S]*?^```/gm, keepLines)
    .replace(/^(?: {4}|\t).*$/gm, '')
    .replace(/`[^`]*`/g, keepLines)
  return withoutCode.split('\n').flatMap((prose, index) => findingsIn(prose.replace(/^[\s>*#|-]+/, ''), index + 1))
}

const keepLines = (code: string): string => code.replace(/[^\n]/g, '_')

interface Literal {
  readonly line: number
  readonly text: string
}

/** Quoted texts and templates of TypeScript, an expression in a template as `_`. Comments and expressions are passed over. */
export function literalsOf(source: string): readonly Literal[] {
  const literals: Literal[] = []
  readCode(source, 0, literals, false)
  return literals
}

function readCode(source: string, begin: number, literals: Literal[], inTemplate: boolean): number {
  let at = begin
  let depth = 0
  let before = ''
  while (at < source.length) {
    const rest = source.slice(at, at + 2)
    const character = rest[0] ?? ''
    if (rest === '//' || rest === '/*') {
      at = endOf(source, rest === '//' ? '\n' : '*/', at + 2)
      continue
    }
    if (character === "'" || character === '"') at = readQuoted(source, at, character, literals)
    else if (character === '`') at = readTemplate(source, at, literals)
    else if (character === '/' && !/[\w)\]$]/.test(before)) at = endOfPattern(source, at)
    else {
      if (character === '{') depth++
      if (character === '}' && depth-- === 0 && inTemplate) return at + 1
      at++
    }
    if (/\S/.test(character)) before = /['"`/]/.test(character) && at > begin + 1 ? ')' : character
    if (character === '/' && rest !== '//') before = '/'
  }
  return at
}

function endOf(source: string, end: string, from: number): number {
  const found = source.indexOf(end, from)
  return found < 0 ? source.length : found + end.length
}

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length

function readQuoted(source: string, begin: number, quote: string, literals: Literal[]): number {
  let at = begin + 1
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1
  literals.push({ line: lineAt(source, begin), text: source.slice(begin + 1, at) })
  return at + 1
}

function readTemplate(source: string, begin: number, literals: Literal[]): number {
  let at = begin + 1
  let text = ''
  while (at < source.length && source[at] !== '`') {
    if (source.startsWith('${', at)) {
      at = readCode(source, at + 2, literals, true)
      text += '_'
    } else {
      const length = source[at] === '\\' ? 2 : 1
      text += source.slice(at, at + length)
      at += length
    }
  }
  literals.push({ line: lineAt(source, begin), text })
  return at + 1
}

function endOfPattern(source: string, begin: number): number {
  let at = begin + 1
  let inClass = false
  while (at < source.length && source[at] !== '\n' && (inClass || source[at] !== '/')) {
    if (source[at] === '[') inClass = true
    if (source[at] === ']') inClass = false
    at += source[at] === '\\' ? 2 : 1
  }
  return at + 1
}
