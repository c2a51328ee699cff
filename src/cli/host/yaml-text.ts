/** A YAML file as values, with the line of each field. */
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import type { FieldPath } from '../../base/index.ts'

export type YamlText =
  | { readonly kind: 'read'; readonly value: unknown; readonly lineOf: (path: FieldPath) => number }
  | { readonly kind: 'wrong'; readonly mistakes: readonly { readonly line: number; readonly sentence: string }[] }

export function parseYamlText(text: string): YamlText {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true, uniqueKeys: true })
  const wrong = [...document.errors, ...document.warnings]
  if (wrong.length > 0)
    return {
      kind: 'wrong',
      mistakes: wrong.map(({ pos, message }) => ({
        line: lines.linePos(pos[0]).line,
        sentence: `${firstLine(message)}.`,
      })),
    }
  try {
    // Aliases that stand for aliases make a small file endless.
    const value = document.toJS({ maxAliasCount: 100 }) as unknown
    return { kind: 'read', value, lineOf: (path) => lineOf(document, lines, path) }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return {
      kind: 'wrong',
      mistakes: [{ line: 1, sentence: 'It refers to itself too often (anchors and aliases).' }],
    }
  }
}

type Parsed = ReturnType<typeof parseDocument>

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').replace(/[.:]$/, '')

/** Where a field begins, not where its value does. */
function keyOrItem(document: Parsed, path: FieldPath): unknown {
  const last = path.at(-1)
  const around: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (!isMap(around)) return document.getIn(path, true)
  return around.items.find(({ key }) => isScalar(key) && String(key.value) === last)?.key
}

/** Of the field, or of the innermost one around it that is there. */
function lineOf(document: Parsed, lines: LineCounter, path: FieldPath): number {
  for (let length = path.length; length > 0; length--) {
    const node = keyOrItem(document, path.slice(0, length))
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  const { contents } = document
  return isNode(contents) && contents.range ? lines.linePos(contents.range[0]).line : 1
}
