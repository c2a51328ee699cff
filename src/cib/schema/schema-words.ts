/**
 * The words of Pacemaker's schemas, from 1.0 to 4.0: since which schema an element, an attribute or a value may be written, until which, and
 * what its values look like. `by-schema.ts` reads the tables; whatever is not named here is as old as 1.0 and may be any text.
 */

import { configurationSections } from '../tree.ts'

/** `pacemaker-2.10` is 210: later ones are greater. */
export type SchemaNumber = number

export interface Span {
  readonly since?: SchemaNumber
  /** The first schema without it. */
  readonly until?: SchemaNumber
}

export const elementSpans: Readonly<Record<string, Span>> = {
  acls: { since: 102 },
  'fencing-topology': { since: 102 },
  rsc_ticket: { since: 102 },
  template: { since: 102 },
  utilization: { since: 102 },
  acl_user: { since: 102, until: 200 },
  role_ref: { since: 102, until: 200 },
  read: { since: 102, until: 200 },
  write: { since: 102, until: 200 },
  deny: { since: 102, until: 200 },
  tags: { since: 103 },
  acl_group: { since: 200 },
  acl_target: { since: 200 },
  acl_permission: { since: 200 },
  alerts: { since: 205 },
  bundle: { since: 208 },
  rkt: { since: 210, until: 400 },
  master: { until: 400 },
  select: { since: 210 },
  podman: { since: 302 },
  rsc_expression: { since: 304 },
  op_expression: { since: 304 },
  lifetime: { until: 400 },
}

/** Attributes that not every schema has. */
export const attributeSpans: Readonly<Record<string, Span>> = {
  'node score': { since: 102 },
  'primitive template': { since: 102 },
  'resource_set require-all': { since: 102 },
  'rsc_location role': { since: 102 },
  'nvpair id-ref': { since: 103 },
  'acl_role description': { since: 200 },
  'resource_set ordering': { since: 201 },
  'rsc_location resource-discovery': { since: 202 },
  'rsc_order require-all': { since: 203 },
  'fencing-level target-attribute': { since: 204 },
  'fencing-level target-value': { since: 204 },
  'rsc_location rsc-pattern': { since: 206 },
  'expression value-source': { since: 209 },
  'docker masters': { until: 400 },
  'podman masters': { until: 400 },
  'docker promoted-max': { since: 300 },
  'rkt promoted-max': { since: 300 },
  'network add-host': { since: 300 },
  'resource_set kind': { since: 300 },
  'op requires': { until: 300 },
  'rsc_colocation score-attribute': { until: 300 },
  'rsc_colocation score-attribute-mangle': { until: 300 },
  'rsc_colocation influence': { since: 306 },
  'acl_target name': { since: 308 },
  'acl_group name': { since: 308 },
  'duration days': { since: 309 },
  'duration minutes': { since: 309 },
  'duration seconds': { since: 309 },
  'date_spec minutes': { since: 309 },
  'date_spec seconds': { since: 309 },
  'date_spec yeardays': { since: 309 },
  'date_spec moon': { until: 400 },
}

const role = { Started: {}, Stopped: {}, Master: {}, Slave: {}, Promoted: { since: 307 }, Unpromoted: { since: 307 } }
const action = { start: {}, stop: {}, promote: {}, demote: {} }
const kind = { Optional: {}, Mandatory: {}, Serialize: {} }
const oldClass = { lsb: {}, heartbeat: {}, stonith: {}, upstart: { until: 400 }, ocf: {} }

/** Attributes of which only these values may be written, as they are spelled. */
export const values: Readonly<Record<string, Readonly<Record<string, Span>>>> = {
  'node type': { member: {}, remote: { since: 103 }, ping: { until: 400 }, normal: { until: 300 } },
  'primitive class': {
    ...oldClass,
    service: { since: 102 },
    systemd: { since: 102 },
    nagios: { since: 102, until: 400 },
  },
  'template class': {
    ...oldClass,
    service: { since: 207 },
    systemd: { since: 207 },
    nagios: { since: 207, until: 400 },
  },
  'op role': role,
  'op on-fail': {
    ignore: {},
    block: {},
    stop: {},
    restart: {},
    standby: {},
    fence: {},
    'restart-container': { since: 102 },
    demote: { since: 304 },
  },
  'op requires': { nothing: {}, quorum: {}, fencing: {}, unfencing: { since: 103 } },
  'rule boolean-op': { and: {}, or: {} },
  'expression operation': { lt: {}, gt: {}, lte: {}, gte: {}, eq: {}, ne: {}, defined: {}, not_defined: {} },
  'expression type': { string: {}, number: {}, version: {}, integer: { since: 305 } },
  'expression value-source': { literal: {}, param: {}, meta: {} },
  'date_expression operation': { in_range: {}, gt: {}, lt: {}, date_spec: {} },
  'rsc_location role': role,
  'rsc_location resource-discovery': { always: {}, never: {}, exclusive: {} },
  'rsc_colocation rsc-role': role,
  'rsc_colocation with-rsc-role': role,
  'rsc_order first-action': action,
  'rsc_order then-action': action,
  'rsc_order kind': kind,
  'rsc_ticket rsc-role': role,
  'rsc_ticket loss-policy': { stop: {}, demote: {}, fence: {}, freeze: {} },
  'resource_set ordering': { group: {}, listed: {} },
  'resource_set action': action,
  'resource_set role': role,
  'resource_set kind': kind,
  'acl_permission kind': { read: {}, write: {}, deny: {} },
}

const whole = /^\s*[+-]?\d+\s*$/
const truth = /^\s*(true|false|1|0)\s*$/

/** Attributes whose values have a form. A score has one wherever it stands. */
export const valueForms: Readonly<Record<string, RegExp>> = {
  'op enabled': truth,
  'op record-pending': truth,
  'resource_set sequential': truth,
  'resource_set require-all': truth,
  'rsc_order symmetrical': truth,
  'rsc_order require-all': truth,
  'network add-host': truth,
  'network control-port': whole,
  'network host-netmask': whole,
  'port-mapping port': whole,
  'port-mapping internal-port': whole,
  'port-mapping range': /^[0-9-]+$/,
  'fencing-level index': /^\s*\+?0*[1-9]\d*\s*$/,
  'fencing-level devices': /^[\w.-]+(,[\w.-]+)*$/,
  ...Object.fromEntries(
    ['docker', 'podman', 'rkt'].flatMap((container) =>
      ['replicas', 'replicas-per-host', 'masters', 'promoted-max'].map((name) => [`${container} ${name}`, whole]),
    ),
  ),
}
export const scoreForm = /^(\s*[+-]?\d+\s*|[+-]?INFINITY)$/

/** What the table of forms knows and no schema does, or not there: taken from configurations that were written by hand. */
export const neverWritten: ReadonlySet<string> = new Set([
  'docker id',
  'podman id',
  'rkt id',
  'network id',
  'storage id',
  'rsc_order first-instance',
  'rsc_order then-instance',
  'rsc_colocation rsc-instance',
  'rsc_colocation with-rsc-instance',
  'duration yeardays',
  'date_spec days',
  'op on-fail reset-remote',
])

/** Elements that may have a description. */
export const described: ReadonlySet<string> = new Set([
  'node',
  'primitive',
  'template',
  'group',
  'clone',
  'master',
  'bundle',
  'op',
  'alert',
  'recipient',
  'acl_role',
  'acl_permission',
])

/** Elements that a reference to another one may stand for. */
export const referable: ReadonlySet<string> = new Set([
  'cluster_property_set',
  'instance_attributes',
  'meta_attributes',
  'utilization',
  'operations',
  'nvpair',
  'rule',
  'resource_set',
])

/** Elements without an id of their own. */
export const nameless: ReadonlySet<string> = new Set([
  'configuration',
  ...configurationSections,
  'docker',
  'podman',
  'rkt',
  'network',
  'storage',
  'lifetime',
  'select',
  'select_nodes',
  'select_fencing',
  'select_resources',
  'select_attributes',
])

/** Names of cluster options that were read before the schema 3.0. */
const goneOptions: ReadonlySet<string> = new Set([
  'cluster_recheck_interval',
  'dc_deadtime',
  'default-action-timeout',
  'default_action_timeout',
  'default-migration-threshold',
  'default_migration_threshold',
  'default-resource-failure-stickiness',
  'default_resource_failure_stickiness',
  'default-resource-stickiness',
  'default_resource_stickiness',
  'election_timeout',
  'expected-quorum-votes',
  'is-managed-default',
  'is_managed_default',
  'no_quorum_policy',
  'notification-agent',
  'notification-recipient',
  'remove_after_stop',
  'shutdown_escalation',
  'startup_fencing',
  'stonith_action',
  'stonith_enabled',
  'stop_orphan_actions',
  'stop_orphan_resources',
  'symmetric_cluster',
  'transition_idle_timeout',
])

/** Those that the schema 4.0 has forbidden instead: the others may be anybody's own again. */
const goneOptionsOf4: ReadonlySet<string> = new Set([
  'crmd-finalization-timeout',
  'crmd-integration-timeout',
  'crmd-transition-delay',
  'remove-after-stop',
])

/** Cluster options that later schemas have forbidden. */
export function isGoneOption(name: string, value: string | undefined, schema: SchemaNumber): boolean {
  if (schema >= 400) return goneOptionsOf4.has(name) || (name === 'stonith-action' && value === 'poweroff')
  return schema >= 300 && goneOptions.has(name)
}
