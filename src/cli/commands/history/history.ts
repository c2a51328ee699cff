/** `history`: the transitions that the cluster has walked, and where their time went. */
import * as v from 'valibot'
import { isoTime, parseDurationMs, printable } from '../../../base/index.ts'
import { seconds } from '../../../journal/index.ts'
import { missingNote, readJournals } from '../../access/journal.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.pipe(v.string(), v.maxLength(2000))

/** Another node, of another version, has written it. */
const transitionEvent = v.object({
  kind: v.literal('transition'),
  transition: count,
  tookMs: count,
  done: count,
  failed: count,
  notDone: count,
  aborted: v.exactOptional(text),
  starts: v.boolean(),
  steps: v.pipe(
    v.array(
      v.object({
        what: text,
        startMs: count,
        tookMs: count,
        waitedMs: count,
        waitedFor: v.exactOptional(v.object({ limit: v.pipe(v.string(), v.maxLength(100)), places: count })),
        slackMs: count,
        critical: v.boolean(),
        failed: v.exactOptional(v.literal(true)),
      }),
    ),
    v.maxLength(1000),
  ),
})

type Step = v.InferOutput<typeof transitionEvent>['steps'][number]

interface Transition extends Omit<v.InferOutput<typeof transitionEvent>, 'kind'> {
  /** `t` and the revision of the store when it was over. */
  readonly id: string
  readonly dc: string
  /** Milliseconds since the epoch, by the clock of the DC. */
  readonly began: number
}

export const historyList: Command = {
  path: ['history', 'list'],
  bare: [['history']],
  usage: '[--since=<time>]',
  summary: 'Show the transitions that the cluster has made: when, how long, and how many actions',
  details:
    'Each DC writes down its own transitions in the journal of its node. Transitions in which nothing was sent are not kept.',
  examples: ['systole history list --since=1h'],
  flags: [{ name: 'since', value: 'time', summary: 'Only those that began within this time (for example 24h, P7D)' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'history list [--since=<time>]' })
    const { transitions, missing } = await readTransitions(call)
    const earliest = earliestOf(call)
    const shown = transitions.filter(({ began }) => began >= earliest)
    const rows = shown.map((one) => [one.id, momentOf(one.began), seconds(one.tookMs), one.dc, outcomeOf(one)])
    const table =
      rows.length === 0 ? 'No transitions.\n' : alignColumns([['Id', 'Began', 'Took', 'DC', 'Actions'], ...rows])
    return done(`${table}${missingNote(missing)}`, { transitions: shown.map(factsOf), missing })
  },
}

export const historyShow: Command = {
  path: ['history', 'show'],
  usage: '[<id>] [--critical-path]',
  summary: 'Show where the time of a transition went (default: the last one that started something)',
  details:
    'The critical path is the chain of actions of which each waited for the one before it: what made the transition take as long as it did. The slack of an action is how much longer it might have taken without delaying the end. An action that was ready but waited for a place says for how long, and which limit kept it back: batch-limit, node-action-limit (per node), load-threshold (the same, reduced by the load of the node) or migration-limit, with the number of places. Up to 40 actions are kept: the critical path, and those with the least slack.',
  examples: ['systole history show --critical-path', 'systole history show t1234'],
  flags: [{ name: 'critical-path', summary: 'Only show the actions of the critical path' }],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'history show [<id>] [--critical-path]' })
    const { transitions, missing } = await readTransitions(call)
    const found = chosen(transitions, call.words[0])
    const steps = call.flags.has('critical-path') ? found.steps.filter(({ critical }) => critical) : found.steps
    return done(`${printTransition({ ...found, steps })}${missingNote(missing)}`, {
      ...factsOf({ ...found, steps }),
      missing,
    })
  },
}

function chosen(transitions: readonly Transition[], id: string | undefined): Transition {
  if (id !== undefined) {
    const found = transitions.find((one) => one.id === id)
    if (found) return found
    throw new Refusal(`There is no transition '${printable(id)}'. To see them: systole history list`)
  }
  const last = transitions.findLast(({ starts }) => starts)
  if (last) return last
  throw new Refusal(
    transitions.length === 0
      ? 'No transition has been recorded yet.'
      : 'No recorded transition has started anything. Specify one by its id. To see them: systole history list',
  )
}

async function readTransitions(
  call: Call,
): Promise<{ readonly transitions: readonly Transition[]; readonly missing: readonly string[] }> {
  const { events, missing } = await readJournals(call)
  const transitions = events.flatMap(({ what, at, by, revision }): readonly Transition[] => {
    const read = v.safeParse(transitionEvent, what)
    if (!read.success) return []
    const { kind: _kind, ...facts } = read.output
    return [{ ...facts, id: `t${revision}`, dc: by, began: at - facts.tookMs }]
  })
  return { transitions: withOwnIds(transitions), missing }
}

/** Two may have ended at one revision of the store: `t12`, `t12-2`. */
function withOwnIds(transitions: readonly Transition[]): readonly Transition[] {
  const counts = new Map<string, number>()
  return transitions.map((one) => {
    const number = (counts.get(one.id) ?? 0) + 1
    counts.set(one.id, number)
    return number === 1 ? one : { ...one, id: `${one.id}-${number}` }
  })
}

function earliestOf(call: Call): number {
  const word = call.flags.get('since')
  if (word === undefined) return 0
  const ms = parseDurationMs(String(word))
  if (ms === undefined || ms <= 0) throw new Refusal(`--since=${String(word)}: specify a time such as 24h or P7D.`)
  return call.terminal.now().getTime() - ms
}

const factsOf = (transition: Transition) => ({
  ...transition,
  began: new Date(transition.began).toISOString(),
  criticalMs: transition.steps.filter(({ critical }) => critical).reduce((sum, { tookMs }) => sum + tookMs, 0),
})

function printTransition(transition: Transition): string {
  const { id, began, tookMs, dc, steps, aborted } = transition
  const rows = steps.map((step) => [
    `  ${step.critical ? '*' : ' '} ${precise(step.startMs)}`,
    printable(step.what),
    `${precise(step.tookMs)}${step.failed === true ? ' (failed)' : ''}`,
    slackOf(step),
  ])
  return [
    `Transition ${id}, ${momentOf(began)}, DC ${dc}: ${outcomeOf(transition)} in ${seconds(tookMs)}\n`,
    ...(aborted === undefined ? [] : [`It ended early: ${printable(aborted)}.\n`]),
    alignColumns([['    After', 'Action', 'Took', 'Slack'], ...rows]),
    '* on the critical path\n',
  ].join('')
}

function slackOf({ critical, slackMs, waitedMs, waitedFor }: Step): string {
  const limit = waitedFor === undefined ? '' : ` (${printable(waitedFor.limit)}: ${waitedFor.places})`
  const waited = waitedMs >= leastWaitMs ? `waited ${precise(waitedMs)} for a place${limit}` : ''
  if (critical) return waited
  return [precise(slackMs), ...(waited === '' ? [] : [waited])].join(', ')
}

/** Shorter ones are the time of the way. */
const leastWaitMs = 20

function outcomeOf({ done: sent, failed, notDone }: Transition): string {
  return [
    `${sent} action${sent === 1 ? '' : 's'}`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(notDone === 0 ? [] : [`${notDone} not begun`]),
  ].join(', ')
}

const precise = (ms: number): string => `${(ms / 1000).toFixed(3)} s`
const momentOf = (ms: number): string => isoTime(Math.floor(ms / 1000))
