/** Roles of nodes: what each is there for, and whether enough of them are there. */
import { setTimeout as delay } from 'node:timers/promises'
import { setNodeAttributes } from '../../../cib/index.ts'
import { isRoleName, roleAttribute, rolesOf } from '../../../status/index.ts'
import { type Call, type Command, changeFlags, done, type Outcome, Refusal } from '../../call/command.ts'
import { patienceMs } from '../../call/patience.ts'
import { alignColumns } from '../../call/table.ts'
import { changeCib } from '../../change/change.ts'
import { addressesOf } from '../../facts/node-addresses.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

const pollMs = 500
/** EX_TEMPFAIL of sysexits.h: ask again later. */
const pendingExit = 75

const change = (
  verb: 'add' | 'remove',
  { summary, done: message }: { readonly summary: string; readonly done: (role: string, nodes: string) => string },
): Command => ({
  path: ['role', verb],
  usage: '<role> <node>...',
  summary,
  details: 'A role is the node attribute <role>-role with the value true.',
  examples: [`systole role ${verb} db n1 n2`],
  flags: changeFlags,
  completes: ['anything', 'node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: `role ${verb} <role> <node>...` })
    const [role = '', ...nodes] = call.words
    refuseBadName(role)
    return await changeCib(call, {
      edit: (cib) => setNodeAttributes(cib, { nodes, values: { [roleAttribute(role)]: verb === 'add' ? 'true' : '' } }),
      message: () => message(role, nodes.join(', ')),
      facts: () => ({ role, nodes }),
    })
  },
})

export const roleAdd: Command = change('add', {
  summary: 'Give nodes a role',
  done: (role, nodes) => `Role ${role} added to ${nodes}.`,
})

export const roleRemove: Command = change('remove', {
  summary: 'Take a role from nodes',
  done: (role, nodes) => `Role ${role} removed from ${nodes}.`,
})

export const roleList: Command = {
  path: ['role', 'list'],
  bare: [['role']],
  usage: '[<role>] [--min=<number> [--wait[=<seconds>]]]',
  summary: 'Show which nodes have which role, and their addresses',
  details:
    'With --min, the exit code is 75 while fewer nodes with the role are online, so that a script can distinguish "not yet" from "failed". With --wait, the command waits for them.',
  examples: ['systole role list', 'systole role list db --json', 'systole role list db --min=2 --wait=300'],
  flags: [
    { name: 'min', value: 'number', summary: 'How many nodes with the role must be online' },
    { name: 'wait', value: '[seconds]', summary: 'Wait this long at most until as many are online' },
  ],
  completes: ['anything'],
  run: listRoles,
}

interface RoleNode {
  readonly name: string
  readonly online: boolean
  /** Of each link; of a remote node the one to which the cluster connects. Empty where only a CIB file is known. */
  readonly addresses: readonly string[]
}

interface RoleFacts {
  readonly role: string
  readonly nodes: readonly RoleNode[]
}

async function listRoles(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'role list [<role>]' })
  const [wanted] = call.words
  const least = leastOf(call)
  if (wanted === undefined) {
    const roles = await readRoles(call)
    return done(roles.length === 0 ? 'No node has a role.\n' : roles.map(linesOf).join(''), { roles })
  }
  const until = performance.now() + patienceMs(call)
  for (let isFirst = true; ; isFirst = false) {
    const facts = (await readRoles(call)).find(({ role }) => role === wanted) ?? { role: wanted, nodes: [] }
    const online = facts.nodes.filter((node) => node.online).length
    const pending = least !== undefined && online < least ? `waiting for ${wanted} (${online} of ${least})` : undefined
    if (pending === undefined) return done(linesOf(facts), facts)
    if (performance.now() >= until)
      return done(`${linesOf(facts)}pending: ${pending}\n`, { ...facts, pending }, pendingExit)
    if (isFirst) call.terminal.progress(`pending: ${pending}`)
    await delay(pollMs)
  }
}

async function readRoles(call: Call): Promise<readonly RoleFacts[]> {
  const { cib } = await call.cluster.readCib()
  const state = await call.cluster.live?.getState({})
  const status = statusOf(call, cib)
  const byRole = new Map<string, RoleNode[]>()
  for (const node of status.nodes)
    for (const role of rolesOf(node)) {
      const nodes = byRole.get(role) ?? []
      byRole.set(role, nodes)
      nodes.push({ name: node.name, online: node.online, addresses: addressesOf(node, { status, state }) })
    }
  return [...byRole].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([role, nodes]) => ({ role, nodes }))
}

function linesOf({ role, nodes }: RoleFacts): string {
  const rows = nodes.map(({ name, online, addresses }) => [name, online ? 'online' : 'offline', addresses.join(' ')])
  return rows.length === 0 ? `No node has the role ${role}.\n` : `${role}:\n${alignColumns(rows, '  ')}`
}

function leastOf({ flags, words }: Call): number | undefined {
  const written = flags.get('min')
  if (written === undefined) {
    if (flags.has('wait')) throw new Refusal('--wait needs --min: how many nodes with the role must be online.')
    return undefined
  }
  if (words.length === 0) throw new Refusal('--min needs a role: systole role list <role> --min=<number>')
  if (typeof written === 'string' && /^[1-9]\d{0,5}$/.test(written)) return Number(written)
  throw new Refusal(`'${String(written)}' is not a number of nodes. Specify 1 or more.`)
}

function refuseBadName(role: string): void {
  if (!isRoleName(role))
    throw new Refusal(
      `'${role}' cannot be a role. Use up to 64 letters, digits, dots, underscores and hyphens, beginning with a letter or digit.`,
    )
}
