/** The files of a play, as a graph: orchestration files of Directord, or services, inventory and roles of Task-Core. Which of them a file is, its content says. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { fieldOf, isMap, reasonOf } from '../../base/index.ts'
import {
  grammars,
  leaveOutWithoutArgument,
  type PlayFile,
  type PlaySource,
  type PlayStep,
  readOrchestrations,
  readTaskCore,
  resolveNames,
} from '../../plays/index.ts'
import { readUpTo, TooLongError, textUpTo } from '../../tools/index.ts'
import { Refusal } from '../call/command.ts'
import { parseYamlText } from '../host/yaml-text.ts'

export interface PlayCluster {
  readonly nodes: readonly string[]
  readonly remotes: readonly string[]
  readonly here: string
  readonly nodesOfRole: (role: string) => readonly string[]
}

export interface ReadPlay {
  readonly steps: readonly PlayStep[]
  readonly warnings: readonly string[]
}

const largestFile = 1024 * 1024
const mostFiles = 1000
/** Of all files that ADD and COPY bring, before they are written as text. */
const largestBrought = 2 * 1024 * 1024

type Kind = 'orchestration' | 'service' | 'inventory' | 'roles'

/** All mistakes are found; each has its file, line and field. */
export function readPlay(paths: readonly string[], cluster: PlayCluster, on: readonly string[] | undefined): ReadPlay {
  const mistakes: string[] = []
  const sources = filesIn(paths).flatMap((file) => read(file, mistakes))
  if (mistakes.length > 0) throw new Refusal(...mistakes)
  const of = (kind: Kind): readonly PlaySource[] => sources.filter((one) => one.kind === kind)
  const orchestrations = of('orchestration')
  const others = sources.filter(({ kind }) => kind !== 'orchestration')
  if (orchestrations.length > 0 && others.length > 0)
    throw new Refusal(
      `${orchestrations[0]?.file} is an orchestration file and ${others[0]?.file} is not: run them one after the other.`,
    )
  const ground = {
    ...cluster,
    files: new Bringer().files,
    own: ownComponents(sources.map(({ file }) => file)),
  }
  if (orchestrations.length > 0) return graphOf(readOrchestrations(orchestrations, ground, on), () => undefined)
  if (of('service').length === 0) throw new Refusal(`There is no service in ${paths.join(', ')}.`)
  if (of('roles').length === 0)
    throw new Refusal('A file with roles is missing: roles: {<role>: {services: [<service>]}}.')
  if (on !== undefined) throw new Refusal('--on is for orchestration files. Services are on the nodes of their roles.')
  const known = readTaskCore({ services: of('service'), inventories: of('inventory'), roles: of('roles') }, ground)
  return graphOf(known, known.missing)
}

function graphOf(
  { steps, mistakes, warnings }: ReturnType<typeof readOrchestrations>,
  missing: (name: string) => string | undefined,
): ReadPlay {
  if (mistakes.length > 0) throw new Refusal(...mistakes)
  const graph = resolveNames(steps, missing)
  if (graph.mistakes.length > 0) throw new Refusal(...graph.mistakes)
  if (graph.steps.length === 0)
    throw new Refusal('There is nothing to do: no node has any of the services.', ...warnings)
  return { steps: leaveOutWithoutArgument(graph.steps), warnings }
}

/** Folders stand for the YAML files below them. */
function filesIn(paths: readonly string[]): readonly string[] {
  const files = paths.flatMap((path) => {
    if (!existsSync(path)) throw new Refusal(`There is no file ${path}.`)
    if (!statSync(path).isDirectory()) return [path]
    const below = readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
    if (below.length === 0) throw new Refusal(`There is no YAML file in ${path}.`)
    return below
  })
  if (files.length > mostFiles) throw new Refusal(`These are more than ${mostFiles} files.`)
  return files
}

interface Source extends PlaySource {
  readonly kind: Kind
}

function read(file: string, mistakes: string[]): readonly Source[] {
  const yaml = parseYamlText(textOf(file))
  if (yaml.kind === 'wrong') {
    mistakes.push(...yaml.mistakes.map(({ line, sentence }) => `${file}:${line}: ${sentence}`))
    return []
  }
  const { value, lineOf } = yaml
  const kind = kindOf(value)
  if (kind === undefined) {
    mistakes.push(
      `${file}:1: It is neither an orchestration file (a list of items with jobs), nor a service, an inventory or roles.`,
    )
    return []
  }
  const placeOf: PlaySource['placeOf'] = (path) =>
    `${file}:${lineOf(path)}${path.length === 0 ? '' : `: ${fieldOf(path)}`}`
  return [{ kind, value, file, folder: dirname(resolve(file)), placeOf }]
}

function textOf(file: string): string {
  try {
    return textUpTo(file, largestFile)
  } catch (error) {
    if (error instanceof TooLongError) throw new Refusal(`${file} is longer than 1 MiB: it is not such a file.`)
    throw new Refusal(`${file} cannot be read: ${reasonOf(error)}.`)
  }
}

function kindOf(value: unknown): Kind | undefined {
  if (Array.isArray(value)) return 'orchestration'
  if (!isMap(value)) return undefined
  if ('tasks' in value || value.type === 'service') return 'service'
  if ('hosts' in value) return 'inventory'
  return 'roles' in value ? 'roles' : undefined
}

/** Reads what components bring, from beside the file that names it. */
class Bringer {
  #bytes = 0

  readonly files = (pattern: string, beside: string): readonly PlayFile[] | string => {
    if (pattern.includes('{{'))
      return `'${pattern}' has braces: the source of a copy is a file of this host, not of a node.`
    const home = pattern.startsWith('~/') ? join(homedir(), pattern.slice(2)) : pattern
    const path = isAbsolute(home) ? home : resolve(dirname(beside), home)
    const found = matching(path).filter((one) => statSync(one).isFile())
    if (found.length === 0) return `There is no file '${pattern}' (${path}).`
    this.#bytes += found.reduce((sum, one) => sum + statSync(one).size, 0)
    if (this.#bytes > largestBrought)
      return `With '${pattern}', the files of this play are more than 2 MiB. Copy large files with 'systole job copy'.`
    try {
      return found.map((one) => ({
        name: basename(one),
        data: readUpTo(one, largestBrought).toString('base64'),
        mode: statSync(one).mode & 0o777,
      }))
    } catch (error) {
      return `'${pattern}' cannot be read: ${reasonOf(error)}.`
    }
  }
}

/** `*` and `?` in the last part of a path. */
function matching(path: string): readonly string[] {
  const name = basename(path)
  if (!/[*?]/.test(name)) return existsSync(path) ? [path] : []
  const folder = dirname(path)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((one) => fits(one, name) && (!one.startsWith('.') || name.startsWith('.')))
    .sort()
    .map((one) => join(folder, one))
}

/** `*` is any text, `?` any character. */
function fits(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern
  if (first === '') return text === ''
  const left = rest.join('')
  if (first === '*')
    return Array.from({ length: text.length + 1 }, (_, at) => text.slice(at)).some((one) => fits(one, left))
  return text !== '' && (first === '?' || first === text[0]) && fits(text.slice(1), left)
}

/** Where Directord looks for them, and beside the files first. */
const componentFolders = ['/etc/directord/components', '/usr/share/directord/components']

function ownComponents(files: readonly string[]): ReadonlyMap<string, PlayFile> {
  const beside = [...new Set(files.map((file) => join(dirname(file), 'components')))]
  const own = new Map<string, PlayFile>()
  for (const folder of [...beside, ...componentFolders].filter((one) => existsSync(one)))
    for (const name of readdirSync(folder)) {
      const verb = /^([a-z][a-z0-9_]*)\.py$/.exec(name)?.[1]?.toUpperCase()
      if (verb === undefined || own.has(verb) || Object.hasOwn(grammars, verb)) continue
      own.set(verb, { name, data: readUpTo(join(folder, name), largestBrought).toString('base64'), mode: 0o600 })
    }
  return own
}
