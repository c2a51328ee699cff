/** The program that hosts an embedded store in a process of its own, for tests that kill it: `host.mjs DIRECTORY SOCKET`. */
import { EmbeddedStore, serveStore } from '../../src/store/index.ts'

const [, , directory = '', path = ''] = process.argv
const store = new EmbeddedStore({ directory })
await serveStore(store, { path })
console.log('ready')
