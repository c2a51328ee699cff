/** Options of the whole cluster, each with every kind of value that the scheduler tells apart. */
import { allNamed, configurationOf, ensureChild, removeFrom, setPair, statusOf, tree } from './cib-tree.ts'
import type { Mutation } from './mutation.ts'

const yesNo = ['true', 'false'] as const

/** By the names that all versions know. */
const options: readonly (readonly [string, readonly string[]])[] = [
  ['no-quorum-policy', ['stop', 'freeze', 'ignore', 'demote', 'fence', 'suicide']],
  ['symmetric-cluster', yesNo],
  ['maintenance-mode', ['true']],
  ['stop-all-resources', ['true']],
  ['stop-orphan-resources', yesNo],
  ['stop-orphan-actions', yesNo],
  ['startup-fencing', yesNo],
  ['fencing-enabled', yesNo],
  ['fencing-action', ['reboot', 'off']],
  ['fencing-timeout', ['90s']],
  ['concurrent-fencing', yesNo],
  ['priority-fencing-delay', ['0', '15s']],
  ['start-failure-is-fatal', yesNo],
  ['enable-startup-probes', yesNo],
  ['placement-strategy', ['default', 'utilization', 'minimal', 'balanced']],
  ['node-health-strategy', ['none', 'migrate-on-red', 'only-green', 'progressive', 'custom']],
  ['node-health-base', ['10', '-10']],
  ['node-health-green', ['5']],
  ['node-health-yellow', ['-5']],
  ['node-health-red', ['-10', '-INFINITY']],
  ['shutdown-lock', yesNo],
  ['shutdown-lock-limit', ['1s', '1h']],
  ['have-watchdog', yesNo],
  ['fencing-watchdog-timeout', ['0', '10s']],
  ['node-pending-timeout', ['0', '1s', '2h']],
  ['cluster-recheck-interval', ['5min']],
  ['batch-limit', ['2']],
  ['migration-limit', ['1']],
]

export const optionMutations: readonly Mutation[] = [
  {
    name: 'option',
    weight: 10,
    apply: (cib, random) => {
      const [name, values] = random.pick(options) ?? ['maintenance-mode', ['true']]
      const value = random.pick(values) ?? 'true'
      const section = ensureChild(configurationOf(cib), 'crm_config')
      const old = name.replace(/^fencing-/, 'stonith-')
      for (const pair of allNamed(section, 'nvpair'))
        if (pair.attributes.name === old || pair.attributes.name === name) removeFrom(section, pair)
      setPair(section, 'cluster_property_set', name, value)
      return `option ${name}=${value}`
    },
  },
  {
    name: 'option-removed',
    weight: 1,
    apply: (cib, random) => {
      const section = ensureChild(configurationOf(cib), 'crm_config')
      const pair = random.pick(allNamed(section, 'nvpair'))
      if (pair === undefined) return undefined
      removeFrom(section, pair)
      return `option ${pair.attributes.name} removed`
    },
  },
  {
    name: 'quorum',
    weight: 3,
    apply: (cib, random) => {
      cib.attributes['have-quorum'] = String(random.below(2))
      return `have-quorum=${cib.attributes['have-quorum']}`
    },
  },
  {
    name: 'date',
    weight: 2,
    apply: (cib, random) => {
      const moment = Number(cib.attributes['execution-date'])
      const later = random.pick([-100_000, -60, 15, 700, 90_000, 40_000_000]) ?? 15
      cib.attributes['execution-date'] = String(moment + later)
      return `${later} seconds later`
    },
  },
  {
    name: 'ticket-constraint',
    weight: 2,
    apply: (cib, random) => {
      const resources = ensureChild(configurationOf(cib), 'resources')
      const rsc = random.pick(resources.children.filter(({ name }) => name !== 'template'))?.attributes.id
      if (rsc === undefined) return undefined
      const policy = random.pick(['stop', 'demote', 'fence', 'freeze']) ?? 'stop'
      const role = random.pick([{}, {}, { 'rsc-role': 'Promoted' }, { 'rsc-role': 'Started' }]) ?? {}
      const id = `fuzz-ticket-${allNamed(cib, 'rsc_ticket').length}`
      const attributes = { id, rsc, ticket: 'fuzz', 'loss-policy': policy, ...role }
      ensureChild(configurationOf(cib), 'constraints').children.push(tree('rsc_ticket', attributes))
      const granted = random.below(3)
      if (granted > 0) {
        const list = ensureChild(statusOf(cib), 'tickets')
        list.children = list.children.filter((child) => child.attributes.id !== 'fuzz')
        list.children.push(tree('ticket_state', { id: 'fuzz', granted: String(granted === 1), standby: 'false' }))
      }
      return `${rsc} needs a ticket that is ${['unknown', 'granted', 'revoked'][granted]}: ${JSON.stringify(attributes)}`
    },
  },
]
