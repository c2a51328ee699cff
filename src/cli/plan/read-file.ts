/**
 * A cluster file as values: YAML with the files that it includes, variables put in, secrets read from where it says. Every mistake has its file, line and field.
 */
import { dirname, isAbsolute, resolve } from 'node:path'
import { isNode, isScalar, isMap as isYamlMap, LineCounter, parseDocument } from 'yaml'
import { checkBySchema, type FieldPath, fieldOf, isMap, reasonOf } from '../../base/index.ts'
import { Refusal, type Terminal } from '../call/command.ts'
import { clusterSchema } from './schema.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface ClusterFile {
  /** As the schema has it; every value is a text. */
  readonly values: Fields
  /** What came from files and the environment: never printed. */
  readonly secrets: readonly string[]
  /** `cluster.yaml:12: resources.web.agent`. */
  readonly placeOf: (path: FieldPath) => string
}

export interface ReadOptions {
  readonly variables: ReadonlyMap<string, string>
  readonly environment: Readonly<Record<string, string | undefined>>
}

const largestBytes = 4 * 1024 * 1024
const mostFiles = 100
/** Of all values, when variables and secrets are put in: no configuration is longer. */
const longestValues = 8 * 1024 * 1024

interface OneFile {
  readonly file: string
  readonly values: Fields
  readonly lineOf: (path: FieldPath) => number
}

export async function readClusterFile(terminal: Terminal, file: string, options: ReadOptions): Promise<ClusterFile> {
  const reader = new Reader(terminal, options)
  await reader.read(file, [])
  return await reader.united()
}

class Reader {
  readonly #terminal: Terminal
  readonly #options: ReadOptions
  readonly #files: OneFile[] = []
  readonly #mistakes: string[] = []
  readonly #secrets: string[] = []
  /** How long what was put in is so far. */
  #length = 0

  constructor(terminal: Terminal, options: ReadOptions) {
    this.#terminal = terminal
    this.#options = options
  }

  async read(file: string, around: readonly string[]): Promise<void> {
    if (this.#files.some((one) => one.file === file)) return
    if (this.#files.length >= mostFiles) throw new Refusal(`${file}: more than ${mostFiles} files are included.`)
    const text = await this.#terminal.readFile(file)
    if (text.length > largestBytes) throw new Refusal(`${file} is longer than 4 MiB: it is not a cluster file.`)
    const one = parseClusterText(file, text)
    this.#files.push(one)
    for (const { path, sentence } of checkBySchema(one.values, clusterSchema))
      if (!hasVariable(one.values, path)) this.#wrong(one, path, sentence)
    const included = Array.isArray(one.values.include) ? one.values.include : []
    for (const [at, name] of included.entries()) {
      if (typeof name !== 'string' || name === '') continue
      const path = isAbsolute(name) ? name : resolve(dirname(file), name)
      if ([...around, file].includes(path)) {
        this.#wrong(one, ['include', at], `'${name}' includes itself.`)
        continue
      }
      try {
        await this.read(path, [...around, file])
      } catch (error) {
        if (error instanceof Refusal) throw error
        this.#wrong(one, ['include', at], `'${name}' cannot be read: ${reasonOf(error)}.`)
      }
    }
  }

  #wrong(one: OneFile, path: FieldPath, sentence: string): void {
    this.#mistakes.push(`${placeIn(one, path)}: ${sentence}`)
  }

  async united(): Promise<ClusterFile> {
    if (this.#mistakes.length > 0) throw new Refusal(...this.#mistakes)
    const owners = new Map<string, OneFile>()
    const values: Record<string, unknown> = {}
    const variables = await this.#variables()
    for (const one of this.#files)
      for (const [field, value] of Object.entries(one.values)) {
        if (field === 'vars' || field === 'include') continue
        if (field === 'name') {
          values.name ??= value
          continue
        }
        const filled = await this.#filled(one, value, { path: [field], variables })
        this.#checkFilled(one, { [field]: filled })
        values[field] = this.#joined(one, { into: values[field], value: filled, path: [field] }, owners)
      }
    if (this.#mistakes.length > 0) throw new Refusal(...this.#mistakes)
    const placeOf = (path: FieldPath): string => {
      for (let length = Math.min(path.length, 3); length > 0; length--) {
        const one = owners.get(JSON.stringify(path.slice(0, length)))
        if (one) return placeIn(one, path)
      }
      const [first] = this.#files
      return first ? placeIn(first, path) : ''
    }
    return { values, secrets: this.#secrets, placeOf }
  }

  /** What only has its text now that the variables are in it. */
  #checkFilled(one: OneFile, filled: Fields): void {
    for (const { path, sentence } of checkBySchema(filled, clusterSchema)) {
      if (!hasVariable(one.values, path)) continue
      const isSecret = this.#secrets.some((secret) => sentence.includes(secret))
      this.#wrong(one, path, isSecret ? 'The secret that stands here is not such a value.' : sentence)
    }
  }

  /** Maps of several files are one; what two of them name is a mistake. */
  #joined(
    one: OneFile,
    { into, value, path }: { readonly into: unknown; readonly value: unknown; readonly path: FieldPath },
    owners: Map<string, OneFile>,
  ): unknown {
    const isJoint = path.length === 1 || (path.length === 2 && path[0] === 'acls')
    if (!isMap(value) || !isJoint) {
      const key = JSON.stringify(path)
      const other = owners.get(key)
      if (other) this.#wrong(one, path, `It is in ${placeIn(other, path)} as well.`)
      owners.set(key, one)
      return value
    }
    const made: Record<string, unknown> = { ...(isMap(into) ? into : {}) }
    for (const [name, inner] of Object.entries(value))
      made[name] = this.#joined(one, { into: made[name], value: inner, path: [...path, name] }, owners)
    return made
  }

  async #variables(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const one of this.#files)
      for (const [name, value] of Object.entries(isMap(one.values.vars) ? one.values.vars : {})) {
        const path = ['vars', name]
        if (found.has(name)) this.#wrong(one, path, 'Another file has this variable as well.')
        const filled = await this.#filled(one, value, { path, variables: found })
        found.set(name, String(filled))
      }
    for (const name of this.#options.variables.keys())
      if (!found.has(name)) this.#mistakes.push(`--var ${name}: the file has no variable '${name}' in vars.`)
    return new Map([...found, ...this.#options.variables])
  }

  async #filled(
    one: OneFile,
    value: unknown,
    around: { readonly path: FieldPath; readonly variables: ReadonlyMap<string, string> },
  ): Promise<unknown> {
    const { path, variables } = around
    if (typeof value === 'string') return this.#text(one, this.#counted(one, value, path), around)
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const [at, item] of value.entries())
        items.push(await this.#filled(one, item, { path: [...path, at], variables }))
      return items
    }
    if (!isMap(value)) return value
    const names = Object.keys(value)
    if (names.length === 1 && (names[0] === 'from-file' || names[0] === 'from-env'))
      return await this.#secret(one, { kind: names[0], name: String(value[names[0]]), path })
    const made: Record<string, unknown> = {}
    for (const [name, inner] of Object.entries(value))
      made[name] = await this.#filled(one, inner, { path: [...path, name], variables })
    return made
  }

  /** `${name}`; `$${` stands for `${`. */
  #text(
    one: OneFile,
    text: string,
    { path, variables }: { readonly path: FieldPath; readonly variables: ReadonlyMap<string, string> },
  ): string {
    return text.replaceAll(/\$(\$\{)|\$\{([^}]*)\}/g, (_all, escaped: string | undefined, name: string | undefined) => {
      if (escaped !== undefined) return escaped
      const value = variables.get(name ?? '')
      if (value === undefined)
        this.#wrong(one, path, `There is no variable '${name ?? ''}'. Write $\${ for a text that has \${ in it.`)
      return this.#counted(one, value ?? '', path)
    })
  }

  /** Variables of variables make a small file endless, and so does a long secret that is put in often. */
  #counted(one: OneFile, text: string, path: FieldPath): string {
    this.#length += text.length
    if (this.#length <= longestValues) return text
    throw new Refusal(
      `${placeIn(one, path)}: With what is put in for variables and secrets, the values have more than 8 MiB. No configuration can be that long.`,
    )
  }

  async #secret(
    one: OneFile,
    { kind, name, path }: { readonly kind: 'from-file' | 'from-env'; readonly name: string; readonly path: FieldPath },
  ): Promise<string> {
    const secret = kind === 'from-env' ? this.#options.environment[name] : await this.#secretFile(one, name, path)
    if (secret === undefined) {
      if (kind === 'from-env') this.#wrong(one, path, `The environment has no variable ${name}.`)
      return ''
    }
    const value = secret.replace(/\r?\n$/, '')
    if (value === '') this.#wrong(one, path, `The secret in ${name} is empty.`)
    else this.#secrets.push(value)
    return this.#counted(one, value, path)
  }

  async #secretFile(one: OneFile, name: string, path: FieldPath): Promise<string | undefined> {
    try {
      return await this.#terminal.readFile(isAbsolute(name) ? name : resolve(dirname(one.file), name))
    } catch (error) {
      this.#wrong(
        one,
        path,
        `The secret cannot be read: ${error instanceof Refusal ? error.sentences.join(' ') : reasonOf(error)}`,
      )
      return undefined
    }
  }
}

function hasVariable(values: unknown, path: FieldPath): boolean {
  const value = path.reduce<unknown>(
    (around, part) => (Array.isArray(around) ? around[Number(part)] : isMap(around) ? around[String(part)] : undefined),
    values,
  )
  return typeof value === 'string' && value.includes('${')
}

const placeIn = (one: OneFile, path: FieldPath): string => {
  const field = fieldOf(path)
  return `${one.file}:${one.lineOf(path)}${field === '' ? '' : `: ${field}`}`
}

/** Every scalar is the text that it is written as; nothing at all is nothing. */
export function parseClusterText(file: string, text: string): OneFile {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    strict: true,
    uniqueKeys: true,
    schema: 'failsafe',
    merge: true,
  })
  const wrong = [...document.errors, ...document.warnings]
  if (wrong.length > 0)
    throw new Refusal(
      ...wrong.map(
        ({ pos, message }) =>
          `${file}:${lines.linePos(pos[0]).line}: ${(message.split('\n')[0] ?? '').replace(/[.:]$/, '')}.`,
      ),
    )
  const values = valuesOf(document, file)
  if (!isMap(values))
    throw new Refusal(`${file}:1: The file is not a map of fields: properties, resources, constraints and so on.`)
  return { file, values: withoutEmpty(values), lineOf: (path) => lineOf(document, lines, path) }
}

/** A section of which everything is commented out, and a node of which nothing is said. */
function withoutEmpty(values: Fields): Fields {
  const present = Object.entries(values).filter(([, value]) => value !== '')
  return Object.fromEntries(
    present.map(([field, value]) => {
      if (field !== 'nodes' || !isMap(value)) return [field, value]
      return [field, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, one === '' ? {} : one]))]
    }),
  )
}

type Parsed = ReturnType<typeof parseDocument>

/** Aliases that stand for aliases make a small file endless. */
function valuesOf(document: Parsed, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown
  } catch (error) {
    if (error instanceof ReferenceError)
      throw new Refusal(`${file}:1: It refers to itself too often (anchors and aliases).`)
    throw error
  }
}

function lineOf(document: Parsed, lines: LineCounter, path: FieldPath): number {
  for (let length = path.length; length > 0; length--) {
    const node = keyOrItem(document, path.slice(0, length))
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}

/** Where a field begins, not where its value does. */
function keyOrItem(document: Parsed, path: FieldPath): unknown {
  const last = path.at(-1)
  const around: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (!isYamlMap(around)) return document.getIn(path, true)
  return around.items.find(({ key }) => isScalar(key) && String(key.value) === last)?.key
}
