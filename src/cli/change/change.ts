/**
 * Every command that changes the configuration goes this way: read, edit, validate, show the actions that the change
 * will cause, save by compare-and-swap, and wait if asked to. What is refused leaves the CIB byte for byte as it was.
 */
import {
  type CibReport,
  describeCibReport,
  describeEditReport,
  describeFinding,
  type Edited,
  type EditReport,
  type EditResult,
  findResource,
  fitSchema,
  type IsSecret,
  printXml,
  secretNames,
  validateCib,
  type XmlElement,
} from '../../cib/index.ts'
import { contradictedHolds, describeHold, howToEnd, restoreHolds, splitHolds, withoutHolds } from '../../holds/index.ts'
import { type Call, done, type Outcome, Refusal } from '../call/command.ts'
import type { About, Notice } from '../call/message.ts'
import { aboutDuplicate } from '../pcs-form/duplicates.ts'
import { confirmationTime, howToConfirm } from './confirmation.ts'
import { decide } from './decide.ts'
import { describeDifference, difference } from './difference.ts'
import { type LeftStopped, leftStoppedBetween, notRunning, printLeftStopped } from './left-stopped.ts'
import {
  decidedOnceCleared,
  type PlannedAction,
  type PlannedKind,
  plannedActionsBetween,
  printPlannedActions,
} from './planned-actions.ts'
import { unreadDisks } from './unread-disk.ts'
import { checkWait, waitUntilSettled, withoutInstance } from './wait.ts'

export interface Change {
  /** Runs again on a newer CIB when somebody else was faster. */
  readonly edit: (cib: XmlElement) => EditResult
  /** What was done, in a sentence or two. */
  readonly message: (edited: Edited) => string
  /** What other dialects say once it is made. */
  readonly notices?: (edited: Edited, before: XmlElement) => readonly Notice[]
  /** More facts for `--json`. */
  readonly facts?: (edited: Edited) => Readonly<Record<string, unknown>>
  /** Beside what is secret in every cluster: what the agent at hand marks as private. */
  readonly isSecret?: IsSecret
  /** The lines of configuration that differ are shown before the actions: whoever types cannot know them. */
  readonly showsDifference?: true
  /** What was shown to whoever types was made of this version: with a newer one, the change would be another. */
  readonly shownOf?: number
  /** What validation finds wrong does not stop it. */
  readonly keepsMistakes?: boolean
  /** The same, of what the configuration says before and after, whatever it causes. */
  readonly advisesAgainst?: (before: XmlElement, after: XmlElement) => readonly string[]
  /** Why it is not done without `--force`, by what it would cause: one sentence each. */
  readonly needsForce?: (before: XmlElement, edited: Edited, actions: readonly PlannedAction[]) => readonly string[]
}

export interface Changed {
  readonly before: XmlElement
  readonly edited: Edited
  readonly message: string
  readonly actions: readonly PlannedAction[]
  /** What ought to run and will not, because of this change. */
  readonly leftStopped: readonly LeftStopped[]
  /** Undefined for a preview. */
  readonly version: number | undefined
}

const maxAttempts = 5

export async function changeCib(call: Call, change: Change): Promise<Outcome> {
  checkWait(call)
  const changed = await applyChange(call, change)
  const { message, actions, leftStopped, version } = changed
  const facts = { message, actions, leftStopped, ...change.facts?.(changed.edited) }
  if (version === undefined) return previewed(changed, facts, change)
  for (const notice of change.notices?.(changed.edited, changed.before) ?? []) call.tell(notice)
  const wait = call.flags.get('wait')
  if (wait === undefined) return done(said(call, `${message}\n`), { ...facts, version })
  const settled = await waitUntilSettled(call, { wait, version, concerned: concernedBy(call, changed) })
  const stopped = settled.settled ? await concernedAndStopped(call, changed) : []
  const failure = stopped.length === 0 ? '' : `Not running:\n${printLeftStopped(stopped)}`
  if (!settled.settled || failure !== '')
    call.tell({ code: 'not-as-asked', text: `${settled.message}\n${failure}`.trim() })
  return done(
    said(call, `${message}\n${settled.message}\n${failure}`),
    { ...facts, version, settled: settled.settled, settledMessage: settled.message, notRunning: stopped },
    settled.settled && stopped.length === 0 ? 0 : 1,
  )
}

/** pcs changes without a word. */
function said(call: Call, text: string): string {
  return call.speech.program === 'systole' ? text : ''
}

/** The resources that the command names, with their members, and those that the change does something to or leaves stopped. */
export function concernedBy(call: Call, { edited, actions, leftStopped }: Changed): ReadonlySet<string> {
  const named = call.words.flatMap((word) => idsWithin(findResource(edited.cib, word)))
  const acted = actions.flatMap(({ resource }) => (resource === undefined ? [] : [withoutInstance(resource)]))
  return new Set([...named, ...acted, ...leftStopped.map(({ resource }) => resource)])
}

export function idsWithin(element: XmlElement | undefined): readonly string[] {
  if (element === undefined) return []
  const members = element.children.filter((child) => child.kind === 'element')
  return [element.attributes.id ?? '', ...members.flatMap(idsWithin)]
}

/** What the change was to bring up and did not. */
export async function concernedAndStopped(
  call: Call,
  { actions, leftStopped }: Pick<Changed, 'actions' | 'leftStopped'>,
): Promise<readonly LeftStopped[]> {
  const started = actions.flatMap(({ kind, resource }) =>
    bringsUp.has(kind) && resource !== undefined ? [resource] : [],
  )
  const concerned = new Set([...started.map(withoutInstance), ...leftStopped.map(({ resource }) => resource)])
  if (concerned.size === 0) return []
  const { cib } = await call.cluster.readCib()
  return notRunning(cib, concerned, call.terminal.now())
}

const bringsUp: ReadonlySet<PlannedKind> = new Set(['start', 'restart', 'move', 'migrate'])

/** Makes the change, or only computes its consequences with `--preview`. Throws a Refusal where it may not be made. */
export async function applyChange(call: Call, change: Change): Promise<Changed> {
  const confirmWithinMs = confirmationTime(call)
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const before = await call.cluster.readCib()
    refuseNewer(before.version, change.shownOf)
    const edited = fitted(call, before.cib, change)
    const message = change.message(edited)
    if (printXml(edited.cib) === printXml(before.cib))
      return {
        before: before.cib,
        edited,
        message: `${message} The configuration is unchanged.`,
        actions: [],
        leftStopped: [],
        version: before.version,
      }
    const warnings = call.cluster.isScratch ? [] : judgeChange(call, before.cib, edited.cib, change)
    const { actions, leftStopped } = tellsActions(call, change)
      ? consequences(before.cib, edited.cib, call.terminal.now())
      : { actions: [], leftStopped: [] }
    const advice = call.flags.has('force')
      ? []
      : [
          ...(change.advisesAgainst?.(before.cib, edited.cib) ?? []),
          ...(change.needsForce?.(before.cib, edited, actions) ?? []),
          ...freshlyUnread(call, before.cib, edited.cib),
        ]
    for (const warning of [...warnings, ...heldAllTheSame(before.cib, edited.cib)])
      call.terminal.progress(`Warning: ${warning}`)
    if (call.flags.has('preview')) {
      await call.cluster.refuseWhoMayNotPush?.({ cib: edited.cib, expectedVersion: before.version, command: '' })
      return { before: before.cib, edited, message, actions, leftStopped, version: undefined }
    }
    if (advice.length > 0) throw new Refusal(...advice.map((reason) => `${reason} Add --force to do it anyway.`))
    if (actions.length > 0) call.terminal.progress(`This will:\n${printPlannedActions(actions)}`)
    if (leftStopped.length > 0) call.terminal.progress(`This will not run:\n${printLeftStopped(leftStopped)}`)
    const known = secretNames(before.cib, edited.cib)
    const isSecret: IsSecret = (name) => known(name) || change.isSecret?.(name) === true
    const answer = await call.cluster.push({
      cib: edited.cib,
      expectedVersion: before.version,
      command: call.typed(isSecret),
      ...(confirmWithinMs !== undefined && { confirmWithinMs }),
    })
    if (answer.kind === 'saved') {
      const { version } = answer
      const told = `${message}${howToConfirm(call, version)}`
      return { before: before.cib, edited, message: told, actions, leftStopped, version }
    }
  }
  throw new Refusal(
    `Other users changed the configuration ${maxAttempts} times while this command ran. Nothing was changed. Try again.`,
  )
}

function refuseNewer(version: number, shown: number | undefined): void {
  if (shown !== undefined && version > shown)
    throw new Refusal(
      `Another user changed the configuration after version ${shown}. Nothing was changed. Run 'systole config history' to see the change, and try again.`,
    )
}

/** The edit as the CIB's schema allows it; the schema is raised where the edit needs a newer one. */
function fitted(call: Call, before: XmlElement, change: Change): Edited {
  const edit = besideHolds(change.edit)
  const made = editedOrRefused(edit(before), (report) =>
    isForPcs(call) ? aboutDuplicate(call, before, report) : undefined,
  )
  const fits = fitSchema(before, made, (cib) => editedOrRefused(edit(cib)), {
    // pcs 0.11 leaves the schema as it is.
    raisesForRules: !(isForPcs(call) && call.speech.dialect === '0.11'),
  })
  if (!fits.ok) {
    // Where both find fault, validation says it better.
    judgeChange(call, before, made.cib, change)
    throw new Refusal({
      own: `The schema of the CIB, ${before.attributes['validate-with']}, does not allow this: ${fits.reports.join('; ')}.`,
      about: { code: 'not-in-schema' },
    })
  }
  if (fits.value.raised) call.terminal.progress('CIB has been upgraded to the latest schema version.')
  return fits.value.edited
}

/** What is changed is what is stored; what it causes is decided with the holds that are in force. */
function besideHolds(edit: Change['edit']): Change['edit'] {
  return (cib) => {
    const { cib: stored, held } = splitHolds(cib)
    const made = edit(stored)
    if (!made.ok) return made
    // A document from a file may have what was in force when it was read.
    const own = withoutHolds(made.value.cib)
    return { ...made, value: { ...made.value, cib: restoreHolds(own, held) } }
  }
}

/** What is changed and has no effect as long as something else is held. */
function heldAllTheSame(before: XmlElement, after: XmlElement): readonly string[] {
  const { cib: stored, held } = splitHolds(before)
  return contradictedHolds(held, { before: stored, after: withoutHolds(after) }).map(
    (hold) => `This has no effect yet: ${describeHold(hold)}. ${howToEnd(hold)}`,
  )
}

/** Nobody is fenced by a copy that is made to be compared. */
function freshlyUnread(call: Call, before: XmlElement, after: XmlElement): readonly string[] {
  if (call.cluster.isScratch) return []
  const known = new Set(unreadDisks(before).map(({ text }) => text))
  return unreadDisks(after).flatMap(({ text }) => (known.has(text) ? [] : [text]))
}

export function consequences(
  before: XmlElement,
  after: XmlElement,
  now: Date,
): Pick<Changed, 'actions' | 'leftStopped'> {
  const [was, is] = [decide(before, now), decide(after, now)]
  const next = decidedOnceCleared(is, after, now)
  return { actions: plannedActionsBetween(was, is, next), leftStopped: leftStoppedBetween(was, next) }
}

/** A change of a file causes nothing, so that its actions are computed only where they are asked for or decide something. */
function tellsActions(call: Call, change: Change): boolean {
  if (call.cluster.isScratch) return false
  if (call.cluster.live || call.flags.has('preview') || call.flags.has('json')) return true
  return change.needsForce !== undefined && !call.flags.has('force')
}

/** What is said of a report may be about more than the edit knows. */
export function editedOrRefused(
  result: EditResult,
  aboutOf: (report: EditReport) => About | undefined = () => undefined,
): Edited {
  if (result.ok) return result.value
  throw new Refusal(
    ...result.reports.map((report) => ({ own: describeEditReport(report), about: aboutOf(report) ?? report })),
  )
}

/**
 * Mistakes that the edit brings in are refused; those that were there before are not this command's. Of all warnings it gives back the new
 * ones that whoever types cannot find out: the word is taken, and does nothing.
 */
function judgeChange(call: Call, before: XmlElement, after: XmlElement, change: Change): readonly string[] {
  const [was, is] = [validateCib(before), validateCib(after)]
  const taken = call.cluster.live === undefined ? (isForPcs(call) ? takenFromPcs : loops) : undefined
  const mistakesIn = (reports: readonly CibReport[]): readonly string[] =>
    reports.flatMap((report) =>
      report.severity === 'error' && !taken?.has(report.code) ? [describeCibReport(report)] : [],
    )
  const effectlessIn = (reports: readonly CibReport[]): readonly string[] =>
    reports.flatMap((report) => (isUnheeded(call, report) ? [describeFinding(report)] : []))
  const mistakes = fresh(mistakesIn(was), mistakesIn(is))
  if (mistakes.length > 0 && !change.keepsMistakes) throw new Refusal(...mistakes)
  return fresh(effectlessIn(was), effectlessIn(is))
}

/** The word is taken and does nothing, or its value is none and the default counts. pcs looks at no values of fence devices. */
function isUnheeded(call: Call, { code, severity }: CibReport): boolean {
  return code === 'without-effect' || (code === 'bad-value' && severity === 'warning' && !isForPcs(call))
}

/** In a file they may be there for a while: what is pushed into a cluster may not have them. */
const loops: ReadonlySet<string> = new Set(['order-loop', 'colocation-loop', 'refers-to-itself'])
/** pcs looks at the names and values of few options; the schema is obeyed all the same. */
const takenFromPcs: ReadonlySet<string> = new Set([...loops, 'bad-value', 'bad-pattern', 'unknown-option'])

const isForPcs = ({ speech }: Call): boolean => speech.program === 'pcs'

/** Values of meta-attributes and defaults are taken as they are written, as pcs does, where they go into a file. */
export const takesAnyValue = (call: Call): boolean =>
  call.flags.has('force') || (isForPcs(call) && call.cluster.live === undefined)

function fresh(before: readonly string[], after: readonly string[]): readonly string[] {
  return after.filter((sentence) => !before.includes(sentence))
}

export function previewed(
  changed: Changed,
  facts: Readonly<Record<string, unknown>>,
  { showsDifference }: Pick<Change, 'showsDifference'> = {},
): Outcome {
  const { actions, leftStopped, message } = changed
  const acts =
    actions.length === 0 ? 'The change would cause no actions.\n' : `It would:\n${printPlannedActions(actions)}`
  const text = leftStopped.length === 0 ? acts : `${acts}This would not run:\n${printLeftStopped(leftStopped)}`
  const changes = showsDifference ? difference(withoutHolds(changed.before), withoutHolds(changed.edited.cib)) : []
  const differs = showsDifference ? `Configuration:\n${describeDifference(changes)}` : ''
  return done(`Preview: nothing was changed. The command would say: ${message}\n${differs}${text}`, {
    preview: true,
    ...facts,
    ...(showsDifference && { changes }),
  })
}
