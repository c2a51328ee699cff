import { describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import {
  failedPart,
  isBetween,
  type NodeVersion,
  type NodeVersionRecord,
  reported,
  runningVersions,
  type Setting,
  type StatusType,
  settingsFor,
  triggered,
  versionsOfAll,
  whyNotTriggered,
  withTransition,
} from '../../src/rollout/index.ts'

const [n1, n2, n3] = [nodeName('n1'), nodeName('n2'), nodeName('n3')]
const record = (node: typeof n1, version: NodeVersion, log: readonly NodeVersion[] = []): NodeVersionRecord => ({
  node,
  ...version,
  since: '',
  log: log.map((line) => ({ ...line, at: '', rollout: 'r1' })),
})

describe('what a node reports', () => {
  const ran = (version: string, state: NodeVersion['state'] = 'validated'): NodeVersion => ({ version, state })
  const cases: readonly (readonly [NodeVersion | undefined, StatusType, number, string | undefined, unknown])[] = [
    [undefined, 'cloud-init', -1, undefined, undefined],
    [undefined, 'cloud-init', 0, undefined, undefined],
    [undefined, 'cloud-init', 1, undefined, { state: 'failed', failedIn: 'provisioning' }],
    [{ state: 'failed', failedIn: 'provisioning' }, 'cloud-init', 0, undefined, { state: 'provisioned' }],
    [ran('1'), 'puppet', -1, '1', { state: 'configuring', version: '2' }],
    [ran('1'), 'puppet', 0, '1', ran('1', 'configured')],
    [ran('1'), 'puppet', 2, '1', ran('1', 'configured')],
    [ran('1'), 'puppet', 1, '1', { ...ran('1', 'failed'), failedIn: 'configuration' }],
    [ran('1'), 'puppet', 4, '1', { ...ran('1', 'failed'), failedIn: 'configuration' }],
    [ran('1'), 'puppet_service', 6, '1', { ...ran('1', 'failed'), failedIn: 'configuration' }],
    [undefined, 'puppet', 0, undefined, undefined],
    [ran('1', 'configured'), 'puppet', 0, undefined, undefined],
    [ran('1', 'configured'), 'validation', -1, undefined, ran('1', 'validating')],
    [ran('1', 'validating'), 'validation', 0, undefined, ran('1')],
    [ran('1', 'validating'), 'validation_service', 3, undefined, { ...ran('1', 'failed'), failedIn: 'validation' }],
    [ran('1', 'failed'), 'validation', 0, '2', ran('2')],
    [
      { ...ran('1', 'failed'), failedIn: 'configuration' },
      'validation',
      1,
      '1',
      { ...ran('1', 'failed'), failedIn: 'validation' },
    ],
  ]
  for (const [before, type, exitCode, version, after] of cases)
    test(`${type} ${exitCode} after ${before?.state ?? 'nothing'} (${before?.version ?? '-'})`, () => {
      const own = version === undefined ? {} : { version }
      expect(reported(before, { kind: 'status', type, exitCode, ...own }, '2')).toEqual(after)
    })

  test('another version replaces the one before, and the same one says nothing', () => {
    expect(reported(ran('1'), { kind: 'version', version: '2' }, '2')).toEqual(ran('2', 'configured'))
    expect(reported(ran('1'), { kind: 'version', version: '1' }, '2')).toBeUndefined()
    expect(reported(ran('1', 'failed'), { kind: 'version', version: '1' }, '2')).toBeUndefined()
    expect(reported(undefined, { kind: 'version', version: '1' }, '2')).toEqual(ran('1', 'configured'))
  })
})

test('a node is in one state, stands under one version, and every change of it is kept', () => {
  const one = withTransition(n1, undefined, { version: { version: '1', state: 'configured' }, by: 'r1', at: 'a' })
  const two = withTransition(n1, one, { version: { version: '2', state: 'failed' }, by: 'r2', at: 'b', tail: 'disk' })
  const three = withTransition(n1, two, { version: { version: '2', state: 'configured' }, by: 'r2', at: 'c' })
  expect([...runningVersions([three])]).toEqual([['2', [n1]]])
  expect(three.log).toEqual([
    { version: '1', state: 'configured', rollout: 'r1', at: 'a' },
    { version: '2', state: 'failed', rollout: 'r2', at: 'b', tail: 'disk' },
    { version: '2', state: 'configured', rollout: 'r2', at: 'c' },
  ])
  expect(three).toMatchObject({ since: 'c', version: '2', state: 'configured' })
})

test('every node is listed once, also one of which nothing is known, and none that has left', () => {
  const known = [record(n1, { version: '1', state: 'validated' }), record(n3, { version: '1', state: 'validated' })]
  const seen = (connected: readonly (typeof n1)[]): readonly string[] =>
    versionsOfAll({ members: [n2, n1], connected }, known).map(({ node, state }) => `${node} ${state}`)
  expect(seen([])).toEqual(['n1 validated', 'n2 provisioned'])
  expect(seen([n3, nodeName('n4')])).toEqual(['n1 validated', 'n2 provisioned', 'n3 validated'])
})

test('another version is not triggered while nodes have not come to the one before', () => {
  const desired = triggered(undefined, { version: '2', since: 'a', user: 'root', node: n1 })
  const versions = [
    record(n1, { version: '2', state: 'validated' }),
    record(n2, { version: '1', state: 'validated' }),
    record(n3, { state: 'provisioned' }),
  ]
  const why = (version: string, more: object = {}): readonly string[] =>
    whyNotTriggered(version, { desired, versions, rollouts: [], ...more })
  expect(why('3')).toEqual(['n2 (1, validated), n3 (provisioned) do not run 2, which was triggered before.'])
  expect(why('2')).toEqual([])
  expect(why('3', { desired: undefined })).toEqual([])
  expect(why('3', { versions: [record(n1, { version: '2', state: 'validating' })] })).toEqual([
    'n1 (2, validating) does not run 2, which was triggered before.',
  ])
  expect(why('3', { versions: [record(n1, { version: '2', state: 'configured' })] })).toEqual([])
  expect(why('3', { versions: [], rollouts: [{ id: 'r7', version: '2' }] })).toEqual([
    'The rollout r7 to 2 has not ended.',
  ])
  expect(why('2', { rollouts: [{ id: 'r7', version: '2' }] })).toEqual([])
  expect(triggered(desired, { version: '3', since: 'b', user: 'anna', node: n2 }).before).toEqual([
    { version: '2', since: 'a', user: 'root', node: n1 },
  ])
})

test('a node on its way or failed runs no version for sure; where it failed is by its report, or by what it did before', () => {
  const failed: NodeVersion = { version: '2', state: 'failed' }
  const versions = [record(n1, failed), record(n2, { version: '2', state: 'configuring' })]
  expect(runningVersions(versions).size).toBe(0)
  expect(versions.every(isBetween)).toBe(true)
  expect(failedPart(record(n1, failed, [{ state: 'validating' }, failed]))).toBe('validation')
  expect(failedPart(record(n1, failed, [{ state: 'configuring' }, failed]))).toBe('configuration')
  expect(failedPart(record(n1, { ...failed, failedIn: 'provisioning' }))).toBe('provisioning')
  expect(failedPart(record(n1, { state: 'configured' }))).toBeUndefined()
})

test('a setting of a node comes before one of its roles, and that before one of the cluster', () => {
  const kind = 'config_state'
  const settings: readonly Setting[] = [
    { kind, scope: 'global', key: 'a', value: 'global' },
    { kind, scope: 'global', key: 'b', value: 'global' },
    { kind, scope: 'global', key: 'c', value: 'global' },
    { kind, scope: 'host', name: 'db1', key: 'a', value: 'host' },
    { kind, scope: 'host', name: 'db2', key: 'b', value: 'other host' },
    { kind, scope: 'role', name: 'db', key: 'a', value: 'role' },
    { kind, scope: 'role', name: 'db', key: 'b', value: 'role' },
    { kind, scope: 'role', name: 'web', key: 'c', value: 'role by attribute' },
    { kind: 'config_version', scope: 'host', name: 'db1', key: 'c', value: 'other kind' },
  ]
  expect(settingsFor({ node: 'db1', roles: ['web'] }, kind, settings)).toEqual({
    a: 'host',
    b: 'role',
    c: 'role by attribute',
  })
  expect(settingsFor({ node: 'other', roles: [] }, kind, settings).a).toBe('global')
  expect(settingsFor({ node: 'db1-abc', roles: [] }, kind, settings).a).toBe('role')
})
