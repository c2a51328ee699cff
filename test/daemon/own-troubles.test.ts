import { expect, test } from 'vitest'
import { steadyTroubles } from '../../src/daemon/node/own-troubles.ts'

test('what comes and goes is not told, and what was told stays until it has been gone twice', () => {
  let told: readonly string[] = []
  let before: readonly string[] = []
  const history = ['', 'full', '', 'full', 'full', '', 'full', 'full slow', 'slow', 'slow', '', ''].map((words) => {
    const found = words.split(' ').filter((word) => word !== '')
    told = steadyTroubles({ told, before, found })
    before = found
    return told.join(' ')
  })
  expect(history).toEqual(['', '', '', '', 'full', 'full', 'full', 'full', 'full slow', 'slow', 'slow', ''])
})
