/**
 * The boundaries between the steps of a rollout, as the store has them: each is a write after which everything goes on from the record, whoever is left.
 * `n1/install/ended` is the moment at which the store knows how that command of n1 has ended.
 */
import type { RolloutRecord } from '../../src/rollout/index.ts'
import type { Lab } from '../nodes/lab/lab.ts'
import type { Shop } from './shop.ts'
import { StoreWatch, type StoreWrite } from './store-watch.ts'

const ofCommand = ['ready', 'claimed', 'ended'] as const

/** On the way of one node to the version. In the middle of `install` the cluster is stopped on it. */
export const forward: readonly string[] = [
  'holding',
  'install/ready',
  'install/claimed',
  'install/middle',
  'install/ended',
  ...ofCommand.map((moment) => `check/${moment}`),
  'releasing',
  'done',
]

/** And on its way back, once it was upgraded. */
export const back: readonly string[] = [
  'undo-holding',
  ...ofCommand.map((moment) => `undo-install/${moment}`),
  'undo-releasing',
  'back',
]

interface Task {
  readonly id: string
  readonly state: string
}

interface Wanted {
  readonly boundaries: ReadonlySet<string>
  /** The name of the rollout. */
  readonly upgrade: string
}

/** Follows one rollout. */
export class Boundaries {
  /** Nothing while there is none. */
  dc = ''
  readonly #wanted: Wanted
  readonly #reached: (boundary: string) => void
  readonly #commands = new Map<string, string>()
  readonly seen: string[] = []
  /** What the store has when the watch begins was reached before. */
  #isLive = false

  private constructor(wanted: Wanted, reached: (boundary: string) => void) {
    this.#wanted = wanted
    this.#reached = reached
  }

  /** `reached` is called within milliseconds of each of the boundaries. */
  static async watch(
    lab: Lab,
    shop: Shop,
    wanted: Wanted,
    reached: (boundary: string) => void,
  ): Promise<{ readonly boundaries: Boundaries; close: () => Promise<void> }> {
    const boundaries = new Boundaries(wanted, reached)
    const watch = await StoreWatch.open(
      lab,
      (write) => boundaries.#see(write),
      () => {
        boundaries.#isLive = true
      },
    )
    // The middle of a command is no write: the command says it, and waits there.
    const middles = [...wanted.boundaries].filter((boundary) => boundary.endsWith('/install/middle'))
    const timer = setInterval(() => {
      for (const middle of middles)
        if (shop.runs(wanted.upgrade).includes(`${middle.split('/')[0]} stopped`)) boundaries.#at(middle)
    }, 10)
    return {
      boundaries,
      close: async () => {
        clearInterval(timer)
        await watch.close()
      },
    }
  }

  #see({ key, value }: StoreWrite): void {
    if (key === '/systole/dc') this.dc = value === undefined ? '' : (value as { readonly node: string }).node
    if (key.startsWith('/systole/rollouts/') && value !== undefined) this.#record(value as RolloutRecord)
    if (key.startsWith('/systole/tasks/') && value !== undefined) this.#task(value as Task)
  }

  #record({ nodes, definition }: RolloutRecord): void {
    if (definition.name !== this.#wanted.upgrade) return
    for (const { node, phase, task, command } of nodes) {
      if (phase === 'working' || phase === 'undoing') {
        if (task === undefined || this.#commands.has(task)) continue
        const name = `${node}/${phase === 'undoing' ? 'undo-' : ''}${definition.commands[command]?.name ?? ''}`
        this.#commands.set(task, name)
        this.#at(`${name}/ready`)
      } else this.#at(`${node}/${phase}`)
    }
  }

  #task({ id, state }: Task): void {
    const name = this.#commands.get(id)
    if (name !== undefined && state !== 'ready') this.#at(`${name}/${state === 'running' ? 'claimed' : 'ended'}`)
  }

  #at(boundary: string): void {
    if (this.seen.includes(boundary)) return
    this.seen.push(boundary)
    if (this.#isLive && this.#wanted.boundaries.has(boundary)) this.#reached(boundary)
  }
}
