/** What the names in constraints mean, and where a constraint ends that names something that is not there. */
import { expect, test } from 'vitest'
import { dummy, meta, type SmallCib, simulateSmall } from './small-cib.ts'

const clone = (id: string, inside: string): string => `<clone id="${id}">${meta(id, {})}${inside}</clone>`
const set = (id: string, ...members: readonly string[]): string =>
  `<resource_set id="${id}">${members.map((member) => `<resource_ref id="${member}"/>`).join('')}</resource_set>`

const cases: readonly {
  readonly name: string
  readonly cib: SmallCib
  readonly transition: readonly string[]
  readonly scores?: readonly string[]
}[] = [
  {
    name: 'the inside of an anonymous clone has a name where a history uses it, and means the clone',
    cib: {
      resources: clone('all', dummy('web')),
      constraints: '<rsc_location id="l" rsc="web" node="n2" score="-INFINITY"/>',
      nodes: { n1: { ran: ['web start'] }, n2: {} },
    },
    transition: [],
  },
  {
    name: 'it has none where no history uses it',
    cib: {
      resources: clone('all', dummy('web')),
      constraints: '<rsc_location id="l" rsc="web" node="n1" score="-INFINITY"/>',
      nodes: { n1: {} },
    },
    transition: ['Start web:0 ( n1 )'],
  },
  {
    name: 'a group inside of a clone has no name, since histories have only its members',
    cib: {
      resources: clone('all', `<group id="g">${dummy('a')}</group>`),
      constraints: '<rsc_location id="l" rsc="g" node="n1" score="-INFINITY"/>',
      nodes: { n1: { ran: ['a start'] } },
    },
    transition: [],
  },
  {
    name: 'a colocation may name the inside of a clone, too',
    cib: {
      resources: clone('all', dummy('web')) + dummy('client'),
      constraints: '<rsc_colocation id="k" rsc="client" with-rsc="web" score="-INFINITY"/>',
      nodes: { n1: { ran: ['web start'] } },
    },
    transition: [],
  },
  {
    name: 'a location of a set ends with the first member that is not there',
    cib: {
      resources: dummy('a') + dummy('b'),
      constraints: `<rsc_location id="l" node="n1" score="-INFINITY">${set('s', 'a', 'gone', 'b')}</rsc_location>`,
      nodes: { n1: {} },
    },
    transition: ['Start b ( n1 )'],
  },
  {
    name: 'so do tickets of a set',
    cib: {
      resources: dummy('a') + dummy('b'),
      constraints: `<rsc_ticket id="t" ticket="T">${set('s', 'a', 'gone', 'b')}</rsc_ticket>`,
      nodes: { n1: {} },
    },
    transition: ['Start b ( n1 )'],
  },
  {
    name: 'a tag stands for nothing in sets that name something that is not there',
    cib: {
      resources: dummy('a') + dummy('b'),
      tags: '<tag id="tagged"><obj_ref id="a"/></tag>',
      constraints: `<rsc_location id="l" node="n1" score="-INFINITY">${set('s', 'tagged', 'b')}${set('r', 'gone')}</rsc_location>`,
      nodes: { n1: {} },
    },
    transition: ['Start a ( n1 )', 'Start b ( n1 )'],
  },
  {
    name: 'a set that lacks a member orders nothing, nor does what follows it',
    cib: {
      resources: dummy('a') + dummy('b') + dummy('c'),
      constraints: `<rsc_order id="o" kind="Mandatory">${set('s', 'a', 'gone', 'b')}${set('r', 'c')}</rsc_order>
        <rsc_location id="l" rsc="a" node="n1" score="-INFINITY"/>`,
      nodes: { n1: {} },
    },
    transition: ['Start b ( n1 )', 'Start c ( n1 )'],
  },
  {
    name: 'of a set that does not say whether it is sequential, a colocation with it means the last member',
    cib: {
      resources: dummy('a') + dummy('b') + dummy('c'),
      constraints: `<rsc_colocation id="k" score="100">${set('s', 'a')}${set('r', 'b', 'c')}</rsc_colocation>
        <rsc_location id="l" rsc="b" node="n1" score="INFINITY"/><rsc_location id="m" rsc="c" node="n1" score="INFINITY"/>`,
      nodes: { n1: {}, n2: {} },
    },
    transition: ['Start a ( n1 )', 'Start b ( n1 )', 'Start c ( n1 )'],
    scores: ['pcmk__primitive_assign: a allocation score on n1: 100'],
  },
]

test.each(cases)('$name', ({ cib, transition, scores = [] }) => {
  const told = simulateSmall(cib)
  expect(told.transition.toSorted()).toEqual(transition.toSorted())
  expect(told.scores).toEqual(expect.arrayContaining([...scores]))
})
