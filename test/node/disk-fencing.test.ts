import { describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import {
  type ClusterView,
  type DiskWatch,
  emptyView,
  keys,
  type MemberRecord,
  watchdogAttributes,
} from '../../src/controller/index.ts'
import { type FenceDevice, readFenceDevices } from '../../src/fencing/index.ts'
import { whyNotThroughDisks } from '../../src/node/index.ts'
import { type AgentMetadata, parseAgentMetadata } from '../../src/resource-agents/index.ts'
import { DrivenNode, self } from './driven-node.ts'

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
  const sends = (sbd: DiskWatch | undefined = watch({ path: '/dev/a', uuid: a })): DrivenNode => {
    const node = new DrivenNode()
    node.runs()
    const listed = '<nvpair id="l" name="pcmk_host_list" value="n2"/>'
    const configuration = configurationOf('/dev/a', '/dev/a', listed)
    node.store({ kind: 'put', key: keys.configuration, value: undefined, configuration, createRevision: 2 })
    node.store({ kind: 'put', key: keys.dc, value: { node: self }, createRevision: 5, lease: 'L1' })
    node.store({ kind: 'put', key: keys.member(target), value: memberOf(sbd), createRevision: 8, lease: 'L2' })
    node.asked.length = 0
    const asked = { kind: 'fence', id: '1', term: 5, target, action: 'off', incarnation: 2 } as const
    node.fencing({ kind: 'fence', request: { ...asked, timeoutMs: 20_000, delayMs: 0, reason: 'r' }, random: 0 })
    const { by, progress } = node.ofFencing('record').at(-1) ?? {}
    if (by === undefined || progress === undefined) throw new Error('nothing is recorded')
    node.fencing({ kind: 'recorded', by, id: '1', outcome: progress.outcome, written: true })
    return node
  }
  const call = (node: DrivenNode): number => node.ofFencing('look-at-target').at(-1)?.call ?? 0
  const seen = (node: DrivenNode, sbd?: DiskWatch): void =>
    node.fencing({ kind: 'target-seen', call: call(node), record: memberOf(sbd), revision: 9 })
  const disk = watch({ path: '/dev/a', uuid: a })

  test('is in the store before the message is sent, and means the boot of the life that is here', () => {
    const node = sends()
    expect(node.ofFencing('run-device')).toEqual([])
    seen(node, disk)
    expect(node.ofFencing('write-disk-word')).toEqual([
      {
        kind: 'write-disk-word',
        call: call(node),
        target,
        term: 5,
        word: { action: 'off', bootId: 'boot-2' },
        ifRevision: 9,
      },
    ])
    expect(node.ofFencing('run-device')).toEqual([])
    node.fencing({ kind: 'disk-word-written', call: call(node), written: true })
    expect(node.ofFencing('run-device')).toMatchObject([{ device: 'disk', action: 'off', target }])
  })

  const failure = (node: DrivenNode): string =>
    node
      .of('log')
      .map(({ fields }) => String(fields.message))
      .join()

  test('is not written once the store has it that the node reads its disks no more', () => {
    const node = sends()
    seen(node)
    expect(node.ofFencing('write-disk-word')).toEqual([])
    expect(failure(node)).toContain('did not report that it reads its disks')
  })

  test('is tried again where the node has just reported something else, and given up after five times', () => {
    const node = sends()
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect(node.ofFencing('look-at-target')).toHaveLength(attempt)
      expect(failure(node)).not.toContain('keep changing')
      seen(node, disk)
      node.fencing({ kind: 'disk-word-written', call: call(node), written: false })
    }
    expect(node.ofFencing('run-device')).toEqual([])
    expect(failure(node)).toContain('keep changing')
  })

  test.each([
    { name: 'could not be read', input: { kind: 'target-not-seen', why: 'no majority' } as const, says: /no majority/ },
    {
      name: 'took no word',
      input: { kind: 'disk-word-written', written: false, why: 'no answer' } as const,
      says: /n1 could not be asked: no answer/,
    },
  ])('lets no message be sent where the store $name', ({ input, says }) => {
    const node = sends()
    if (input.kind === 'disk-word-written') seen(node, disk)
    node.fencing({ ...input, call: call(node) })
    expect(node.ofFencing('run-device')).toEqual([])
    expect(failure(node)).toMatch(says)
  })

  const back = 'n2 is reachable again'

  test('is not written for a node that is here again before the store was told', () => {
    const node = sends()
    node.fencing({ kind: 'withdraw', id: '1' })
    expect(failure(node)).toContain(back)
    seen(node, disk)
    expect([node.ofFencing('write-disk-word'), node.ofFencing('run-device')]).toEqual([[], []])
  })

  test('is followed by the message once it is being written: the node obeys it in any case', () => {
    const node = sends()
    seen(node, disk)
    node.fencing({ kind: 'withdraw', id: '1' })
    node.fencing({ kind: 'disk-word-written', call: call(node), written: true })
    expect(node.ofFencing('run-device')).toHaveLength(1)
  })

  test('is not tried again for a node that is here again', () => {
    const node = sends()
    seen(node, disk)
    node.fencing({ kind: 'withdraw', id: '1' })
    node.fencing({ kind: 'disk-word-written', call: call(node), written: false })
    expect(failure(node)).toContain(back)
    expect(node.ofFencing('look-at-target')).toHaveLength(1)
  })

  test('is written for an administrator who asked for the same', () => {
    const node = sends()
    node.fencing({ kind: 'fence-for-administrator', id: '2', term: 5, target, action: 'off', random: 0, client: 'c' })
    node.fencing({ kind: 'withdraw', id: '1' })
    seen(node, disk)
    expect(node.ofFencing('write-disk-word')).toHaveLength(1)
  })

  test('is not tried again by a DC whose term is over', () => {
    const node = sends()
    seen(node, disk)
    node.store({ kind: 'put', key: keys.dc, value: { node: target }, createRevision: 20, lease: 'L2' })
    node.fencing({ kind: 'disk-word-written', call: call(node), written: false })
    expect(node.ofFencing('look-at-target')).toHaveLength(1)
    expect(node.ofFencing('run-device')).toEqual([])
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
