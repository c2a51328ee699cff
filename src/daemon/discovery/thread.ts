/**
 * The discovery thread: answers whoever asks for services. Strangers call here, so that nothing else is in it: however much they ask, heartbeats, leases
 * and decisions do not wait.
 */
import { parentPort } from 'node:worker_threads'
import { defined } from '../../base/index.ts'
import { DnsDoor } from './dns-door.ts'
import { HttpDoor } from './http-door.ts'
import { IndexedServices } from './indexed-services.ts'
import type { DiscoverySettings, FromDiscovery, ToDiscovery } from './messages.ts'

const port = defined(parentPort ?? undefined, 'the port to the main thread')
const services = new IndexedServices()
const dns = new DnsDoor(tellTroubles)
const http = new HttpDoor(services, tellTroubles)
let settings: DiscoverySettings | undefined
let told = ''
/** One setting after the other: what the last one says is how it is in the end. */
let turn: Promise<void> = Promise.resolve()

port.on('message', (message: ToDiscovery) => {
  switch (message.kind) {
    case 'settings': {
      const { settings: wanted } = message
      settings = wanted
      turn = turn.then(async () => {
        await dns.use(wanted, services.known)
        await http.use(wanted)
      })
      return
    }
    case 'services':
      if (!services.take(message)) return
      if (settings) dns.know(settings, message)
      http.look()
      return
    case 'quorum':
      dns.quorateUntil = message.until
      http.quorateUntil = message.until
      return
  }
})

function tellTroubles(): void {
  const troubles = [...dns.troubles, ...http.troubles]
  if (troubles.join('\n') === told) return
  told = troubles.join('\n')
  port.postMessage({ kind: 'troubles', troubles } satisfies FromDiscovery)
}
