/** What `plan` and `apply` are given: a cluster file (YAML), CIB XML, lines of commands, or keepalived.conf. Each becomes a configuration that names some things, or all. */
import { basename } from 'node:path'
import { didYouMean, type FieldPath, similarWords } from '../../base/index.ts'
import {
  childElement,
  childElements,
  configurationElement,
  element,
  emptiedConfiguration,
  parseXml,
  type XmlElement,
} from '../../cib/index.ts'
import { withoutHolds } from '../../holds/index.ts'
import type { ClusterAccess } from '../call/access.ts'
import { type Call, changeFlags, Refusal } from '../call/command.ts'
import { splitShellLine } from '../call/shell-words.ts'
import { findCommand } from '../call/tree.ts'
import { describeKeepalived, type NamedFile, namedFile } from '../keepalived/describe-keepalived.ts'
import type { Balancing } from '../keepalived/haproxy.ts'
import type { LeftOut } from '../keepalived/notes.ts'
import { isKeepalived } from '../keepalived/read-blocks.ts'
import { buildConfiguration, fieldPaths } from './build.ts'
import { type ReadOptions, readClusterFile } from './read-file.ts'

export interface Description {
  /** By which the cluster remembers it; lines of commands are not remembered. */
  readonly name: string | undefined
  readonly wanted: XmlElement
  /** What it is compared with, where that is not what it said when it was last applied. */
  readonly base?: XmlElement
  readonly secrets: readonly string[]
  /** Where an element is described: `cluster.yaml:12: resources.web`. */
  readonly placeOf: (id: string) => string | undefined
  /** What the file says and the cluster has nothing for, or does without. */
  readonly leftOut?: readonly LeftOut[]
  /** Of keepalived.conf with virtual servers. */
  readonly balancing?: Balancing
}

export async function readDescription(
  call: Call,
  words: readonly string[],
  options: ReadOptions,
): Promise<Description> {
  const files = words.map(namedFile)
  if (files.some(({ node }) => node !== undefined)) return await keepalivedDescription(call, files, options)
  const [file = ''] = words
  const text = await call.terminal.readFile(file)
  if (isKeepalived(text)) return await keepalivedDescription(call, [{ node: undefined, file }], options)
  if (text.trimStart().startsWith('<')) return xmlDescription(file, text)
  if (isOfLines(text)) return await linesDescription(call, file, text)
  const { values, secrets, placeOf } = await readClusterFile(call.terminal, file, options)
  const { configuration, mistakes } = buildConfiguration(values)
  if (mistakes.length > 0) throw new Refusal(...mistakes.map(({ path, sentence }) => `${placeOf(path)}: ${sentence}`))
  const paths = fieldPaths(values)
  const place = (id: string): string | undefined => {
    const path: FieldPath | undefined = paths.get(id)
    return path === undefined ? undefined : placeOf(path)
  }
  return { name: String(values.name ?? basename(file)), wanted: configuration, secrets, placeOf: place }
}

async function keepalivedDescription(
  call: Call,
  files: readonly NamedFile[],
  options: ReadOptions,
): Promise<Description> {
  const [first = { file: '', node: undefined }] = files
  const unnamed = files.find(({ node }) => node === undefined)
  if (unnamed !== undefined && files.length > 1)
    throw new Refusal(`Specify whose file ${unnamed.file} is, such as n2=${unnamed.file}.`)
  const nodes = files.map(({ node }) => node)
  const twice = nodes.find((node, at) => nodes.indexOf(node) !== at)
  if (twice !== undefined) throw new Refusal(`There are two files of the node '${twice}'. Specify one.`)
  if (options.variables.size > 0) throw new Refusal('--var is for cluster files, and keepalived.conf is none. Omit it.')
  await refuseStrangeNodes(call, files)
  const { values, places, leftOut, balancing } = await describeKeepalived(call.terminal, files)
  const placeOf = (id: string): string | undefined => places.get(id)
  const { configuration, mistakes } = buildConfiguration(values)
  if (mistakes.length > 0)
    throw new Refusal(
      ...mistakes.map(
        ({ path, sentence }) =>
          `${path.map((part) => placeOf(String(part))).findLast(Boolean) ?? first.file}: ${sentence}`,
      ),
    )
  const name = files.length === 1 ? basename(first.file) : 'keepalived.conf'
  return { name, wanted: configuration, secrets: [], placeOf, leftOut, ...(balancing && { balancing }) }
}

async function refuseStrangeNodes(call: Call, files: readonly NamedFile[]): Promise<void> {
  if (files.every(({ node }) => node === undefined)) return
  const { cib } = await call.cluster.readCib()
  const nodes = childElement(configurationElement(cib), 'nodes')
  const known = (nodes ? childElements(nodes, 'node') : []).map(({ attributes }) => attributes.uname ?? '')
  const strange = files.flatMap(({ node }) => (node === undefined || known.includes(node) ? [] : [node]))
  if (strange.length > 0)
    throw new Refusal(...strange.map((node) => `There is no node '${node}'.${didYouMean(similarWords(node, known))}`))
}

function xmlDescription(file: string, text: string): Description {
  const parsed = parseXml(text)
  if (!parsed.ok) {
    const [report] = parsed.reports
    throw new Refusal(`${file}:${report?.place.line}: This is not well-formed XML: ${report?.message}.`)
  }
  const root = parsed.value
  if (root.name !== 'cib' && root.name !== 'configuration')
    throw new Refusal(
      `${file}:1: This is <${root.name}>, not a CIB: its first element must be <cib> or <configuration>.`,
    )
  const unheld = root.name === 'cib' ? withoutHolds(root) : root
  if (root.name === 'cib' && childElement(root, 'configuration') === undefined)
    throw new Refusal(`${file}:1: The CIB has no <configuration>.`)
  const sections = childElements(configurationElement(unheld)).filter((one) => childElements(one).length > 0)
  return {
    name: basename(file),
    wanted: element('configuration', {}, sections),
    secrets: [],
    placeOf: () => undefined,
  }
}

const isOfLines = (text: string): boolean => {
  const [first] = linesOf(text)
  return first !== undefined && /^(sudo\s+)?(pcs|systole)\s/.test(first.text)
}

interface Line {
  readonly number: number
  readonly text: string
}

/** Logical lines of a shell file, without remarks and what only sets the shell up. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = []
  let open: { number: number; text: string } | undefined
  for (const [at, raw] of text.split('\n').entries()) {
    const part = open ? `${open.text}${raw}` : raw
    const number = open?.number ?? at + 1
    open = undefined
    if (/(^|[^\\])\\$/.test(raw)) open = { number, text: part.slice(0, -1) }
    else if (part.trim() !== '' && !/^\s*(#|set\s+[-+])/.test(part)) lines.push({ number, text: part.trim() })
  }
  return open ? [...lines, open] : lines
}

/**
 * As a change of what runs; a file of which something is there already, because it was applied before, is taken for a description: it is built from nothing, and put into
 * what runs as a cluster file is.
 */
async function linesDescription(call: Call, file: string, text: string): Promise<Description> {
  const lines = linesOf(text)
  const { cib } = await call.cluster.readCib()
  const running = withoutHolds(cib)
  const common = { name: undefined, secrets: [], placeOf: () => undefined }
  const change = await typed(call, { file, lines, start: running })
  if (!('refusal' in change))
    return { ...common, wanted: configurationElement(change.cib), base: configurationElement(running) }
  const described = await typed(call, { file, lines, start: emptiedConfiguration(running, ['nodes']) })
  if ('refusal' in described) throw change.refusal
  const sections = childElements(configurationElement(described.cib)).filter(({ name }) => name !== 'nodes')
  const nodes = childElement(configurationElement(described.cib), 'nodes')
  const isChanged = nodes !== childElement(configurationElement(running), 'nodes')
  return { ...common, wanted: element('configuration', {}, [...sections, ...(isChanged && nodes ? [nodes] : [])]) }
}

async function typed(
  call: Call,
  { file, lines, start }: { readonly file: string; readonly lines: readonly Line[]; readonly start: XmlElement },
): Promise<{ readonly cib: XmlElement } | { readonly refusal: Refusal }> {
  let current = start
  const copy: ClusterAccess = {
    live: undefined,
    close: () => undefined,
    readCib: () => Promise.resolve({ cib: current, version: 0 }),
    push: (change) => {
      current = change.cib
      return Promise.resolve({ kind: 'saved', version: 0 })
    },
  }
  for (const { number, text } of lines) {
    const wrong = (sentence: string): Refusal => new Refusal(`${file}:${number}: ${sentence}`)
    const words = wordsOf(call, text, wrong)
    if (words.length === 0) continue
    const outcome = await run(call, words, copy)
    if (outcome.length > 0) return { refusal: new Refusal(...outcome.map((one) => `${file}:${number}: ${one}`)) }
  }
  return { cib: current }
}

async function run(call: Call, words: readonly string[], copy: ClusterAccess): Promise<readonly string[]> {
  try {
    const outcome = await call.runOn(words, copy)
    return outcome.kind === 'refused' ? outcome.sentences : []
  } catch (error) {
    if (error instanceof Refusal) return error.sentences
    throw error
  }
}

/** The words of a line without the program, and without what says on which copy: `-f FILE`, and saving and pushing that copy. */
function wordsOf(call: Call, text: string, wrong: (sentence: string) => Refusal): readonly string[] {
  const split = splitShellLine(text)
  const program = split[0] === 'sudo' ? 1 : 0
  if (split[program] !== 'pcs' && split[program] !== 'systole')
    throw wrong(`'${split[0] ?? ''}' is neither pcs nor systole: only their commands can be planned.`)
  const words = split.slice(program + 1)
  const kept = words.filter((word, at) => {
    const before = words[at - 1]
    return !/^(-f|--file)(=|$)/.test(word) && before !== '-f' && before !== '--file' && !/^--wait(=|$)/.test(word)
  })
  if (kept[0] === 'cluster' && (kept[1] === 'cib' || kept[1] === 'cib-push')) return []
  const operator = kept.find((word) => /^(&&|\|\|?|;|>+|<)$/.test(word))
  if (operator !== undefined) throw wrong(`'${operator}' is for a shell. Write one command on a line.`)
  const found = findCommand(call.commands, kept)
  const isChange = found?.command.flags?.some(({ name }) => name === changeFlags[0]?.name) === true
  if (!isChange) throw wrong(`'${kept.join(' ')}' does not change the configuration.`)
  if (['plan', 'apply', 'cluster'].includes(found?.command.path[0] ?? ''))
    throw wrong(`'${kept.join(' ')}' cannot be one of the lines.`)
  return kept
}
