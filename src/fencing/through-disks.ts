/** Fence devices that leave a message on SBD's shared disks, where the node that is meant must read it (fence_sbd(8), sbd(8)). */
import { splitWords } from '../cib/index.ts'

/** The parameter that names the disks, by agent: Debian's of today, and that of old. */
const parameters: ReadonlyMap<string, string> = new Map([
  ['fence_sbd', 'devices'],
  ['external/sbd', 'sbd_device'],
])

/** What matters here of a fence device. */
interface DiskDevice {
  readonly agent: string
  readonly parameters: Readonly<Record<string, string>>
  readonly actions: { readonly off: { readonly name: string } }
}

export const isThroughDisks = (agent: string): boolean => parameters.has(agent)

export function disksOfDevice({ agent, parameters: given }: Omit<DiskDevice, 'actions'>): readonly string[] {
  return splitWords(given[parameters.get(agent) ?? ''])
}

export interface SbdMessageProgram {
  readonly path: string
  readonly arguments: readonly string[]
}

/**
 * What is run for `off` instead of fence_sbd, which does nothing and succeeds where the slot on the last of its disks holds `off` or `reset`: however
 * young that message is, and although the other disks may not have it. So it is sent anew, by the program that the agent uses: that one ends
 * when a majority of the disks has had the message for the msgwait. Undefined: the agent is run.
 */
export function offThroughDisks(
  device: DiskDevice,
  action: string,
  plug: string | undefined,
): SbdMessageProgram | undefined {
  if (device.agent !== 'fence_sbd' || action !== 'off' || plug === undefined) return undefined
  if (device.actions.off.name !== 'off') return undefined
  const { sbd_path: path = '/usr/sbin/sbd' } = device.parameters
  const named = disksOfDevice(device).flatMap((disk) => ['-d', disk])
  return { path, arguments: [...named, 'message', plug, 'off'] }
}
