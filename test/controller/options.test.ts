/** Cluster options that the controller obeys, as they are written in a CIB, under each of their names. */
import { expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { controllerOptions } from '../../src/controller/options.ts'

const rows = [
  { name: 'load-threshold=200%', is: { loadThreshold: 2 } },
  { name: 'load-threshold=0', is: { loadThreshold: 0 } },
  { name: 'transition-delay=3s', is: { transitionDelayMs: 3000 } },
  { name: 'crmd-transition-delay=3s', is: { transitionDelayMs: 3000 } },
  { name: 'fencing-max-attempts=4', is: { fencingMaxAttempts: 4 } },
  { name: 'stonith-max-attempts=4', is: { fencingMaxAttempts: 4 } },
  { name: 'stonith-enabled=false', is: { fencingEnabled: false } },
  { name: 'fencing-enabled=false', is: { fencingEnabled: false } },
  { name: 'node-action-limit=9', is: { nodeActionLimit: 9 } },
  { name: 'cluster-recheck-interval=5min', is: { recheckIntervalMs: 300_000 } },
  { name: 'shutdown-escalation=5min', is: { shutdownEscalationMs: 300_000 } },
  { name: 'dc-deadtime=7s', is: { deadtimeMs: 7000 } },
] as const

test.each(rows)('$name is obeyed', ({ name, is }) => {
  const [option = '', value = ''] = name.split('=')
  const written = optionsOf(`<nvpair id="w" name="${option}" value="${value}"/>`)
  expect(written).toEqual({ ...optionsOf(''), ...is })
  expect(written).not.toEqual(optionsOf(''))
})

function optionsOf(pair: string): ReturnType<typeof controllerOptions> {
  const cib = parseXml(
    `<cib><configuration><crm_config><cluster_property_set id="o">${pair}</cluster_property_set></crm_config><nodes/><resources/><constraints/></configuration><status/></cib>`,
  )
  if (!cib.ok) throw new Error('bad test')
  return controllerOptions(readConfiguration(cib.value))
}
