/**
 * Holds the scheduler against the reference on mutated cases. A case serves only if both say the same of it as it is; it then is
 * changed in up to three ways drawn from the seed, and every third time a what-if question is asked as well. What differs is reduced
 * to the changes that it takes.
 */
import { createHash } from 'node:crypto'
import { printXml, type XmlElement } from '../../src/cib/index.ts'
import { simulateCib } from '../../src/scheduler/simulate/print-simulation.ts'
import { questionMistakes } from '../../src/scheduler/simulate/what-if.ts'
import { type Answer, compareAnswers, type Difference, type Level } from './answer.ts'
import type { Tree } from './cib-tree.ts'
import { join } from './join.ts'
import { constraintMutations } from './mutate-constraints.ts'
import { historyMutations } from './mutate-history.ts'
import { nodeMutations } from './mutate-nodes.ts'
import { optionMutations } from './mutate-options.ts'
import { resourceMutations } from './mutate-resources.ts'
import { wideMutations } from './mutate-widely.ts'
import type { Drawn, Mutation } from './mutation.ts'
import { withOldWords } from './old-words.ts'
import { drawQuestion, noQuestion, type Question } from './question.ts'
import { createRandom, type Random } from './random.ts'
import type { Reference, Refusal } from './reference.ts'
import { shrink } from './shrink.ts'

export const mutations: readonly Mutation[] = [
  ...nodeMutations,
  ...historyMutations,
  ...resourceMutations,
  ...constraintMutations,
  ...optionMutations,
  ...wideMutations,
]

/** The moment of every simulation: rules and time-outs are decided alike on both sides. */
const moment = 1_700_000_500

export interface Case {
  readonly name: string
  readonly cib: Tree
  /** Those that it was made of. */
  readonly parts?: readonly Case[]
  /** How it is written after it was changed. */
  readonly write?: (cib: Tree) => Tree
}

export interface Fuzz {
  readonly reference: Reference
  readonly cases: readonly Case[]
  readonly levels: readonly Level[]
  /** Only mutations whose name begins with one of these, separated by commas. */
  readonly only?: string | undefined
  readonly shrinks: boolean
  /** Whether what-if questions are asked. */
  readonly asks: boolean
  /** Two cases as one cluster, or one written with names of an old schema, instead of a case as it is. */
  readonly from?: From | undefined
}

export const froms = ['joined', 'old'] as const
export type From = (typeof froms)[number]

export type Verdict =
  | { readonly kind: 'same' | 'unusable' }
  | { readonly kind: 'refused'; readonly why: string; readonly changes: readonly string[] }
  | {
      readonly kind: 'different'
      readonly case: string
      readonly changes: readonly string[]
      readonly mutations: readonly string[]
      readonly differences: readonly Difference[]
      readonly cib: Tree
      readonly question: Question
    }

export function createFuzz(fuzz: Fuzz): (seed: number) => Verdict {
  const usable = new Map<string, boolean>()
  const isUsable = (each: Case): boolean => {
    if (each.parts !== undefined) return each.parts.every(isUsable)
    const known = usable.get(each.name)
    if (known !== undefined) return known
    const compared = differencesOf(fuzz, atMoment(each.cib), noQuestion)
    const answer = !('refused' in compared) && compared.length === 0
    usable.set(each.name, answer)
    return answer
  }
  return (seed) => {
    const random = createRandom(seed)
    const plain = random.pick(fuzz.cases)
    if (plain === undefined) return { kind: 'unusable' }
    const each = caseFrom(fuzz, plain, random)
    const drawn = drawMutations(random, fuzz.only)
    const asks = fuzz.asks && random.below(3) === 0
    const verdict = tryCase(fuzz, each, { drawn, questions: asks ? random.seed() : undefined })
    // Asked last, since it takes a run of its own and most cases are usable.
    return verdict.kind === 'different' && !isUsable(each) ? { kind: 'unusable' } : verdict
  }
}

function caseFrom({ from, cases }: Fuzz, plain: Case, random: Random): Case {
  if (from === 'joined') {
    const other = random.pick(cases) ?? plain
    const name = `${plain.name}+${other.name}`
    return { name, cib: join(atMoment(plain.cib), other.cib), parts: [plain, other] }
  }
  if (from === 'old') {
    const seed = random.seed()
    return { ...plain, parts: [plain], write: (cib) => withOldWords(cib, createRandom(seed)) }
  }
  return plain
}

export function drawMutations(random: Random, only: string | undefined): readonly Drawn[] {
  const pool = mutations.filter(
    ({ name }) => only === undefined || only.split(',').some((prefix) => name.startsWith(prefix)),
  )
  const weighted = pool.flatMap((mutation) => Array.from({ length: mutation.weight }, () => mutation))
  const drawn: Drawn[] = []
  for (let left = 1 + random.below(3); left > 0; left--) {
    const mutation = random.pick(weighted)
    if (mutation !== undefined) drawn.push({ mutation, seed: random.seed() })
  }
  return drawn
}

interface Draws {
  readonly drawn: readonly Drawn[]
  /** The seed of a question; undefined: none is asked. */
  readonly questions: number | undefined
}

function tryCase(fuzz: Fuzz, each: Case, { drawn, questions }: Draws): Verdict {
  const whole = mutate(each, drawn)
  const question = questions === undefined ? noQuestion : askable(whole.cib, questions)
  const differences = differencesOf(fuzz, whole.cib, question)
  if ('refused' in differences) return { kind: 'refused', why: differences.refused, changes: whole.changes }
  if (differences.length === 0) return { kind: 'same' }
  const asked = stillDiffers(fuzz, whole.cib, noQuestion) ? noQuestion : question
  const needed = drawn.reduce<readonly Drawn[]>((kept, candidate) => {
    const fewer = kept.filter((other) => other !== candidate)
    const canBeLess = fewer.length > 0 || asked !== noQuestion
    return canBeLess && stillDiffers(fuzz, mutate(each, fewer).cib, asked) ? fewer : kept
  }, drawn)
  const { cib, changes } = mutate(each, needed)
  const [first] = foundIn(differencesOf(fuzz, cib, asked))
  const small = fuzz.shrinks
    ? shrink(cib, (smaller) => differsLike(fuzz, { cib: smaller, question: asked }, first))
    : cib
  return {
    kind: 'different',
    case: each.name,
    changes: [...changes, ...(asked === noQuestion ? [] : [asked.args.join(' ')])],
    mutations: [...needed.map(({ mutation }) => mutation.name), ...asked.args.slice(0, 1)],
    differences: foundIn(differencesOf(fuzz, small, asked)),
    cib: small,
    question: asked,
  }
}

/** What crm_simulate takes and does nothing about is refused by ours, so it is not asked. */
function askable(cib: Tree, seed: number): Question {
  const question = drawQuestion(cib, createRandom(seed))
  const { whatIf, failures } = question
  const all = { ...whatIf, results: [...(whatIf.results ?? []), ...failures] }
  const now = Number(cib.attributes['execution-date'])
  return questionMistakes(cib as XmlElement, all, { now }).length === 0 ? question : noQuestion
}

function mutate(each: Case, drawn: readonly Drawn[]): { readonly cib: Tree; readonly changes: readonly string[] } {
  const cib = atMoment(each.cib)
  const changes = drawn.flatMap(({ mutation, seed }) => mutation.apply(cib, createRandom(seed)) ?? [])
  return { cib: each.write?.(cib) ?? cib, changes }
}

function atMoment(cib: Tree): Tree {
  const copy = structuredClone(cib)
  copy.attributes['execution-date'] ??= String(moment)
  return copy
}

const stillDiffers = (fuzz: Fuzz, cib: Tree, question: Question): boolean =>
  foundIn(differencesOf(fuzz, cib, question)).length > 0

/** A difference of its own is none: it must begin at the same level, with some line that differed before. */
function differsLike(
  fuzz: Fuzz,
  { cib, question }: { readonly cib: Tree; readonly question: Question },
  before: Difference | undefined,
): boolean {
  const [now] = foundIn(differencesOf(fuzz, cib, question))
  if (before === undefined || now?.level !== before.level) return false
  const shares = (a: readonly string[], b: readonly string[]): boolean => a.some((line) => b.includes(line))
  return shares(now.onlyOurs, before.onlyOurs) || shares(now.onlyTheirs, before.onlyTheirs)
}

function differencesOf({ reference, levels }: Fuzz, cib: Tree, question: Question): readonly Difference[] | Refusal {
  const theirs = reference.simulate(cib, question.args)
  return 'refused' in theirs
    ? theirs
    : compareAnswers(ours(cib, question), theirs, {
        levels,
        loosely: reference.isOld,
        exclusions: reference.exclusions,
      })
}

const foundIn = (compared: readonly Difference[] | Refusal): readonly Difference[] =>
  'refused' in compared ? [] : compared

function ours(cib: Tree, { whatIf, failures, now }: Question): Answer {
  try {
    const { summary, scores, graph, simulation } = simulateCib({
      cib: cib as XmlElement,
      now: now ?? Number(cib.attributes['execution-date']),
      whatIf,
      failures,
      md5: (text) => createHash('md5').update(text, 'utf8').digest('hex'),
      showScores: true,
      isSanitized: true,
      keepsResult: true,
    })
    return { summary, scores: scores(), graph: graph(), saved: printXml(simulation.result()) }
  } catch (error) {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { summary: `Current cluster status:\n${said}`, scores: '', graph: '' }
  }
}
