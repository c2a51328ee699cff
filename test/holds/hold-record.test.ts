import { expect, test } from 'vitest'
import { parseHold, sameHold } from '../../src/holds/index.ts'
import { hold } from './hold.ts'

test('a record is read back as it was written', () => {
  for (const one of [
    hold('drain', { node: 'n1', reason: 'kernel', ttlMs: 5000 }),
    hold('prefer', {
      node: 'n1',
      resource: 'web',
      role: 'Promoted',
      holder: 'x',
      renewed: '2026-11-23T14:02:05Z',
      ttlMs: 20_000,
    }),
    hold('maintenance', { resource: 'web' }),
  ])
    expect(parseHold(JSON.parse(JSON.stringify(one)))).toEqual(one)
})

const good = hold('drain', { node: 'n1' })
const wrong: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['a text', 'drain'],
  ['a kind of a later version', { ...good, kind: 'freeze' }],
  ['an id that no id of the CIB can hold', { ...good, id: 'a b' }],
  ['no owner', { ...good, owner: undefined }],
  ['an owner of a later version', { ...good, owner: { ...good.owner, kind: 'fleet' } }],
  ['a drain without a node', { ...good, node: undefined }],
  ['a drain of a resource', { ...good, resource: 'web' }],
  ['a ban without a resource', { ...good, kind: 'ban' }],
  ['maintenance of both', { ...good, kind: 'maintenance', resource: 'web' }],
  ['maintenance of nothing', { ...good, kind: 'maintenance', node: undefined }],
  ['disable of a node', { ...good, kind: 'disable' }],
]
for (const [name, value] of wrong)
  test(`is none of this version: ${name}`, () => expect(parseHold(value)).toBeUndefined())

test('a renewal is no change', () => {
  expect(sameHold(good, { ...good, renewed: 'later' })).toBe(true)
  expect(sameHold(good, { ...good, reason: 'another' })).toBe(false)
  expect(sameHold(good, undefined)).toBe(false)
})
