/** The cluster's options (Pacemaker Explained 3.0, "Cluster-Wide Configuration"), by subject. */
import { boolean, duration, integer, type OptionDefinition, oneOf, score, text } from './definition.ts'

export const clusterOptions: readonly OptionDefinition[] = [
  {
    name: 'cluster-name',
    type: text,
    description: 'A name for the cluster, which rules see as #cluster-name and agents may use.',
  },
  {
    name: 'dc-version',
    type: text,
    setByCluster: true,
    description: 'The version of the software on the node that coordinates the cluster.',
  },
  {
    name: 'cluster-infrastructure',
    type: text,
    setByCluster: true,
    description: 'What carries messages between the nodes.',
  },
  {
    name: 'no-quorum-policy',
    type: oneOf('stop', 'freeze', 'ignore', 'demote', 'fence'),
    otherValues: ['suicide'],
    default: 'stop',
    description:
      'What nodes without quorum do: stop all resources, freeze (keep what runs, recover nothing from elsewhere), ignore the loss, demote promoted resources and stop the rest, or fence themselves.',
  },
  {
    name: 'symmetric-cluster',
    type: boolean,
    default: 'true',
    description: 'Whether resources may run on every node unless a constraint forbids it.',
  },
  {
    name: 'maintenance-mode',
    type: boolean,
    default: 'false',
    description: 'Whether the cluster keeps its hands off all resources: nothing is started, stopped or monitored.',
  },
  {
    name: 'stop-all-resources',
    type: boolean,
    default: 'false',
    description: 'Whether all resources are stopped.',
  },
  {
    name: 'start-failure-is-fatal',
    type: boolean,
    default: 'true',
    description:
      'Whether a failed start bans the resource from the node at once; otherwise migration-threshold decides.',
  },
  {
    name: 'enable-startup-probes',
    type: boolean,
    default: 'true',
    deprecated: true,
    description: 'Whether the cluster looks for resources that already run when a node joins.',
  },
  {
    name: 'fencing-enabled',
    type: boolean,
    default: 'true',
    otherNames: ['stonith-enabled'],
    description:
      'Whether nodes are fenced where that is needed to recover safely. Without it a node that hangs may keep running what is started elsewhere.',
  },
  {
    name: 'fencing-action',
    type: oneOf('reboot', 'off'),
    otherValues: ['poweroff'],
    default: 'reboot',
    otherNames: ['stonith-action'],
    description: 'What a fence device does to a node that must be fenced.',
  },
  {
    name: 'fencing-timeout',
    type: duration,
    default: '60s',
    otherNames: ['stonith-timeout'],
    description: 'How long fencing actions may take where the device says nothing else.',
  },
  {
    name: 'fencing-max-attempts',
    type: integer(1),
    default: '10',
    otherNames: ['stonith-max-attempts'],
    description: 'How often fencing of a node may fail before it is no longer repeated at once.',
  },
  {
    name: 'fencing-reaction',
    type: oneOf('stop', 'panic'),
    default: 'stop',
    otherNames: ['fence-reaction'],
    description:
      'What a node does that learns of its own fencing while it still runs: stop what it runs and come back as a new member, or panic, which reboots its machine at once.',
  },
  {
    name: 'fencing-watchdog-timeout',
    type: duration,
    default: '0',
    otherNames: ['stonith-watchdog-timeout'],
    description:
      'This time after its lease is over, a lost node counts as reset by its own watchdog, where no fence device could do it. It must be longer than the watchdog’s own time; 0 never assumes it, a negative value takes twice the watchdog’s time.',
    otherValues: ['-1'],
  },
  {
    name: 'have-watchdog',
    type: boolean,
    default: 'false',
    setByCluster: true,
    description: 'Whether some node feeds a watchdog now.',
  },
  {
    name: 'facts-interval',
    type: duration,
    default: '10min',
    description:
      'How often each node reads what its machine is (processors, memory, disks, network) into its node attributes #facts-…, at least 10 s; 0 removes them and reads nothing.',
  },
  {
    name: 'hardware-health',
    type: boolean,
    default: 'false',
    description:
      'Whether each member reads how its machine is (sensors and event log of its BMC, SMART, file systems, links) into node attributes #health-hardware-…, which count by node-health-strategy.',
  },
  {
    name: 'hardware-health-interval',
    type: duration,
    default: '60s',
    description:
      'How often a member reads how its machine is, at least 1 s. What is worse counts when two readings in a row say so.',
  },
  {
    name: 'hardware-health-recovery',
    type: duration,
    default: '10min',
    description: 'For how long readings must be better before a node attribute #health-hardware-… is.',
  },
  {
    name: 'watchdog-device',
    type: text,
    default: '',
    description:
      'The watchdog, such as /dev/watchdog, that every node feeds while it is a quorate member and its daemon works; empty for none. The node attribute of the same name sets it for one node, `none` for none.',
  },
  {
    name: 'watchdog-timeout',
    type: duration,
    default: '0',
    description:
      'The time after which the watchdog resets a node that does not feed it: the device is set to it before it is opened; 0 leaves the device as it is. Where SBD’s disks are read, their headers tell it.',
  },
  {
    name: 'sbd-devices',
    type: text,
    default: '',
    description:
      'Up to three shared disks, set up for SBD, with commas between them. Every node that feeds a watchdog reads its own slot on them and obeys the messages of fence_sbd. The node attribute of the same name sets them for one node, `none` for none.',
  },
  {
    name: 'concurrent-fencing',
    type: boolean,
    default: 'true',
    deprecated: true,
    description: 'Whether several nodes may be fenced at the same time.',
  },
  {
    name: 'startup-fencing',
    type: boolean,
    default: 'true',
    description: 'Whether nodes that were never seen since the cluster started are fenced.',
  },
  {
    name: 'priority-fencing-delay',
    type: duration,
    default: '0',
    description:
      'Delay of fencing against the nodes whose resources have the highest priority together, so that in a split of two they survive.',
  },
  {
    name: 'fence-remote-without-quorum',
    type: boolean,
    default: 'false',
    description: 'Whether nodes without quorum may fence remote nodes.',
    withoutEffect: 'without quorum no node takes a decision, and nothing is fenced.',
  },
  {
    name: 'node-pending-timeout',
    type: duration,
    default: '0',
    description:
      'After this time a node is fenced that is in the membership but does not join the cluster; 0 waits for ever.',
  },
  {
    name: 'cluster-delay',
    type: duration,
    default: '60s',
    description: 'How long commands to another node may take on the way, beyond their own timeout.',
  },
  {
    name: 'load-threshold',
    type: { kind: 'percentage' },
    default: '80%',
    description:
      'The load of a node, averaged over a minute and for each of its processors, beyond which fewer actions are sent to it, in proportion; 0% looks at no load.',
  },
  {
    name: 'node-action-limit',
    type: integer(0),
    default: '0',
    description: 'How many actions may run at the same time on one node; 0 stands for twice its processors.',
  },
  {
    name: 'batch-limit',
    type: integer(0),
    default: '0',
    description: 'How many actions may run at the same time in the whole cluster; 0 leaves it to the load.',
  },
  {
    name: 'migration-limit',
    type: integer(-1),
    default: '-1',
    description: 'How many live migrations may run at the same time on one node; -1 sets no limit.',
  },
  {
    name: 'stop-orphan-resources',
    type: boolean,
    default: 'true',
    otherNames: ['stop-removed-resources'],
    deprecated: true,
    description: 'Whether resources that were deleted from the configuration are stopped.',
  },
  {
    name: 'stop-orphan-actions',
    type: boolean,
    default: 'true',
    otherNames: ['stop-removed-actions', 'cancel-removed-actions'],
    deprecated: true,
    description: 'Whether recurring operations that were deleted from the configuration are cancelled.',
  },
  {
    name: 'remove-after-stop',
    type: boolean,
    default: 'false',
    deprecated: true,
    description: 'Whether the history of a resource is deleted after it stopped.',
  },
  {
    name: 'shutdown-lock',
    type: boolean,
    default: 'false',
    description: 'Whether resources of a node that was shut down cleanly wait for it instead of moving.',
  },
  {
    name: 'shutdown-lock-limit',
    type: duration,
    default: '0',
    description: 'How long shutdown locks hold; 0 is for ever.',
  },
  {
    name: 'enable-acl',
    type: boolean,
    default: 'false',
    description:
      'Whether members of the group haclient may do what their roles permit, and nothing else. Without it they may do what root may.',
  },
  {
    name: 'placement-strategy',
    type: oneOf('default', 'utilization', 'minimal', 'balanced'),
    default: 'default',
    description: 'How nodes are chosen: by number of resources, or by what nodes have left of their capacity.',
  },
  {
    name: 'node-health-strategy',
    type: oneOf('none', 'migrate-on-red', 'only-green', 'progressive', 'custom'),
    default: 'none',
    description: 'What node attributes whose names begin with #health do to a node’s scores.',
  },
  {
    name: 'node-health-base',
    type: score,
    default: '0',
    description: 'Health score that every node starts with (progressive strategy).',
  },
  {
    name: 'node-health-green',
    type: score,
    default: '0',
    description: 'Score of a health attribute that says green (progressive and custom strategies).',
  },
  {
    name: 'node-health-yellow',
    type: score,
    default: '0',
    description: 'Score of a health attribute that says yellow (progressive and custom strategies).',
  },
  {
    name: 'node-health-red',
    type: score,
    default: '-INFINITY',
    description: 'Score of a health attribute that says red (progressive and custom strategies).',
  },
  {
    name: 'cluster-recheck-interval',
    type: duration,
    default: '15min',
    description: 'How often the configuration is looked at again although nothing happened.',
  },
  {
    name: 'dc-deadtime',
    type: duration,
    default: '20s',
    description: 'How long a starting node waits for others.',
  },
  {
    name: 'election-timeout',
    type: duration,
    default: '2min',
    description: 'How long the election of a coordinator may take.',
    withoutEffect:
      'the DC is elected by the store, which asks a majority within a second and goes on until there is one.',
  },
  {
    name: 'shutdown-escalation',
    type: duration,
    default: '20min',
    description:
      'How long a node’s clean shutdown may take. Then it leaves with what still runs on it, and the others fence it; where fencing is disabled it waits on. 0 never does.',
  },
  {
    name: 'join-integration-timeout',
    type: duration,
    default: '3min',
    otherNames: ['crmd-integration-timeout'],
    description: 'How long the first half of a node’s joining may take.',
    withoutEffect:
      'a node joins by a single record of the DC, which takes no time of its own; node-pending-timeout says how long a node may be present without it.',
  },
  {
    name: 'join-finalization-timeout',
    type: duration,
    default: '30min',
    otherNames: ['crmd-finalization-timeout'],
    description: 'How long the second half of a node’s joining may take.',
    withoutEffect:
      'a node joins by a single record of the DC, which takes no time of its own; node-pending-timeout says how long a node may be present without it.',
  },
  {
    name: 'transition-delay',
    type: duration,
    default: '0s',
    otherNames: ['crmd-transition-delay'],
    description: 'How long to wait for more events before a new transition is computed.',
  },
  {
    name: 'pe-error-series-max',
    type: integer(-1),
    default: '-1',
    description:
      'How many inputs at which the scheduler has failed the DC keeps as files in /var/lib/systole/pengine, for `systole simulate -x`; -1 keeps all, 0 none.',
  },
  {
    name: 'pe-warn-series-max',
    type: integer(-1),
    default: '5000',
    description: 'How many scheduler inputs with failures or lost nodes the DC keeps; -1 keeps all, 0 none.',
  },
  {
    name: 'pe-input-series-max',
    type: integer(-1),
    default: '4000',
    description: 'How many other scheduler inputs the DC keeps; -1 keeps all, 0 none.',
  },
  {
    name: 'service-dns',
    type: text,
    default: '',
    description:
      'Opens DNS on every node, by UDP and TCP: who may reach the port learns the names, addresses and ports of healthy services and the addresses of the nodes. Words as of `systole service dns enable`, such as domain=cluster.internal; `on` for its defaults; empty or `off` opens nothing.',
  },
  {
    name: 'service-http',
    type: text,
    default: '',
    description:
      'Opens HTTP without encryption on every node, for clients of Consul and for events: who may reach the port reads the services, their instances and the reasons of failures. Words as of `systole service http enable`, such as port=8500; `on` for its defaults; empty or `off` opens nothing.',
  },
  {
    name: 'config-history-max',
    type: integer(1),
    default: '1000',
    description: 'How many versions of the configuration are kept.',
  },
  {
    name: 'config-history-max-age',
    type: duration,
    default: '0',
    description: 'At the next change, versions of the configuration that are older than this go; 0 keeps them.',
  },
  {
    name: 'config-history-max-size',
    type: integer(0),
    default: '128',
    description: 'How many MiB all versions of the configuration may take together as they are stored; 0 is no limit.',
  },
  {
    name: 'secret-names',
    type: text,
    default: '',
    description:
      'More names of parameters and attributes whose values are secret, beside those that say so (passwd, apikey, community …) and those that agents mark as private: separated by blanks; * stands for any letters.',
  },
  {
    name: 'trace-collector',
    type: {
      kind: 'text',
      pattern: /^(?:https?:\/\/[^\s@/]+(?:\/[^\s@]*)?)?$/i,
      means: 'the address of a collector, such as http://collector.example.com:4318',
    },
    default: '',
    description:
      'A collector of OpenTelemetry, to which the DC sends each recovery as a trace when it is over, by OTLP over HTTP; empty sends none. OTEL_EXPORTER_OTLP_HEADERS in the environment of systoled on each node has headers for it.',
  },
  {
    name: 'cluster-ipc-limit',
    type: integer(1),
    default: '500',
    deprecated: true,
    description: 'How many messages may wait for a client of the daemons.',
    withoutEffect: 'clients of the daemon are not queued.',
  },
  {
    name: 'last-lrm-refresh',
    type: text,
    setByCluster: true,
    description: 'When the history was last refreshed.',
  },
]
