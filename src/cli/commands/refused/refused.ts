/**
 * Commands of pcs and crmsh that have nothing to do here, each with the sentence that says why and what to do instead. They are no
 * part of help; who types one learns more than that there is no such command.
 */
import { type Command, Refusal } from '../../call/command.ts'
import { crmshWords } from './crmsh.ts'
import type { RefusedWords } from './refused-words.ts'

const corosync =
  'Systole does not use Corosync or corosync.conf: its daemons find each other through the cluster’s node list.'
const heuristics = 'A witness has no heuristics: the half with a majority of the votes continues.'
const booth =
  "Systole does not set up booth: write /etc/booth/booth.conf on each site and start boothd with systemd (booth@booth). 'booth status' and 'booth ticket grant' then use it. Without booth, use 'ticket grant'."
const dr = 'Systole has no disaster recovery sites: tickets control which of two clusters runs a resource.'
const certificates =
  "The cluster manages its certificates itself: 'cluster setup' creates the authority, and a node gets its certificate when it joins."

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
      "Killing the daemon leaves its resources running, and the other nodes fence the node. Use 'cluster stop', or stop the service systoled.",
  },
  {
    paths: ['cluster rename'],
    because: 'A cluster cannot be renamed: the certificates of its nodes contain the name.',
  },
  {
    paths: ['cluster node rename-cib'],
    because:
      'A node cannot be renamed. Remove it and add it with the new name (cluster node remove, cluster node add).',
  },
  { paths: ['quorum device heuristics delete', 'quorum device heuristics remove'], because: heuristics },
  {
    paths: ['quorum device check_local_qnetd_certs', 'quorum device setup_local_qnetd_certs', 'qdevice net-client'],
    because: "A witness gets its certificate from the cluster, with the command that 'quorum device add' prints.",
  },
  {
    paths: ['qdevice kill'],
    because: "Killing the daemon does not end the vote, because etcd keeps running. Use 'qdevice stop net'.",
  },
  {
    paths: ['resource failcount reset', 'stonith failcount reset'],
    because:
      'A fail count is reset together with its failures: resource cleanup <resource> node=<node>, or stonith cleanup for a fence device.',
  },
  {
    paths: ['stonith update-scsi-devices'],
    because:
      "Change a fence device with 'stonith update'. A device that unfences nodes then unfences them again, and their resources restart.",
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
      "Since pcs 0.12, a location constraint has one rule. Create a second constraint, or join the expressions with 'or'. 'constraint delete' deletes a rule by its id.",
  },
  forPcsDaemon('cluster remove_nodes_from_cib', "'cluster node remove'"),
  forPcsDaemon('node pacemaker-status', "'status nodes' with --json"),
  forPcsDaemon('alert get_all_alerts', "'alert config' with --json"),
  forPcsDaemon('property get_cluster_properties_definition', "'property describe' with --json"),
]

function forPcsDaemon(path: string, instead: string): RefusedWords {
  return { paths: [path], because: `This command is for pcs’s own daemon. Use ${instead} instead.` }
}

export const refusedCommands: readonly Command[] = refused.flatMap(({ paths, because }) =>
  paths.map((path) => ({
    path: path.split(' '),
    usage: '',
    summary: because,
    refuses: because,
    run: () => Promise.reject(new Refusal(because)),
  })),
)
