import { describe, expect, test } from 'vitest'
import {
  cloneMetaOptions,
  clusterOption,
  clusterOptions,
  commonMetaOptions,
  describeValues,
  fenceDeviceOptions,
  groupMetaOptions,
  guestMetaOptions,
  isValueOf,
  metaOption,
  metaOptionsFor,
  nodeAttributes,
  operationOption,
  operationOptions,
} from '../../src/cib/index.ts'

const families = {
  'cluster options': clusterOptions,
  'common meta-attributes': commonMetaOptions,
  'meta-attributes of guests': guestMetaOptions,
  'meta-attributes of groups': groupMetaOptions,
  'meta-attributes of clones': cloneMetaOptions,
  'operation options': operationOptions,
  'parameters of fence devices': fenceDeviceOptions,
  'node attributes': nodeAttributes,
}

for (const [family, options] of Object.entries(families))
  describe(family, () => {
    test('have each name once, old and new ones together', () => {
      const names = options.flatMap(({ name, otherNames }) => [name, ...(otherNames ?? [])])
      expect(names).toEqual([...new Set(names)])
    })

    test('have defaults that are values, and a sentence each', () => {
      for (const option of options) {
        expect(option.default === undefined || isValueOf(option, option.default), option.name).toBe(true)
        expect(option.description, option.name).toMatch(/^[A-Z].*\.$/)
        expect(describeValues(option)).not.toBe('')
      }
    })
  })

describe('an option is found', () => {
  const found: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['under its name', clusterOption('no-quorum-policy')?.default, 'stop'],
    ['under its old name', clusterOption('stonith-enabled')?.name, 'fencing-enabled'],
    ['for an operation', operationOption('timeout')?.default, '20s'],
    ['for a clone', metaOption('clone', 'master-max')?.name, 'promoted-max'],
    ['not for a kind that has none of it', metaOption('primitive', 'clone-max')?.name, undefined],
    ['not under the name of something in every object', clusterOption('constructor')?.name, undefined],
  ]
  for (const [name, value, expected] of found) test(name, () => expect(value).toBe(expected))
})

describe('values', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['fencing-enabled', 'YES', true],
    ['fencing-enabled', 'perhaps', false],
    ['no-quorum-policy', 'suicide', true],
    ['no-quorum-policy', 'panic', false],
    ['node-health-red', '-INFINITY', true],
    ['node-health-red', 'red', false],
    ['cluster-delay', '1min', true],
    ['cluster-delay', '1 fortnight', false],
    ['batch-limit', '-1', false],
    ['load-threshold', '80%', true],
    ['load-threshold', '80', false],
  ]
  for (const [name, value, good] of cases)
    test(`'${value}' is ${good ? 'a' : 'no'} value of ${name}`, () => {
      const option = clusterOption(name)
      expect(option && isValueOf(option, value)).toBe(good)
    })
})

test('members of collections take what is set around them', () => {
  expect(metaOptionsFor('group').map(({ name }) => name)).toContain('migration-threshold')
})
