/** The parameters of every fence device, as they are written: what the agent, a real program, is told, and whom and when the device is asked. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { type Configuration, parseXml, readConfiguration } from '../../src/cib/index.ts'
import {
  type FenceDevice,
  type FencingInput,
  initialFencing,
  nextFencingAt,
  readFenceDevices,
  runDevice,
  stepFencing,
} from '../../src/fencing/index.ts'
import { levelsFor } from '../../src/fencing/levels.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-device-'))
afterAll(() => rmSync(folder, { recursive: true }))
const agent = join(folder, 'fence_told')
writeFileSync(agent, `#!/bin/sh\ncat >${folder}/told\n`)
chmodSync(agent, 0o755)

const host = {
  ocfRoot: '/usr/lib/ocf',
  moreAgentFolders: [],
  toolsFolder: '/nonexistent',
  toolsSocket: '/nonexistent',
  runFolder: folder,
  fenceFolders: [folder],
}

const rows = [
  { name: 'pcmk_on_action=diag', action: 'on', says: 'diag' },
  { name: 'pcmk_reboot_action=cycle', action: 'reboot', says: 'cycle' },
  { name: 'pcmk_status_action=power-state', action: 'status', says: 'power-state' },
  { name: 'pcmk_list_action=list-status', action: 'list', says: 'list-status' },
  { name: 'pcmk_monitor_action=metadata', action: 'monitor', says: 'metadata' },
] as const

test.each(rows)('$name: the agent is asked for that', async ({ name, action, says }) => {
  const [parameter = '', value = ''] = name.split('=')
  expect(await askedWith(action, `<nvpair id="p" name="${parameter}" value="${value}"/>`)).toBe(says)
  expect(await askedWith(action)).toBe(action)
})

/** How an action is done: how long one try may take, and how often it is tried. */
const manners = [
  { name: 'pcmk_on_timeout=7s', action: 'on', with: { timeoutMs: 7000 } },
  { name: 'pcmk_on_retries=5', action: 'on', with: { attempts: 5 } },
  { name: 'pcmk_off_action=poweroff', action: 'off', with: { name: 'poweroff' } },
  { name: 'pcmk_off_timeout=7s', action: 'off', with: { timeoutMs: 7000 } },
  { name: 'pcmk_off_retries=5', action: 'off', with: { attempts: 5 } },
  { name: 'pcmk_reboot_timeout=7s', action: 'reboot', with: { timeoutMs: 7000 } },
  { name: 'pcmk_reboot_retries=5', action: 'reboot', with: { attempts: 5 } },
  { name: 'pcmk_status_timeout=7s', action: 'status', with: { timeoutMs: 7000 } },
  { name: 'pcmk_status_retries=5', action: 'status', with: { attempts: 5 } },
  { name: 'pcmk_list_timeout=7s', action: 'list', with: { timeoutMs: 7000 } },
  { name: 'pcmk_list_retries=5', action: 'list', with: { attempts: 5 } },
  { name: 'pcmk_monitor_timeout=7s', action: 'monitor', with: { timeoutMs: 7000 } },
  { name: 'pcmk_monitor_retries=5', action: 'monitor', with: { attempts: 5 } },
] as const

test.each(manners)('$name: that action alone is done so', ({ name, action, with: expected }) => {
  const plain = deviceOf('').actions
  const set = deviceOf(pairOf(name)).actions
  expect(set[action]).toEqual({ ...plain[action], ...expected })
  expect(plain[action]).not.toMatchObject(expected)
  const others = Object.keys(plain).filter((one) => one !== action) as (keyof typeof plain)[]
  for (const other of others) expect(set[other]).toEqual(plain[other])
})

test('pcmk_action_limit says how many actions a device does at once: one without it, any number with -1', () => {
  expect(deviceOf('').actionLimit).toBe(1)
  expect(deviceOf(pairOf('pcmk_action_limit=3')).actionLimit).toBe(3)
  expect(deviceOf(pairOf('pcmk_action_limit=-1')).actionLimit).toBe(Number.POSITIVE_INFINITY)
})

const plugs = [
  { name: 'pcmk_host_map=n1:7;n2:9', line: 'port=7' },
  { name: 'pcmk_host_argument=uuid', line: 'uuid=n1' },
] as const

test.each(plugs)('$name: the agent is told the node so', async ({ name, line }) => {
  const told = async (device: FenceDevice) => {
    await runDevice({ device, action: 'off', target: 'n1', timeoutMs: 10_000 }, host)
    return readFileSync(join(folder, 'told'), 'utf8').split('\n')
  }
  expect(await told(deviceOf(pairOf(name)))).toContain(line)
  expect(await told(deviceOf(''))).toContain('port=n1')
})

/** What happens first when n1 is to be switched off, and when. */
const anyNode = '<nvpair id="any" name="pcmk_host_check" value="none"/>'
const firsts: readonly { readonly name: string; readonly with?: string; readonly does: string }[] = [
  { name: 'pcmk_host_list=n1 n2', does: 'off at 0' },
  { name: 'pcmk_host_check=dynamic-list', does: 'list at 0' },
  { name: 'pcmk_host_check=status', does: 'status at 0' },
  { name: 'pcmk_host_check=none', does: 'off at 0' },
  { name: 'pcmk_delay_base=5s', with: anyNode, does: 'off at 5000' },
  { name: 'pcmk_delay_base=n1:7s;n2:9s', with: anyNode, does: 'off at 7000' },
  { name: 'pcmk_delay_max=8s', with: anyNode, does: 'off at 4000' },
]

test.each(firsts)('$name: with chance in the middle, the first is $does', ({ name, with: more = '', does }) => {
  expect(firstOf(pairOf(name) + more)).toBe(does)
  expect(firstOf(more)).toBe(more === '' ? 'failed at 0' : 'off at 0')
})

function firstOf(pair: string): string {
  let state = initialFencing
  const said: string[] = []
  const give = (input: FencingInput, now: number): void => {
    const next = stepFencing(state, input, monotonicMs(now))
    state = next.state
    for (const effect of next.effects) {
      if (effect.kind === 'run-device') said.push(`${effect.action} at ${now}`)
      else if (effect.kind === 'record' && effect.progress.outcome === 'pending')
        give({ kind: 'recorded', id: effect.progress.id, outcome: 'pending', written: true }, now)
      else if (effect.kind === 'record') said.push(`${effect.progress.outcome} at ${now}`)
    }
  }
  give({ kind: 'configured', setup: { devices: [deviceOf(pair)], topology: [], concurrent: true } }, 0)
  const demand = {
    id: '1',
    target: nodeName('n1'),
    attributes: new Map<string, string>(),
    action: 'off',
    term: 1,
    timeoutMs: 60_000,
    delayMs: 0,
    random: 0.5,
    runners: [nodeName('n2')],
    reason: '',
    client: '',
  } as const
  give({ kind: 'demanded', demand }, 0)
  const later = nextFencingAt(state)
  if (said.length === 0 && later !== undefined) give({ kind: 'tick' }, later)
  return said[0] ?? 'nothing'
}

test('the levels of a node come in the order of their index, each with its devices', () => {
  const written = (first: number): readonly (readonly string[])[] => {
    const { fencingLevels } = configurationOf(
      `<fencing-topology><fencing-level id="a" index="${first}" devices="one,two" target="n1"/><fencing-level id="b" index="5" devices="three" target="n1"/></fencing-topology>`,
    )
    return levelsFor({ node: 'n1', attributes: new Map() }, fencingLevels, [])
  }
  expect(written(1)).toEqual([['one', 'two'], ['three']])
  expect(written(9)).toEqual([['three'], ['one', 'two']])
})

/** Levels as they are written: which of two nodes they are for. */
const levels = [
  { name: 'target="n1"', fences: ['n1'] },
  { name: 'target-pattern="^n[1-5]$"', fences: ['n1', 'n2'] },
  { name: 'target-attribute="rack" target-value="7"', fences: ['n2'] },
  { name: 'target-attribute="rack" target-value="8"', fences: [] },
  { name: 'target-attribute="row" target-value="7"', fences: [] },
] as const

test.each(levels)('a level with $name is for the nodes that it means', ({ name, fences }) => {
  const { fencingLevels } = configurationOf(
    `<fencing-topology><fencing-level id="l" index="1" devices="only" ${name}/></fencing-topology>`,
  )
  const racks = { n1: '6', n2: '7' }
  const chosen = Object.entries(racks).filter(([node, rack]) =>
    levelsFor({ node, attributes: new Map([['rack', rack]]) }, fencingLevels, []).some((level) =>
      level.includes('only'),
    ),
  )
  expect(chosen.map(([node]) => node)).toEqual(fences)
})

const pairOf = (text: string): string => {
  const [name = '', value = ''] = text.split('=')
  return `<nvpair id="p" name="${name}" value="${value}"/>`
}

async function askedWith(action: (typeof rows)[number]['action'], pair = ''): Promise<string | undefined> {
  const device = deviceOf(pair)
  await runDevice({ device, action, timeoutMs: 10_000 }, host)
  return /^action=(.*)$/m.exec(readFileSync(join(folder, 'told'), 'utf8'))?.[1]
}

function deviceOf(pair: string): FenceDevice {
  const [device] = readFenceDevices(configurationOf('', pair), { metadata: new Map() })
  if (!device) throw new Error('there is no device')
  return device
}

function configurationOf(more: string, pair = ''): Configuration {
  const cib =
    parseXml(`<cib><configuration><crm_config/><nodes/><resources><primitive id="f" class="stonith" type="fence_told">
    <instance_attributes id="a">${pair}</instance_attributes></primitive></resources><constraints/>${more}</configuration><status/></cib>`)
  if (!cib.ok) throw new Error('bad test')
  return readConfiguration(cib.value)
}
