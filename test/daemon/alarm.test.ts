import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { Alarm } from '../../src/daemon/host/alarm.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'

test('an alarm rings once, and not before its time, which may be a fraction of a millisecond', async () => {
  for (let n = 0; n < 20; n++) {
    const at = monotonicMs(Math.floor(monotonicNow()) + 3 + n / 20)
    const rangAt = await new Promise<number>((resolve) => {
      const alarm = new Alarm(() => resolve(monotonicNow()))
      alarm.set(at)
    })
    expect(rangAt).toBeGreaterThanOrEqual(at)
  }
})
