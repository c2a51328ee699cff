/** What tests of the daemon's parts hand over in place of a whole cluster: a real store, and records as a daemon writes them. */
import type { NodeName } from '../../src/base/index.ts'
import type { MemberRecord } from '../../src/controller/index.ts'
import type { Store } from '../../src/store/index.ts'

/** A real store of which a test changes some of the calls. */
export function storeWith(store: Store, changed: Partial<Store>): Store {
  return {
    get: async (key) => await store.get(key),
    list: async (prefix, options) => await store.list(prefix, options),
    transaction: async (asked) => await store.transaction(asked),
    watch: (prefix, from, listener) => store.watch(prefix, from, listener),
    grantLease: async (ttlMs) => await store.grantLease(ttlMs),
    keepAlive: async (lease) => await store.keepAlive(lease),
    revokeLease: async (lease) => {
      await store.revokeLease(lease)
    },
    close: async () => {
      await store.close()
    },
    ...changed,
  }
}

export const memberRecord = (node: NodeName, more: Partial<MemberRecord> = {}): MemberRecord => ({
  node,
  id: node,
  incarnation: 1,
  address: '10.0.0.1',
  daemonVersion: '0.1.0',
  state: 'member',
  since: 0,
  ...more,
})
