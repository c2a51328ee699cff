/**
 * On the member that holds the connection to a remote node: keeps the facts and the health of that node's machine as those of this one are kept. The remote node is asked
 * and answers about itself; this member writes, under that node's name alone, and only as long as it holds the connection. A BMC that this member reaches by a fence device
 * of the remote node it asks itself: the password stays here. Replicas of bundles are not asked, since their machine is that of the member below.
 */
import type { NodeName } from '../../base/index.ts'
import type { Configuration } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { HealthReading } from '../../hardware/index.ts'
import { CallFailedError } from '../../remote/index.ts'
import { bundleNodes } from '../../status/index.ts'
import type { AttributeChanges } from '../attributes/attribute-changes.ts'
import type { Log } from '../host/log.ts'
import type { HeldRemote } from '../jobs/remote-task-keeper.ts'
import { FactsKeeper } from './facts-keeper.ts'
import { HealthKeeper } from './health-keeper.ts'
import { bmcOfFenceDevice, readBmc } from './read-health.ts'

export interface RemoteHardwarePorts {
  readonly log: Log
  readonly view: () => ClusterView
  readonly quorate: () => boolean
  readonly attributes: Pick<AttributeChanges, 'setAll'>
  readonly held: () => readonly HeldRemote[]
}

interface Keeper {
  readonly look: () => void
  readonly close: () => void
}

export class RemoteHardware {
  readonly #ports: RemoteHardwarePorts
  readonly #keepers = new Map<HeldRemote['link'], readonly Keeper[]>()
  #closed = false

  constructor(ports: RemoteHardwarePorts) {
    this.#ports = ports
  }

  /** After every change of what this node knows, and when a connection was made. */
  look(): void {
    const { view, held } = this.#ports
    for (const [link, keepers] of this.#keepers) if (link.ended) this.#end(link, keepers)
    const connected = this.#closed ? [] : held()
    if (connected.length === 0) return
    const replicas = replicaNames(view().configuration?.typed)
    for (const one of connected) {
      if (replicas.has(one.remote)) continue
      const keepers = this.#keepers.get(one.link) ?? this.#open(one)
      this.#keepers.set(one.link, keepers)
      for (const keeper of keepers) keeper.look()
    }
  }

  close(): void {
    this.#closed = true
    for (const [link, keepers] of this.#keepers) this.#end(link, keepers)
  }

  #end(link: HeldRemote['link'], keepers: readonly Keeper[]): void {
    this.#keepers.delete(link)
    for (const keeper of keepers) keeper.close()
  }

  #open({ remote, link, owned }: HeldRemote): readonly Keeper[] {
    const { attributes, ...ports } = this.#ports
    const own = {
      ...ports,
      self: remote,
      attributes: { setAll: async (requests) => await attributes.setAll(requests, [owned]) } satisfies Pick<
        AttributeChanges,
        'setAll'
      >,
    }
    return [
      new FactsKeeper({
        ...own,
        read: () => ({ result: link.call('hardware', {}), end: () => undefined }),
      }),
      new HealthKeeper({
        ...own,
        read: async (configuration) => await remoteHealth({ remote, link }, configuration),
      }),
    ]
  }
}

/** What the BMC says counts before what the remote node says of it. */
async function remoteHealth(
  { remote, link }: Pick<HeldRemote, 'remote' | 'link'>,
  configuration: Configuration,
): Promise<HealthReading> {
  const bmc = readBmc(bmcOfFenceDevice(remote, configuration))
  const told = link.call('health', {}).catch((error: unknown): HealthReading => {
    // A version that knows no such call, or programs there that failed: what could not be read changes nothing.
    if (error instanceof CallFailedError) return {}
    throw error
  })
  return { ...(await told), ...(await bmc) }
}

function replicaNames(configuration: Configuration | undefined): ReadonlySet<NodeName> {
  const bundles = (configuration?.resources ?? []).filter((one) => one.kind === 'bundle')
  return new Set(bundles.flatMap((bundle) => bundleNodes(bundle).map(({ name }) => name)))
}
