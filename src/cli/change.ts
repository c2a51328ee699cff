/**
 * Every command that changes the configuration goes this way: read, edit, validate, show the actions that the change
 * will cause, save by compare-and-swap, and wait if asked to. What is refused leaves the CIB byte for byte as it was.
 */
import { describeCibReport, validateCib, type XmlElement } from '../cib/index.ts'
import { type Call, done, type Outcome, Refusal } from './command.ts'
import { type PlannedAction, plannedActions, printPlannedActions } from './planned-actions.ts'
import { waitUntilSettled } from './wait.ts'

export interface Edit {
  /** The edited CIB. May throw a Refusal; it runs again on a newer CIB when somebody else was faster. */
  readonly edit: (cib: XmlElement) => EditedCib
}

export interface EditedCib {
  readonly cib: XmlElement
  /** What was done, in a sentence or two. */
  readonly message: string
  /** More facts for `--json`. */
  readonly facts?: Readonly<Record<string, unknown>>
  /** Why `--force` is needed, if it is. */
  readonly needsForce?: readonly string[]
}

const maxAttempts = 5

export async function changeCib(call: Call, change: Edit): Promise<Outcome> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const before = await call.cluster.readCib()
    const edited = change.edit(before.cib)
    refuseMistakes(before.cib, edited, call)
    const preview = plannedActions(before.cib, edited.cib, call.terminal.now())
    if (call.flags.has('preview')) return previewed(edited, preview)
    if (preview.length > 0) call.terminal.progress(printPlannedActions(preview, call.terminal))
    const answer = await call.cluster.push({ cib: edited.cib, expectedVersion: before.version, command: call.typed })
    if (answer.kind === 'saved') return await saved(call, edited, preview, answer.version)
  }
  throw new Refusal(
    `The configuration was changed by somebody else ${maxAttempts} times in a row. Nothing was changed: try again.`,
  )
}

/** Mistakes that the edit brings in are refused; those that were there before are not this command's. */
function refuseMistakes(before: XmlElement, edited: EditedCib, call: Call): void {
  const known = new Set(errorsOf(before))
  const fresh = errorsOf(edited.cib).filter((sentence) => !known.has(sentence))
  if (fresh.length > 0) throw new Refusal(...fresh)
  if (edited.needsForce && edited.needsForce.length > 0 && !call.flags.has('force'))
    throw new Refusal(...edited.needsForce.map((reason) => `${reason} Use --force to do it all the same.`))
}

function errorsOf(cib: XmlElement): readonly string[] {
  return validateCib(cib)
    .filter((report) => report.severity === 'error')
    .map(describeCibReport)
}

function previewed(edited: EditedCib, preview: readonly PlannedAction[]): Outcome {
  const actions = preview.length === 0 ? 'It would cause no actions.' : printPlannedActions(preview, undefined)
  return done(`Preview, nothing was changed. ${edited.message}\n${actions}\n`, {
    preview: true,
    message: edited.message,
    actions: preview,
    ...edited.facts,
  })
}

async function saved(
  call: Call,
  edited: EditedCib,
  preview: readonly PlannedAction[],
  version: number,
): Promise<Outcome> {
  const facts = { message: edited.message, version, actions: preview, ...edited.facts }
  const wait = call.flags.get('wait')
  if (wait === undefined) return done(`${edited.message}\n`, facts)
  const settled = await waitUntilSettled(call, wait, version)
  return done(
    `${edited.message}\n${settled.message}\n`,
    { ...facts, settled: settled.settled },
    settled.settled ? 0 : 1,
  )
}
