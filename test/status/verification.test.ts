/** What has verified a resource on a node. */
import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { verificationsOn } from '../../src/status/index.ts'

const node = nodeName('n1')
type Given = Parameters<typeof verificationsOn>[0]

const looked = (operation: string, intervalMs: number, lastChange: number) => ({
  id: `web_${operation}_${intervalMs}`,
  operation,
  intervalMs,
  callId: 5,
  status: 0,
  exitCode: 0,
  lastChange,
})

function verifiedBy(...history: readonly ReturnType<typeof looked>[]): ReturnType<typeof verificationsOn> {
  const given = { state: { history: new Map([[node, history]]) }, operations: [] } as unknown as Given
  return verificationsOn(given, node)
}

test('the most frequent of several monitors comes first, in whatever order they were recorded', () => {
  const [slow, quick, middle] = [looked('monitor', 60_000, 3), looked('monitor', 5000, 1), looked('monitor', 20_000, 2)]
  for (const history of [
    [slow, quick, middle],
    [middle, slow, quick],
    [quick, middle, slow],
  ])
    expect(verifiedBy(looked('start', 0, 9), ...history).map(({ everyMs }) => everyMs)).toEqual([5000, 20_000, 60_000])
})
