import { expect, test } from 'vitest'
import { steadyTroubles } from '../../src/daemon/node/own-troubles.ts'

test('what comes and goes is not lasting, and what was lasting stays until it has been gone twice', () => {
  let lasting: readonly string[] = []
  let before: readonly string[] = []
  const history = ['', 'full', '', 'full', 'full', '', 'full', 'full slow', 'slow', 'slow', '', ''].map((words) => {
    const found = words.split(' ').filter((word) => word !== '')
    lasting = steadyTroubles({ lasting, before, found })
    before = found
    return lasting.join(' ')
  })
  expect(history).toEqual(['', '', '', '', 'full', 'full', 'full', 'full', 'full slow', 'slow', 'slow', ''])
})
