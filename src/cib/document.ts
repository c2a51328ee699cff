/**
 * The CIB's text form. A document is a tree of immutable elements that keeps everything the text said: unknown
 * elements and attributes, comments, the order of both. Printing it and reading it again gives an equal tree.
 */
import { SaxesParser } from 'saxes'
import { doneAtOnce, failed, firstNotInXml, ok, type Result, type Steps } from '../base/index.ts'
import { scanSteps, scanXml } from './scan-xml.ts'
import type { Place, XmlElement, XmlNode } from './xml-tree.ts'

export type { Place, XmlElement, XmlNode, XmlText } from './xml-tree.ts'

export interface MalformedXmlReport {
  readonly code: 'malformed-xml'
  /** Without a full stop. */
  readonly message: string
  readonly place: Place
}

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly XmlNode[] = [],
): XmlElement {
  return { kind: 'element', name, attributes, children }
}

/** The child elements, all of them or those of one name. */
export function childElements(parent: XmlElement, name?: string): readonly XmlElement[] {
  return parent.children.filter(
    (child): child is XmlElement => child.kind === 'element' && (name === undefined || child.name === name),
  )
}

export function childElement(parent: XmlElement, name: string): XmlElement | undefined {
  return parent.children.find((child): child is XmlElement => child.kind === 'element' && child.name === name)
}

/** No document that means something nests this deep; one that does would exhaust the stack of whoever walks it. */
const maxDepth = 256

/** Reads a whole document. A malformed one is refused whole, with the place of its first mistake. */
export function parseXml(text: string): Result<XmlElement, MalformedXmlReport> {
  return parseXmlPieces(() => [text])
}

/**
 * The same of a text that need not be in memory all at once, cut between its tags. It may be asked for a second time, from its
 * beginning.
 */
export function parseXmlPieces(pieces: () => Iterable<string>): Result<XmlElement, MalformedXmlReport> {
  const plain = scanXml(pieces(), maxDepth)
  return plain === undefined ? parseThoroughly([...pieces()].join('')) : ok(plain)
}

/** As `parseXml`, in steps. */
export function* parsingXml(text: string): Steps<Result<XmlElement, MalformedXmlReport>> {
  const plain = yield* scanSteps([text], maxDepth)
  if (plain !== undefined) return ok(plain)
  yield
  return yield* parsingThoroughly(text)
}

/** What is not plain: malformed, or written in a way that programs that write a CIB do not use. */
export const parseThoroughly = (text: string): Result<XmlElement, MalformedXmlReport> =>
  doneAtOnce(parsingThoroughly(text))

const lettersInAStep = 1 << 16

function* parsingThoroughly(text: string): Steps<Result<XmlElement, MalformedXmlReport>> {
  interface Open {
    readonly element: XmlElement
    readonly children: XmlNode[]
  }
  const parser = new SaxesParser<{ position: true; xmlns: false }>({ position: true, xmlns: false })
  const open: Open[] = []
  let root: XmlElement | undefined
  let report: MalformedXmlReport | undefined
  let start: Place = { line: 1, column: 1 }
  const placeAt = placesOf(text)

  parser.on('error', (error) => {
    report ??= {
      code: 'malformed-xml',
      message: error.message.replace(/^\d+:\d+: |\.$/g, ''),
      place: { line: parser.line, column: parser.column + 1 },
    }
  })
  parser.on('opentagstart', () => {
    // The parser has read the name and one character beyond it, which may be a line break.
    start = placeAt(text.lastIndexOf('<', parser.position - 1))
  })
  parser.on('opentag', (tag) => {
    const children: XmlNode[] = []
    const opened: XmlElement = {
      kind: 'element',
      name: tag.name,
      attributes: { ...tag.attributes },
      children,
      place: start,
    }
    open.at(-1)?.children.push(opened)
    root ??= opened
    if (open.length >= maxDepth)
      report ??= { code: 'malformed-xml', message: `elements are nested more than ${maxDepth} deep`, place: start }
    open.push({ element: opened, children })
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.on('text', (content) => {
    if (content.trim() !== '') open.at(-1)?.children.push({ kind: 'text', text: content })
  })
  parser.on('cdata', (content) => {
    open.at(-1)?.children.push({ kind: 'text', text: content })
  })
  parser.on('comment', (content) => {
    open.at(-1)?.children.push({ kind: 'comment', text: content })
  })
  try {
    for (let at = 0; at < text.length; at += lettersInAStep) {
      if (at > 0) yield
      parser.write(text.slice(at, at + lettersInAStep))
      if (report) break
    }
    parser.close()
  } catch (error) {
    // Saxes gives up by throwing once an error cannot be recovered from; the report above has the first one.
    report ??= {
      code: 'malformed-xml',
      message: String(error),
      place: { line: parser.line, column: parser.column + 1 },
    }
  }
  if (report) return failed(report)
  if (!root) return failed({ code: 'malformed-xml', message: 'the document is empty', place: { line: 1, column: 1 } })
  return ok(root)
}

/** Finds line and column of growing offsets in one pass over the text. */
function placesOf(text: string): (offset: number) => Place {
  let line = 1
  let lineStart = 0
  // Looked for once for each line: a line may be as long as the text.
  const endOfLine = (): number => {
    const end = text.indexOf('\n', lineStart)
    return end === -1 ? text.length : end
  }
  let lineEnd = endOfLine()
  return (offset) => {
    while (lineEnd < offset) {
      line++
      lineStart = lineEnd + 1
      lineEnd = endOfLine()
    }
    return { line, column: offset - lineStart + 1 }
  }
}

/** Prints with two blanks per level, one element a line, a final newline. */
export function printXml(root: XmlElement): string {
  const lines: string[] = []
  printElement(root, '', lines)
  return `${lines.join('\n')}\n`
}

function printElement(node: XmlElement, indent: string, lines: string[]): void {
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
  const head = `${indent}<${node.name}${attributes.join('')}`
  if (node.children.length === 0) {
    lines.push(`${head}/>`)
    return
  }
  if (node.children.some((child) => child.kind === 'text')) {
    lines.push(`${head}>${node.children.map(printInline).join('')}</${node.name}>`)
    return
  }
  lines.push(`${head}>`)
  for (const child of node.children) {
    if (child.kind === 'element') printElement(child, `${indent}  `, lines)
    else if (child.kind === 'comment') lines.push(`${indent}  <!--${child.text}-->`)
  }
  lines.push(`${indent}</${node.name}>`)
}

/** Mixed content is printed without added white space, so that its text stays what it was. */
function printInline(node: XmlNode): string {
  if (node.kind === 'element') {
    const lines: string[] = []
    printElement(node, '', lines)
    return lines.join('')
  }
  if (node.kind === 'comment') return `<!--${node.text}-->`
  return node.asCdata ? cdata(node.text) : escapeText(node.text)
}

/** Its end within the text is cut in two. */
const cdata = (text: string): string => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

function escapeText(text: string): string {
  return unusual.test(text) ? text.replace(special, (character) => escaped(character, '"\n\t')) : text
}

const attributeEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
  '\r': '&#13;',
}

function escapeAttribute(text: string): string {
  return unusual.test(text) ? text.replace(special, (character) => escaped(character, '')) : text
}

/** Whether anything must be looked at more closely: a large status is millions of values with nothing of the kind. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here.
const unusual = /[&<>"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]/
const special =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here.
  /[&<>"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

/**
 * What a terminal would obey is written as its number. What XML cannot carry at all, an older build may have let into the store:
 * one such value must not make the rest unreadable.
 */
function escaped(character: string, plain: string): string {
  if (plain.includes(character)) return character
  const named = attributeEscapes[character]
  if (named !== undefined) return named
  if (firstNotInXml(character) !== undefined) return '\ufffd'
  return `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`
}
