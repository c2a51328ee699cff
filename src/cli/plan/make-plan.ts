/** What a description would change: the configuration by three sides, and by the real scheduler what that causes. Nothing is changed here. */
import { didYouMean, ok, similarWords } from '../../base/index.ts'
import {
  type ConfigurationChange,
  childElement,
  childElements,
  configurationElement,
  type Divergence,
  element,
  hiddenValue,
  isSecretName,
  mergeThreeWays,
  parseXml,
  resourceElementsOf,
  type XmlElement,
} from '../../cib/index.ts'
import { RefusedError } from '../../rpc/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { applyChange, type Change, type Changed } from '../change/change.ts'
import { decide } from '../change/decide.ts'
import { difference } from '../change/difference.ts'
import type { PlannedAction } from '../change/planned-actions.ts'
import { withoutInstance } from '../change/wait.ts'
import type { LeftOut } from '../keepalived/notes.ts'
import { type Interruption, interruptionsOf, recordedTimes } from '../rollout/interruptions.ts'
import type { Description } from './description.ts'

export interface MergeOptions {
  readonly prunes: boolean
  readonly overwrites: boolean
}

export interface Plan {
  readonly name: string | undefined
  /** Of the configuration that it was made from. */
  readonly version: number
  readonly changes: readonly ConfigurationChange[]
  readonly actions: readonly PlannedAction[]
  readonly leftStopped: Changed['leftStopped']
  readonly untouched: readonly string[]
  readonly interruptions: readonly Interruption[]
  /** Changed in the cluster since the file was last applied, and left so. */
  readonly kept: readonly string[]
  readonly notes: readonly string[]
  /** Of the file: what the cluster has nothing for, or does without. */
  readonly leftOut: readonly LeftOut[]
}

export interface MadePlan {
  readonly plan: Plan
  readonly changed: Changed
  readonly change: Change
  /** What the cluster remembers of the file. */
  readonly remembered: XmlElement | undefined
}

export async function makePlan(
  call: Call,
  {
    file,
    description,
    options,
  }: { readonly file: string; readonly description: Description; readonly options: MergeOptions },
): Promise<MadePlan> {
  const notes: string[] = []
  const remembered = description.base ?? (await lastApplied(call, description.name, notes))
  const kept = new Set<string>()
  const change: Change = {
    edit: (cib) => {
      refuseUnknownNodes(cib, description)
      const merged = mergeThreeWays(cib, {
        base: remembered ?? element('configuration'),
        wanted: description.wanted,
        overwrites: options.overwrites,
        ...(options.prunes && { prunesAllBut: ownOptions }),
      })
      if (merged.conflicts.length > 0) throw conflicting(file, merged.conflicts, description)
      kept.clear()
      if (description.base === undefined) for (const one of merged.kept) kept.add(sentenceOf(one, description))
      return ok({ cib: merged.cib, created: [], removed: [] })
    },
    message: () => `Applied ${file}.`,
  }
  const asked: Call = { ...call, flags: new Map([...call.flags, ['preview', true] as const]) }
  const { version } = await call.cluster.readCib()
  const changed = await withPlaces(description, async () => await applyChange(asked, change))
  return { plan: planOf(call, { description, changed, version, kept, notes }), changed, change, remembered }
}

function planOf(
  call: Call,
  {
    description,
    changed,
    version,
    kept,
    notes,
  }: {
    readonly description: Description
    readonly changed: Changed
    readonly version: number
    readonly kept: ReadonlySet<string>
    readonly notes: readonly string[]
  },
): Plan {
  const { before, edited, actions, leftStopped } = changed
  const acted = new Set(actions.flatMap(({ resource }) => (resource === undefined ? [] : [withoutInstance(resource)])))
  const { graph } = decide(edited.cib, call.terminal.now())
  const primitives = resourceElementsOf(before).filter(({ name }) => name === 'primitive')
  const ids = primitives.map(({ attributes }) => attributes.id ?? '')
  return masked(
    {
      name: description.name,
      version,
      changes: difference(before, edited.cib).map((change) => withoutFormer(change, description.secrets)),
      actions,
      leftStopped,
      untouched: ids.filter((id) => !acted.has(id)),
      interruptions: interruptionsOf(graph, recordedTimes(before)).filter(({ resource }) =>
        acted.has(withoutInstance(resource)),
      ),
      kept: [...kept],
      notes,
      leftOut: description.leftOut ?? [],
    },
    description.secrets,
  )
}

/** What was there where a secret comes is one as well: the secret before it. */
function withoutFormer(change: ConfigurationChange, secrets: readonly string[]): ConfigurationChange {
  if (change.kind !== 'changed') return change
  const attributes = change.attributes.map((one) =>
    one.before !== undefined && hasSecret(one.after, secrets) ? { ...one, before: hiddenValue } : one,
  )
  return { ...change, attributes }
}

const hasSecret = (text: string | undefined, secrets: readonly string[]): boolean =>
  text !== undefined && secrets.some((secret) => (secret.length < 4 ? text === secret : text.includes(secret)))

/** A secret that a file or the environment gave is never printed, whatever the option is called. */
function masked<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value
  const hide = (one: unknown): unknown => {
    if (typeof one === 'string')
      return secrets.reduce(
        (text, secret) =>
          secret.length < 4 ? (text === secret ? hiddenValue : text) : text.replaceAll(secret, hiddenValue),
        one,
      )
    if (Array.isArray(one)) return one.map(hide)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, hide(inner)]))
  }
  return hide(value) as T
}

async function lastApplied(call: Call, name: string | undefined, notes: string[]): Promise<XmlElement | undefined> {
  if (name === undefined || call.cluster.live === undefined) return undefined
  try {
    const { found, xml } = await call.cluster.live.getApplied({ name })
    const parsed = found ? parseXml(xml) : undefined
    return parsed?.ok ? parsed.value : undefined
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    notes.push(
      'Without the permission to write the whole configuration, what the file said before is not known: it is compared with the cluster alone, and nothing is removed.',
    )
    return undefined
  }
}

/** The cluster writes these by itself. */
const ownOptions: ReadonlySet<string> = new Set([
  'cluster-infrastructure',
  'cluster-name',
  'dc-version',
  'have-watchdog',
  'last-lrm-refresh',
])

/** A node is made by joining the cluster; a file that says its id may be for an empty CIB. */
function refuseUnknownNodes(cib: XmlElement, { wanted, placeOf }: Description): void {
  const namesIn = (configuration: XmlElement): readonly XmlElement[] =>
    childElements(childElement(configuration, 'nodes') ?? element('nodes'), 'node')
  const known = namesIn(configurationElement(cib)).map(({ attributes }) => attributes.uname ?? '')
  const unknown = namesIn(wanted).filter(
    ({ attributes }) => attributes.id === undefined && !known.includes(attributes.uname ?? ''),
  )
  if (unknown.length === 0) return
  throw new Refusal(
    ...unknown.map(({ attributes: { uname = '' } }) => {
      const place = placeOf(uname)
      return `${place === undefined ? '' : `${place}: `}There is no node '${uname}'.${didYouMean(similarWords(uname, known))}`
    }),
  )
}

function conflicting(file: string, conflicts: readonly Divergence[], description: Description): Refusal {
  return new Refusal(
    ...conflicts.map((one) => sentenceOf(one, description)),
    `${file} and the cluster have both changed since the file was last applied. Change the file, or add --overwrite to take what it says.`,
  )
}

export function sentenceOf(
  { id, what, base, running, wanted }: Divergence,
  { placeOf, secrets }: Pick<Description, 'placeOf' | 'secrets'>,
): string {
  const place = placeOf(id)
  const isHidden = isSecretName(what) || [base, running, wanted].some((value) => hasSecret(value, secrets))
  const shown = (value: string | undefined): string =>
    value === undefined ? 'not there' : isHidden ? hiddenValue : `'${value}'`
  const start = `${place === undefined ? '' : `${place}: `}${id}${what === '' ? '' : `: ${what}`}`
  if (what === '') {
    const inCluster = running === undefined ? 'removed' : 'changed'
    const inFile =
      wanted === undefined ? 'removed from the file' : base === undefined ? 'new in the file' : 'in the file'
    return `${start}: ${inCluster} in the cluster, ${inFile}.`
  }
  return `${start} is ${shown(running)} in the cluster and ${shown(wanted)} in the file; it was ${shown(base)}.`
}

/** What is wrong with an element is said with the line that describes it. */
export async function withPlaces<T>(description: Description, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(
      ...masked(error.sentences, description.secrets).map((sentence) => {
        if (/^\S+:\d+: /.test(sentence)) return sentence
        const ids = [...sentence.matchAll(/'([^']+)'/g)].map(([, id = '']) => id)
        const place = ids.map((id) => description.placeOf(id)).find((one) => one !== undefined)
        return place === undefined ? sentence : `${place}: ${sentence}`
      }),
    )
  }
}
