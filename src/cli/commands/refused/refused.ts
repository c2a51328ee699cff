/**
 * Commands of pcs and crmsh that have nothing to do here, each with the sentence that says why and what to do instead. They are no
 * part of help; who types one learns more than that there is no such command.
 */
import { type Command, Refusal } from '../../command.ts'
import { crmshWords } from './crmsh.ts'
import type { RefusedWords } from './refused-words.ts'

const corosync =
  'Systole has no Corosync and no corosync.conf: its daemons find each other by the cluster’s list of nodes.'
const heuristics = 'A witness has no heuristics: which half goes on is decided by whose votes are a majority.'
const booth =
  'Systole does not set booth up: write /etc/booth/booth.conf on each site, and let systemd run boothd (booth@booth); booth status and booth ticket grant ask it. Without booth, tickets are granted by hand, with ticket grant.'
const dr = 'Systole does not pair a cluster with a recovery site: tickets say which of two clusters runs what.'
const certificates =
  'The certificates are the cluster’s own: its authority is made by cluster setup, and a node gets its certificate when it joins.'

const refused: readonly RefusedWords[] = [
  ...crmshWords,
  {
    paths: [
      'cluster authkey corosync',
      'cluster uidgid',
      'cluster uidgid add',
      'cluster uidgid delete',
      'cluster uidgid remove',
      'cluster config uuid generate',
      'cluster node rename-corosync',
    ],
    because: corosync,
  },
  {
    paths: ['cluster kill'],
    because:
      'Killing the daemon leaves its resources running, and the others fence the node: stop the cluster with cluster stop, or stop the service systoled.',
  },
  {
    paths: ['cluster rename'],
    because: 'A cluster keeps the name that it was set up with: it stands in the certificates of its nodes.',
  },
  {
    paths: ['cluster node rename-cib'],
    because:
      'A node keeps its name: remove it and let it join under the new one (cluster node remove, cluster node add).',
  },
  { paths: ['quorum device heuristics delete', 'quorum device heuristics remove'], because: heuristics },
  {
    paths: ['quorum device check_local_qnetd_certs', 'quorum device setup_local_qnetd_certs', 'qdevice net-client'],
    because: 'A witness gets its certificate from the cluster, by the line that quorum device add prints.',
  },
  {
    paths: ['qdevice kill'],
    because: 'Killing the daemon leaves the vote where it is, for etcd runs on: qdevice stop net ends it.',
  },
  {
    paths: ['resource failcount reset', 'stonith failcount reset'],
    because:
      'A fail count is forgotten with the failures that it counts: resource cleanup <resource> node=<node>, or stonith cleanup for a fence device.',
  },
  {
    paths: ['stonith update-scsi-devices'],
    because:
      'A fence device is changed with stonith update: one that unfences nodes then unfences them again, for which their resources restart.',
  },
  {
    paths: [
      'booth setup',
      'booth destroy',
      'booth ticket add',
      'booth ticket delete',
      'booth ticket remove',
      'booth config',
      'booth create',
      'booth enable-authfile',
      'booth clean-enable-authfile',
      'booth delete',
      'booth remove',
      'booth restart',
      'booth pull',
      'booth sync',
      'booth enable',
      'booth disable',
      'booth start',
      'booth stop',
    ],
    because: booth,
  },
  { paths: ['dr config', 'dr status', 'dr set-recovery-site', 'dr destroy'], because: dr },
  {
    paths: [
      'pcsd certkey',
      'pcsd sync-certificates',
      'pcsd deauth',
      'pcsd accept_token',
      'cluster certkey',
      'client local-auth',
    ],
    because: certificates,
  },
  {
    paths: ['constraint rule add', 'constraint rule delete', 'constraint rule remove'],
    because:
      'A location constraint has one rule since pcs 0.12: write a second constraint, or join the expressions with or; constraint delete takes a rule away by its id.',
  },
  {
    paths: [
      'cluster remove_nodes_from_cib',
      'node pacemaker-status',
      'alert get_all_alerts',
      'property get_cluster_properties_definition',
    ],
    because: 'This is for pcs’s own daemon: the same facts are printed by the command without it, with --json.',
  },
]

export const refusedCommands: readonly Command[] = refused.flatMap(({ paths, because }) =>
  paths.map((path) => ({
    path: path.split(' '),
    usage: '',
    summary: because,
    refuses: because,
    run: () => Promise.reject(new Refusal(because)),
  })),
)
