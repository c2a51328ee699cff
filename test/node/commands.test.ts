/** What the controller of the DC hears of a command that a node was told. */
import { expect, test } from 'vitest'
import { answerOf, type CommandAnswer, heardFrom } from '../../src/node/index.ts'

const key = '1:2:0:u'
const answer = (more: Partial<CommandAnswer>): CommandAnswer => ({
  accepted: false,
  done: false,
  why: '',
  highestTerm: 3,
  message: 'why',
  ...more,
})

const rows = [
  { name: 'taken, and told by its result', given: answer({ accepted: true }), heard: undefined },
  {
    name: 'done, and told by nothing else',
    given: answer({ accepted: true, done: true }),
    heard: { kind: 'acknowledged', transitionKey: key },
  },
  {
    name: 'refused',
    given: answer({ why: 'no-quorum' }),
    heard: { kind: 'not-taken', transitionKey: key, why: 'refused', message: 'why' },
  },
  {
    name: 'refused for a term that is over',
    given: answer({ why: 'old-term' }),
    heard: { kind: 'not-taken', transitionKey: key, why: 'old-term', message: 'why' },
  },
] as const

test.each(rows)('a command is $name', ({ given, heard }) => expect(heardFrom(given, key)).toEqual(heard))

test('an answer tells the highest term that the node has seen', () => {
  expect(answerOf({ kind: 'taken', done: true }, 7)).toMatchObject({ accepted: true, done: true, highestTerm: 7 })
  const refused = { kind: 'refused', why: 'old-term', highestTerm: 8, message: 'over' } as const
  expect(answerOf(refused, 7)).toMatchObject({ accepted: false, why: 'old-term', highestTerm: 8, message: 'over' })
})
