/** A rollout file: YAML, checked by the format of src/rollout. Each mistake has its line and its field. */
import { fieldOf } from '../../base/index.ts'
import { type RolloutDefinition, readRollout } from '../../rollout/index.ts'
import { Refusal, type Terminal } from '../call/command.ts'
import { parseYamlText } from '../host/yaml-text.ts'

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
  const yaml = parseYamlText(text)
  if (yaml.kind === 'wrong')
    return { kind: 'wrong', mistakes: yaml.mistakes.map((mistake) => ({ ...mistake, field: '' })) }
  const result = readRollout(yaml.value)
  if (result.ok) return { kind: 'read', definition: result.value, value: yaml.value }
  return {
    kind: 'wrong',
    mistakes: result.reports.map(({ path, sentence }) => ({
      line: yaml.lineOf(path),
      field: fieldOf(path),
      sentence,
    })),
  }
}
