import { describe, expect, test } from 'vitest'
import {
  type AttributeRequest,
  type AttributeWrite,
  dampeningStep,
  initialDampening,
  type KnownAttributes,
  liveAttributes,
  nextDampeningAt,
  releaseAll,
  setAttribute,
  setDampening,
} from '../../src/attributes/index.ts'
import { monotonicMs as at, nodeName } from '../../src/base/index.ts'
import type { AttributeTraitsRecord, TransientAttributeRecord, WithheldAttributeRecord } from '../../src/cib/index.ts'

const alpha = nodeName('alpha')
const beta = nodeName('beta')

/** What the store knows, with the DC that writes what has been quiet for long enough. */
class Attributes {
  readonly #written = new Map<string, TransientAttributeRecord>()
  readonly #withheld = new Map<string, WithheldAttributeRecord>()
  readonly #traits = new Map<string, AttributeTraitsRecord>()
  #dampening = initialDampening

  get known(): KnownAttributes {
    return { written: [...this.#written.values()], withheld: [...this.#withheld.values()], traits: this.#traits }
  }

  set(request: Partial<AttributeRequest>, now: number): this {
    return this.#apply(setAttribute(this.known, { node: alpha, set: '', name: 'pingd', ...request }), now)
  }

  dampen(name: string, delayMs: number, now: number): this {
    return this.#apply(setDampening(this.known, name, delayMs), now)
  }

  refresh(now: number): this {
    return this.#apply(releaseAll(this.known), now)
  }

  /** Of one name: `alpha 5`, as the CIB has it. */
  cib(now: number, name = 'pingd'): string {
    this.#passUntil(now)
    const own = [...this.#written.values()].filter((attribute) => attribute.name === name)
    return own
      .map(({ node, set, value }) => `${node}${set && ` (${set})`} ${value}`)
      .sort()
      .join(', ')
  }

  live(node = alpha, name = 'pingd'): string | undefined {
    return liveAttributes(this.known, node).get(name)
  }

  #passUntil(now: number): void {
    for (
      let due = nextDampeningAt(this.#dampening);
      due !== undefined && due <= now;
      due = nextDampeningAt(this.#dampening)
    ) {
      const { state, effects } = dampeningStep(this.#dampening, { kind: 'tick' }, due)
      this.#dampening = state
      for (const { name } of effects) this.#apply(releaseAll(this.known, name), due)
    }
  }

  #apply(writes: readonly AttributeWrite[], now: number): this {
    this.#passUntil(now)
    for (const write of writes) {
      const { node, set, name } = { node: '', set: '', ...('record' in write ? write.record : write) }
      const key = `${node}/${set}/${name}`
      if (write.kind === 'put-attribute') this.#written.set(key, write.record)
      else if (write.kind === 'delete-attribute') this.#written.delete(key)
      else if (write.kind === 'withhold-attribute') this.#withheld.set(key, write.record)
      else if (write.kind === 'release-attribute') this.#withheld.delete(key)
      else this.#traits.set(name, write.record)
    }
    this.#dampening = dampeningStep(this.#dampening, { kind: 'known', known: this.known }, at(now)).state
    return this
  }
}

const dampened = () => new Attributes().set({ value: '100', delayMs: 3000 }, 0)

describe('dampening', () => {
  test('without it a value is in the CIB at once', () => {
    expect(new Attributes().set({ value: '100' }, 0).cib(0)).toBe('alpha 100')
  })

  test('with it a value is read by agents at once and by the scheduler later', () => {
    const attributes = dampened()
    expect(attributes.live()).toBe('100')
    expect(attributes.cib(2999)).toBe('')
    expect(attributes.cib(3000)).toBe('alpha 100')
  })

  test('it stays with the attribute', () => {
    const attributes = dampened().set({ value: '200' }, 5000)
    expect(attributes.cib(7999)).toBe('alpha 100')
    expect(attributes.cib(8000)).toBe('alpha 200')
  })

  test('a change on another node starts the wait anew, and both are written together', () => {
    const attributes = dampened().set({ node: beta, value: '200' }, 2000)
    expect(attributes.cib(4999)).toBe('')
    expect(attributes.cib(5000)).toBe('alpha 100, beta 200')
  })

  test('the same value once more does not', () => {
    expect(dampened().set({ value: '100' }, 2000).cib(3000)).toBe('alpha 100')
  })

  test('a value that is back where it was leaves the CIB as it was', () => {
    const attributes = dampened()
    attributes.cib(3000)
    expect(attributes.set({ value: '0' }, 4000).set({ value: '100' }, 5000).cib(60_000)).toBe('alpha 100')
  })

  test('a change of the dampening writes what waits, and the new value waits by the new one', () => {
    const attributes = dampened().set({ value: '200', delayMs: 2000 }, 1000)
    expect(attributes.cib(1000)).toBe('alpha 100')
    expect(attributes.cib(3000)).toBe('alpha 200')
  })

  test('a dampening of nothing writes the new value at once', () => {
    expect(dampened().set({ value: '200', delayMs: 0 }, 1000).cib(1000)).toBe('alpha 200')
  })

  test('set alone, it writes what waits, and does nothing for an attribute that nobody has', () => {
    const attributes = dampened().dampen('pingd', 9000, 1000).dampen('nobody', 9000, 1000)
    expect(attributes.cib(1000)).toBe('alpha 100')
    expect(attributes.set({ value: '1' }, 2000).cib(10_999)).toBe('alpha 100')
    expect(attributes.set({ name: 'nobody', value: '1' }, 2000).cib(2000, 'nobody')).toBe('alpha 1')
  })

  test('a refresh writes what waits', () => {
    expect(dampened().refresh(1000).cib(1000)).toBe('alpha 100')
  })

  test('a deletion waits as well', () => {
    const attributes = dampened()
    attributes.cib(3000)
    attributes.set({}, 4000)
    expect(attributes.live()).toBeUndefined()
    expect(attributes.cib(6999)).toBe('alpha 100')
    expect(attributes.cib(7000)).toBe('')
  })

  test('counting goes on from what waits', () => {
    expect(dampened().set({ value: 'value++' }, 100).live()).toBe('101')
  })

  test('what could not be written is tried again, and a node that is not the DC writes nothing', () => {
    const withheld = [{ node: alpha, set: '', name: 'pingd', value: '1' }]
    const known = {
      written: [],
      withheld,
      traits: new Map([['pingd', { name: 'pingd', delayMs: 1000, isPrivate: false }]]),
    }
    const waits = dampeningStep(initialDampening, { kind: 'known', known }, at(0)).state
    const asked = dampeningStep(waits, { kind: 'tick' }, at(1000))
    expect(asked.effects).toEqual([{ kind: 'write-attributes', name: 'pingd' }])
    const again = dampeningStep(asked.state, { kind: 'known', known }, at(1500)).state
    expect(dampeningStep(again, { kind: 'tick' }, at(2000)).effects).toHaveLength(1)
    expect(nextDampeningAt(dampeningStep(again, { kind: 'not-dc' }, at(1600)).state)).toBeUndefined()
  })
})

describe('private attributes', () => {
  test('are never in the CIB, whatever is done to them later', () => {
    const attributes = new Attributes().set({ value: 'held', isPrivate: true }, 0).set({ value: 'free' }, 1000)
    attributes.set({ node: beta, value: 'held', delayMs: 500 }, 2000).refresh(3000)
    expect([attributes.live(alpha), attributes.live(beta)]).toEqual(['free', 'held'])
    expect(attributes.cib(60_000)).toBe('')
    expect(attributes.set({}, 61_000).live(alpha)).toBeUndefined()
  })

  test('an attribute that is in the CIB stays there', () => {
    const attributes = new Attributes().set({ value: '1' }, 0).set({ value: '2', isPrivate: true }, 1)
    expect(attributes.cib(1)).toBe('alpha 2')
  })
})

test('an attribute keeps the set of its first value', () => {
  const attributes = new Attributes().set({ set: 'own', value: '1' }, 0).set({ set: 'other', value: '2' }, 1)
  expect(attributes.cib(1)).toBe('alpha (own) 2')
})
