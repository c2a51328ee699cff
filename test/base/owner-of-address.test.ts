import { expect, test } from 'vitest'
import { ownerOfAddress } from '../../src/base/index.ts'

const alike: readonly (readonly [string, string])[] = [
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8::1', '2001:db8:0:0::2'],
  ['2001:DB8:0:1::1', '2001:db8:0000:0001:5:6:7:8'],
  ['fe80::1%eth0', 'fe80::2%eth1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::1', '::2'],
]
for (const [one, other] of alike)
  test(`${one} and ${other} are one owner's`, () => expect(ownerOfAddress(one)).toBe(ownerOfAddress(other)))

const others: readonly (readonly [string, string])[] = [
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.2'],
  ['10.0.0.1', '10.0.0.2'],
  ['2001:db8::1', '::1'],
]
for (const [one, other] of others)
  test(`${one} and ${other} are not`, () => expect(ownerOfAddress(one)).not.toBe(ownerOfAddress(other)))
