/** Which words of keepalived.conf have no counterpart in the cluster, and why; and which are not needed, because the cluster does by itself what they are for. */

const alerts = "Create an alert for it: 'systole alert create' (guide Alerts)."
const scripts = `The cluster runs scripts on changes as alerts, on every node and with other variables. ${alerts}`
const ofHost = 'It stays on each host whatever the cluster does. Keep it in the configuration of the host.'
const announced =
  'The agent IPaddr2 announces an address when it starts. Its parameters arp_count, arp_interval and arp_count_refresh change that.'
const macs = 'The address gets the MAC address of the interface, and its change is announced (gratuitous ARP).'

/** The sentence says what to do instead. */
export const withoutCounterpart: Readonly<Record<string, string>> = {
  ...of(alerts, 'notification_email', 'smtp_alert', 'smtp_alert_vrrp', 'smtp_alert_checker', 'email_faults'),
  ...of(scripts, 'notify', 'notify_master', 'notify_backup', 'notify_fault', 'notify_stop', 'notify_deleted'),
  ...of(scripts, 'notify_master_rx_lower_pri', 'notify_priority_changes', 'notify_fifo', 'notify_fifo_script'),
  ...of(scripts, 'vrrp_notify_fifo', 'vrrp_notify_fifo_script', 'lvs_notify_fifo', 'lvs_notify_fifo_script'),
  ...of(ofHost, 'static_ipaddress', 'static_routes', 'static_rules', 'startup_script', 'shutdown_script'),
  ...of(ofHost, 'startup_script_timeout', 'shutdown_script_timeout', 'lvs_timeouts', 'lvs_flush', 'lvs_flush_on_stop'),
  ...of(scripts, 'vrrp_notify_priority_changes', 'rs_init_notifies'),
  ...of(macs, 'use_vmac', 'use_vmac_addr', 'vmac_xmit_base', 'use_ipvlan', 'vrf'),
  ...of(announced, 'garp_master_delay', 'garp_master_refresh', 'garp_master_refresh_repeat', 'garp_extra_if'),
  ...of(announced, 'vrrp_garp_master_delay', 'vrrp_garp_master_refresh', 'vrrp_garp_master_refresh_repeat'),
  ...of(announced, 'garp_group', 'vrrp_garp_interval', 'vrrp_gna_interval', 'vrrp_garp_extra_if', 'vrrp_min_garp'),
  vrrp_startup_delay:
    'The cluster places addresses as soon as most nodes see each other. Keep a node away for a while with systole node standby.',
  preempt_delay: 'The cluster moves back at once. With nopreempt it does not move back by itself.',
  virtual_rules: 'Create a resource with an agent of your own for policy rules.',
  track_file: 'Let what writes the file set a node attribute, and add a location rule for it.',
  vrrp_track_file: 'Let what writes the file set a node attribute, and add a location rule for it.',
  track_bfd: 'The links between the nodes are watched by heartbeats.',
  bfd_instance: 'The links between the nodes are watched by heartbeats.',
  track_src_ip: "Add a check for it: 'systole resource create' with ocf:systole:track.",
  no_accept: 'The node that has the address accepts packets to it.',
  promote_secondaries: 'Set the sysctl promote_secondaries on each host.',
  linkbeat_interfaces: 'The interface is asked with ip(8).',
  interface_up_down_delays: 'Change fall and rise of the check of the interface.',
  net_namespace: 'Agents run in the network namespace of the daemon.',
  net_namespace_ipvs: 'Agents run in the network namespace of the daemon.',
  lvs_sync_daemon: 'The cluster sets up no IPVS.',
  lvs_sync_daemon_interface: 'The cluster sets up no IPVS.',
  virtual_server:
    "The cluster sets up no IPVS. 'systole plan' with --haproxy=FILE writes what HAProxy needs instead; or keep keepalived for it, with its option --check (guide Coming from keepalived).",
  virtual_server_group: 'The cluster sets up no IPVS.',
  SSL: 'The cluster sets up no IPVS.',
  track_group: ofHost,
}

function of(reason: string, ...keywords: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, reason]))
}

/** Of VRRP and of keepalived's own processes. */
export const notNeeded: ReadonlySet<string> = new Set([
  ...['state', 'virtual_router_id', 'advert_int', 'authentication', 'unicast_peer', 'unicast_src_ip', 'mcast_src_ip'],
  ...['mcast_dst_ip', 'version', 'check_unicast_src', 'native_ipv6', 'down_timer_adverts', 'lower_prio_no_advert'],
  ...['higher_prio_send_advert', 'skip_check_adv_addr', 'strict_mode', 'debug', 'kernel_rx_buf_size', 'accept'],
  ...[
    'unicast_fault_no_peer',
    'unicast_ttl',
    'old_unicast_checksum',
    'garp_lower_prio_delay',
    'garp_lower_prio_repeat',
  ],
  ...['linkbeat_use_polling', 'global_tracking', 'use_pid_dir', 'instance', 'child_wait_time'],
  ...['namespace_with_ipsets', 'preempt', 'thread_timer_expired', 'fork_delay', 'terminate_delay', 'delay'],
  ...['notification_email_from', 'smtp_server', 'smtp_helo_name', 'smtp_connect_timeout'],
])

const each = (...ends: readonly string[]): readonly string[] =>
  ['vrrp', 'checker', 'bfd'].flatMap((process) => ends.map((end) => `${process}_${end}`))

/** Of `global_defs`: how keepalived's own processes run and speak VRRP, of which nothing is left. */
export const ofProcesses: ReadonlySet<string> = new Set([
  ...each('process_name', 'priority', 'no_swap', 'cpu_affinity', 'rt_priority', 'rlimit_rttime'),
  ...['tmp_config_directory', 'config_save_dir', 'process_names', 'process_name', 'checker_log_all_failures'],
  ...['no_email_faults', 'no_checker_emails', 'router_id', 'vrrp_mcast_group4', 'vrrp_mcast_group6'],
  ...['vrrp_garp_lower_prio_delay', 'vrrp_garp_lower_prio_repeat', 'vrrp_down_timer_adverts'],
  ...['vrrp_lower_prio_no_advert', 'vrrp_higher_prio_send_advert', 'vrrp_version', 'vrrp_check_unicast_src'],
  ...['vrrp_skip_check_adv_addr', 'vrrp_strict', 'nftables', 'nftables_priority', 'nftables_counters'],
  ...['nftables_ifindex', 'nftables_ipvs', 'nftables_ipvs_priority', 'nftables_ipvs_start_fwmark', 'vrrp_iptables'],
  ...['vrrp_ipsets', 'disable_local_igmp', 'max_auto_priority', 'min_auto_priority_delay', 'snmp_socket'],
  ...['enable_snmp_vrrp', 'enable_snmp_checker', 'enable_snmp_rfc', 'enable_snmp_rfcv2', 'enable_snmp_rfcv3'],
  ...['enable_snmp_keepalived', 'enable_traps', 'enable_dbus', 'dbus_service_name', 'enable_script_security'],
  ...['fifo_write_vrrp_states_on_reload', 'dynamic_interfaces', 'process_monitor_rcv_bufs'],
  ...['process_monitor_rcv_bufs_force', 'vrrp_rx_bufs_policy', 'vrrp_rx_bufs_multiplier', 'umask', 'log_unknown_vrids'],
  ...['vrrp', 'lvs'].flatMap((process) =>
    ['cmd', 'monitor'].flatMap((what) => [
      `${process}_netlink_${what}_rcv_bufs`,
      `${process}_netlink_${what}_rcv_bufs_force`,
    ]),
  ),
  ...['vmac_prefix', 'vmac_addr_prefix', 'random_seed', 'reload_check_config', 'include_check', 'reload_time_file'],
  ...['reload_repeat', 'reload_file', 'data_use_instance'],
])

/** What becomes something in the cluster, by the block that it stands in. */
export const mapped: Readonly<Record<string, ReadonlySet<string>>> = {
  vrrp_instance: new Set([
    ...['interface', 'priority', 'nopreempt', 'dont_track_primary', 'virtual_ipaddress', 'virtual_ipaddress_excluded'],
    ...['virtual_routes', 'track_script', 'track_process', 'track_interface', 'garp_master_repeat'],
  ]),
  vrrp_sync_group: new Set(['group', 'track_script', 'track_process', 'track_interface', 'sync_group_tracking_weight']),
  vrrp_script: new Set(['script', 'interval', 'timeout', 'weight', 'rise', 'fall', 'user', 'init_fail']),
  vrrp_track_process: new Set(['process', 'weight', 'quorum', 'quorum_max', 'param_match', 'full_command']),
  global_defs: new Set(['script_user', 'vrrp_garp_master_repeat', 'default_interface']),
  top: new Set(['global_defs', 'vrrp_instance', 'vrrp_sync_group', 'vrrp_script', 'vrrp_track_process']),
}
