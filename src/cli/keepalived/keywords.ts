/** Which words of keepalived.conf have no counterpart in the cluster, and why; and which are not needed, because the cluster does by itself what they are for. */

const alerts = "Create an alert for it: 'systole alert create' (guide Alerts)."
const scripts = `The cluster runs scripts on changes as alerts, on every node and with other variables. ${alerts}`
const ofHost = 'It stays on each host whatever the cluster does. Keep it in the configuration of the host.'
const announced =
  'The agent IPaddr2 announces an address when it starts. Its parameters arp_count, arp_interval and arp_count_refresh change that.'
const macs = 'The address gets the MAC address of the interface, and its change is announced (gratuitous ARP).'

/** The sentence says what to do instead. */
export const withoutCounterpart: Readonly<Record<string, string>> = {
  ...of(alerts, 'notification_email', 'smtp_alert', 'smtp_alert_vrrp', 'smtp_alert_checker'),
  ...of(scripts, 'notify', 'notify_master', 'notify_backup', 'notify_fault', 'notify_stop', 'notify_deleted'),
  ...of(scripts, 'notify_master_rx_lower_pri', 'notify_priority_changes', 'notify_fifo', 'notify_fifo_script'),
  ...of(scripts, 'vrrp_notify_fifo', 'vrrp_notify_fifo_script', 'lvs_notify_fifo', 'lvs_notify_fifo_script'),
  ...of(ofHost, 'static_ipaddress', 'static_routes', 'static_rules', 'startup_script', 'shutdown_script'),
  ...of(macs, 'use_vmac', 'use_vmac_addr', 'vmac_xmit_base', 'use_ipvlan', 'vrf'),
  ...of(announced, 'garp_master_delay', 'garp_master_refresh', 'garp_master_refresh_repeat', 'garp_extra_if'),
  ...of(announced, 'vrrp_garp_master_delay', 'vrrp_garp_master_refresh', 'vrrp_garp_master_refresh_repeat'),
  ...of(announced, 'garp_group', 'vrrp_garp_interval', 'vrrp_gna_interval', 'vrrp_garp_extra_if'),
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
    'The cluster sets up no IPVS. Keep keepalived for it with its option --check, or run HAProxy as a resource (guide Coming from keepalived).',
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

/** What becomes something in the cluster, by the block that it stands in. */
export const mapped: Readonly<Record<string, ReadonlySet<string>>> = {
  vrrp_instance: new Set([
    ...['interface', 'priority', 'nopreempt', 'dont_track_primary', 'virtual_ipaddress', 'virtual_ipaddress_excluded'],
    ...['virtual_routes', 'track_script', 'track_process', 'track_interface', 'garp_master_repeat'],
  ]),
  vrrp_sync_group: new Set(['group', 'track_script', 'track_process', 'track_interface', 'sync_group_tracking_weight']),
  vrrp_script: new Set(['script', 'interval', 'timeout', 'weight', 'rise', 'fall', 'user', 'init_fail']),
  vrrp_track_process: new Set(['process', 'weight', 'quorum', 'quorum_max', 'param_match', 'full_command']),
  top: new Set(['global_defs', 'vrrp_instance', 'vrrp_sync_group', 'vrrp_script', 'vrrp_track_process']),
}
