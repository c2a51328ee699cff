/** A rollout file: YAML, checked by the format of src/rollout. Each mistake has its line and its field. */
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { type FieldPath, fieldOf } from '../../base/index.ts'
import { type RolloutDefinition, readRollout } from '../../rollout/index.ts'
import { Refusal, type Terminal } from '../command.ts'

const largestBytes = 1024 * 1024

export interface RolloutFile {
  readonly definition: RolloutDefinition
  /** As it is sent to the daemon. */
  readonly value: unknown
}

export async function readRolloutFile(terminal: Terminal, file: string): Promise<RolloutFile> {
  const text = await terminal.readFile(file)
  if (text.length > largestBytes) throw new Refusal(`${file} is longer than 1 MiB: it is not a rollout file.`)
  const read = parseRolloutText(text)
  if (read.kind === 'read') return read
  throw new Refusal(
    ...read.mistakes.map(
      ({ line, field, sentence }) => `${file}:${line}: ${field === '' ? '' : `${field}: `}${sentence}`,
    ),
  )
}

export interface FileMistake {
  readonly line: number
  readonly field: string
  readonly sentence: string
}

type Read =
  | ({ readonly kind: 'read' } & RolloutFile)
  | { readonly kind: 'wrong'; readonly mistakes: readonly FileMistake[] }

export function parseRolloutText(text: string): Read {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true, uniqueKeys: true })
  const wrong = [...document.errors, ...document.warnings]
  if (wrong.length > 0)
    return {
      kind: 'wrong',
      mistakes: wrong.map(({ pos, message }) => ({
        line: lines.linePos(pos[0]).line,
        field: '',
        sentence: `${firstLine(message)}.`,
      })),
    }
  const value = valuesOf(document)
  if ('tooMany' in value) return { kind: 'wrong', mistakes: [{ line: 1, field: '', sentence: value.tooMany }] }
  const result = readRollout(value.value)
  if (result.ok) return { kind: 'read', definition: result.value, value: value.value }
  return {
    kind: 'wrong',
    mistakes: result.reports.map(({ path, sentence }) => ({
      line: lineOf(document, lines, path),
      field: fieldOf(path),
      sentence,
    })),
  }
}

type Parsed = ReturnType<typeof parseDocument>

const firstLine = (message: string): string => (message.split('\n')[0] ?? '').replace(/[.:]$/, '')

/** Aliases that stand for aliases make a small file endless. */
function valuesOf(document: Parsed): { readonly value: unknown } | { readonly tooMany: string } {
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as unknown }
  } catch (error) {
    if (error instanceof ReferenceError) return { tooMany: 'It refers to itself too often (anchors and aliases).' }
    throw error
  }
}

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
