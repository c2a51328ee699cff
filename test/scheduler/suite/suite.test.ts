/** The project's own scheduler cases: one rule each, decided as the recorded Pacemaker decides (`npm run record:scheduler`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { answerOf, decide, parseRecording } from './recorded.ts'
import { topics } from './topics.ts'

describe.each(Object.entries(topics))('%s', (topic, cases) => {
  const { answers } = parseRecording(readFileSync(join(import.meta.dirname, 'recorded', `${topic}.txt`), 'utf8'))

  test('each case has a name of its own and a recorded answer, and no answer is left over', () => {
    expect(cases.map(({ name }) => name)).toEqual([...answers.keys()])
  })

  test.each(cases)('$name', (each) => {
    expect(answerOf(decide(each))).toEqual(answers.get(each.name))
  })
})
