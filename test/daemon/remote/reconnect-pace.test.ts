import { expect, test } from 'vitest'
import { ReconnectPace } from '../../../src/daemon/remote/reconnect-pace.ts'

/** The pauses after connections that lasted so long, one after the other. */
function pausesAfter(...lastedMs: readonly number[]): readonly number[] {
  const pace = new ReconnectPace()
  let now = 1000
  return lastedMs.map((ms) => {
    pace.up(now)
    now += ms
    return pace.ended(now)
  })
}

test('a connection that held a while is made again at once, and so is one that ended early once', () => {
  expect(pausesAfter(60_000, 60_000, 100)).toEqual([0, 0, 0])
})

test('one that ends again and again is made more and more rarely, every 10 s at most', () => {
  expect(pausesAfter(10, 10, 10, 10, 10, 10, 10, 10, 10, 10)).toEqual([
    0, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000,
  ])
})

test('a good connection makes up for the brief ones', () => {
  expect(pausesAfter(10, 10, 10, 10_000, 10)).toEqual([0, 200, 400, 0, 0])
})
