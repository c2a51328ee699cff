/**
 * The CIB as a user with roles sees and changes it. To check a change of a large CIB takes the main thread long: it is done in steps, between which
 * everything else has its turn. Nothing is lost by that, as what comes of it is saved only where nobody has changed the CIB meanwhile.
 */
import { setImmediate as afterOthers } from 'node:timers/promises'
import {
  type Access,
  accessTo,
  applyToWhole,
  childElements,
  clusterOptionValue,
  configurationElement,
  descendants,
  describeCibReport,
  describeForbidden,
  element,
  firstForbidden,
  firstHiddenReference,
  mayReadAll,
  mayWriteAll,
  ofTheCluster,
  type ReadableCib,
  readable,
  readConfiguration,
  sameDocument,
  UnreadablePermissionError,
  validationSteps,
  type XmlElement,
} from '../../cib/index.ts'
import { RefusedError, refuse } from '../../rpc/index.ts'
import { inPieces } from '../shared-state/in-pieces.ts'
import { deniedCode, type LimitedRights } from './rights.ts'
import { type Selector, SlowPermissionsError } from './selector.ts'
import { TooManyQuestionsError } from './turns.ts'

const tooManyCode = 'too-many-questions'

export class GuardedCib {
  readonly rights: LimitedRights
  readonly #selector: Selector
  /** In whose turn the selector is asked. */
  readonly #turn: string
  /** Most questions are about a CIB that was asked about before. */
  readonly #known = new WeakMap<XmlElement, Promise<Access>>()

  constructor(rights: LimitedRights, selector: Selector, turn: string = rights.user) {
    this.rights = rights
    this.#selector = selector
    this.#turn = turn
  }

  async accessTo(cib: XmlElement): Promise<Access> {
    const known = this.#known.get(cib) ?? this.#look(cib)
    this.#known.set(cib, known)
    // Whoever has too many questions in line asks this one again.
    known.catch((error: unknown) => {
      if (error instanceof RefusedError && error.code === tooManyCode) this.#known.delete(cib)
    })
    return await known
  }

  async #look(cib: XmlElement): Promise<Access> {
    const { permissions } = this.rights
    try {
      return accessTo(cib, permissions, await this.#selector.select(cib, permissions, { user: this.#turn }))
    } catch (error) {
      if (error instanceof TooManyQuestionsError) throw refuse(tooManyCode, error.message)
      if (error instanceof UnreadablePermissionError || error instanceof SlowPermissionsError)
        throw refuse('bad-permission', error.message)
      throw error
    }
  }

  async isQuick(cib: XmlElement, xpath: string): Promise<boolean> {
    try {
      return await this.#selector.isQuick(cib, xpath, this.#turn)
    } catch (error) {
      if (error instanceof TooManyQuestionsError) throw refuse(tooManyCode, error.message)
      throw error
    }
  }

  async see(cib: XmlElement): Promise<ReadableCib> {
    const seen = readable(cib, await this.accessTo(cib))
    if (seen !== undefined) return seen
    throw denied(`no role of ${this.rights.user} permits reading any part of the CIB.`)
  }

  /** Nothing is hidden, and nothing may come to be. */
  async readsAll(cib: XmlElement): Promise<boolean> {
    return this.rights.permissions.every(({ kind }) => kind !== 'deny') && mayReadAll(cib, await this.accessTo(cib))
  }

  /** May do what changes more than the CIB. */
  async administers(cib: XmlElement): Promise<boolean> {
    return mayWriteAll(configurationElement(cib), await this.accessTo(cib))
  }

  /** The whole CIB after somebody has made `pushed` of what was shown of it: `whole` itself where nothing is changed. Refused where that is not permitted. */
  async changed(whole: XmlElement, shown: ReadableCib, pushed: XmlElement): Promise<XmlElement> {
    await afterOthers()
    const merged = applyToWhole(shown, pushed)
    const access = await this.accessTo(whole)
    const after = access.of(whole) === 'write' ? merged : withVersionOf(whole, withClusterWordsOf(whole, merged))
    // A version that changes nothing would still push another one out of the history.
    if (sameDocument(whole, after)) return whole
    await this.#check(whole, after)
    await afterOthers()
    const hidden = firstHiddenReference(whole, after, await this.accessTo(after))
    if (hidden !== undefined)
      throw denied(
        `${this.rights.user} may not refer to '${hidden}', because ${this.rights.user} may not read all of it.`,
      )
    await afterOthers()
    const known = new Set(await mistakes(whole))
    await afterOthers()
    const fresh = (await mistakes(after)).filter((sentence) => !known.has(sentence))
    if (fresh.length > 0) throw refuse('mistakes', ...fresh)
    await afterOthers()
    return after
  }

  /** The same of what is recorded: nobody pushes that. */
  async check(before: XmlElement, after: XmlElement): Promise<void> {
    await this.#check(before, after)
  }

  async #check(before: XmlElement, after: XmlElement): Promise<void> {
    const sides = [
      { cib: before, access: await this.accessTo(before) },
      { cib: after, access: await this.accessTo(after) },
    ] as const
    await afterOthers()
    const forbidden = firstForbidden(...sides)
    if (forbidden !== undefined) throw refuse(deniedCode, describeForbidden(forbidden, this.rights.user))
    // Whoever chooses where the journal is sent reads it there.
    const isOther = (of: (cib: XmlElement) => string): boolean => of(after) !== '' && of(after) !== of(before)
    if ((isOther(collectorsIn) || isOther(collectorThatCounts)) && !(await this.readsAll(before)))
      throw denied('trace-collector may be set with the permission to read the whole CIB only.')
  }
}

const isCollector = ({ attributes }: XmlElement): boolean =>
  attributes.name === 'trace-collector' && attributes.value !== ''

/** Also those that do not count yet: a set that precedes them may go. */
const collectorsIn = (cib: XmlElement): string =>
  childElements(configurationElement(cib), 'crm_config')
    .flatMap(descendants)
    .filter(isCollector)
    .map(({ attributes }) => `${attributes['id-ref'] ?? ''} ${attributes.value ?? ''}`)
    .join('\n')

/** By a reference to what stands elsewhere, or by the scores of sets, another one may come to count. */
const collectorThatCounts = (cib: XmlElement): string =>
  descendants(configurationElement(cib)).some(isCollector)
    ? clusterOptionValue(readConfiguration(cib), 'trace-collector')
    : ''

export const denied = (why: string): Error => refuse(deniedCode, `Permission denied: ${why}`)

/** A version that stands in a document beside its changes is no change that its author asks for. */
function withVersionOf(whole: XmlElement, merged: XmlElement): XmlElement {
  const parts = ({ children }: XmlElement): XmlElement => element('parts', {}, children)
  if (sameDocument(parts(whole), parts(merged))) return merged
  const { admin_epoch: adminEpoch, epoch } = whole.attributes
  const version = {
    ...(adminEpoch === undefined ? {} : { admin_epoch: adminEpoch }),
    ...(epoch === undefined ? {} : { epoch }),
  }
  return { ...merged, attributes: { ...merged.attributes, ...version } }
}

/** What the cluster itself writes into the root is nobody's to write: it is no change, and stays as it is. */
function withClusterWordsOf(whole: XmlElement, merged: XmlElement): XmlElement {
  const own = ({ attributes }: XmlElement, wanted: boolean): readonly (readonly [string, string])[] =>
    Object.entries(attributes).filter(([name]) => ofTheCluster.has(name) === wanted)
  return { ...merged, attributes: Object.fromEntries([...own(merged, false), ...own(whole, true)]) }
}

/** Of the CIB that there is, each change asks again. */
const knownMistakes = new WeakMap<XmlElement, readonly string[]>()

async function mistakes(cib: XmlElement): Promise<readonly string[]> {
  const known =
    knownMistakes.get(cib) ??
    (await inPieces(validationSteps(cib))).filter(({ severity }) => severity === 'error').map(describeCibReport)
  knownMistakes.set(cib, known)
  return known
}
