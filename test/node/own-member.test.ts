import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import type { NodeStateRecord } from '../../src/cib/index.ts'
import { emptyView, type MemberRecord } from '../../src/controller/index.ts'
import { ownMember } from '../../src/node/own-member.ts'

const alpha = nodeName('alpha')

function countsAsDown(member: MemberRecord['state'] | 'absent', join: 'member' | 'down', incarnation = 7): boolean {
  const record = { node: alpha, id: '1', incarnation: 7, address: 'a', daemonVersion: '', state: member, since: 0 }
  const state: NodeStateRecord = {
    node: alpha,
    id: '1',
    inCcm: join === 'member',
    crmd: join === 'member' ? 'online' : 'offline',
    join,
    expected: 'down',
    attributes: { incarnation: String(incarnation) },
  }
  const members = member === 'absent' ? new Map() : new Map([[alpha, record as MemberRecord]])
  const view = { ...emptyView, members, nodeStates: new Map([[alpha, state]]) }
  return ownMember(view, { self: alpha, incarnation: 7 }, {}).declaredDown
}

test('a node that may leave is on its way out; once it is recorded as gone it counts as down, whatever its own record says', () => {
  expect(countsAsDown('leaving', 'member')).toBe(false)
  expect(countsAsDown('leaving', 'down')).toBe(true)
  expect(countsAsDown('absent', 'down')).toBe(true)
})

test('a member that does not leave and is not expected counts as down, an earlier life of it does not concern it', () => {
  expect(countsAsDown('member', 'member')).toBe(true)
  expect(countsAsDown('member', 'down', 6)).toBe(false)
})
