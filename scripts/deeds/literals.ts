/**
 * Reads just enough of a test's source to know which words stand in one and the same command: a command is one text in quotes, or texts that
 * are handed over together (`run('crm_mon', ['-1', '-r'])`). What is said of Pacemaker's own programs, by their full path, is none of ours.
 */

/** The texts of a call, of a list or of an object, in order; a text that stands alone is a list of one. */
export interface TextGroup {
  readonly texts: readonly string[]
  /** `run` of `run('crm_mon')`; empty for a list. */
  readonly callee: string
}

export interface Source {
  readonly groups: readonly TextGroup[]
  /** The source in which each text in quotes is blackened: of the same length, without line ends inside texts. */
  readonly masked: string
}

interface Frame {
  readonly kind: 'call' | 'list' | 'object' | 'block'
  readonly callee: string
  readonly isSpread: boolean
  readonly texts: string[]
  /** The template whose `${` this block is. */
  readonly template?: string
}

const beforeRegularExpression = /(?:^|[(,=:[!&|?{};+]|=>|return)\s*$/

export function readSource(source: string): Source {
  const groups: TextGroup[] = []
  const frames: Frame[] = [{ kind: 'block', callee: '', isSpread: false, texts: [] }]
  const masked = [...source]
  let at = 0

  const top = (): Frame => frames[frames.length - 1] as Frame
  const blacken = (from: number, to: number): void => {
    for (let index = from; index < to; index++) masked[index] = '~'
  }
  /** A text has ended; behind a `+` it belongs to the one before. */
  const say = (text: string, begun: number): void => {
    const { texts } = top()
    const last = texts.at(-1)
    if (last !== undefined && /['"`~]\s*\+\s*$/.test(masked.slice(Math.max(0, begun - 80), begun).join('')))
      texts[texts.length - 1] = last + text
    else texts.push(text)
    groups.push({ texts: [texts.at(-1) ?? text], callee: '' })
  }
  const open = (character: string): void => {
    const before = masked.slice(Math.max(0, at - 80), at).join('')
    const callee = /([\w.]+)(?:<[^<>()]*>)?$/.exec(before)?.[1] ?? ''
    const isKeyword = /^(?:if|for|while|switch|return|await|of|in)$/.test(callee)
    const isSpread = /\.\.\.$/.test(before) || /(?:\.\.\.\(.*[?:]\s*|\?\s*|:\s*)$/.test(before)
    const isBlock = character === '{' && /(?:=>|\)|else|try|do)(?::\s*[\w<>[\], ]+)?\s*$/.test(before)
    const isCall = character === '(' && callee !== '' && !isKeyword
    const kind = isBlock || isKeyword ? 'block' : isCall ? 'call' : character === '{' ? 'object' : 'list'
    frames.push({ kind, callee: isCall ? callee : '', isSpread, texts: [] })
  }
  const close = (): void => {
    if (frames.length === 1) return
    const { kind, callee, isSpread, texts } = frames.pop() as Frame
    if (kind === 'block') return
    if (texts.length > 1 || callee !== '') groups.push({ texts, callee })
    // The words of a list are those of the call or object that it is given to; a list in a list is a row of its own.
    if (kind === 'list' && (isSpread || top().kind !== 'list')) top().texts.push(...texts)
  }

  while (at < source.length) {
    const character = source[at] ?? ''
    if (source.startsWith('//', at)) at = endOf(source, '\n', at)
    else if (source.startsWith('/*', at)) at = endOf(source, '*/', at) + 2
    else if (character === "'" || character === '"') {
      const end = endOfQuoted(source, at)
      blacken(at + 1, end)
      say(unescaped(source.slice(at + 1, end)), at)
      at = end + 1
    } else if (character === '`') {
      const end = endOfTemplate(source, at)
      const inside = source.slice(at + 1, end)
      blacken(at + 1, end)
      say(unescaped(inside), at)
      at = end + 1
    } else if (
      character === '/' &&
      beforeRegularExpression.test(masked.slice(Math.max(0, at - 40), at).join('')) &&
      /^\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//.test(source.slice(at, at + 2000))
    ) {
      const [expression = '/'] = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//.exec(source.slice(at, at + 2000)) ?? []
      blacken(at + 1, at + expression.length - 1)
      at += expression.length
    } else {
      if (character === '(' || character === '[' || character === '{') open(character)
      else if (character === ')' || character === ']' || character === '}') close()
      at++
    }
  }
  return { groups, masked: masked.join('') }
}

function endOf(source: string, end: string, from: number): number {
  const found = source.indexOf(end, from)
  return found < 0 ? source.length : found
}

function endOfQuoted(source: string, from: number): number {
  const quote = source[from]
  let at = from + 1
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1
  return at
}

/** The closing backtick; what is put in may hold templates of its own. */
function endOfTemplate(source: string, from: number): number {
  let at = from + 1
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') at += 2
    else if (source.startsWith('${', at)) at = endOfInsert(source, at + 2)
    else at++
  }
  return at
}

function endOfInsert(source: string, from: number): number {
  let depth = 1
  let at = from
  while (at < source.length && depth > 0) {
    const character = source[at]
    if (character === '`') at = endOfTemplate(source, at)
    else if (character === "'" || character === '"') at = endOfQuoted(source, at)
    else if (character === '{') depth++
    else if (character === '}') depth--
    at++
  }
  return at
}

const unescaped = (text: string): string => text.replace(/\\n/g, '\n').replace(/\\(['"`$\\])/g, '$1')
