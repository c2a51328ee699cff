/** Settings for scripts on the nodes, by the verbs of the original orchestrator. */
import {
  type SettingKind,
  type SettingPlace,
  settingKinds,
  settingScopes,
  settingsFor,
} from '../../../rollout/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { rolesByNode } from '../../facts/roles-by-node.ts'
import { expectWords } from '../../grammar/words.ts'
import { lifecycle, liveStatus } from './known.ts'

const nameFlag: Flag = { name: 'name', letter: 'n', value: 'name', summary: 'The role or the node; none with global' }
const actionFlag: Flag = { name: 'action', letter: 'a', value: 'action', summary: 'set (default) or delete' }
const typeFlag: Flag = { name: 'config_type', letter: 'c', value: 'type', summary: 'state (default) or version' }
const hostFlag: Flag = {
  name: 'hostname',
  letter: 'n',
  value: 'node',
  summary: 'Another node than this one',
  completes: 'node',
}
const scopes = { words: [...settingScopes] }

/** Short in one version of the original, long in another. */
function kindOf(written: string): SettingKind {
  const kind = settingKinds.find((one) => one === written || one === `config_${written}`)
  if (kind === undefined) throw new Refusal(`'${written}' is not a type of settings. Choose state, version.`)
  return kind
}

interface Written {
  readonly kind: string
  readonly scope: string
  readonly key: string
  readonly value: string
}

async function change(call: Call, { kind, scope: named, key, value }: Written): Promise<Outcome> {
  const scope = settingScopes.find((one) => one === named)
  if (scope === undefined) throw new Refusal(`'${named}' is not a scope. Choose ${settingScopes.join(', ')}.`)
  const action = call.flags.get('action') ?? 'set'
  if (action !== 'set' && action !== 'delete') throw new Refusal(`'${action}' is not an action. Choose set, delete.`)
  const name = call.flags.get('name')
  if (scope !== 'global' && typeof name !== 'string') throw new Refusal('--name must be given if scope is not global.')
  const place: SettingPlace = {
    kind: kindOf(kind),
    scope,
    key,
    ...(scope !== 'global' && typeof name === 'string' && { name }),
  }
  await liveCluster(call).changeSetting({ ...place, user: call.terminal.user, ...(action === 'set' && { value }) })
  return done(`${value}\n`, { ...place, action, ...(action === 'set' && { value }) })
}

/** `key=value scope` in one version of the original, `key value scope` in another. */
function keyAndValue(words: readonly string[], usage: string): Pick<Written, 'key' | 'value' | 'scope'> {
  const [first = '', second = '', third] = words
  if (third !== undefined) return { key: first, value: second, scope: third }
  const at = first.indexOf('=')
  if (at < 1) throw new Refusal(`'${first}' is not of the form key=value. Usage: systole ${usage}`)
  return { key: first.slice(0, at), value: first.slice(at + 1), scope: second }
}

const setConfigUsage = 'orchestrate set_config <key>=<value> global|role|host'

const setConfig: Command = {
  path: ['orchestrate', 'set_config'],
  usage: '<key>=<value> global|role|host [--name=<name>] [--action=<action>] [--config_type=<type>]',
  summary: 'Set or delete a setting for scripts on the nodes',
  details:
    'A setting of a node comes before one of its roles, and that before one of the cluster. `orchestrate host_data` shows what holds for a node. <key> <value> <scope> is understood as well.',
  examples: [
    'systole orchestrate set_config enable_update=False role --name=db',
    'systole orchestrate set_config enable_update=False host --name=n1 --action=delete',
  ],
  flags: [nameFlag, actionFlag, typeFlag],
  completes: ['anything', scopes],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 3, usage: setConfigUsage })
    const kind = call.flags.get('config_type') ?? 'state'
    return await change(call, { kind: String(kind), ...keyAndValue(call.words, setConfigUsage) })
  },
}

const manageUsage = 'orchestrate manage_config state|version global|role|host <key>=<value>'

const manageConfig: Command = {
  path: ['orchestrate', 'manage_config'],
  usage: 'state|version global|role|host <key>=<value> [--name=<name>] [--action=<action>]',
  summary: 'Set or delete a setting for scripts on the nodes',
  details: 'The same as `orchestrate set_config` with its words in another order.',
  flags: [nameFlag, actionFlag],
  completes: [{ words: ['state', 'version'] }, scopes, 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 3, atMost: 4, usage: manageUsage })
    const [kind = '', scope = '', ...rest] = call.words
    return await change(call, { kind, ...keyAndValue([...rest, scope], manageUsage) })
  },
}

const enablePuppet: Command = {
  path: ['orchestrate', 'enable_puppet'],
  usage: '<value> global|role|host [--name=<name>] [--action=<action>]',
  summary: 'Set or delete the setting enable_puppet',
  examples: ['systole orchestrate enable_puppet False host --name=n1'],
  flags: [nameFlag, actionFlag],
  completes: [{ words: ['True', 'False'] }, scopes],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 2, usage: 'orchestrate enable_puppet <value> global|role|host' })
    const [value = '', scope = ''] = call.words
    return await change(call, { kind: 'state', scope, key: 'enable_puppet', value })
  },
}

async function settingsOf(call: Call, kind: SettingKind): Promise<Readonly<Record<string, string>>> {
  const roles = rolesByNode(await liveStatus(call))
  const named = call.flags.get('hostname')
  const node = typeof named === 'string' ? named : (await liveCluster(call).getState({})).localNode
  if (!roles.has(node)) throw new Refusal(`There is no node '${node}'.`)
  return settingsFor({ node, roles: roles.get(node) ?? [] }, kind, (await lifecycle(call)).settings)
}

const hostData: Command = {
  path: ['orchestrate', 'host_data'],
  usage: 'state|version [--hostname=<node>]',
  summary: 'Show the settings that hold for a node',
  details: 'The answer is always JSON.',
  flags: [hostFlag],
  completes: [{ words: ['state', 'version'] }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'orchestrate host_data state|version' })
    const settings = await settingsOf(call, kindOf(call.words[0] ?? ''))
    return done(`${JSON.stringify(settings)}\n`, settings)
  },
}

const disabledExit = 9

const checkPuppet: Command = {
  path: ['orchestrate', 'check_puppet'],
  usage: '[--hostname=<node>]',
  summary: 'Check the setting enable_puppet of a node',
  details: 'The exit code is 9 if it is neither True nor true, and 0 if it is, or is not set.',
  flags: [hostFlag],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'orchestrate check_puppet' })
    const { enable_puppet: value } = await settingsOf(call, 'config_state')
    if (value === undefined) return done('', { enabled: true })
    const enabled = value.includes('rue')
    return done(`${value}\n`, { enabled, value }, enabled ? 0 : disabledExit)
  },
}

export const orchestrateSettings: readonly Command[] = [setConfig, manageConfig, hostData, enablePuppet, checkPuppet]
