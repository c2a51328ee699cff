/** The packages: what they are called, what they need, and what each of them has. */

export interface PackageDefinition {
  readonly name: string
  readonly architecture: 'native' | 'all'
  readonly depends: readonly string[]
  readonly recommends?: readonly string[]
  readonly suggests?: readonly string[]
  readonly conflicts: readonly string[]
  readonly replaces?: readonly string[]
  readonly provides?: readonly string[]
  readonly title: string
  /** Paragraphs. */
  readonly description: readonly string[]
  /** The daemon's unit, for those that have the program. */
  readonly unit?: 'systoled' | 'systoled-remote'
  /** Why the daemon may not be removed now: a line of shell that ends with 1 then. */
  readonly mayGo?: string
}

/** A host has one of these roles: each package has the whole program, and goes up and down as one. */
const roles = ['systole', 'systole-remote', 'systole-witness']
const others = (name: string): readonly string[] => roles.filter((role) => role !== name)

/** What the daemon runs on every host, beside what its Node.js is linked with. */
const host = ['init-system-helpers (>= 1.54)', 'systemd', 'iproute2', 'procps']
/** For users who log in at the HTTPS API. */
const logins = ['libpam0g', 'libpam-runtime']
const agents = ['resource-agents', 'libxml2-utils']
const store = ['etcd-server']

const whatItIs =
  'Systole keeps services running on a group of machines, on exactly the nodes where they belong, and says why. It takes the concepts, configuration and agents of Pacemaker as they are, and the grammar of pcs.'

const stopFirst = (question: string, sentence: string): string => `if ${question}; then
      echo "${sentence}" >&2
      exit 1
    fi`

const started = `systole cluster status --json 2>/dev/null | grep -Eq '"started": *true'`

export const packages: readonly PackageDefinition[] = [
  {
    name: 'systole',
    architecture: 'native',
    depends: [...host, ...store, ...agents, ...logins],
    recommends: ['nftables', 'fence-agents', 'ipmitool', 'iputils-arping', 'psmisc', 'openssl', 'curl', 'etcd-client'],
    suggests: ['systole-pacemaker-compat', 'pacemaker-resource-agents'],
    conflicts: others('systole'),
    title: 'cluster resource manager: node of a cluster',
    description: [
      whatItIs,
      'This package makes the host a node: the daemon systoled, the command systole, and their manual pages.',
    ],
    unit: 'systoled',
    mayGo: stopFirst(
      started,
      "This node takes part in a cluster. Run 'systole cluster stop' before you remove the package: a node that loses its daemon is fenced.",
    ),
  },
  {
    name: 'systole-remote',
    architecture: 'native',
    depends: [...host, ...agents],
    recommends: ['nftables', 'iputils-arping', 'psmisc', 'openssl', 'curl'],
    suggests: ['systole-pacemaker-compat', 'pacemaker-resource-agents'],
    conflicts: others('systole-remote'),
    title: 'cluster resource manager: remote node of a cluster',
    description: [
      whatItIs,
      'This package makes the host a remote node: it runs resources for a cluster, and neither votes nor decides.',
    ],
    unit: 'systoled-remote',
    mayGo: stopFirst(
      'true',
      "This host is a remote node. Run 'systoled --remote --leave' before you remove the package: a node that loses its daemon is fenced.",
    ),
  },
  {
    name: 'systole-witness',
    architecture: 'native',
    depends: [...host, ...store],
    recommends: ['nftables'],
    conflicts: others('systole-witness'),
    title: 'cluster resource manager: witness of a cluster',
    description: [
      whatItIs,
      'This package makes the host a witness: a third host beside two nodes, which only votes and runs no resources.',
    ],
    unit: 'systoled',
    mayGo: stopFirst(
      'systole qdevice status net >/dev/null 2>&1',
      "This host is the witness of a cluster. Run 'systole quorum device remove' on a node, or 'systole qdevice stop net' here and stop systoled, before you remove the package.",
    ),
  },
  {
    name: 'systole-pacemaker-compat',
    architecture: 'all',
    // Its program is Perl without modules, which is on every Debian.
    depends: [],
    recommends: ['pacemaker-resource-agents'],
    conflicts: ['corosync', 'pacemaker', 'pacemaker-cli-utils', 'pacemaker-remote', 'pcs'],
    replaces: ['corosync', 'pacemaker', 'pacemaker-cli-utils', 'pacemaker-remote', 'pcs'],
    provides: ['pacemaker-cli-utils', 'pcs'],
    title: 'cluster resource manager: the commands of Pacemaker, Corosync and pcs',
    description: [
      whatItIs,
      'This package gives Systole the names crm_mon, crm_resource, cibadmin, stonith_admin, corosync-quorumtool, pcs and others, for scripts and tools that call them.',
    ],
  },
]
