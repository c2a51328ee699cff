/** Draws a CIB and a call by a seed, has both sides answer, and says in what they differ. */
import { join } from 'node:path'
import { printXml, type XmlElement } from '../../../src/cib/index.ts'
import { makePatch } from '../../../src/tools/cib/make-patch.ts'
import type { Tree } from '../cib-tree.ts'
import { type Case, drawMutations } from '../fuzz.ts'
import { createRandom, type Random } from '../random.ts'
import { type AnswerDifference, compareToolAnswers } from './compare.ts'
import { createDraw } from './facts.ts'
import { toolForms } from './forms.ts'
import { purposeOf } from './purpose.ts'
import { type Call, type Folder, runInstalled, runOurs, type ToolAnswer } from './run.ts'
import { drawWords } from './template.ts'

export interface ToolFuzz {
  readonly cases: readonly Case[]
  /** Undefined: all. */
  readonly tool: string | undefined
  /** Where the calls are run. */
  readonly folder: string
  /** The folders of the programs that they are held against; the first one's answer is shown. */
  readonly originals: readonly string[]
}

export interface DrawnCall {
  readonly case: string
  readonly changes: readonly string[]
  readonly call: Call
  readonly files: Folder
}

export type ToolVerdict = DrawnCall & {
  /** `stopped`: their program crashed or came to no end; `refused`: it does not even read this CIB; `older`: the answer is that of another original. */
  readonly kind: 'same' | 'older' | 'stopped' | 'refused' | 'different'
  readonly differences: readonly AnswerDifference[]
  /** Why all of them are meant. */
  readonly purpose?: string
}

export function createToolFuzz(fuzz: ToolFuzz): (seed: number) => Promise<ToolVerdict> {
  return async (seed) => {
    const drawn = drawCall(fuzz, seed)
    const [newest = '', ...older] = fuzz.originals
    const answerOf = (originals: string) => runInstalled(drawn.call, drawn.files, join(fuzz.folder, 'run'), originals)
    const theirs = answerOf(newest)
    if (theirs === undefined) return { ...drawn, kind: 'stopped', differences: [] }
    const ours = await runOurs(drawn.call, drawn.files, join(fuzz.folder, 'run'))
    const differences = compareToolAnswers(theirs, ours)
    if (differences.length === 0) return { ...drawn, kind: 'same', differences }
    const others = older.flatMap((originals) => answerOf(originals) ?? [])
    if (others.some((other) => compareToolAnswers(other, ours).length === 0))
      return { ...drawn, kind: 'older', differences }
    if (refusesCib(drawn, theirs, fuzz)) return { ...drawn, kind: 'refused', differences: [] }
    const meant = differences.map((difference) => purposeOf(drawn.call, difference, { theirs, ours }))
    const [purpose] = meant
    return {
      ...drawn,
      kind: 'different',
      differences,
      ...(purpose === undefined || meant.includes(undefined) ? {} : { purpose }),
    }
  }
}

/** Every call says so then, where the CIB breaks its schema; ours asks and mends such a CIB. */
function refusesCib(
  { call, files }: DrawnCall,
  { code, errors, output }: ToolAnswer,
  { folder, originals: [newest = ''] }: ToolFuzz,
): boolean {
  if (!/Update does not conform to the configured schema/.test(errors + output) && code !== configurationError)
    return false
  const query: Call = { ...call, tool: 'cibadmin', words: ['--query'] }
  return runInstalled(query, files, join(folder, 'run'), newest)?.code !== 0
}

const configurationError = 78

export function drawCall({ cases, tool: wanted }: ToolFuzz, seed: number): DrawnCall {
  const random = createRandom(seed)
  const each = random.pick(cases)
  if (each === undefined) throw new Error('There are no cases.')
  const { cib, changes } = change(forReference(each.cib), random, random.below(2))
  const other = change(cib, random, 1).cib
  const tool = wanted ?? drawTool(random)
  const template = random.pick(toolForms[tool]?.forms ?? []) ?? ''
  const draw = createDraw(cib, random)
  const words = slip(drawWords(template, random, draw), random)
  const files = {
    'cib.xml': print(cib),
    'other.xml': print(other),
    'fragment.xml': draw('fragment'),
    'junk.xml': 'junk',
    'patch.xml': patchBetween(cib, other, random),
  }
  return { case: each.name, changes, call: readCall(tool, words), files }
}

function drawTool(random: Random): string {
  const weighted = Object.entries(toolForms).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name))
  return random.pick(weighted) ?? ''
}

function change(cib: Tree, random: Random, times: number): { readonly cib: Tree; readonly changes: readonly string[] } {
  const changed = structuredClone(cib)
  const drawn = times === 0 ? [] : drawMutations(random, undefined)
  return {
    cib: changed,
    changes: drawn.flatMap(({ mutation, seed }) => mutation.apply(changed, createRandom(seed)) ?? []),
  }
}

/** Now and then a word is forgotten, typed twice or wrong. */
function slip(words: readonly string[], random: Random): readonly string[] {
  const at = random.below(words.length)
  const word = words[at] ?? ''
  switch (random.below(40)) {
    case 0:
      return words.filter((_, index) => index !== at)
    case 1:
      return words.flatMap((each, index) => (index === at ? [each, each] : [each]))
    case 2:
      return words.map((each, index) => (index === at ? `${word}x` : each))
    default:
      return words
  }
}

/** `NAME=value` before the options is the environment, `< FILE` at the end the input. */
function readCall(tool: string, drawn: readonly string[]): Call {
  const environment: Record<string, string> = {}
  let words = drawn
  for (let [, name, value] = assigned(words[0]); name !== undefined; [, name, value] = assigned(words[0])) {
    environment[name] = value ?? ''
    words = words.slice(1)
  }
  const at = words.indexOf('<')
  return at === -1
    ? { tool, environment, words }
    : { tool, environment, words: words.slice(0, at), input: words[at + 1] }
}

const assigned = (word: string | undefined): readonly (string | undefined)[] =>
  word?.match(/^(OCF_RESOURCE_INSTANCE|CIB_shadow)=(.*)$/s) ?? []

/** What crm_diff says of both, mostly with a version that fits. */
function patchBetween(before: Tree, after: Tree, random: Random): string {
  const { epoch = '0' } = before.attributes
  const next = random.pick([1, 1, 1, 1, 0, -1]) ?? 1
  const numbered = { ...after, attributes: { ...after.attributes, epoch: String(Number(epoch) + next) } }
  const patch = makePatch(before as XmlElement, numbered as XmlElement, { withVersions: random.below(6) > 0 })
  return patch === undefined ? '<diff format="2"/>' : printXml(patch)
}

const print = (cib: Tree): string => printXml(cib as XmlElement)

/** By the names and the version that Pacemaker 2.1 knows. */
function forReference(node: Tree): Tree {
  const { name, 'validate-with': schema } = node.attributes
  const attributes = { ...node.attributes }
  if (node.name === 'cib') attributes.crm_feature_set = '3.16.1'
  if (schema === 'pacemaker-3.10') attributes['validate-with'] = 'pacemaker-3.9'
  if (node.name === 'nvpair' && name !== undefined)
    attributes.name = name.replace(
      /^fencing-(?=enabled$|action$|timeout$|max-attempts$|reaction$|watchdog-timeout$)/,
      'stonith-',
    )
  return { ...node, attributes, children: node.children.map(forReference) }
}
