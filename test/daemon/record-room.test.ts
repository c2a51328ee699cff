/** Whoever may write one attribute must not be able to fill the store and the memory of all nodes with others. */
import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import type { TransientAttributeRecord } from '../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { AttributeChanges } from '../../src/daemon/attributes/attribute-changes.ts'
import { refuseManyTickets } from '../../src/daemon/records/record-room.ts'
import type { Revision } from '../../src/store/index.ts'

const value = 'x'.repeat(60 * 1024)
const record = (node: string, name: string): TransientAttributeRecord => ({
  node: nodeName(node),
  set: '',
  name,
  value,
})
const full = Array.from({ length: 17 }, (_, number) => record('n1', `a${number}`))

function changesIn(view: ClusterView): { readonly changes: AttributeChanges; readonly written: () => number } {
  let written = 0
  const transaction = async () => {
    written++
    return await Promise.resolve({ applied: true, revision: 0 as Revision })
  }
  const ports = { store: () => ({ transaction }), view: () => view, onState: () => () => undefined }
  return { changes: new AttributeChanges(ports), written: () => written }
}

const holding = (attributes: readonly TransientAttributeRecord[]): ClusterView => ({
  ...emptyView,
  attributes: new Map(attributes.map((one) => [`${one.node}/${one.name}`, one])),
})

test('the transient attributes of a node have an end, of each node by itself, and can be made less', async () => {
  const { changes, written } = changesIn(holding(full))
  await expect(changes.set(record('n1', 'b'))).rejects.toThrow(
    /^The transient attributes of n1 would have \d+ bytes together: 1048576 is the most that they may have\.$/,
  )
  expect(written()).toBe(0)
  await changes.set(record('n2', 'b'))
  await changes.set({ node: nodeName('n1'), set: '', name: 'a3', value: 'y' })
  await changes.set({ node: nodeName('n1'), set: '', name: 'a3' })
  expect(written()).toBe(3)
})

test('what waits for its dampening counts as well', async () => {
  const withheld = new Map(full.map((one) => [one.name, one]))
  const { changes } = changesIn({ ...emptyView, withheld })
  await expect(changes.set(record('n1', 'b'))).rejects.toThrow('is the most that they may have')
})

test('the dampening of a thousand names is kept, and no more', async () => {
  const names = Array.from({ length: 1000 }, (_, number) => `t${number}`)
  const attributeTraits = new Map(names.map((name) => [name, { name, delayMs: 1000, isPrivate: false }]))
  const { changes } = changesIn({ ...emptyView, attributeTraits })
  const asked = { node: nodeName('n1'), set: '', value: '1', delayMs: 5000 }
  await expect(changes.set({ ...asked, name: 'new' })).rejects.toThrow('keeps the dampening of 1000 node attributes')
  await changes.set({ ...asked, name: 't7' })
})

test('tickets have an end together', () => {
  const tickets = full.map(({ name, value: text }) => ({ id: name, attributes: { owner: text } }))
  expect(() => refuseManyTickets(tickets, [...tickets, { id: 'more', attributes: { owner: value } }])).toThrow(
    'The tickets would have',
  )
  refuseManyTickets(tickets, tickets.slice(1))
})
