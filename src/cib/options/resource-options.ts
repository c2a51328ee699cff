/** Meta-attributes of resources (Pacemaker Explained 3.0, "Resources", "Collective Resources"), and a node's attributes with a meaning. */
import { boolean, duration, integer, mostInstances, type OptionDefinition, oneOf, score, text } from './definition.ts'

/** Of every kind of resource; members of groups and clones inherit them. */
export const commonMetaOptions: readonly OptionDefinition[] = [
  {
    name: 'priority',
    type: score,
    default: '0',
    description: 'Where not all resources can run, those with a higher priority stay.',
  },
  {
    name: 'critical',
    type: boolean,
    default: 'true',
    description: 'Whether this resource, as the dependent of a colocation, pulls the primary along when it must move.',
  },
  {
    name: 'target-role',
    type: { kind: 'role' },
    default: 'Started',
    description: 'The highest role that the cluster gives the resource; Stopped keeps it stopped.',
  },
  {
    name: 'is-managed',
    type: boolean,
    default: 'true',
    description: 'Whether the cluster starts and stops the resource.',
  },
  {
    name: 'maintenance',
    type: boolean,
    default: 'false',
    description: 'Whether the cluster neither starts, stops nor monitors the resource.',
  },
  {
    name: 'resource-stickiness',
    type: score,
    description: 'How much the resource prefers to stay where it is (default 1 for clones, else 0).',
  },
  {
    name: 'requires',
    type: oneOf('nothing', 'quorum', 'fencing', 'unfencing'),
    description:
      'What must hold before the resource starts (default fencing; quorum where fencing is disabled and for fence devices).',
  },
  {
    name: 'migration-threshold',
    type: score,
    default: 'INFINITY',
    description: 'How many failures on a node ban the resource from it; 0 never does.',
  },
  {
    name: 'failure-timeout',
    type: duration,
    default: '0',
    description: 'After this time without another failure the failures are forgotten; 0 never does.',
  },
  {
    name: 'multiple-active',
    type: oneOf('block', 'stop_only', 'stop_start', 'stop_unexpected'),
    default: 'stop_start',
    description: 'What to do with a resource that is found active on more nodes than it should be.',
  },
  {
    name: 'allow-migrate',
    type: boolean,
    description:
      'Whether the resource is moved live, without stopping (default true for ocf:pacemaker:remote, else false).',
  },
  {
    name: 'allow-unhealthy-nodes',
    type: boolean,
    default: 'false',
    description: 'Whether the resource may run on a node whose health attributes say otherwise.',
  },
  {
    name: 'container-attribute-target',
    type: text,
    description: 'Of bundles: whether node attributes set inside are kept for the container or for its host.',
  },
  {
    name: 'provides',
    type: text,
    deprecated: true,
    description: 'Of fence devices: unfencing where the device must switch a node on before it may run resources.',
  },
  { name: 'container', type: text, deprecated: true, description: 'The resource in whose container this one runs.' },
]

/** Of primitives whose resource is a guest node. */
export const guestMetaOptions: readonly OptionDefinition[] = [
  { name: 'remote-node', type: text, description: 'The name of the guest node that this resource is.' },
  { name: 'remote-port', type: integer(1), default: '3121', description: 'The port of the guest node.' },
  { name: 'remote-addr', type: text, description: 'The address of the guest node (default: its name).' },
  {
    name: 'remote-connect-timeout',
    type: duration,
    default: '60s',
    description: 'How long connecting to the guest node may take.',
  },
  {
    name: 'remote-allow-migrate',
    type: boolean,
    default: 'true',
    description: 'Whether the connection to the guest node moves without stopping.',
  },
]

export const groupMetaOptions: readonly OptionDefinition[] = [
  {
    name: 'ordered',
    type: boolean,
    default: 'true',
    deprecated: true,
    description: 'Whether members start one after the other.',
  },
  {
    name: 'collocated',
    type: boolean,
    default: 'true',
    deprecated: true,
    description: 'Whether members run on the same node.',
  },
]

export const cloneMetaOptions: readonly OptionDefinition[] = [
  {
    name: 'clone-max',
    type: integer(0, mostInstances),
    description: 'How many instances there are (default: one for each node).',
  },
  {
    name: 'clone-node-max',
    type: integer(0),
    default: '1',
    description: 'How many instances may run on one node, if they are globally unique.',
  },
  {
    name: 'clone-min',
    type: integer(0),
    default: '0',
    description: 'How many instances must run before what depends on the clone starts; 0 asks for all that can run.',
  },
  {
    name: 'globally-unique',
    type: boolean,
    description: 'Whether each instance does something of its own (default true where clone-node-max is above 1).',
  },
  { name: 'ordered', type: boolean, default: 'false', description: 'Whether instances start one after the other.' },
  {
    name: 'interleave',
    type: boolean,
    default: 'false',
    description:
      'Whether what is ordered after the clone waits only for the instance on its own node, not for all of them.',
  },
  {
    name: 'notify',
    type: boolean,
    default: 'false',
    description: 'Whether instances are told before and after others are started, stopped, promoted or demoted.',
  },
  { name: 'promotable', type: boolean, default: 'false', description: 'Whether instances can be promoted.' },
  {
    name: 'promoted-max',
    type: integer(0),
    default: '1',
    otherNames: ['master-max'],
    description: 'How many instances are promoted.',
  },
  {
    name: 'promoted-node-max',
    type: integer(0),
    default: '1',
    otherNames: ['master-node-max'],
    description: 'How many instances are promoted on one node.',
  },
]

/** Permanent or transient attributes of nodes that the cluster itself acts on. */
export const nodeAttributes: readonly OptionDefinition[] = [
  { name: 'standby', type: boolean, default: 'false', description: 'Whether the node runs no resources.' },
  {
    name: 'maintenance',
    type: boolean,
    default: 'false',
    description: 'Whether the cluster keeps its hands off the resources on the node.',
  },
  { name: 'terminate', type: boolean, default: 'false', description: 'Whether the node is to be fenced.' },
]
