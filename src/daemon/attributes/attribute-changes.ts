/**
 * Changes of transient attributes that are asked for on this node. What they write is decided by src/attributes from what is
 * known; here those of one attribute follow each other, so that a `value++` sees the one before it.
 */
import {
  type AttributeRequest,
  type AttributeWrite,
  type KnownAttributes,
  releaseAll,
  setAttribute,
  setDampening,
} from '../../attributes/index.ts'
import { longestAttributeName, OutsideError, tooLong } from '../../base/index.ts'
import type { TransientAttributeRecord } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Comparison, Store } from '../../store/index.ts'
import { attributeWrite, knownAttributes } from '../records/attribute-writes.ts'
import { refuseUnfit } from '../records/fit-value.ts'
import { mostTraits } from '../records/limits.ts'
import { refuseManyAttributes } from '../records/record-room.ts'
import { type HasState, untilState } from '../shared-state/until-state.ts'

/** Longer, and whoever asked is told that it is done, which it is: the view will show it. */
const seenTimeoutMs = 5000

export interface AttributePorts {
  readonly store: () => Pick<Store, 'transaction'>
  readonly view: () => ClusterView
  readonly onState: HasState['onState']
}

export class AttributeChanges {
  readonly #ports: AttributePorts
  readonly #last = new Map<string, Promise<void>>()

  constructor(ports: AttributePorts) {
    this.#ports = ports
  }

  /** Resolves when this node's view shows it. */
  async set(request: AttributeRequest): Promise<void> {
    refuseBad(request)
    await this.#change(request.name, (known) => setAttribute(known, request))
  }

  /** In one transaction, so that the cluster decides once. No name is there twice. Nothing is written where something that was asked for does not hold. */
  async setAll(requests: readonly AttributeRequest[], asked: readonly Comparison[] = []): Promise<void> {
    for (const request of requests) refuseBad(request)
    await this.#write((known) => requests.flatMap((request) => setAttribute(known, request)), asked)
  }

  async setDampening(name: string, delayMs: number): Promise<void> {
    await this.#change(name, (known) => setDampening(known, name, delayMs))
  }

  /** Everything that waits is written. */
  async refresh(): Promise<void> {
    await this.#write(releaseAll)
  }

  async #change(name: string, decide: (known: KnownAttributes) => readonly AttributeWrite[]): Promise<void> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const changed = before.catch(() => undefined).then(async () => await this.#write(decide))
    this.#last.set(name, changed)
    try {
      await changed
    } finally {
      if (this.#last.get(name) === changed) this.#last.delete(name)
    }
  }

  async #write(
    decide: (known: KnownAttributes) => readonly AttributeWrite[],
    compare: readonly Comparison[] = [],
  ): Promise<void> {
    const { store, view } = this.#ports
    const known = knownAttributes(view())
    const decided = decide(known)
    if (decided.length === 0) return
    refuseTooMany(known, decided)
    const { applied, revision } = await store().transaction({ compare, writes: decided.map(attributeWrite) })
    if (!applied) throw new OutsideError('The attributes were not written: this node may no longer write them.')
    await untilState(this.#ports, () => view().revision >= revision, seenTimeoutMs)
  }
}

function refuseBad(request: AttributeRequest): void {
  const { name, set, value } = request
  // What is too long and there all the same can be deleted.
  const sentence =
    value === undefined
      ? undefined
      : (tooLong('name of the node attribute', name, longestAttributeName) ??
        tooLong('set of the node attribute', set, longestAttributeName))
  if (sentence !== undefined) throw refuse('bad-name', sentence)
  if (value !== undefined)
    refuseUnfit({ 'The name of an attribute': name, [`The set of ${name}`]: set, [`The value of ${name}`]: value })
}

type Named = Pick<TransientAttributeRecord, 'node' | 'set' | 'name'>

function refuseTooMany(known: KnownAttributes, writes: readonly AttributeWrite[]): void {
  const key = ({ node, set, name }: Named): string => JSON.stringify([node, set, name])
  const byKey = (records: readonly Named[]) => new Map(records.map((one) => [key(one), one]))
  const [written, withheld] = [byKey(known.written), byKey(known.withheld)]
  const traits = new Set(known.traits.keys())
  for (const write of writes)
    if (write.kind === 'put-attribute') written.set(key(write.record), write.record)
    else if (write.kind === 'withhold-attribute') withheld.set(key(write.record), write.record)
    else if (write.kind === 'delete-attribute') written.delete(key(write))
    else if (write.kind === 'release-attribute') withheld.delete(key(write))
    else traits.add(write.record.name)
  refuseManyAttributes([...known.written, ...known.withheld], [...written.values(), ...withheld.values()])
  if (traits.size > mostTraits && traits.size > known.traits.size)
    throw refuse('too-much', `The cluster keeps the dampening of ${mostTraits} node attributes at most.`)
}
