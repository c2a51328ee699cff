/** On the DC: takes back what nobody has confirmed in time. Which changes are due decides `unconfirmedStep` (src/holds). */
import type { MonotonicMs } from '../../base/index.ts'
import {
  configurationElement,
  describeFinding,
  mergeThreeWays,
  parseXml,
  printXml,
  validateCib,
  type XmlElement,
} from '../../cib/index.ts'
import { noneUnconfirmed, type UnconfirmedChange, type UnconfirmedEffect, unconfirmedStep } from '../../holds/index.ts'
import type { Comparison, Entry, Revision, Store, Write } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { toBytes } from '../records/json-value.ts'
import { keys, unconfirmedKey, unconfirmedPrefix } from '../records/keys.ts'
import { type AppliedRecord, appliedWrite, forgetApplied, readApplied } from './applied.ts'
import { type ConfigRecord, decodeConfig, pushConfig } from './config-history.ts'
import { confirmedWrites, readDocuments, type UnconfirmedDocuments, unconfirmedIn } from './unconfirmed.ts'

export interface UnconfirmedKeeperPorts {
  readonly self: string
  readonly log: Log
  readonly store: () => Store
  readonly below: (prefix: string) => readonly Entry[]
  /** This node's term while it is the DC and has quorum. */
  readonly term: () => number | undefined
  readonly versionsKept: () => number
  readonly now: () => MonotonicMs
  readonly calendarMs: () => number
}

/** Timers take no more; it is looked at again then. */
const longestWaitMs = 60 * 60_000

export class UnconfirmedKeeper {
  readonly #ports: UnconfirmedKeeperPorts
  #state = noneUnconfirmed
  #timer: NodeJS.Timeout | undefined
  #isBusy = false
  #closed = false

  constructor(ports: UnconfirmedKeeperPorts) {
    this.#ports = ports
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    const { term, below, now, calendarMs } = this.#ports
    clearTimeout(this.#timer)
    const current = this.#closed ? undefined : term()
    const changes = unconfirmedIn(below(unconfirmedPrefix)).map(([entry, change]) => ({
      change,
      revision: Number(entry.modRevision),
    }))
    const input =
      current === undefined
        ? ({ kind: 'stopped' } as const)
        : ({ kind: 'looked', changes, calendarMs: calendarMs() } as const)
    const { state, effects } = unconfirmedStep(this.#state, input, now())
    this.#state = state
    if (current !== undefined) for (const effect of effects) this.#perform(effect, current)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #perform(effect: UnconfirmedEffect, term: number): void {
    if (effect.kind === 'wake') {
      this.#timer = setTimeout(() => this.look(), Math.min(Math.max(effect.afterMs, 1), longestWaitMs))
      return
    }
    if (this.#isBusy) return
    this.#isBusy = true
    const { version } = effect.change
    this.#takeBack(effect, term)
      .catch((error: unknown) =>
        this.#ports.log.warn('an unconfirmed change could not be taken back yet', { version, error }),
      )
      .finally(() => {
        this.#isBusy = false
      })
  }

  async #takeBack(
    { change, revision }: Extract<UnconfirmedEffect, { kind: 'take-back' }>,
    term: number,
  ): Promise<void> {
    const { log, store: open, self, versionsKept } = this.#ports
    const store = open()
    const { version } = change
    const compare: readonly Comparison[] = [
      { kind: 'create-revision', key: keys.dc, equals: term as Revision },
      { kind: 'mod-revision', key: unconfirmedKey(version), equals: revision as Revision },
    ]
    const [documents, entry] = await Promise.all([readDocuments(store, version), store.get(keys.configuration)])
    if (entry === undefined) return
    const current = decodeConfig(entry)
    const made =
      documents === undefined ? { failed: 'its documents are gone.' } : takenBack(current, documents, version)
    if ('failed' in made) {
      const writes: readonly Write[] = [
        { kind: 'put', key: unconfirmedKey(version), value: toBytes({ ...change, failed: made.failed }) },
      ]
      await store.transaction({ compare, writes })
      log.error('an unconfirmed change cannot be taken back', { version, why: made.failed })
      return
    }
    const former = await formerlyApplied(store, documents?.applied, version)
    const { kind } = await pushConfig(store, {
      xml: made.xml,
      expectedVersion: current.version,
      user: 'systole',
      node: self,
      command: commandFor(change, made.kept),
      versionsKept: versionsKept(),
      compare,
      beside: () => [...confirmedWrites(version), ...former],
    })
    if (kind === 'saved')
      log.warn('a change of the configuration was not confirmed and has been taken back', {
        version,
        user: change.user,
        kept: made.kept,
      })
  }
}

/** With a colon, the name of a token would be hidden as if it were the token. */
const commandFor = ({ version, user, node, withinMs }: UnconfirmedChange, kept: readonly string[]): string =>
  `config revert ${version} (${user.replace(/^token:/, 'token ')}@${node} did not confirm it within ${withinMs / 1000} s)${kept.length === 0 ? '' : `; kept, because changed later: ${kept.join(', ')}`}`

/** The file says again what it said before, unless it was applied once more since. */
async function formerlyApplied(
  store: Store,
  applied: UnconfirmedDocuments['applied'],
  version: number,
): Promise<readonly Write[]> {
  if (applied === undefined) return []
  const now: AppliedRecord | undefined = await readApplied(store, applied.name)
  if (now?.version !== version) return []
  return [applied.before === undefined ? forgetApplied(applied.name) : appliedWrite(applied.before)]
}

/** What the configuration is without the change. What a later change has touched stays as that has it, and is named. */
export function takenBack(
  current: Pick<ConfigRecord, 'version' | 'xml'>,
  { before, after }: UnconfirmedDocuments,
  version: number,
): { readonly xml: string; readonly kept: readonly string[] } | { readonly failed: string } {
  if (current.version === version || current.xml === after) return { xml: before, kept: [] }
  const [running, base, wanted] = [current.xml, after, before].map(parsed)
  if (!running || !base || !wanted) return { failed: 'one of its documents is not XML.' }
  const { cib, conflicts } = mergeThreeWays(running, {
    base: configurationElement(base),
    wanted: configurationElement(wanted),
  })
  const [mistake] = mistakesOf(cib).filter((one) => !mistakesOf(running).includes(one))
  if (mistake !== undefined) return { failed: `later changes rely on it (${mistake})` }
  const kept = conflicts.map(({ id, what }) => (what === '' ? id : `${what} of ${id}`))
  return { xml: printXml(cib), kept }
}

const parsed = (xml: string): XmlElement | undefined => {
  const document = parseXml(xml)
  return document.ok ? document.value : undefined
}

const mistakesOf = (cib: XmlElement): readonly string[] =>
  validateCib(cib)
    .filter(({ severity }) => severity === 'error')
    .map(describeFinding)
