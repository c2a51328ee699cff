/**
 * A rollout that is struck again and again. Struck once each, the boundaries of five nodes would take a rollout of all nodes each; here one rollout takes
 * as many strikes as it can: whoever was struck comes back, one `resume` (or `abort`) goes on where it was halted, and the next boundary that is still
 * left is the next strike. At the end it is complete, or all is as it was, as after one strike.
 */
import { Boundaries } from './boundaries.ts'
import type { BoundaryLab, Victim } from './boundary-lab.ts'

interface Round {
  readonly upgrade: string
  readonly victim: Victim
  /** Those that were not struck yet. */
  readonly left: ReadonlySet<string>
  /** What is typed where the rollout was halted. */
  readonly word: 'resume' | 'abort'
  readonly ends: 'complete' | 'aborted'
}

/** Begins with the typed words, and answers which boundaries were struck once the rollout has ended. */
export async function struckInTurn(
  here: BoundaryLab,
  round: Round,
  words: readonly string[],
): Promise<readonly string[]> {
  const struck: string[] = []
  let typed = words
  for (;;) {
    const strike = await nextStrike(here, { ...round, left: new Set([...round.left].filter(notIn(struck))) }, typed)
    if (strike === undefined) return struck
    struck.push(strike.boundary)
    const [node = ''] = strike.boundary.split('/')
    await here.powerAll(strike.nodes)
    await here.untilOnline(strike.nodes.filter((one) => one !== node))
    here.shop.open(node)
    typed = round.victim === 'the client' ? ['rollout', 'status', await idOf(here, round.upgrade), '--wait'] : []
  }
}

const notIn =
  (list: readonly string[]) =>
  (one: string): boolean =>
    !list.includes(one)

async function idOf(here: BoundaryLab, upgrade: string): Promise<string> {
  const rollout = await here.rollout(upgrade)
  if (rollout === undefined) throw new Error(`There is no rollout ${upgrade}.`)
  return rollout.id
}

interface Strike {
  readonly boundary: string
  readonly nodes: readonly string[]
}

/** Nothing once the rollout has ended. */
async function nextStrike(
  here: BoundaryLab,
  { upgrade, victim, left, word, ends }: Round,
  words: readonly string[],
): Promise<Strike | undefined> {
  let strike: Promise<Strike> | undefined
  let halts = 0
  const { boundaries, close } = await Boundaries.watch(
    here.lab,
    here.shop,
    { boundaries: left, upgrade },
    (boundary) => {
      strike ??= struckAt(boundary)
    },
  )
  async function struckAt(boundary: string): Promise<Strike> {
    const [node = ''] = boundary.split('/')
    // A command that is on its way waits there until whoever was struck is back.
    here.shop.shut(node)
    return { boundary, nodes: await here.strike(victim, { node, dc: () => boundaries.dc }) }
  }
  const end = words.length === 0 ? () => undefined : here.type(...words)
  try {
    await here.lab.until(
      `${upgrade} is at one of ${[...left].join(' ')}, or ${ends}`,
      async () => {
        if (strike !== undefined) return true
        const rollout = await here.rollout(upgrade)
        if (rollout?.state === 'halted') {
          halts++
          if (halts > 1) return true
          await here.ask('rollout', word, rollout.id, '--no-wait')
          await here.untilState(upgrade, 'running', 'aborting', ends)
        }
        return rollout?.state === ends
      },
      here.wholeMs,
    )
    if (halts > 1)
      throw new Error(`It was halted again after one ${word}: ${JSON.stringify(await here.rollout(upgrade))}`)
    return await strike
  } finally {
    end()
    await close()
  }
}
