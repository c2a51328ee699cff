/** Which options each command of pcs 0.12 takes: a fact of its interface. `f` stands for `-f`; `--debug` goes with all of them. Alerts and
 * node attributes in every format came with 0.12.1. */
const commandsByOptions: Readonly<Record<string, string>> = {
  '': 'booth ticket standby, booth ticket unstandby, cluster kill, cluster reload corosync, cluster uidgid, config checkpoint, config checkpoint list, config checkpoint view, dr config, pcsd deauth, qdevice disable, qdevice enable, qdevice kill, qdevice start, quorum expected-votes, quorum status, resource agents, resource providers, resource relocate run, resource relocate show, resource standards, status corosync, status quorum, status wait, stonith history, stonith history cleanup, stonith history show, stonith history update, stonith sbd device message, stonith sbd watchdog list',
  'after agent-validation before disabled f force future group no-default-ops wait': 'resource create',
  'after before f': 'tag update',
  'after before f wait': 'resource group add',
  'agent-validation disabled f force no-default-ops wait': 'stonith create',
  'agent-validation f force wait': 'resource update, stonith update',
  'all corosync force pacemaker request-timeout wait': 'cluster stop',
  'all corosync_conf request-timeout wait': 'cluster start',
  'all defaults f output-format': 'property, property config',
  'all f full no-expire-check output-format':
    'resource defaults, resource defaults config, resource op defaults, resource op defaults config, stonith defaults, stonith defaults config, stonith op defaults, stonith op defaults config',
  'all f full output-format': 'constraint, constraint config, constraint location config',
  'all f wait': 'node maintenance, node standby, node unmaintenance, node unstandby',
  'all force request-timeout yes': 'cluster destroy',
  'all request-timeout': 'cluster disable, cluster enable',
  'autodelete f': 'acl role delete, acl role remove, acl role unassign',
  'booth-conf booth-key force name': 'booth setup, booth ticket add',
  'booth-conf booth-key name': 'booth ticket delete, booth ticket remove',
  'booth-conf booth-key name request-timeout skip-offline': 'booth sync',
  'brief f no-strict safe simulate wait': 'resource disable',
  'brief force no-strict simulate wait': 'resource safe-disable',
  'config f': 'cluster cib',
  'config f wait': 'cluster cib-push, cluster edit',
  corosync_conf: 'cluster config update, quorum, quorum config',
  'corosync_conf enable force no-cluster-uuid no-keys-sync overwrite start wait': 'cluster setup',
  'corosync_conf f': 'config, config show',
  'corosync_conf f force no-default-ops request-timeout skip-offline wait': 'cluster node add-remote',
  'corosync_conf f force request-timeout skip-offline': 'cluster node delete-remote, cluster node remove-remote',
  'corosync_conf f force request-timeout skip-offline wait':
    'cluster node add-guest, cluster node delete-guest, cluster node remove-guest',
  'corosync_conf f full hide-inactive request-timeout': 'status, status status',
  'corosync_conf force': 'cluster config uuid generate',
  'corosync_conf force request-timeout skip-offline': 'quorum device add, quorum device update, quorum update',
  'corosync_conf output-format': 'cluster config, cluster config show',
  'corosync_conf p request-timeout u': 'cluster auth',
  'corosync_conf request-timeout skip-offline':
    'quorum device delete, quorum device heuristics delete, quorum device heuristics remove, quorum device remove',
  'disabled f force wait': 'resource bundle create, resource bundle reset',
  'enable force no-watchdog-validation request-timeout skip-offline start wait': 'cluster node add',
  'enable start': 'qdevice setup',
  'expired f promoted wait': 'resource clear',
  f: 'acl, acl config, acl disable, acl enable, acl group create, acl group delete, acl group remove, acl permission add, acl permission delete, acl permission remove, acl role assign, acl role create, acl user create, acl user delete, acl user remove, alert create, alert delete, alert recipient delete, alert recipient remove, alert remove, alert update, cluster cib-upgrade, config checkpoint diff, config checkpoint restore, constraint colocation delete, constraint colocation remove, constraint delete, constraint location delete, constraint location remove, constraint order delete, constraint order remove, constraint ref, constraint remove, constraint ticket delete, constraint ticket remove, resource defaults set delete, resource defaults set remove, resource defaults set update, resource group list, resource op defaults set delete, resource op defaults set remove, resource op defaults set update, resource op delete, resource op remove, resource relocate clear, resource relocate dry-run, resource utilization, status nodes, status query resource get-index-in-group, status query resource get-members, status query resource get-nodes, status query resource get-type, status xml, stonith defaults set delete, stonith defaults set remove, stonith defaults set update, stonith level clear, stonith level delete, stonith level remove, stonith level verify, stonith op defaults set delete, stonith op defaults set remove, stonith op defaults set update, stonith op delete, stonith op remove, tag create, tag delete, tag remove',
  'f force':
    'alert recipient add, alert recipient update, constraint colocation add, constraint colocation set, constraint location, constraint location add, constraint order, constraint order set, constraint ticket add, constraint ticket set, property set, property unset, resource defaults set create, resource delete, resource op add, resource op defaults set create, resource remove, stonith defaults set create, stonith delete, stonith level add, stonith op add, stonith op defaults set create, stonith remove',
  'f force name': 'booth create, booth delete, booth remove',
  'f force name output-format': 'node attribute',
  'f force wait': 'resource bundle update, resource clone, resource meta, resource promotable, stonith meta',
  'f full':
    'cluster verify, resource failcount, resource failcount show, resource relations, stonith failcount, stonith failcount show',
  'f full output-format':
    'constraint colocation, constraint colocation config, constraint order config, constraint ticket, constraint ticket config',
  'f hide-inactive': 'resource, resource status, status resources, stonith, stonith status',
  'f monitor': 'resource manage, resource unmanage',
  'f name output-format': 'node utilization',
  'f output-format':
    'alert, alert config, resource config, stonith config, stonith level, stonith level config, tag, tag config',
  'f promoted wait': 'resource ban, resource move-with-constraint',
  'f quiet':
    'status query resource exists, status query resource is-in-bundle, status query resource is-in-clone, status query resource is-in-group, status query resource is-state, status query resource is-stonith, status query resource is-type',
  'f request-timeout': 'cluster status, status cluster',
  'f wait':
    'resource enable, resource group delete, resource group remove, resource unclone, resource ungroup, stonith disable, stonith enable',
  force: 'cluster node clear, config backup, pcsd certkey, qdevice destroy, qdevice stop',
  'force from overwrite to': 'cluster report',
  'force full':
    'resource debug-demote, resource debug-monitor, resource debug-promote, resource debug-start, resource debug-stop',
  'force name': 'booth destroy, booth restart',
  'force no-watchdog-validation request-timeout skip-offline': 'stonith sbd enable',
  'force request-timeout skip-offline':
    'cluster authkey corosync, cluster link add, cluster link update, cluster node delete, cluster node remove',
  'force strict': 'resource refresh, stonith refresh',
  'force yes': 'quorum unblock, stonith confirm, stonith sbd device setup, stonith sbd watchdog test',
  full: 'property defaults, qdevice status, quorum device status, resource describe, status qdevice, stonith describe',
  'full hide-inactive request-timeout': 'dr status',
  'full output-format': 'property describe',
  'full request-timeout': 'stonith sbd status',
  'local request-timeout': 'config restore',
  name: 'booth disable, booth enable, booth start, booth status, booth stop, booth ticket cleanup, booth ticket grant, booth ticket revoke, status booth',
  'name request-timeout': 'booth config, booth pull',
  nodesc: 'resource list, stonith list',
  off: 'stonith fence',
  'p request-timeout token u': 'host auth',
  'p request-timeout u': 'client local-auth',
  'promoted strict wait': 'resource move',
  'request-timeout':
    'cluster corosync, cluster sync, cluster sync corosync, dr set-recovery-site, host deauth, pcsd status, status pcsd, stonith sbd config',
  'request-timeout skip-offline':
    'cluster link delete, cluster link remove, dr destroy, stonith sbd disable, stonith update-scsi-devices',
  'skip-offline': 'pcsd sync-certificates',
  strict: 'resource cleanup, stonith cleanup',
  wait: 'resource restart',
}

/** Undefined for what is no command of pcs 0.12. */
export const optionsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(commandsByOptions).flatMap(([options, commands]) =>
    commands.split(', ').map((command) => [command, new Set(options.split(' '))] as const),
  ),
)

const optionsWithValue: ReadonlySet<string> = new Set(
  'request-timeout name group node from to after before corosync_conf booth-conf booth-key output-format token f u p'.split(
    ' ',
  ),
)

/** An option whose value is the next word. */
export const takesNext = (word: string | undefined): boolean =>
  optionsWithValue.has(/^--?([a-z][\w-]*)$/i.exec(word ?? '')?.[1] ?? '')
