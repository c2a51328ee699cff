/**
 * A dynamic inventory for Ansible: https://docs.ansible.com/ansible/latest/dev_guide/developing_inventory.html (inventory scripts).
 * Ansible evaluates templates in the variables of an inventory, and with them programs on its own host. So no text is among them that could be one, whoever has
 * written it into the configuration: a remote node, an agent, a user whose roles permit one resource.
 */
import { type NodeVersionRecord, versionRun, whyLagging } from '../../../rollout/index.ts'
import { type NodeStatus, rolesOf } from '../../../status/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { addressesOf } from '../../facts/node-addresses.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { lifecycle } from '../orchestrate/known.ts'

export const inventory: Command = {
  path: ['inventory'],
  usage: '[--list | --host <node>]',
  summary: 'Print the nodes as a dynamic inventory for Ansible',
  details:
    'The groups are members, remote_nodes and guest_nodes, role_<role> for each role, and state_online, state_offline, state_standby, state_maintenance and state_unclean; version_<version> and version_state_<state> by what is recorded of versions, and version_pending for nodes that have not come to the version that was triggered. Names and addresses that could be a template or an option are omitted. The answer is always JSON. The program systole-inventory is this command in the form that ansible -i takes.',
  examples: ['systole inventory --list', 'ansible -i /opt/systole/bin/systole-inventory role_db -m ping'],
  flags: [
    { name: 'list', summary: 'All nodes and groups (default)' },
    { name: 'host', value: 'node', summary: 'Only the variables of this node', completes: 'node' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'inventory [--list | --host <node>]' })
    const host = call.flags.get('host')
    if (host !== undefined && call.flags.has('list')) throw new Refusal('--list and --host exclude each other.')
    const nodes = await readNodes(call)
    if (host === undefined) return printed(listOf(nodes))
    const node = nodes.find(({ name }) => name === host)
    if (node === undefined) throw new Refusal(`There is no node '${String(host)}'.`)
    return printed(node.variables)
  },
}

const printed = (facts: unknown): Outcome => done(`${JSON.stringify(facts, null, 2)}\n`, facts)

interface InventoryNode {
  readonly name: string
  readonly groups: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
}

async function readNodes(call: Call): Promise<readonly InventoryNode[]> {
  const { cib } = await call.cluster.readCib()
  const state = await call.cluster.live?.getState({})
  const status = statusOf(call, cib)
  const known = state?.configured === true ? await lifecycle(call) : undefined
  return status.nodes
    .filter(({ isBundleNode, name }) => !isBundleNode && plainName.test(name))
    .map((node) => {
      const [address] = addressesOf(node, { status, state })
      const roles = rolesOf(node)
      const record = known?.versions.find((one) => one.node === node.name)
      const variables = {
        ...(address !== undefined && plainAddress.test(address) && { ansible_host: address }),
        ...(plainName.test(node.id) && { systole_id: node.id }),
        systole_online: node.online,
        systole_roles: roles,
        systole_kind: node.kind,
        ...(record && versionVariables(record)),
      }
      const versions = record ? versionGroups(record, known?.desired?.version) : []
      const groups = [kindGroups[node.kind], ...roles.map(roleGroup), ...statesOf(node), ...versions]
      return { name: node.name, groups, variables }
    })
}

const kindGroups = { member: 'members', remote: 'remote_nodes', guest: 'guest_nodes' } as const

/** Ansible takes no other characters in the name of a group. */
const inGroup = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, '_')
const roleGroup = (role: string): string => `role_${inGroup(role)}`

/** A node between versions is in no group of a version. */
function versionGroups(record: NodeVersionRecord, desired: string | undefined): readonly string[] {
  const run = versionRun(record)
  return [
    ...(run === undefined ? [] : [`version_${inGroup(run)}`]),
    `version_state_${record.state}`,
    ...(desired !== undefined && whyLagging(record, desired) !== undefined ? ['version_pending'] : []),
  ]
}

/** What could be a template is left out, and so is a node by such a name, or by one that could be an option. */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/
const plainAddress = /^[A-Za-z0-9_:[][A-Za-z0-9._:%\]-]*$/
const plainVersion = /^[A-Za-z0-9._+~:-]+$/

const versionVariables = ({ version, state }: NodeVersionRecord): Readonly<Record<string, string>> => ({
  ...(version !== undefined && plainVersion.test(version) && { systole_version: version }),
  systole_version_state: state,
})

/** A node in standby or maintenance is online as well: it can be worked on. */
const statesOf = ({ online, standby, standbyOnFail, maintenance, unclean }: NodeStatus): readonly string[] => [
  online ? 'state_online' : 'state_offline',
  ...(standby || standbyOnFail ? ['state_standby'] : []),
  ...(maintenance ? ['state_maintenance'] : []),
  ...(unclean ? ['state_unclean'] : []),
]

function listOf(nodes: readonly InventoryNode[]): unknown {
  const names = [...new Set(nodes.flatMap(({ groups }) => groups))].toSorted()
  const hostsIn = (group: string): readonly string[] =>
    nodes.filter(({ groups }) => groups.includes(group)).map(({ name }) => name)
  return {
    _meta: { hostvars: Object.fromEntries(nodes.map(({ name, variables }) => [name, variables])) },
    all: { children: names },
    ...Object.fromEntries(names.map((name) => [name, { hosts: hostsIn(name) }])),
  }
}
