import { expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { type ClusterFile, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { Admission } from '../../src/daemon/peers/admission.ts'
import { awayNodes, BringList, takesFromStranger } from '../../src/daemon/peers/bring-list.ts'
import { type NodeCaller, serialOf } from '../../src/rpc/index.ts'

const key = (letter: string): string => `${letter.repeat(43)}=`
const [alpha, beta, delta] = [nodeName('alpha'), nodeName('beta'), nodeName('delta')]
const byKey = (name: string, letter: string): NodeCaller => ({ kind: 'node', name, key: key(letter), role: 'member' })

function file(version: number, nodes: readonly object[], more: object = {}): ClusterFile {
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'x', nodesVersion: version, nodes, ...more }))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

const [a, b, d] = [
  { name: alpha, keys: [key('A')] },
  { name: beta, keys: [key('B')] },
  { name: delta, keys: [key('D')] },
]
const own = file(7, [a, b])
const newer = file(9, [a, d])

const cases: readonly (readonly [string, boolean, ClusterFile, ClusterFile, NodeCaller])[] = [
  ['a newer list that names both', true, own, newer, byKey('delta', 'D')],
  ['not one that is as old', false, own, file(7, [a, d]), byKey('delta', 'D')],
  ['not from somebody that it does not name', false, own, newer, byKey('gamma', 'C')],
  ['not from somebody with another key than it names', false, own, newer, byKey('delta', 'C')],
  ['not one that leaves out this node', false, own, file(9, [b, d]), byKey('delta', 'D')],
  [
    'not one in which this node is another host',
    false,
    own,
    file(9, [{ ...a, keys: [key('Z')] }, d]),
    byKey('delta', 'D'),
  ],
  ['not one of another cluster', false, own, file(9, [a, d], { clusterName: 'y' }), byKey('delta', 'D')],
  [
    'not by a key that this node knows to be revoked',
    false,
    file(7, [a, b], { revoked: [serialOf(key('D'))] }),
    newer,
    byKey('delta', 'D'),
  ],
]
for (const [name, taken, known, listed, caller] of cases)
  test(`a node that knows nobody who is there takes ${name}`, () => {
    expect(takesFromStranger(known, alpha, { caller, listed })).toBe(taken)
  })

test('so does a witness, which the list names beside the nodes', () => {
  const witness = { name: 'w', address: '10.0.0.9', keys: [key('W')] }
  const [before, after] = [file(7, [a, b], { witness }), file(9, [d], { witness })]
  const brought = { caller: byKey('delta', 'D'), listed: after }
  expect(takesFromStranger(before, nodeName('w'), brought)).toBe(true)
  expect(takesFromStranger(before, nodeName('w'), { ...brought, listed: file(9, [d]) })).toBe(false)
})

const quiet = { warn: () => undefined } as never

test('a stranger reaches the handler of a list only, and only at a node without quorum', async () => {
  let stranded = true
  const admission = new Admission({
    log: quiet,
    file: () => own,
    refresh: async () => undefined,
    mayBeStranded: () => stranded,
  })
  const brings = '/systole.Node/UpdateClusterFile'
  for (const path of [brings, '/systole.Witness/Follow']) await admission.admit(byKey('delta', 'D'), path)
  await expect(admission.admit(byKey('delta', 'D'), '/systole.Node/StopCluster')).rejects.toThrow('removed')
  await expect(admission.admit(byKey('delta', 'D'))).rejects.toThrow('removed')
  stranded = false
  await expect(admission.admit(byKey('delta', 'D'), brings)).rejects.toThrow('removed')
})

test('the list of a stranger that is not to be trusted is refused, that of a known node never', () => {
  const admission = new Admission({ log: quiet, file: () => own, refresh: async () => undefined })
  admission.refuseStrangersList(alpha, byKey('delta', 'D'), newer)
  expect(() => admission.refuseStrangersList(alpha, byKey('gamma', 'C'), newer)).toThrow('removed')
  admission.refuseStrangersList(alpha, byKey('beta', 'B'), file(9, [b]))
})

const down = { expected: 'down', join: 'down' } as const

test('the list is brought to nodes that were here and take no part, until they have it', async () => {
  const listed = file(9, [a, b, d])
  const state = (node: typeof alpha, attributes: Record<string, string>) => ({ ...down, node, attributes })
  const members = new Map([[delta, { node: delta }]])
  const view = {
    ...emptyView,
    members,
    nodeStates: new Map([
      [alpha, state(alpha, { incarnation: '5' })],
      [beta, state(beta, {})],
    ]),
  } as never
  expect(awayNodes(listed, view)).toEqual([alpha])
  const calls: unknown[] = []
  let leads = true
  let answers = false
  const updateClusterFile = async ({ json }: { readonly json: string }) => {
    calls.push(JSON.parse(json).nodesVersion)
    if (!answers) throw new Error('it is off')
    return {}
  }
  const to = (node: unknown) => (node === alpha ? { updateClusterFile } : undefined) as never
  const brings = new BringList({ leads: () => leads, file: () => listed, view: () => view, peers: { to } })
  const look = async (): Promise<number> => {
    brings.look()
    await vi.waitFor(() => expect(calls).not.toEqual([])).catch(() => undefined)
    await new Promise(setImmediate)
    return calls.splice(0).length
  }
  expect(await look()).toBe(1)
  expect(await look()).toBe(1)
  answers = true
  expect(await look()).toBe(1)
  brings.look()
  await new Promise(setImmediate)
  expect(calls).toEqual([])
  // It has lost the lead meanwhile, and does not know what others have brought.
  leads = false
  brings.look()
  leads = true
  expect(await look()).toBe(1)
  // It was here meanwhile, and may know less when it is back.
  members.set(alpha, { node: alpha })
  brings.look()
  members.delete(alpha)
  expect(await look()).toBe(1)
})

test('a call that is under way is not made again meanwhile', async () => {
  const listed = file(9, [a])
  const state = { ...down, node: alpha, attributes: { incarnation: '5' } }
  const view = { ...emptyView, members: new Map(), nodeStates: new Map([[alpha, state]]) } as never
  const ends: (() => void)[] = []
  const updateClusterFile = async (): Promise<object> =>
    await new Promise((_, reject) => ends.push(() => reject(new Error('it is off'))))
  const to = () => ({ updateClusterFile }) as never
  const brings = new BringList({ leads: () => true, file: () => listed, view: () => view, peers: { to } })
  brings.look()
  await vi.waitFor(() => expect(ends).toHaveLength(1))
  brings.look()
  await new Promise(setImmediate)
  expect(ends).toHaveLength(1)
  ends[0]?.()
  await new Promise(setImmediate)
  brings.look()
  await vi.waitFor(() => expect(ends).toHaveLength(2))
})
