import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EmbeddedStore, type Store, serveStore } from '../../src/store/index.ts'
import { connectStore } from '../../src/store/socket/connect.ts'
import { storeContract } from './store-contract.ts'

storeContract('the embedded store', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'systole-store-'))
  const store = new EmbeddedStore({ directory })
  return {
    // One process has one embedded store, so all clients are this one, and it is closed in the end.
    open: async () => withoutClose(store),
    end: async () => {
      await store.close()
      rmSync(directory, { recursive: true })
    },
    leaseSlackMs: 1000,
  }
})

storeContract('the embedded store of another process, over a socket', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'systole-store-'))
  const store = new EmbeddedStore({ directory: join(directory, 'data') })
  const path = join(directory, 'store.sock')
  const served = await serveStore(store, { path })
  return {
    open: async () => connectStore({ path }),
    end: async () => {
      await served.close()
      await store.close()
      rmSync(directory, { recursive: true })
    },
    leaseSlackMs: 1000,
  }
})

function withoutClose(store: Store): Store {
  return {
    get: (key) => store.get(key),
    list: (prefix, options) => store.list(prefix, options),
    transaction: (transaction) => store.transaction(transaction),
    watch: (prefix, from, listener) => store.watch(prefix, from, listener),
    grantLease: (ttlMs) => store.grantLease(ttlMs),
    keepAlive: (lease) => store.keepAlive(lease),
    revokeLease: (lease) => store.revokeLease(lease),
    close: async () => undefined,
  }
}
