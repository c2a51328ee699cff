/** Checks a value by a schema of `schema.ts`: every mistake with the path of its field and a sentence, as many as there are. */
import { didYouMean, similarWords } from './did-you-mean.ts'
import type { Schema } from './schema.ts'

export type FieldPath = readonly (string | number)[]

export interface Mistake {
  readonly path: FieldPath
  readonly sentence: string
}

export const fieldOf = (path: FieldPath): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )

export function checkBySchema(value: unknown, root: Schema): readonly Mistake[] {
  const mistakes: Mistake[] = []
  check({ value, schema: root, path: [] }, root, mistakes)
  return mistakes
}

interface Checked {
  readonly value: unknown
  readonly schema: Schema
  readonly path: FieldPath
}

function check({ value, schema: written, path }: Checked, root: Schema, mistakes: Mistake[]): void {
  const schema = resolved(written, root)
  const wrong = (sentence: string): void => void mistakes.push({ path, sentence })
  if (schema.oneOf) {
    const options = schema.oneOf.map((one) => resolved(one, root))
    const fitting = options.find((one) => isOfType(value, one))
    if (fitting) {
      check({ value, schema: fitting, path }, root, mistakes)
      return
    }
    wrong(`${shown(value)} is neither ${options.map(titleOf).join(' nor ')}.`)
    return
  }
  if (!isOfType(value, schema)) {
    wrong(`${shown(value)} is not ${titleOf(schema)}.${hintFor(value, schema)}`)
    return
  }
  if (schema.const !== undefined && value !== schema.const) {
    wrong(`${shown(value)} is not ${titleOf(schema)}.`)
    return
  }
  if (typeof value === 'string') checkText(value, schema, wrong)
  else if (typeof value === 'number') checkNumber(value, schema, wrong)
  else if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) wrong('The list is empty.')
    if (value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY))
      wrong(`The list has more than ${schema.maxItems} entries.`)
    else if (schema.items)
      for (const [at, item] of value.entries())
        check({ value: item, schema: schema.items, path: [...path, at] }, root, mistakes)
  } else if (isMap(value)) checkMap({ value, schema, path }, root, mistakes)
}

function checkText(value: string, schema: Schema, wrong: (sentence: string) => void): void {
  if (schema.enum && !schema.enum.includes(value)) {
    wrong(`'${value}' is not ${titleOf(schema)}. Choose ${schema.enum.join(', ')}.`)
    return
  }
  if (value.length < (schema.minLength ?? 0)) {
    wrong(`The text is empty.`)
    return
  }
  if (value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY)) {
    wrong(`The text is longer than ${schema.maxLength} characters.`)
    return
  }
  if (value.includes('\0')) {
    wrong('The text contains a NUL character.')
    return
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
    wrong(`'${value}' is not ${titleOf(schema)}.${hintFor(value, schema)}`)
}

function checkNumber(value: number, { minimum, maximum, title }: Schema, wrong: (sentence: string) => void): void {
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum))
    wrong(`${value} is not ${title ?? 'a number'} from ${minimum ?? 0} to ${maximum ?? 'any'}.`)
}

function checkMap(
  {
    value,
    schema,
    path,
  }: { readonly value: Readonly<Record<string, unknown>>; readonly schema: Schema; readonly path: FieldPath },
  root: Schema,
  mistakes: Mistake[],
): void {
  const wrong = (sentence: string, at: FieldPath = path): void => void mistakes.push({ path: at, sentence })
  const known = Object.keys(schema.properties ?? {})
  const names = Object.keys(value)
  for (const name of schema.required ?? []) if (!names.includes(name)) wrong(`The field '${name}' is missing.`)
  for (const name of names) {
    const own = known.includes(name) ? schema.properties?.[name] : undefined
    const byPattern = Object.entries(schema.patternProperties ?? {}).find(([pattern]) =>
      new RegExp(pattern, 'u').test(name),
    )?.[1]
    const inner = own ?? byPattern
    if (inner) check({ value: value[name], schema: inner, path: [...path, name] }, root, mistakes)
    else
      wrong(`There is no field '${name}' here.${didYouMean(similarWords(name, known)) || fieldsThereAre(known)}`, [
        ...path,
        name,
      ])
  }
  const tooMany = names.length > (schema.maxProperties ?? Number.POSITIVE_INFINITY)
  if (tooMany || (names.length > 0 && names.length < (schema.minProperties ?? 0))) wrong(`Specify ${titleOf(schema)}.`)
}

const fieldsThereAre = (known: readonly string[]): string => (known.length === 0 ? '' : ` Fields: ${known.join(', ')}.`)

function resolved(schema: Schema, root: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...more } = schema
  return { ...root.$defs?.[$ref.slice('#/$defs/'.length)], ...more }
}

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isOfType(value: unknown, { type }: Schema): boolean {
  switch (type) {
    case undefined:
      return true
    case 'object':
      return isMap(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

const titleOf = ({ title, type }: Schema): string => title ?? `a ${type ?? 'value'}`

/** A number where a text is needed: YAML reads 1.10 as 1.1, so the text that was meant is lost. */
function hintFor(value: unknown, { type, examples }: Schema): string {
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return ' Put it in quotes.'
  return examples === undefined
    ? ''
    : ` Examples: ${examples.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ')}.`
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'Nothing'
  if (Array.isArray(value)) return 'A list'
  if (isMap(value)) return 'A map'
  const text = String(value)
  return typeof value === 'string' ? `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'` : text
}
