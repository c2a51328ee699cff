/** Rollouts on one node: the keeper, which works on the DC, this node's copy, and what the API reads. */
import type { NodeFacts } from '../../rollout/index.ts'
import { RolloutCopy, type RolloutCopyPorts } from './known-rollouts.ts'
import { nodesOfView, type Sights } from './rollout-input.ts'
import { RolloutKeeper, type RolloutKeeperPorts } from './rollout-keeper.ts'
import type { Below } from './rollout-records.ts'

type RolloutsPorts = RolloutKeeperPorts & RolloutCopyPorts

export class Rollouts {
  readonly below: Below
  readonly #ports: RolloutsPorts
  readonly #keeper: RolloutKeeper
  readonly #copy: RolloutCopy

  constructor(ports: RolloutsPorts) {
    this.#ports = ports
    this.below = ports.below
    this.#keeper = new RolloutKeeper(ports)
    this.#copy = new RolloutCopy(ports)
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    this.#copy.look()
    this.#keeper.look()
  }

  close(): void {
    this.#keeper.close()
    this.#copy.close()
  }

  /** Also on nodes that are not the DC, which know by what the DC publishes whether the cluster has settled. */
  sights(): Sights {
    const { view, file, below, witnessUp } = this.#ports
    const { transition } = view()
    const settled =
      typeof transition === 'object' && transition !== null && 'state' in transition && transition.state === 'idle'
    return { view: view(), file: file(), below, witnessUp: witnessUp(), settled, now: Date.now() }
  }

  nodes(): readonly NodeFacts[] {
    return nodesOfView(this.#ports.view(), Date.now())
  }
}
