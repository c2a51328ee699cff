/**
 * Fence devices that unfence know their nodes by their parameters: a node that was unfenced by a device with other ones has to
 * be unfenced again. A node remembers the digests in its attributes `#digests-all` and `#digests-secure`, the latter without
 * what is secret; the graph carries those of today for the next time.
 */
import { parametersDigest } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { isFenceDevice } from './planned-resource.ts'
import type { Setting } from './setting.ts'

export interface DeviceDigests {
  /** `device:agent:digest,` for each device. */
  readonly all: string
  readonly secure: string
  /** The node remembers a device that is another one now; nothing where it remembers none. */
  readonly isOutdated: boolean
}

const secrets = new Set(['passwd', 'password', 'user'])

export function deviceDigests({ tree, md5 }: Setting, node: NodeStatus): DeviceDigests {
  const remembered = { all: node.attributes.get('#digests-all'), secure: node.attributes.get('#digests-secure') }
  const digests = { all: '', secure: '', isOutdated: false }
  for (const rsc of tree.primitives) {
    if (!isFenceDevice(rsc) || rsc.resource.meta.raw.get('provides') !== 'unfencing') continue
    const parameters = [...rsc.resource.parametersOn(node.name)]
    // What tells the cluster about the device rather than the agent is in no secure digest.
    const open = parameters.filter(([name]) => !secrets.has(name) && !name.startsWith('pcmk_'))
    const named = `${rsc.id}:${rsc.resource.agent.type}:`
    const all = `${named}${parametersDigest(Object.fromEntries(parameters), md5)},`
    const secure = `${named}${parametersDigest(Object.fromEntries(open), md5)},`
    digests.all += all
    digests.secure += secure
    const isKnown = remembered.all?.includes(all) === true || remembered.secure?.includes(secure) === true
    if (remembered.all !== undefined && !isKnown) digests.isOutdated = true
  }
  return digests
}
