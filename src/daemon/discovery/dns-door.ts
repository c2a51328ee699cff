/** DNS as the setting wants it: who listens where, and what is known to answer with. */
import { type MonotonicMs, monotonicMs } from '../../base/index.ts'
import { type Zone, zoneOf } from '../../services/index.ts'
import { monotonicNow } from '../host/clock.ts'
import { Allowance } from './allowance.ts'
import { callersOf } from './callers.ts'
import { DnsListener } from './dns-listener.ts'
import { Forwarder } from './forwarder.ts'
import type { DiscoverySettings, KnownServices } from './messages.ts'
import { Places, placesOf } from './places.ts'
import { type ResponderPorts, respond } from './responder.ts'

export class DnsDoor {
  readonly #allowance = new Allowance()
  readonly #forwarder = new Forwarder()
  readonly #places: Places
  #ports: ResponderPorts | undefined
  #zone: Zone | undefined
  #quorateUntil = monotonicMs(Number.NEGATIVE_INFINITY)

  constructor(onTroubles: () => void) {
    this.#places = new Places('DNS', {
      open: async (at) =>
        await DnsListener.open(at, (packet, caller) => this.#ports && respond(packet, caller, this.#ports)),
      onTroubles,
    })
  }

  get troubles(): readonly string[] {
    return this.#places.troubles
  }

  set quorateUntil(until: MonotonicMs) {
    this.#quorateUntil = until
  }

  async use(settings: DiscoverySettings, known: KnownServices | undefined): Promise<void> {
    const { dns, hosts } = settings
    this.#ports = dns && {
      setting: dns,
      callers: callersOf(dns, hosts),
      allowance: this.#allowance,
      forwarder: this.#forwarder,
      zone: () => this.#zone,
      hasQuorum: () => monotonicNow() < this.#quorateUntil,
      now: monotonicNow,
    }
    this.know(settings, known)
    await this.#places.use(dns ? placesOf(dns, settings.ownAddresses) : [])
  }

  know({ dns, clusterName, self }: DiscoverySettings, known: KnownServices | undefined): void {
    const serial = Math.floor(Date.now() / 1000) >>> 0
    this.#zone = dns && known && zoneOf({ setting: dns, clusterName, self, serial, ...known })
  }
}
