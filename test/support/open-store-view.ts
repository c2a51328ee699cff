/** A copy of a store that is there and stays: listed once, then followed, as a node does it. */
import { type OnChanges, StoreCopy } from '../../src/daemon/records/store-view.ts'
import type { Store } from '../../src/store/index.ts'

export async function openStoreView(store: Store, onChanges: OnChanges): Promise<StoreCopy> {
  const view = new StoreCopy(() => store, onChanges)
  view.follow(await view.list(), () => {
    throw new Error('The watch of the test’s store fell behind.')
  })
  return view
}
