/**
 * `node utilization --auto`: the capacities `cpu` and `memory` (MiB) of a node from its facts, less a reserve. What stands in a set of its own was
 * written by this; a name that another set has is the administrator's, and is left alone.
 */
import { type Facts, factNamed } from './facts.ts'

export interface Reserve {
  readonly cpu: number
  readonly memoryMib: number
}

/** What the operating system and the cluster itself need. */
export const defaultReserve: Reserve = { cpu: 0, memoryMib: 1024 }

export function capacityOf(facts: Facts, reserve: Reserve): Readonly<Record<string, string>> {
  const less = (name: string, reserved: number): string | undefined => {
    const known = facts.get(factNamed(name)?.attribute ?? '')
    return known === undefined ? undefined : String(Math.max(0, Math.floor(Number(known)) - reserved))
  }
  const [cpu, memory] = [less('cpus', reserve.cpu), less('memory', reserve.memoryMib)]
  return { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) }
}
