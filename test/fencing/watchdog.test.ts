import { expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import {
  type FencingDemand,
  type FencingEffect,
  type FencingInput,
  initialFencing,
  isFenceable,
  readFenceDevices,
  selfResetMs,
  stepFencing,
  watchdogDevice,
} from '../../src/fencing/index.ts'

const times: readonly { readonly option: string; readonly resetMs: number | undefined }[] = [
  { option: '0', resetMs: undefined },
  { option: '0s', resetMs: undefined },
  { option: '-1', resetMs: 10_000 },
  { option: '8s', resetMs: 8000 },
  { option: '5s', resetMs: undefined },
  { option: '3', resetMs: undefined },
]

for (const { option, resetMs } of times)
  test(`fencing-watchdog-timeout=${option} with a watchdog of 5 s: ${resetMs ?? 'it is not counted on'}`, () =>
    expect(selfResetMs(option, 5000)).toBe(resetMs))

const waits = new Map([[nodeName('a'), 14_500]])

function fencing(
  action: FencingDemand['action'],
  target = 'a',
  topology = '',
): (input: FencingInput) => readonly string[] {
  const xml = parseXml(`<cib><configuration><crm_config/><nodes/><resources>
    <primitive id="ipmi" class="stonith" type="fence_x"><instance_attributes id="i"><nvpair id="h" name="pcmk_host_list" value="a b"/></instance_attributes></primitive>
    </resources><constraints/>${topology}</configuration></cib>`)
  if (!xml.ok) throw new Error('the test itself is wrong')
  const configuration = readConfiguration(xml.value)
  const devices = [...readFenceDevices(configuration, { metadata: new Map() }), watchdogDevice(waits)]
  let state = initialFencing
  const feed = (input: FencingInput): readonly string[] => {
    const next = stepFencing(state, input, monotonicMs(0))
    state = next.state
    return next.effects.map(describe)
  }
  feed({ kind: 'configured', setup: { devices, topology: configuration.fencingLevels, concurrent: true } })
  feed({
    kind: 'demanded',
    demand: {
      id: '1',
      target: nodeName(target),
      attributes: new Map(),
      action,
      term: 1,
      timeoutMs: 60_000,
      delayMs: 0,
      random: 0,
      runners: [nodeName('c')],
      reason: '',
      client: '',
    },
  })
  return feed
}

function describe(effect: FencingEffect): string {
  if (effect.kind === 'run-device') return `${effect.device} ${effect.action}, call ${effect.call}`
  return effect.kind === 'record' ? `record ${effect.progress.outcome}` : `${effect.outcome}: ${effect.message}`
}

const written = (outcome: 'pending' | 'succeeded' | 'failed'): FencingInput => ({
  kind: 'recorded',
  id: '1',
  outcome,
  written: true,
})
const answer = (call: number, succeeded: boolean): FencingInput => ({
  kind: 'device-answered',
  call,
  answer: { succeeded, timedOut: !succeeded, output: '', message: succeeded ? '' : 'no answer' },
})

test('the watchdog is waited for when the devices have failed', () => {
  const feed = fencing('reboot')
  expect(feed(written('pending'))).toEqual(['ipmi reboot, call 1'])
  expect(feed(answer(1, false))).toEqual(['watchdog reboot, call 2'])
  expect(feed(answer(2, true))).toEqual(['record succeeded'])
  expect(feed(written('succeeded'))).toEqual(['succeeded: reboot by watchdog'])
})

test('a node without a watchdog that counts is not fenced by it', () => {
  const feed = fencing('reboot', 'b')
  feed(written('pending'))
  expect(feed(answer(1, false))).toEqual(['record failed'])
})

test('a level may name the watchdog; it is not tried twice then', () => {
  const feed = fencing(
    'off',
    'a',
    '<fencing-topology><fencing-level id="l" index="1" target="a" devices="watchdog"/></fencing-topology>',
  )
  expect(feed(written('pending'))).toEqual(['watchdog off, call 1'])
  expect(feed(answer(1, false))).toEqual(['record failed'])
})

test('it switches nothing on', () => {
  const feed = fencing('on')
  feed(written('pending'))
  expect(feed(answer(1, false))).toEqual(['record failed'])
})

test('a node can be fenced by its watchdog alone', () => {
  const can = (node: string): boolean => isFenceable({ node, attributes: new Map() }, [], [watchdogDevice(waits)])
  expect([can('a'), can('b')]).toEqual([true, false])
})
