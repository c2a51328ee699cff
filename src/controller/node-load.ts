/**
 * How many actions a node takes at the same time (`node-action-limit`, `load-threshold`): twice its processors where the option
 * does not say otherwise, and fewer, in proportion, while its load is above the threshold. At any load it takes two, so that a slow
 * notification or stop holds up nobody's recovery. The load comes with the node's answers to commands, so that it costs an idle
 * cluster nothing, and the first commands after a rest go by an old one.
 */
import type { ControllerOptions } from './options.ts'

export interface NodeLoad {
  readonly processors: number
  /** What runs or waits to run on each processor, averaged over a minute: 1 is a processor that is always busy. */
  readonly load: number
}

const atAnyLoad = 2

export function actionLimit(
  options: Pick<ControllerOptions, 'nodeActionLimit' | 'loadThreshold'>,
  known: NodeLoad | undefined,
  unknownLimit: number,
): number {
  const { nodeActionLimit, loadThreshold } = options
  const full = nodeActionLimit > 0 ? nodeActionLimit : known === undefined ? unknownLimit : 2 * known.processors
  if (known === undefined || !isSlowed({ loadThreshold }, known)) return full
  return Math.max(Math.min(full, atAnyLoad), Math.floor((full * loadThreshold) / known.load))
}

/** Its load is above the threshold. */
export const isSlowed = (
  { loadThreshold }: Pick<ControllerOptions, 'loadThreshold'>,
  known: NodeLoad | undefined,
): boolean => known !== undefined && loadThreshold !== 0 && known.load > loadThreshold
