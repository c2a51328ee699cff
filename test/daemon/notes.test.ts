import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { clusterNotes } from '../../src/daemon/cluster-state/notes.ts'
import { parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { isFenceable, readFenceDevices } from '../../src/fencing/index.ts'

function notes(
  nodes: string,
  options: string,
  devices: string,
  watchdogs: Readonly<Record<string, number>> = {},
  connectionsStay?: string,
): string {
  const file = parseClusterFile(
    JSON.stringify({ clusterName: 'x', nodes: nodes.split(' ').map((name) => ({ name })), store: { kind: 'etcd' } }),
  )
  const xml = parseXml(`<cib><configuration><crm_config><cluster_property_set id="o">${options}</cluster_property_set>
    </crm_config><nodes/><resources>${devices}</resources><constraints/></configuration></cib>`)
  if (!file.ok || !xml.ok) throw new Error('the test itself is wrong')
  const configuration = readConfiguration(xml.value)
  const known = readFenceDevices(configuration, { metadata: new Map() })
  return clusterNotes({
    file: file.value,
    links: [],
    connectionsStay,
    witness: undefined,
    configuration,
    deviceCount: known.length,
    isFenceable: (node) => isFenceable({ node, attributes: new Map() }, configuration.fencingLevels, known),
    watchdogs: new Map(Object.entries(watchdogs).map(([name, ms]) => [nodeName(name), ms])),
    troubles: new Map(),
    removals: [],
    deaf: [],
    watchdogTroubles: [],
  }).join('\n')
}

const device = (hosts: string) =>
  `<primitive id="f" class="stonith" type="fence_x"><instance_attributes id="fi"><nvpair id="fh" name="pcmk_host_list" value="${hosts}"/></instance_attributes></primitive>`
const waited = (value: string) => `<nvpair id="w" name="stonith-watchdog-timeout" value="${value}"/>`
const disabled = '<nvpair id="e" name="stonith-enabled" value="false"/>'

const cases: readonly { readonly name: string; readonly notes: string; readonly says: RegExp }[] = [
  { name: 'three nodes that can all be fenced: nothing', notes: notes('a b c', '', device('a b c')), says: /^$/ },
  { name: 'no fence device', notes: notes('a b c', '', ''), says: /^No fence device is configured: .*not recovered/ },
  { name: 'nodes without one', notes: notes('a b c', '', device('a')), says: /^No fence device can fence b or c: / },
  { name: 'fencing disabled', notes: notes('a b c', disabled, ''), says: /^Fencing is disabled: [^\n]*$/ },
  { name: 'two nodes that fence each other: nothing', notes: notes('a b', '', device('a b')), says: /^$/ },
  {
    name: 'two nodes without fencing',
    notes: notes('a b', disabled, ''),
    says: /Two nodes without fencing: .*unblock/,
  },
  {
    name: 'a watchdog that takes longer than the cluster waits',
    notes: notes('a b c', waited('4s'), device('a b c'), { a: 3000, b: 5000 }),
    says: /^The watchdog of b takes 5 s, so fencing-watchdog-timeout=4s is too short to rely on it\.$/,
  },
  {
    name: 'two voters that count on watchdogs',
    notes: notes('a b', waited('-1'), device('a b'), { a: 3000, b: 3000 }),
    says: /^fencing-watchdog-timeout requires three nodes/,
  },
  {
    name: 'a kernel that ends no connections, where there is one link: nothing',
    notes: notes('a b c', '', device('a b c'), {}, 'no ss'),
    says: /^$/,
  },
  { name: 'one node alone: nothing', notes: notes('a', '', ''), says: /^$/ },
]

test('a kernel that ends no connections is told where there are several links', () => {
  const file = parseClusterFile(
    JSON.stringify({
      clusterName: 'x',
      nodes: [{ name: 'a', links: [0, 1].map((number) => ({ number, address: `10.${number}.0.1` })) }],
    }),
  )
  if (!file.ok) throw new Error('the test itself is wrong')
  const told = clusterNotes({
    file: file.value,
    links: [],
    connectionsStay: 'the kernel does not do it',
    witness: undefined,
    configuration: undefined,
    deviceCount: 0,
    isFenceable: () => true,
    watchdogs: new Map(),
    troubles: new Map([[nodeName('n2'), ['The disk is full.']]]),
    removals: [],
    deaf: [],
    watchdogTroubles: [],
  })
  expect(told).toContain('On n2: The disk is full.')
  expect(told).toContainEqual(
    expect.stringMatching(/^This node cannot close connections .*\(the kernel does not do it\)/),
  )
})

for (const { name, notes: text, says } of cases)
  test(`notes of a cluster: ${name}`, () => {
    expect(text).toMatch(says)
  })
