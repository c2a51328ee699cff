/**
 * What a rollout over clusters asks one of them, by its HTTPS API: whatever is asked may be asked again. The one place for what is taken of the answers; whoever
 * answers is another's machine.
 */
import { array, boolean, maxLength, number, object, optional, picklist, pipe, safeParse, string } from 'valibot'
import type { ClusterPlan, FleetAsk, PartAnswer } from '../../rollout/index.ts'
import { AnswerError, printable } from './answer-form.ts'
import { askNodes, isFinal } from './ask-cluster.ts'
import type { FleetTarget } from './told.ts'

/** A start makes a plan first. */
const changeWithinMs = 25_000
const longestSentence = 300
const mostSentences = 20

export type PartAsk = FleetAsk & {
  /** Of this attempt. */
  readonly key: string
  /** The values of a rollout file, as JSON. */
  readonly file: string
}

const short = pipe(string(), maxLength(64 * 1024))
const idForm = pipe(string(), maxLength(64))
const rolloutForm = object({
  id: idForm,
  state: picklist(['running', 'paused', 'halted', 'unconfirmed', 'aborting', 'complete', 'aborted']),
  why: optional(short),
  partOf: optional(short),
  nodes: pipe(array(object({ phase: short, leftOut: optional(boolean()) })), maxLength(10_000)),
})
const rolloutsForm = object({ result: object({ rollouts: pipe(array(rolloutForm), maxLength(10_000)) }) })
const startedForm = object({
  result: object({ id: optional(idForm), already: optional(pipe(array(short), maxLength(10_000))) }),
})
const nodesForm = pipe(array(short), maxLength(10_000))
const planForm = object({
  exitCode: picklist([0, 1]),
  result: object({
    already: nodesForm,
    refusals: pipe(array(short), maxLength(10_000)),
    waves: pipe(
      array(
        object({
          role: optional(short),
          groups: pipe(array(object({ nodes: nodesForm })), maxLength(10_000)),
          waiting: pipe(array(object({ node: short, why: short })), maxLength(10_000)),
        }),
      ),
      maxLength(1000),
    ),
    interruptions: pipe(
      array(object({ resource: short, times: number(), longestMs: number(), isUnknown: boolean() })),
      maxLength(10_000),
    ),
  }),
})
const clean = (said: string): string => printable(said).slice(0, longestSentence)

export type PlanAnswer =
  | { readonly kind: 'plan'; readonly plan: ClusterPlan }
  | { readonly kind: 'failed'; readonly why: string }

type Rollout = Omit<Extract<PartAnswer, { readonly kind: 'part' }>, 'kind'> & { readonly partOf?: string }

function rolloutsIn(text: string): readonly Rollout[] {
  const read = safeParse(rolloutsForm, jsonIn(text))
  if (!read.success) throw new AnswerError('its answer has no rollouts')
  return read.output.result.rollouts.map(({ id, state, why, partOf, nodes }) => {
    const meant = nodes.filter(({ leftOut }) => leftOut !== true)
    return {
      id: clean(id),
      state,
      done: meant.filter(({ phase }) => phase === 'done').length,
      nodes: meant.length,
      ...(why !== undefined && { why: clean(why) }),
      ...(partOf !== undefined && { partOf }),
    }
  })
}

const asPart = ({ partOf: _, ...one }: Rollout): PartAnswer => ({ kind: 'part', ...one })

/** Its own rollout alone: the cluster may have others by the same id, if it was set up again. */
const ofKey = (key: string, rollouts: readonly Rollout[]): PartAnswer => {
  const found = rollouts.find(({ partOf }) => partOf === key)
  return found === undefined ? { kind: 'none' } : asPart(found)
}

export async function askPart(target: FleetTarget, ask: PartAsk): Promise<PartAnswer> {
  switch (ask.kind) {
    case 'find':
      return await look(target, '/api/v1/rollout/history', ask.key)
    case 'watch':
      return await watch(target, ask.id, ask.key)
    case 'word': {
      const { id, word, key } = ask
      const flags = word === 'resume' || word === 'abort' ? { 'no-wait': true } : {}
      const body = { words: [id], flags }
      const heard = await change(target, `/api/v1/rollout/${word}`, { body, read: () => undefined })
      return heard ?? (await watch(target, id, key))
    }
    case 'start': {
      const { file, key } = ask
      const body = {
        words: ['rollout.json'],
        flags: { 'no-wait': true, 'part-of': key },
        files: { 'rollout.json': file },
      }
      const heard = await change(target, '/api/v1/rollout/start', { body, read: startedIn })
      if (typeof heard === 'object') return heard
      return heard === '' ? { kind: 'already' } : await watch(target, heard, key)
    }
  }
}

/** Its id, or nothing where nothing was to do. */
function startedIn(text: string): string {
  const read = safeParse(startedForm, jsonIn(text))
  if (!read.success) throw new AnswerError('its answer does not say what it has begun')
  const { id, already } = read.output.result
  if (id !== undefined) return clean(id)
  if (already !== undefined) return ''
  throw new AnswerError('its answer does not say what it has begun')
}

const watch = async (target: FleetTarget, id: string, key: string): Promise<PartAnswer> =>
  await look(target, `/api/v1/rollout/status?word=${encodeURIComponent(id)}`, key)

async function look(target: FleetTarget, path: string, key: string): Promise<PartAnswer> {
  const told = await askNodes(target, { path, read: (text) => ({ answer: ofKey(key, rolloutsIn(text)) }) })
  if ('answer' in told) return told.answer
  // The command says so of an id that it does not know.
  return told.code === 400 || told.code === 404 ? await unlessOlder(target, told.why) : { kind: 'away', why: told.why }
}

/** It knows rollouts, and not this one; or it knows no rollouts at all. */
async function unlessOlder(target: FleetTarget, why: string): Promise<PartAnswer> {
  const told = await askNodes(target, { path: '/api/v1/rollout/history', read: (text) => ({ all: rolloutsIn(text) }) })
  return 'all' in told ? { kind: 'none' } : { kind: 'away', why }
}

async function change<T>(
  target: FleetTarget,
  path: string,
  { body, read }: { readonly body: object; readonly read: (text: string) => T },
): Promise<T | PartAnswer> {
  const told = await askNodes(target, {
    path,
    body,
    withinMs: changeWithinMs,
    read: (text) => ({ read: read(text) }),
  })
  if ('read' in told) return told.read
  const isRefusal = told.kind === 'refused' || told.kind === 'untrusted' || isFinal(told.code)
  return { kind: isRefusal ? 'refused' : 'away', why: told.why }
}

export async function askPlan(target: FleetTarget, file: string): Promise<PlanAnswer> {
  const body = { words: ['rollout.json'], files: { 'rollout.json': file } }
  const told = await askNodes(target, {
    path: '/api/v1/rollout/plan',
    body,
    withinMs: changeWithinMs,
    read: (text) => ({ plan: planIn(text) }),
  })
  return 'plan' in told ? { kind: 'plan', plan: told.plan } : { kind: 'failed', why: told.why }
}

function planIn(text: string): ClusterPlan {
  const read = safeParse(planForm, jsonIn(text))
  if (!read.success) throw new AnswerError('its answer is not a plan')
  const { already, refusals, waves, interruptions } = read.output.result
  return {
    already: already.map(clean),
    refusals: refusals.slice(0, mostSentences).map(clean),
    waves: waves.map(({ role, groups, waiting }) => ({
      ...(role !== undefined && { role: clean(role) }),
      groups: groups.map(({ nodes }) => nodes.map(clean)),
      waiting: waiting.map(({ node, why }) => ({ node: clean(node), why: clean(why) })),
    })),
    interruptions: interruptions.map(({ resource, ...more }) => ({ ...more, resource: clean(resource) })),
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AnswerError('its answer is not JSON')
  }
}
