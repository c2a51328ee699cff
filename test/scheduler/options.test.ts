/** Cluster options that decide what is scheduled: beside the default, what another value makes of the same cluster. */
import { expect, test } from 'vitest'
import { dummy, meta, type SmallCib, simulateSmall } from './small-cib.ts'

const device = '<primitive id="power" class="stonith" type="fence_dummy"/>'
const lost: SmallCib = {
  resources: device + dummy('web'),
  options: { 'fencing-enabled': 'true' },
  nodes: { n1: {}, n2: { state: 'lost', ran: ['web start'] } },
}
const removed: SmallCib = { resources: dummy('web'), nodes: { n1: { ran: ['web start', 'old start'] } } }
const withoutMonitor: SmallCib = {
  resources: dummy('web'),
  nodes: { n1: { ran: ['web start', 'web monitor 10000'] } },
}
const stopping: SmallCib = {
  resources: dummy('web', meta('web', { 'target-role': 'Stopped' })),
  nodes: { n1: { ran: ['web start'] } },
}

const cases: readonly {
  readonly option: string
  readonly value: string
  readonly cib: SmallCib
  /** What the graph has by default, and what it has with the value. */
  readonly byDefault: RegExp
  readonly withIt: RegExp
}[] = [
  { option: 'fencing-action', value: 'off', cib: lost, byDefault: /Fence \(reboot\) n2/, withIt: /Fence \(off\) n2/ },
  { option: 'stop-orphan-resources', value: 'false', cib: removed, byDefault: /Stop old/, withIt: /^(?!.*Stop old)/s },
  {
    option: 'stop-orphan-actions',
    value: 'false',
    cib: withoutMonitor,
    byDefault: /web (cancel|monitor)|web_monitor_10000/,
    withIt: /^(?!.*web_monitor_10000)/s,
  },
  {
    option: 'remove-after-stop',
    value: 'true',
    cib: stopping,
    byDefault: /^(?!.*web_delete)/s,
    withIt: /web_delete_0/,
  },
  {
    option: 'startup-fencing',
    value: 'false',
    cib: {
      resources: device,
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: {}, n2: { state: 'unseen' } },
    },
    byDefault: /Fence \(reboot\) n2/,
    withIt: /^(?!.*Fence)/s,
  },
]

for (const { option, value, cib, byDefault, withIt } of cases)
  test(`${option}=${value}`, () => {
    const told = (options: Readonly<Record<string, string>>): string => {
      const { transition, graph } = simulateSmall({ ...cib, options: { ...cib.options, ...options } })
      return [...transition, ...graph].join('\n')
    }
    expect(told({})).toMatch(byDefault)
    expect(told({ [option]: value })).toMatch(withIt)
  })
