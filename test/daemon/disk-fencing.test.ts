import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import {
  type ClusterView,
  type DiskWatch,
  emptyView,
  type MemberRecord,
  watchdogAttributes,
} from '../../src/controller/index.ts'
import { seeTarget, whyNotThroughDisks, wordOfDiskFencing } from '../../src/daemon/fencing/disk-fencing.ts'
import { fromBytes, toBytes } from '../../src/daemon/records/json-value.ts'
import { keys } from '../../src/daemon/records/keys.ts'
import { type FenceDevice, readFenceDevices } from '../../src/fencing/index.ts'
import { type AgentMetadata, parseAgentMetadata } from '../../src/resource-agents/index.ts'
import { createStore, type Write } from '../../src/store/index.ts'

const [runner, target] = [nodeName('n1'), nodeName('n2')]
const [a, b] = ['a'.repeat(32), 'b'.repeat(32)]

const watch = (...disks: DiskWatch['disks']): DiskWatch => ({ watchdogMs: 5000, disks })

interface Case {
  readonly name: string
  readonly configured?: string
  readonly devices: string
  /** What the cluster knows of the target; `never`: it was never here. */
  readonly told: DiskWatch | 'nothing' | 'never'
  readonly runnerTold?: DiskWatch
  /** It is a member, in a later life that tells nothing. */
  readonly isHere?: boolean
  readonly says: RegExp | undefined
}

const cases: readonly Case[] = [
  {
    name: 'a node that has told that it reads the disk is fenced through it',
    devices: '/dev/a',
    told: watch({ path: '/dev/a', uuid: a }),
    says: undefined,
  },
  {
    name: 'one that is to read it and has not told is not',
    devices: '/dev/a',
    told: 'nothing',
    says: /n2 did not report that it reads its disks \(\/dev\/a\)/,
  },
  { name: 'one that was never here runs nothing', devices: '/dev/a', told: 'never', says: undefined },
  {
    name: 'whether one reads the disk by other means is not ours to know',
    configured: '',
    devices: '/dev/a',
    told: 'nothing',
    says: undefined,
  },
  {
    name: 'of three disks all must be written to',
    devices: '/dev/a,/dev/b',
    told: watch({ path: '/dev/a', uuid: a }, { path: '/dev/b', uuid: b }, { path: '/dev/c' }),
    says: /n2 reads \/dev\/a,\/dev\/b,\/dev\/c, but disk writes to \/dev\/a,\/dev\/b/,
  },
  {
    name: 'no disk may be written to that the node does not read',
    devices: '/dev/a,/dev/b',
    told: watch({ path: '/dev/a', uuid: a }),
    says: /the disks must be the same/,
  },
  {
    name: 'a disk that is another path to each of two nodes is the same by its UUID',
    devices: '/dev/a',
    told: watch({ path: '/dev/sdb', uuid: a }),
    runnerTold: watch({ path: '/dev/a', uuid: a }),
    says: undefined,
  },
  {
    name: 'and another disk is not',
    devices: '/dev/a',
    told: watch({ path: '/dev/sdb', uuid: b }),
    runnerTold: watch({ path: '/dev/a', uuid: a }),
    says: /n2 reads \/dev\/sdb, but disk writes to \/dev\/a/,
  },
  {
    name: 'the same path is another disk where the UUIDs say so',
    devices: '/dev/a',
    told: watch({ path: '/dev/a', uuid: b }),
    runnerTold: watch({ path: '/dev/a', uuid: a }),
    says: /n2 reads \/dev\/a, but disk writes to \/dev\/a on n1/,
  },
  {
    name: 'two paths of one disk are not two disks',
    devices: '/dev/a,/dev/c',
    told: watch({ path: '/dev/a', uuid: a }, { path: '/dev/b', uuid: b }),
    runnerTold: watch({ path: '/dev/a', uuid: a }, { path: '/dev/c', uuid: a }),
    says: /the disks must be the same/,
  },
  {
    name: 'what an earlier life of the node has told does not count for one that tells nothing',
    devices: '/dev/a',
    told: watch({ path: '/dev/a', uuid: a }),
    isHere: true,
    says: /n2 did not report that it reads its disks/,
  },
]

for (const { name, configured = '/dev/a', devices, told, runnerTold, isHere = false, says } of cases)
  test(name, () => {
    const { view, device } = worldOf({ configured, devices, told, isHere, ...(runnerTold && { runnerTold }) })
    const why = whyNotThroughDisks(device, { view, target, runner })
    if (says === undefined) expect(why).toBeUndefined()
    else expect(why).toMatch(says)
  })

test('a device that switches on and off by itself is asked for a reboot in parts, and fence_sbd is not', () => {
  const metadata = (method: string): AgentMetadata => {
    const actions = ['off', 'on', 'status', 'reboot'].map((name) => `<action name="${name}"/>`)
    const parsed = parseAgentMetadata(
      'fence_sbd',
      `<resource-agent name="fence_sbd"><parameters><parameter name="method"><content type="select" default="${method}"/></parameter></parameters><actions>${actions.join('')}</actions></resource-agent>`,
    )
    if (!parsed.ok) throw new Error('the test has a mistake')
    return parsed.value
  }
  const splits = (method: string, own = ''): boolean | undefined => {
    const { typed } = configurationOf('', '/dev/a', own)
    return readFenceDevices(typed, { metadata: new Map([['fence_sbd', metadata(method)]]) })[0]?.splitsReboot
  }
  expect([splits('onoff'), splits('cycle')]).toEqual([true, false])
  expect(splits('cycle', '<nvpair id="m" name="method" value="onoff"/>')).toBe(true)
})

function memberOf(sbd?: DiskWatch): MemberRecord {
  const record = {
    node: target,
    id: '2',
    incarnation: 2,
    address: 'n2',
    daemonVersion: '1',
    since: 0,
    bootId: 'boot-2',
  }
  return { ...record, state: 'member', ...(sbd === undefined ? {} : { sbd }) }
}

describe('the word that a node is fenced', () => {
  const directory = mkdtempSync(join(tmpdir(), 'systole-word-'))
  const store = createStore({ kind: 'embedded', directory })
  afterAll(async () => {
    await store.close()
    rmSync(directory, { recursive: true })
  })

  const key = keys.member(target)
  const put = (sbd?: DiskWatch): Write => ({ kind: 'put', key, value: toBytes(memberOf(sbd)) })

  test('means the boot of the life that is here, and how it is to end', async () => {
    await store.transaction({ compare: [], writes: [put()] })
    const { view } = await seeTarget(store, emptyView, target)
    const word = wordOfDiskFencing(view, target, 'off')
    expect(word.kind === 'put' && fromBytes(word.value)).toEqual({ action: 'off', bootId: 'boot-2' })
  })

  test('is not written once the node has said that it reads its disks no more', async () => {
    await store.transaction({ compare: [], writes: [put(watch({ path: '/dev/a', uuid: a }))] })
    const { view, unchanged } = await seeTarget(store, emptyView, target)
    expect(view.members.get(target)?.sbd).toBeDefined()
    await store.transaction({ compare: [], writes: [put()] })
    const word = wordOfDiskFencing(view, target, 'off')
    expect(await store.transaction({ compare: [unchanged], writes: [word] })).toMatchObject({ applied: false })
    expect(await store.get(keys.diskFencing(target))).toBeUndefined()
  })
})

function worldOf({
  configured,
  devices,
  told,
  isHere,
  runnerTold,
}: {
  readonly configured: string
  readonly devices: string
  readonly told: Case['told']
  readonly isHere: boolean
  readonly runnerTold?: DiskWatch
}): { readonly view: ClusterView; readonly device: FenceDevice } {
  const state = (node: typeof target, sbd: DiskWatch | undefined) => ({
    node,
    id: node,
    inCcm: true,
    crmd: 'online' as const,
    join: 'member' as const,
    expected: 'member' as const,
    attributes: watchdogAttributes(sbd === undefined ? {} : { sbd }),
  })
  const configuration = configurationOf(configured, devices)
  const known = told === 'never' ? [] : [[target, state(target, told === 'nothing' ? undefined : told)] as const]
  const nodeStates = new Map([[runner, state(runner, runnerTold)] as const, ...known])
  const [device] = readFenceDevices(configuration.typed, { metadata: new Map() })
  if (!device) throw new Error('the test has a mistake')
  const members = new Map(isHere ? [[target, memberOf()]] : [])
  return { view: { ...emptyView, configuration, nodeStates, members }, device }
}

function configurationOf(disks: string, devices: string, more = '') {
  const parsed = parseXml(
    `<cib><configuration><crm_config><cluster_property_set id="o"><nvpair id="w" name="watchdog-device" value="/dev/watchdog"/><nvpair id="d" name="sbd-devices" value="${disks}"/></cluster_property_set></crm_config><nodes/><resources><primitive id="disk" class="stonith" type="fence_sbd"><instance_attributes id="i"><nvpair id="v" name="devices" value="${devices}"/>${more}</instance_attributes></primitive></resources><constraints/></configuration></cib>`,
  )
  if (!parsed.ok) throw new Error('the test has a mistake')
  return { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) }
}
