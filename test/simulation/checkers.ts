/**
 * What must hold after each step, whatever fails (ARCHITECTURE.md, "Invariants that no fault may break"). The checkers know
 * the truth: what runs on the hosts, what the store's majority has written, which fencing has been confirmed.
 */
import type { NodeName, ResourceId } from '../../src/base/index.ts'

export type Invariant =
  | 'a primitive is never active on two nodes'
  | 'nothing starts without quorum'
  | 'a lost node is fenced before its resources start elsewhere'
  | 'a confirmed change of the configuration is never lost'
  | 'an old term is never obeyed'
  | 'whoever goes on alone leaves no majority behind'
  | 'at most promoted-max instances are promoted'
  | 'nothing starts where it may not'
  | 'orders are kept'
  | 'a node that counts as reset was reset'
  | 'missing answers cost no majority'
  | 'who is heard again is not fenced'
  | 'a silence is fenced once'
  | 'fencing costs no majority'
  | 'any single loss leaves the service running'
  | 'when faults stop, the cluster settles'

export interface Violation {
  readonly invariant: Invariant
  readonly at: number
  readonly details: string
}

export class Checkers {
  readonly violations: Violation[] = []
  readonly #now: () => number
  /** Where a resource ran when its host died, until that host is known to be clean. */
  readonly #unaccounted = new Map<ResourceId, NodeName>()
  readonly #announced = new Set<string>()
  readonly #savedMarkers: number[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  violated(invariant: Invariant, details: string): void {
    this.violations.push({ invariant, at: this.#now(), details })
  }

  hostDied(node: NodeName, active: Iterable<ResourceId>): void {
    for (const resource of active) this.#unaccounted.set(resource, node)
  }

  /** Fencing is confirmed and recorded, or the node has joined anew, so that what runs on it is probed. */
  nodeIsClean(node: NodeName): void {
    for (const [resource, where] of this.#unaccounted) if (where === node) this.#unaccounted.delete(resource)
  }

  /** A host that died and is on again was asked, and runs it no more. */
  isNotThere(node: NodeName, resource: ResourceId): void {
    if (this.#unaccounted.get(resource) === node) this.#unaccounted.delete(resource)
  }

  /** The pending record of an operation was written by a majority, under the term that ruled then. */
  announced(node: NodeName, key: string, of: { readonly term: number; readonly ruling: number | undefined }): void {
    this.#announced.add(`${node} ${key}`)
    if (of.term !== of.ruling)
      this.violated('an old term is never obeyed', `${node} obeys term ${of.term} while ${of.ruling ?? 'nobody'} rules`)
  }

  wroteUnderTerm(node: NodeName, term: number, ruling: number | undefined): void {
    if (term !== ruling)
      this.violated(
        'an old term is never obeyed',
        `${node} writes as DC of term ${term} while ${ruling ?? 'nobody'} rules`,
      )
  }

  /** An agent's start begins, which may make the resource active from now on. */
  starts(
    node: NodeName,
    resource: ResourceId,
    of: { readonly key: string; readonly alsoOn: readonly NodeName[]; readonly fencing: boolean },
  ): void {
    if (!this.#announced.has(`${node} ${of.key}`))
      this.violated('nothing starts without quorum', `${resource} starts on ${node}, and no majority knows of it`)
    if (of.alsoOn.length > 0)
      this.violated('a primitive is never active on two nodes', `${resource} starts on ${node}, active on ${of.alsoOn}`)
    const lost = this.#unaccounted.get(resource)
    if (of.fencing && lost !== undefined && lost !== node)
      this.violated(
        'a lost node is fenced before its resources start elsewhere',
        `${resource} starts on ${node}; it ran on ${lost}, which died and was not fenced`,
      )
    this.#unaccounted.delete(resource)
  }

  /** An agent's promotion begins. */
  promotes(node: NodeName, resource: ResourceId, promotedElsewhere: readonly NodeName[]): void {
    if (promotedElsewhere.length > 0)
      this.violated(
        'at most promoted-max instances are promoted',
        `${resource} is promoted on ${node}, and is on ${promotedElsewhere}`,
      )
  }

  /** It counts as fenced by its watchdog: it is off, has booted since it was integrated, or has left with nothing running. */
  countsAsReset(node: NodeName, wasReset: boolean): void {
    if (!wasReset) this.violated('a node that counts as reset was reset', `${node} has run since it was integrated`)
  }

  saved(marker: number): void {
    this.#savedMarkers.push(marker)
  }

  configurationIs(markers: readonly number[]): void {
    const missing = this.#savedMarkers.filter((marker) => !markers.includes(marker))
    if (missing.length > 0)
      this.violated('a confirmed change of the configuration is never lost', `changes ${missing} are gone`)
  }
}
