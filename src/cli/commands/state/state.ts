/** `systole state`: a decision of the scheduler, kept in a file and decided again, here or elsewhere, by this version or another. */
import { isoTime, utcOffsetAt } from '../../../base/index.ts'
import { momentOf } from '../../../scheduler/index.ts'
import {
  comparePlans,
  type DecisionRecord,
  isSamePlan,
  type PlanDifference,
  type PlannedAction,
} from '../../../transition/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { secondsOf } from '../../host/host-time.ts'
import {
  decide,
  decisionsFolder,
  type KeptDecision,
  keptDecisions,
  printSavedState,
  readSavedState,
  type SavedState,
  stateWithoutSecrets,
} from './saved-state.ts'

const saveUsage = '[<decision>|<time>] <file>'

export const stateSave: Command = {
  path: ['state', 'save'],
  usage: `${saveUsage} [--without-secrets]`,
  summary: 'Save what the scheduler sees now, or saw at an earlier decision of this host',
  details:
    'The file is a CIB with its moment and, at its end, the plan that was made from it. Without a decision it holds the cluster as it is now. A decision is named as `systole state list` lists it, or by a time: the last decision up to then. ' +
    'The DC keeps decisions on its own host, so save them on the node that was the DC. Only you can read the file: it contains the secrets of the configuration. With --without-secrets it contains none, and can be passed on.',
  examples: [
    'systole state save now.xml',
    'systole state save pe-warn-3 lost-node.xml --without-secrets',
    'systole state save "2026-11-20 14:00:00" before.xml',
  ],
  flags: [{ name: 'without-secrets', summary: 'Hide passwords and tokens, and replace the digests made of them' }],
  completes: ['file'],
  run: saveState,
}

async function saveState(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 2, usage: `state save ${saveUsage}` })
  const [first = '', second] = call.words
  const file = second ?? first
  const full = second === undefined ? await stateNow(call) : stateOf(first)
  const isPublic = call.flags.has('without-secrets')
  const saved = isPublic ? stateWithoutSecrets(full) : full
  await call.terminal.writeFile(file, printSavedState(saved), isPublic ? {} : { writerOnly: true })
  const decidedAt = isoTime(saved.decidedAt)
  // Hidden values may matter for the plan. Whoever gets the file cannot find out.
  const other = isPublic && saved.record !== undefined ? differenceOf(saved.record, decide(saved)) : undefined
  const lines = [
    `Saved the state of ${decidedAt} to ${file}.`,
    isPublic
      ? 'Secret values are hidden in it.'
      : 'It contains the secrets of the configuration. Add --without-secrets before you pass it on.',
    ...(other === undefined ? [] : ['Without the secrets this version makes another plan:', ...other.lines]),
  ]
  return done(`${lines.join('\n')}\n`, {
    file,
    decidedAt,
    hasSecrets: !isPublic,
    ...(isPublic && { samePlan: other === undefined }),
  })
}

async function stateNow(call: Call): Promise<SavedState> {
  const { cib } = await call.cluster.readCib()
  const state = { cib, decidedAt: secondsOf(call.terminal.now()) }
  return { ...state, record: decide(state) }
}

function stateOf(wanted: string): SavedState {
  const found = findDecision(wanted, keptDecisions())
  return readSavedState(found.path)
}

function findDecision(wanted: string, kept: readonly KeptDecision[]): KeptDecision {
  const where = `on this host (${decisionsFolder()})`
  const elsewhere = 'Other nodes keep the decisions that they made as the DC: run the command there.'
  if (/^pe-/.test(wanted)) {
    const found = kept.find(({ name }) => name === wanted)
    if (found) return found
    throw new Refusal(
      `The decision '${wanted}' is not ${where}. 'systole state list' shows those that are. ${elsewhere}`,
    )
  }
  const until = secondsOfText(wanted)
  const found = kept.findLast(({ decidedAt }) => Math.floor(decidedAt) <= until)
  if (found) return found
  throw new Refusal(`There is no decision up to ${isoTime(until)} ${where}. ${elsewhere}`)
}

function secondsOfText(text: string): number {
  try {
    const moment = momentOf(undefined, text, utcOffsetAt)
    if (moment) return moment.seconds
  } catch {
    // Said below.
  }
  throw new Refusal(
    `'${text}' is neither a decision such as pe-input-7 nor a date and time such as '2026-11-20 14:00:00Z'.`,
  )
}

export const stateList: Command = {
  path: ['state', 'list'],
  usage: '',
  summary: 'List the decisions of the scheduler that this host keeps',
  details:
    'The DC keeps them: as many as the cluster options pe-input-series-max, pe-warn-series-max and pe-error-series-max say. The series pe-warn is of decisions about failures, pe-error of those at which the scheduler failed.',
  run: (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'state list' })
    const kept = keptDecisions().map(({ name, path, decidedAt }) => ({ name, time: isoTime(decidedAt), path }))
    const rows = kept.map(({ name, time }) => [name, time])
    const none = `This host keeps no decisions (${decisionsFolder()}): it has not been the DC, or the options say 0.\n`
    return Promise.resolve(done(rows.length === 0 ? none : alignColumns([['Decision', 'Time'], ...rows]), kept))
  },
}

export const stateReplay: Command = {
  path: ['state', 'replay'],
  usage: '<file> [--show-plan]',
  summary: 'Decide again from a saved state, and show how the plan differs',
  details:
    'The scheduler of this version decides from the file, for the time of the decision. No cluster is needed, and none is asked. The exit code is 0 when the plan is the recorded one, and 1 when it differs or when the file contains no plan.',
  examples: ['systole state replay lost-node.xml', 'systole state replay /var/lib/systole/pengine/pe-input-7.gz'],
  flags: [{ name: 'show-plan', summary: 'Also list the actions, and what each waits for' }],
  completes: ['file'],
  run: (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'state replay <file>' })
    if (call.flags.has('file')) throw new Refusal('Omit -f: the saved state is the word after `state replay`.')
    return Promise.resolve(replay(call.words[0] ?? '', call.flags.has('show-plan')))
  },
}

function replay(file: string, showsPlan: boolean): Outcome {
  const state = readSavedState(file)
  const now = decide(state)
  const { record } = state
  const different = record === undefined ? undefined : differenceOf(record, now)
  const decidedAt = isoTime(state.decidedAt)
  const is = record !== undefined && different === undefined
  const verdict =
    record === undefined
      ? [`${file} contains no plan to compare with: Systole did not write it, or an older version did.`]
      : different === undefined
        ? [`${outcomeWords(now)}: the same as decided then by version ${record.version}.`]
        : [differs(record.version, now.version), ...different.lines]
  const lines = [`Decision of ${decidedAt}.`, ...verdict, ...(showsPlan ? planLines(now) : [])]
  return done(
    `${lines.join('\n')}\n`,
    {
      file,
      decidedAt,
      ...(record && { recordedVersion: record.version }),
      version: now.version,
      same: is,
      ...(different && { differences: different.facts }),
      ...(now.error === undefined ? { plan: now.plan } : { error: now.error }),
    },
    is ? 0 : 1,
  )
}

/** Between two releases there are many builds. */
const differs = (then: string, now: string): string =>
  then === now
    ? `The plan of this build of version ${now} differs from that of the build that decided then:`
    : `The plan of version ${now} differs from that of version ${then}:`

function outcomeWords({ plan, error }: DecisionRecord): string {
  if (error !== undefined) return `The scheduler failed (${error})`
  const count = deedsOf(plan ?? []).length
  return count === 0 ? 'Nothing to do' : `${count} action${count === 1 ? '' : 's'}`
}

const isDeed = (name: string): boolean => !name.startsWith('(')
const deedsOf = (plan: readonly PlannedAction[]): readonly PlannedAction[] => plan.filter(({ name }) => isDeed(name))

interface Difference {
  readonly lines: readonly string[]
  readonly facts: PlanDifference | { readonly recorded?: string; readonly now?: string }
}

/** Undefined where both are the same. */
function differenceOf(then: DecisionRecord, now: DecisionRecord): Difference | undefined {
  if (then.error !== undefined || now.error !== undefined) {
    if (then.error === now.error) return undefined
    const facts = {
      ...(then.error !== undefined && { recorded: then.error }),
      ...(now.error !== undefined && { now: now.error }),
    }
    const failure = (error: string | undefined): string => (error === undefined ? 'a plan' : `a failure (${error})`)
    return { lines: [`  recorded: ${failure(then.error)}; now: ${failure(now.error)}`], facts }
  }
  const facts = comparePlans(then.plan ?? [], now.plan ?? [])
  return isSamePlan(facts) ? undefined : { lines: differenceLines(facts), facts }
}

function differenceLines({ missing, added, otherOrder }: PlanDifference): readonly string[] {
  return [
    ...missing.map((name) => `  - ${name}`),
    ...added.map((name) => `  + ${name}`),
    ...otherOrder.flatMap(({ name, noLongerAfter, nowAfter }) => [
      ...noLongerAfter.map((one) => `  ${name}: no longer waits for ${one}`),
      ...nowAfter.map((one) => `  ${name}: now waits for ${one}`),
    ]),
  ]
}

function planLines({ plan = [] }: DecisionRecord): readonly string[] {
  return [
    'Plan:',
    ...plan.map(({ name, after }) => `  ${name}${after.length === 0 ? '' : ` after ${after.join(', ')}`}`),
  ]
}
