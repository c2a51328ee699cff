/**
 * Holds the scheduler against the reference on mutated cases. A case serves only if both say the same of it as it is; it then is
 * changed in up to three ways drawn from the seed. What differs is reduced to the changes that it takes.
 */
import { createHash } from 'node:crypto'
import type { XmlElement } from '../../src/cib/index.ts'
import { simulateCib } from '../../src/scheduler/simulate/print-simulation.ts'
import { type Answer, compareAnswers, type Difference, type Level } from './answer.ts'
import type { Tree } from './cib-tree.ts'
import { constraintMutations } from './mutate-constraints.ts'
import { historyMutations } from './mutate-history.ts'
import { nodeMutations } from './mutate-nodes.ts'
import { optionMutations } from './mutate-options.ts'
import { resourceMutations } from './mutate-resources.ts'
import type { Drawn, Mutation } from './mutation.ts'
import { createRandom, type Random } from './random.ts'
import type { Reference, Refusal } from './reference.ts'
import { shrink } from './shrink.ts'

export const mutations: readonly Mutation[] = [
  ...nodeMutations,
  ...historyMutations,
  ...resourceMutations,
  ...constraintMutations,
  ...optionMutations,
]

/** The moment of every simulation: rules and time-outs are decided alike on both sides. */
const moment = 1_700_000_500

export interface Case {
  readonly name: string
  readonly cib: Tree
}

export interface Fuzz {
  readonly reference: Reference
  readonly cases: readonly Case[]
  readonly levels: readonly Level[]
  /** Only mutations whose name begins with one of these, separated by commas. */
  readonly only?: string | undefined
  readonly shrinks: boolean
}

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
    }

export function createFuzz(fuzz: Fuzz): (seed: number) => Verdict {
  const usable = new Map<string, boolean>()
  const isUsable = (each: Case): boolean => {
    const known = usable.get(each.name)
    if (known !== undefined) return known
    const compared = differencesOf(fuzz, atMoment(each.cib))
    const answer = !('refused' in compared) && compared.length === 0
    usable.set(each.name, answer)
    return answer
  }
  return (seed) => {
    const random = createRandom(seed)
    const each = random.pick(fuzz.cases)
    if (each === undefined) return { kind: 'unusable' }
    const verdict = tryCase(fuzz, each, drawMutations(random, fuzz.only))
    // Asked last, since it takes a run of its own and most cases are usable.
    return verdict.kind === 'different' && !isUsable(each) ? { kind: 'unusable' } : verdict
  }
}

function drawMutations(random: Random, only: string | undefined): readonly Drawn[] {
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

function tryCase(fuzz: Fuzz, each: Case, drawn: readonly Drawn[]): Verdict {
  const whole = mutate(each, drawn)
  const differences = differencesOf(fuzz, whole.cib)
  if ('refused' in differences) return { kind: 'refused', why: differences.refused, changes: whole.changes }
  if (differences.length === 0) return { kind: 'same' }
  const needed = drawn.reduce<readonly Drawn[]>((kept, candidate) => {
    const fewer = kept.filter((other) => other !== candidate)
    return fewer.length > 0 && stillDiffers(fuzz, mutate(each, fewer).cib) ? fewer : kept
  }, drawn)
  const { cib, changes } = mutate(each, needed)
  const [first] = foundIn(differencesOf(fuzz, cib))
  const small = fuzz.shrinks ? shrink(cib, (smaller) => differsLike(fuzz, smaller, first)) : cib
  return {
    kind: 'different',
    case: each.name,
    changes,
    mutations: needed.map(({ mutation }) => mutation.name),
    differences: small === whole.cib ? differences : foundIn(differencesOf(fuzz, small)),
    cib: small,
  }
}

function mutate(each: Case, drawn: readonly Drawn[]): { readonly cib: Tree; readonly changes: readonly string[] } {
  const cib = atMoment(each.cib)
  const changes = drawn.flatMap(({ mutation, seed }) => mutation.apply(cib, createRandom(seed)) ?? [])
  return { cib, changes }
}

function atMoment(cib: Tree): Tree {
  const copy = structuredClone(cib)
  copy.attributes['execution-date'] ??= String(moment)
  return copy
}

const stillDiffers = (fuzz: Fuzz, cib: Tree): boolean => foundIn(differencesOf(fuzz, cib)).length > 0

/** A difference of its own is none: it must begin at the same level, with some line that differed before. */
function differsLike(fuzz: Fuzz, cib: Tree, before: Difference | undefined): boolean {
  const [now] = foundIn(differencesOf(fuzz, cib))
  if (before === undefined || now?.level !== before.level) return false
  const shares = (a: readonly string[], b: readonly string[]): boolean => a.some((line) => b.includes(line))
  return shares(now.onlyOurs, before.onlyOurs) || shares(now.onlyTheirs, before.onlyTheirs)
}

function differencesOf({ reference, levels }: Fuzz, cib: Tree): readonly Difference[] | Refusal {
  const theirs = reference.simulate(cib)
  return 'refused' in theirs
    ? theirs
    : compareAnswers(ours(cib), theirs, {
        levels,
        loosely: reference.isOld,
        exclusions: reference.exclusions,
      })
}

const foundIn = (compared: readonly Difference[] | Refusal): readonly Difference[] =>
  'refused' in compared ? [] : compared

function ours(cib: Tree): Answer {
  try {
    const { summary, scores, graph } = simulateCib({
      cib: cib as XmlElement,
      now: Number(cib.attributes['execution-date']),
      md5: (text) => createHash('md5').update(text, 'utf8').digest('hex'),
      showScores: true,
      isSanitized: true,
    })
    return { summary, scores: scores(), graph: graph() }
  } catch (error) {
    const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { summary: `Current cluster status:\n${said}`, scores: '', graph: '' }
  }
}
