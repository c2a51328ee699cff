import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { CoreLoop } from '../../src/daemon/host/core-loop.ts'

test('an effect that feeds back at once waits until the effects before it are performed', () => {
  const performed: string[] = []
  const loop: CoreLoop<number, string, string> = new CoreLoop<number, string, string>({
    initial: 0,
    step: (state, input) => ({ state: state + 1, effects: input === 'first' ? ['a', 'b'] : [`after ${input}`] }),
    perform: (effect) => {
      performed.push(effect)
      if (effect === 'a') loop.feed('second')
    },
    nextAt: () => undefined,
    tick: 'tick',
  })
  loop.feed('first')
  expect(performed).toEqual(['a', 'b', 'after second'])
  expect(loop.state).toBe(2)
})

test('a core is ticked when it asked for it, and not after its end', async () => {
  let ticks = 0
  const loop = new CoreLoop<number, string, never>({
    initial: 0,
    step: (state, input) => {
      if (input === 'tick') ticks++
      return { state, effects: [] }
    },
    perform: () => undefined,
    nextAt: () => (ticks < 3 ? monotonicMs(monotonicNow() + 5) : undefined),
    tick: 'tick',
  })
  loop.feed('begin')
  await expect.poll(() => ticks).toBe(3)
  loop.end()
  loop.feed('tick')
  expect(ticks).toBe(3)
})

test('a core that ends itself by what it asks for is not woken any more', () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const before = timers()
  const loop: CoreLoop<number, string, string> = new CoreLoop<number, string, string>({
    initial: 0,
    step: (state) => ({ state, effects: ['end'] }),
    perform: () => loop.end(),
    nextAt: () => monotonicMs(monotonicNow() + 60_000),
    tick: 'tick',
  })
  loop.feed('begin')
  expect(timers()).toBe(before)
})
