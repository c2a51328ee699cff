/**
 * The main thread's handle on the discovery thread: there while the configuration opens DNS or HTTP, and not otherwise. It is told what is known of the
 * services when that changes, and until when this node has quorum.
 */
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { MonotonicMs } from '../../base/index.ts'
import { type Configuration, clusterOptionValue } from '../../cib/index.ts'
import { dnsOption, httpOption, parseDnsSetting, parseHttpSetting } from '../../services/index.ts'
import { programFile } from '../host/install-folder.ts'
import type { Log } from '../host/log.ts'
import type { DiscoverySettings, FromDiscovery, KnownServices, ToDiscovery } from './messages.ts'

export interface DiscoveryPorts {
  readonly log: Log
  readonly quorateUntil: () => MonotonicMs
}

const quorumMs = 500
const startAgainMs = 1000

type Host = Omit<DiscoverySettings, 'dns' | 'http'>

export class Discovery {
  readonly #ports: DiscoveryPorts
  readonly #startWorker: () => Worker
  #worker: Worker | undefined
  #settings: DiscoverySettings | undefined
  #known: KnownServices | undefined
  #timer: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #mistakes: readonly string[] = []
  #troubles: readonly string[] = []
  #closed = false

  constructor(ports: DiscoveryPorts, startWorker: () => Worker = ownWorker) {
    this.#ports = ports
    this.#startWorker = startWorker
  }

  /** What is wrong with it on this node, a sentence each. */
  get troubles(): readonly string[] {
    return [...this.#mistakes, ...this.#troubles]
  }

  get isWanted(): boolean {
    return this.#settings?.dns !== undefined || this.#settings?.http !== undefined
  }

  use(configuration: Pick<Configuration, 'options'>, host: Host): void {
    const { dns, http, mistakes } = settingsIn(configuration)
    this.#mistakes = mistakes
    const settings: DiscoverySettings = { ...host, ...(dns && { dns }), ...(http && { http }) }
    if (isDeepStrictEqual(settings, this.#settings)) return
    this.#settings = settings
    if (!this.isWanted) {
      this.#end()
      return
    }
    if (this.#worker) this.#worker.postMessage({ kind: 'settings', settings } satisfies ToDiscovery)
    else this.#begin()
  }

  know(known: KnownServices): void {
    if (isDeepStrictEqual(known, this.#known)) return
    this.#known = known
    this.#worker?.postMessage({ kind: 'services', ...known } satisfies ToDiscovery)
  }

  close(): void {
    this.#closed = true
    this.#end()
  }

  #begin(): void {
    const { log, quorateUntil } = this.#ports
    if (this.#settings === undefined || this.#closed) return
    const worker = this.#startWorker()
    this.#worker = worker
    const tell = (message: ToDiscovery): void => worker.postMessage(message)
    worker.on('message', ({ troubles }: FromDiscovery) => {
      if (this.#worker !== worker) return
      this.#troubles = troubles
      if (troubles.length > 0) log.warn('services cannot be asked for everywhere', { troubles })
    })
    worker.on('error', (error) => log.error('the discovery thread has failed', { error }))
    worker.on('exit', () => this.#gone(worker))
    const tellQuorum = (): void => tell({ kind: 'quorum', until: quorateUntil() })
    tellQuorum()
    this.#timer = setInterval(tellQuorum, quorumMs)
    if (this.#known) tell({ kind: 'services', ...this.#known })
    tell({ kind: 'settings', settings: this.#settings })
    log.info('services can be asked for on this node', {
      dns: this.#settings.dns,
      http: this.#settings.http,
    })
  }

  /** The node lives on without it, and another one begins. */
  #gone(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#end()
    this.#again = setTimeout(() => this.isWanted && this.#begin(), startAgainMs)
  }

  #end(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#again)
    const worker = this.#worker
    this.#worker = undefined
    this.#troubles = []
    void worker?.terminate()
  }
}

function ownWorker(): Worker {
  return new Worker(programFile('discovery'), {
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  })
}

function settingsIn(configuration: Pick<Configuration, 'options'>): Pick<DiscoverySettings, 'dns' | 'http'> & {
  readonly mistakes: readonly string[]
} {
  const dns = parseDnsSetting(clusterOptionValue(configuration, dnsOption))
  const http = parseHttpSetting(clusterOptionValue(configuration, httpOption))
  const mistake = (option: string, what: string, why: string | undefined): string =>
    `The cluster option ${option} cannot be read, so that ${what} is off: ${why ?? ''}`
  return {
    ...(dns.ok && dns.value && { dns: dns.value }),
    ...(http.ok && http.value && { http: http.value }),
    mistakes: [
      ...(dns.ok ? [] : [mistake(dnsOption, 'DNS', dns.reports[0])]),
      ...(http.ok ? [] : [mistake(httpOption, 'HTTP', http.reports[0])]),
    ],
  }
}
