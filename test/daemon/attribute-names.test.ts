import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { AttributeChanges } from '../../src/daemon/attributes/attribute-changes.ts'
import type { Revision } from '../../src/store/index.ts'

const transaction = async () => await Promise.resolve({ applied: true, revision: 0 as Revision })
const changes = new AttributeChanges({
  store: () => ({ transaction }),
  view: () => emptyView,
  onState: () => () => undefined,
})
const long = 'a'.repeat(256)
const set = async (name: string, set: string, value?: string): Promise<void> =>
  await changes.set({ node: nodeName('n1'), name, set, ...(value === undefined ? {} : { value }) })

test('a node attribute whose name is too long is refused with a sentence, and can be deleted where it is there', async () => {
  await expect(set(long, '', '1')).rejects.toThrow(
    /The name of the node attribute 'a+…' has 256 bytes. The limit is 255/,
  )
  await expect(set('short', long, '1')).rejects.toThrow(/The set of the node attribute 'a+…' has 256 bytes/)
  await set(long, '')
  await set(long.slice(1), '', '1')
})
