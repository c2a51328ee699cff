import { expect, test } from 'vitest'
import { element } from '../../src/cib/index.ts'
import { modified } from '../../src/tools/cib/changes.ts'

const counters: readonly (readonly [name: string, before: string, written: string, after: string])[] = [
  ['epoch', '7', 'epoch++', '8'],
  ['epoch', '7', 'epoch+=5', '12'],
  ['value', '3', 'value++', '4'],
  ['value', '3', 'epoch++', 'epoch++'],
  ['description', 'x', 'description+more', 'description+more'],
  ['description', 'x', 'description++more', 'description++more'],
  ['description', 'x', 'description+=more', 'description+=more'],
  ['value', '3', 'value', 'value'],
]

for (const [name, before, written, after] of counters)
  test(`${name}="${written}" on ${before} is ${after}`, () =>
    expect(modified(element('x', { [name]: before }), element('x', { [name]: written }))?.attributes).toEqual({
      [name]: after,
    }))
