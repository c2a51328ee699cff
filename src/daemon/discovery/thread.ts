/**
 * The discovery thread: answers whoever asks for services. Strangers call here, so that nothing else is in it: however much they ask, heartbeats, leases
 * and decisions do not wait.
 */
import { parentPort } from 'node:worker_threads'
import { defined } from '../../base/index.ts'
import { DnsDoor } from './dns-door.ts'
import type { DiscoverySettings, FromDiscovery, KnownServices, ToDiscovery } from './messages.ts'

const port = defined(parentPort ?? undefined, 'the port to the main thread')
const dns = new DnsDoor(tellTroubles)
let settings: DiscoverySettings | undefined
let known: KnownServices | undefined
let told = ''
/** One setting after the other: what the last one says is how it is in the end. */
let turn: Promise<void> = Promise.resolve()

port.on('message', (message: ToDiscovery) => {
  switch (message.kind) {
    case 'settings': {
      const { settings: wanted } = message
      settings = wanted
      turn = turn.then(async () => await dns.use(wanted, known))
      return
    }
    case 'services':
      known = message
      if (settings) dns.know(settings, known)
      return
    case 'quorum':
      dns.quorateUntil = message.until
      return
  }
})

function tellTroubles(): void {
  const { troubles } = dns
  if (troubles.join('\n') === told) return
  told = troubles.join('\n')
  port.postMessage({ kind: 'troubles', troubles } satisfies FromDiscovery)
}
