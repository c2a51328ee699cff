/** A recipe file: YAML with steps that are made one after the other. Each mistake has its line and its field. */
import { basename } from 'node:path'
import { checkBySchema, type FieldPath, fieldOf, isMap, parseDurationMs, type Schema } from '../../../base/index.ts'
import { Refusal, type Terminal } from '../../call/command.ts'
import { splitShellLine } from '../../call/shell-words.ts'
import { parseYamlText } from '../../host/yaml-text.ts'

/** What a step waits for, once the cluster has settled. */
export type Awaited =
  | { readonly kind: 'converged' }
  | { readonly kind: 'started' | 'stopped' | 'promoted'; readonly resource: string; readonly min: number | undefined }
  | { readonly kind: 'service'; readonly service: string; readonly min: number | undefined }

export interface Step {
  /** `recipe.yaml:7`. */
  readonly place: string
  /** As it is shown: the line, or what is waited for. */
  readonly text: string
  /** The words of a command that changes the configuration. */
  readonly run?: readonly string[]
  readonly wait?: Awaited
  readonly timeoutMs: number | undefined
}

export interface Recipe {
  readonly name: string
  readonly timeoutMs: number
  readonly steps: readonly Step[]
}

const largestBytes = 256 * 1024
/** As many changes as can wait for a confirmation at a time, less one for an administrator. */
const mostSteps = 19
const usualTimeoutMs = 10 * 60_000
const longestTimeoutMs = 12 * 60 * 60_000
const kinds = ['started', 'stopped', 'promoted', 'service'] as const

const text = (title: string): Schema => ({ type: 'string', title, minLength: 1, maxLength: 4096 })
const duration = text('a duration, such as 5m')
const step: Schema = {
  type: 'object',
  title: 'a step: a map with run (a command) or wait (what to wait for)',
  additionalProperties: false,
  properties: {
    run: text('a command'),
    wait: {
      oneOf: [
        text("'converged'"),
        {
          type: 'object',
          title: 'a map of one of started, stopped, promoted, service',
          additionalProperties: false,
          properties: {
            started: text('a resource'),
            stopped: text('a resource'),
            promoted: text('a resource'),
            service: text('a service'),
            min: { type: 'integer', title: 'a number from 1', minimum: 1, maximum: 100_000 },
          },
        },
      ],
    },
    timeout: duration,
  },
}
const schema: Schema = {
  type: 'object',
  title: 'a map of fields: name, timeout, steps',
  additionalProperties: false,
  required: ['steps'],
  properties: {
    name: text('a name'),
    timeout: duration,
    steps: { type: 'array', title: 'a list of steps', minItems: 1, maxItems: mostSteps, items: step },
  },
}

export async function readRecipe(terminal: Terminal, file: string): Promise<Recipe> {
  const content = await terminal.readFile(file)
  if (content.length > largestBytes) throw new Refusal(`${file} is longer than 256 KiB: it is not a recipe.`)
  const yaml = parseYamlText(content)
  if (yaml.kind === 'wrong')
    throw new Refusal(...yaml.mistakes.map(({ line, sentence }) => `${file}:${line}: ${sentence}`))
  const { value, lineOf } = yaml
  const mistakes: string[] = []
  const wrong = (path: FieldPath, sentence: string): void => {
    mistakes.push(`${file}:${lineOf(path)}: ${path.length === 0 ? '' : `${fieldOf(path)}: `}${sentence}`)
  }
  for (const { path, sentence } of checkBySchema(value, schema)) wrong(path, sentence)
  if (mistakes.length > 0 || !isMap(value)) throw new Refusal(...mistakes)
  const written = Array.isArray(value.steps) ? (value.steps as readonly unknown[]) : []
  const steps = written.map((one, at) =>
    stepOf(isMap(one) ? one : {}, ['steps', at], { wrong, place: `${file}:${lineOf(['steps', at])}` }),
  )
  const timeoutMs = durationOf(value.timeout, ['timeout'], wrong) ?? usualTimeoutMs
  if (mistakes.length > 0) throw new Refusal(...mistakes)
  return { name: String(value.name ?? basename(file)), timeoutMs, steps }
}

type Wrong = (path: FieldPath, sentence: string) => void

function stepOf(
  fields: Readonly<Record<string, unknown>>,
  path: FieldPath,
  { wrong, place }: { readonly wrong: Wrong; readonly place: string },
): Step {
  const { run, wait } = fields
  const timeoutMs = durationOf(fields.timeout, [...path, 'timeout'], wrong)
  if ((run === undefined) === (wait === undefined)) {
    wrong(path, 'Specify one of run, wait.')
    return { place, text: '', timeoutMs }
  }
  if (run !== undefined) {
    const words = splitShellLine(String(run))
    const own = ['systole', 'pcs'].includes(words[0] ?? '') ? words.slice(1) : words
    return { place, text: own.join(' '), run: own, timeoutMs }
  }
  const awaited = awaitedOf(wait, [...path, 'wait'], wrong)
  return { place, text: `wait for ${describeAwaited(awaited)}`, wait: awaited, timeoutMs }
}

function awaitedOf(wait: unknown, path: FieldPath, wrong: Wrong): Awaited {
  if (!isMap(wait)) {
    if (wait !== 'converged')
      wrong(path, `'${String(wait)}' is not a state. Specify converged, or a map of one of ${kinds.join(', ')}.`)
    return { kind: 'converged' }
  }
  const [kind, ...others] = kinds.filter((one) => wait[one] !== undefined)
  if (kind === undefined || others.length > 0) {
    wrong(path, `Specify one of ${kinds.join(', ')}.`)
    return { kind: 'converged' }
  }
  const min = typeof wait.min === 'number' ? wait.min : undefined
  if (kind === 'stopped' && min !== undefined) wrong([...path, 'min'], 'Nothing of a stopped resource runs. Omit min.')
  if (kind === 'service') return { kind, service: String(wait.service), min }
  return { kind, resource: String(wait[kind]), min }
}

export function describeAwaited(awaited: Awaited): string {
  if (awaited.kind === 'converged') return 'the cluster to converge'
  const least = awaited.min === undefined ? '' : ` (at least ${awaited.min})`
  return awaited.kind === 'service'
    ? `the service ${awaited.service} to be healthy${least}`
    : `${awaited.resource} to be ${awaited.kind}${least}`
}

function durationOf(value: unknown, path: FieldPath, wrong: Wrong): number | undefined {
  if (value === undefined) return undefined
  const ms = parseDurationMs(String(value))
  if (ms !== undefined && ms >= 1000 && ms <= longestTimeoutMs) return ms
  wrong(path, `'${String(value)}' is not a duration from 1s to 12h.`)
  return undefined
}
