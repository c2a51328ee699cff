/**
 * The fast way through a document without surprises. A CIB is written by programs: elements and attributes in plain ASCII names, white
 * space between them, now and then a comment or one of the five entities. This reads exactly that, several times faster than a
 * whole XML parser, and gives up (undefined) at the first character of anything else: malformed, or only unusual. The parser then
 * reads the document from the beginning and is the judge of it, so nothing here needs to know what is wrong.
 *
 * The history of a large cluster is the same few attributes a million times, so each element is compared with the last one of
 * its name while it is read: an attribute that stands there in the same words is neither cut out nor kept a second time. And it is
 * tens of megabytes long, so it is read piece by piece, and nothing holds on to a piece that was read.
 */
import { doneAtOnce, type Steps } from '../base/index.ts'
import type { Place, XmlElement, XmlNode } from './xml-tree.ts'

interface Scan {
  readonly pieces: Iterator<string>
  /** The present piece. */
  text: string
  /** What is read next. */
  at: number
  line: number
  /** Where the line begins. */
  lineStart: number
  readonly known: Map<string, Known>
}

/** The last element of a name: its attributes in their order, and where they stood in the piece. */
interface Known {
  readonly name: string
  slots: Slot[]
  /** An object with just these names, to be copied: that is faster than to make one name by name. */
  sample: Readonly<Record<string, string>> | undefined
}

interface Slot {
  readonly name: string
  value: string
  /** Where the value begins and ends in the piece, the quotes not counted; it ends at 0 where that was an earlier one. */
  start: number
  end: number
}

interface OpenElement extends XmlElement {
  children: XmlNode[]
}

const tab = 0x09
const lineFeed = 0x0a
const blank = 0x20
const bang = 0x21
const quote = 0x22
const ampersand = 0x26
const apostrophe = 0x27
const slash = 0x2f
const less = 0x3c
const equals = 0x3d
const greater = 0x3e
/** Where UTF-16 stops being one unit a character. */
const firstSurrogate = 0xd800

const declaration = /^<\?xml version="1\.0"(?: encoding="[uU][tT][fF]-8")?(?: standalone="(?:yes|no)")? ?\?>/
/** With more attributes an element is for the parser, which takes a time that grows with their number. */
const mostAttributes = 100
/** A few milliseconds where nothing was compiled yet. */
const tagsInAStep = 5000
/** Of every element until its first child is read; never changed. */
const noChildren: XmlNode[] = []

/**
 * The root element, or undefined for the parser to decide, which it also is of a document that was cut into pieces in the middle of a
 * tag or comment. `maxDepth` is how many elements may be open at once.
 */
export const scanXml = (pieces: Iterable<string>, maxDepth: number): XmlElement | undefined =>
  doneAtOnce(scanSteps(pieces, maxDepth))

/** The same in steps. */
export function* scanSteps(pieces: Iterable<string>, maxDepth: number): Steps<XmlElement | undefined> {
  const iterator = pieces[Symbol.iterator]()
  try {
    return yield* scanPieces(iterator, maxDepth)
  } finally {
    iterator.return?.()
  }
}

function* scanPieces(pieces: Iterator<string>, maxDepth: number): Steps<XmlElement | undefined> {
  const scan: Scan = { pieces, text: '', at: 0, line: 1, lineStart: 0, known: new Map() }
  if (takePiece(scan)) scan.at = declaration.exec(scan.text)?.[0].length ?? 0
  const open: OpenElement[] = []
  let inside: OpenElement | undefined
  let root: XmlElement | undefined
  for (let turn = 1; ; turn++) {
    if (turn % tagsInAStep === 0) yield
    skipSpace(scan)
    if (scan.at === scan.text.length) {
      if (takePiece(scan)) continue
      return inside === undefined ? root : undefined
    }
    if (scan.text.charCodeAt(scan.at) !== less) return undefined
    const next = scan.text.charCodeAt(scan.at + 1)
    if (next === slash) {
      if (inside === undefined || !skipEnd(scan, inside.name)) return undefined
      open.pop()
      inside = open.at(-1)
    } else if (next === bang) {
      const comment = readComment(scan)
      if (comment === undefined) return undefined
      if (inside !== undefined) addChild(inside, { kind: 'comment', text: comment })
    } else {
      if (root !== undefined && inside === undefined) return undefined
      const element = readElement(scan)
      if (element === undefined || open.length >= maxDepth) return undefined
      root ??= element
      if (inside !== undefined) addChild(inside, element)
      if (scan.text.charCodeAt(scan.at - 2) === slash) continue
      inside = element
      open.push(element)
    }
  }
}

/** Goes on with the next piece, if there is one. */
function takePiece(scan: Scan): boolean {
  const { done, value } = scan.pieces.next()
  if (done === true) return false
  scan.lineStart -= scan.text.length
  scan.text = value
  scan.at = 0
  for (const { slots } of scan.known.values()) for (const slot of slots) slot.end = 0
  return true
}

/** Most have one or none, for whom an array that is made with its only child takes the least room. */
function addChild(element: OpenElement, child: XmlNode): void {
  if (element.children === noChildren) element.children = [child]
  else element.children.push(child)
}

/** Stops at what is no white space. */
function skipSpace(scan: Scan): void {
  const { text } = scan
  for (;;) {
    const character = text.charCodeAt(scan.at)
    if (character === lineFeed) {
      scan.line++
      scan.lineStart = scan.at + 1
    } else if (character !== blank && character !== tab) return
    scan.at++
  }
}

/** `</name>` */
function skipEnd(scan: Scan, name: string): boolean {
  const { text, at } = scan
  const end = at + 2 + name.length
  if (!text.startsWith(name, at + 2) || text.charCodeAt(end) !== greater) return false
  scan.at = end + 1
  return true
}

function readComment(scan: Scan): string | undefined {
  const { text, at } = scan
  if (!text.startsWith('<!--', at)) return undefined
  const end = text.indexOf('--', at + 4)
  if (end < 0 || text.charCodeAt(end + 2) !== greater) return undefined
  for (let index = at; index < end; index++) {
    const character = text.charCodeAt(index)
    if (character === lineFeed) {
      scan.line++
      scan.lineStart = index + 1
    } else if ((character < blank && character !== tab) || character >= firstSurrogate) return undefined
  }
  scan.at = end + 3
  return ownCopy(text.slice(at + 4, end))
}

/** `<name a="b" …>` or `<name a="b" …/>`. */
function readElement(scan: Scan): OpenElement | undefined {
  const { text } = scan
  const place: Place = { line: scan.line, column: scan.at - scan.lineStart + 1 }
  const nameEnd = endOfName(text, scan.at + 1)
  if (nameEnd === scan.at + 1) return undefined
  const known = knownBy(scan, ownCopy(text.slice(scan.at + 1, nameEnd)))
  scan.at = nameEnd
  const attributes = readAttributes(scan, known)
  if (attributes === undefined) return undefined
  const { name } = known
  if (text.charCodeAt(scan.at) === greater) {
    scan.at++
    return { kind: 'element', name, attributes, children: noChildren, place }
  }
  if (text.charCodeAt(scan.at) !== slash || text.charCodeAt(scan.at + 1) !== greater) return undefined
  scan.at += 2
  return { kind: 'element', name, attributes, children: noChildren, place }
}

function knownBy({ known }: Scan, name: string): Known {
  const before = known.get(name)
  if (before !== undefined) return before
  const first: Known = { name, slots: [], sample: undefined }
  known.set(name, first)
  return first
}

/** Names of letters, digits and a few signs; what else XML allows in names is for the parser. */
function endOfName(text: string, start: number): number {
  let at = start
  for (;;) {
    const character = text.charCodeAt(at)
    const isLetter = (character >= 0x61 && character <= 0x7a) || (character >= 0x41 && character <= 0x5a)
    const mayFollow = (character >= 0x30 && character <= 0x39) || character === 0x2d || character === 0x2e
    if (!isLetter && character !== 0x5f && !(at > start && mayFollow)) return at
    at++
  }
}

/** All attributes of a tag, up to `>` or `/`. */
function readAttributes(scan: Scan, known: Known): Readonly<Record<string, string>> | undefined {
  let count = 0
  for (;;) {
    const before = scan.at
    skipSpace(scan)
    const character = scan.text.charCodeAt(scan.at)
    if (character === greater || character === slash) break
    if (scan.at === before || count === mostAttributes) return undefined
    const slot = slotOf(scan, known, count)
    if (slot === undefined || !readValue(scan, slot)) return undefined
    count++
  }
  const { slots, sample } = known
  const isLikeLast = count === slots.length
  const attributes: Record<string, string> = isLikeLast && sample !== undefined ? { ...sample } : {}
  for (let index = 0; index < count; index++) {
    const slot = slots[index]
    if (slot !== undefined) attributes[slot.name] = slot.value
  }
  if (isLikeLast) known.sample ??= attributes
  return attributes
}

/** Reads an attribute's name. From the first one that differs from the last element's, the names are learned anew. */
function slotOf(scan: Scan, known: Known, count: number): Slot | undefined {
  const { text, at } = scan
  const expected = known.slots[count]
  if (expected !== undefined && text.startsWith(expected.name, at)) {
    const end = at + expected.name.length
    if (text.charCodeAt(end) === equals) {
      scan.at = end
      return expected
    }
  }
  const end = endOfName(text, at)
  const name = ownCopy(text.slice(at, end))
  const earlier = known.slots.slice(0, count)
  if (name === '' || name === '__proto__' || earlier.some((slot) => slot.name === name)) return undefined
  const slot: Slot = { name, value: '', start: 0, end: 0 }
  known.slots = [...earlier, slot]
  known.sample = undefined
  scan.at = end
  return slot
}

/** `="value"`. Where it is the value that stood there last, it stays that very string. */
function readValue(scan: Scan, slot: Slot): boolean {
  const { text } = scan
  const mark = text.charCodeAt(scan.at + 1)
  if (text.charCodeAt(scan.at) !== equals || (mark !== quote && mark !== apostrophe)) return false
  const start = scan.at + 2
  const toLast = slot.start - start
  let isLast = true
  let isEscaped = false
  let at = start
  for (; ; at++) {
    const character = text.charCodeAt(at)
    if (character === mark) break
    // At the end of the text it is no number at all.
    if (character < blank || character === less || !(character < firstSurrogate)) return false
    if (character === ampersand) isEscaped = true
    if (isLast && character !== text.charCodeAt(at + toLast)) isLast = false
  }
  scan.at = at + 1
  if (isLast && at + toLast === slot.end && slot.end > 0) return true
  const written = ownCopy(text.slice(start, at))
  const value = isEscaped ? unescaped(written) : written
  if (value === undefined) return false
  slot.value = value
  slot.start = start
  slot.end = at
  return true
}

/** By way of a longer text, for JavaScript keeps what is cut out of one as a place in it, and the whole of it with that. */
function ownCopy(cutting: string): string {
  return ` ${cutting}`.slice(1)
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#9;': '\t',
  '&#10;': '\n',
  '&#13;': '\r',
}

/** Undefined where an entity is none of those that we print ourselves. */
function unescaped(written: string): string | undefined {
  let isPlain = true
  const text = written.replace(/&[^;]*;?/g, (entity) => {
    const character = entities[entity]
    if (character === undefined) isPlain = false
    return character ?? ''
  })
  return isPlain ? text : undefined
}
