/** Whether a device can fence a node: known from its configuration, or asked of it and remembered for a while. */
import type { MonotonicMs } from '../base/index.ts'
import type { FenceDevice } from './device.ts'

/** What a device said of the nodes that it knows. */
export interface KnownHosts {
  readonly names: ReadonlySet<string>
  readonly at: MonotonicMs
}

/** A list of hosts is asked for again after this time. */
const freshMs = 60_000

export type Capability = 'yes' | 'no' | 'ask-list' | 'ask-status'

export function capability(
  device: FenceDevice,
  { target, known }: { readonly target: string; readonly known: KnownHosts | undefined },
  now: MonotonicMs,
): Capability {
  switch (device.hosts.kind) {
    case 'listed':
      return device.hosts.names.has(target) ? 'yes' : 'no'
    case 'all':
      return 'yes'
    case 'ask-list':
    case 'ask-status':
      if (known === undefined || now - known.at > freshMs) return device.hosts.kind
      return known.names.has(target) ? 'yes' : 'no'
  }
}

/** The hosts in the output of an agent's `list`: one a line, `plug` or `plug,alias`; some separate by other signs. */
export function hostsInList(output: string): ReadonlySet<string> {
  const names = output.split('\n').flatMap((line) => line.trim().split(/[,;\s]+/))
  return new Set(names.filter((name) => name !== ''))
}
