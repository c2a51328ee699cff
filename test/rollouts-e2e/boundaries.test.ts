import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { back, forward } from './boundaries.ts'
import { BoundaryLab, type Victim, victims } from './boundary-lab.ts'
import { caseName, chosen, logsFolder, note, nodesUpgraded as upgraded } from './choice.ts'

/**
 * A rollout is struck at every boundary between its steps: the machine of the DC, that of the node at work, the client, or everything at once. Whoever was
 * there comes back; then one `resume` completes it, or one `abort` leaves what was before. `-t n2/check` runs some of them, `npm run boundaries` those that
 * were not done before, with three nodes or five.
 */
let lab: BoundaryLab | undefined
/** After a case that failed the next one gets nodes of its own. */
let isSound = false
let number = 1

beforeEach(async () => {
  if (isSound) return
  if (lab !== undefined && logsFolder !== '') lab.keepLogs(join(logsFolder, `before-${number + 1}`))
  await lab?.close()
  lab = new BoundaryLab()
  await lab.start()
  isSound = true
}, 240_000)

afterAll(async () => {
  if (!isSound && logsFolder !== '') lab?.keepLogs(join(logsFolder, `last-${number}`))
  await lab?.close()
}, 60_000)

type Case = readonly [boundary: string, victim: Victim]
const ways = { resume: 'resume', abort: 'abort', back: 'on the way back' } as const
const casesOf = (boundaries: readonly string[], way: string): readonly Case[] =>
  chosen(
    upgraded.flatMap((node) =>
      boundaries.flatMap((boundary) => victims.map((victim): Case => [`${node}/${boundary}`, victim])),
    ),
    way,
  )

interface Tried {
  readonly lab: BoundaryLab
  readonly upgrade: string
  readonly version: string
}

/** One case on nodes that are as they were before. */
async function tried(name: string, run: (tried: Tried) => Promise<void>): Promise<void> {
  if (!lab) throw new Error('The nodes are not there.')
  isSound = false
  number++
  await lab.untilQuiet()
  const begun = Date.now()
  await run({ lab, upgrade: `u${number}`, version: String(number) })
  isSound = true
  const gap = lab.client?.longestGapMs(begun) ?? 0
  const seconds = (Date.now() - begun) / 1000
  console.log(`${name}: ${seconds.toFixed(0)} s, the shop was away for ${gap} ms at most`)
  note(name, seconds, gap)
}

const nodes = [{ name: upgraded }]

test.each(casesOf(forward, ways.resume))('%s, %s is lost: one resume completes it', async (boundary, victim) => {
  await tried(caseName(boundary, victim, ways.resume), async ({ lab: here, upgrade, version }) => {
    const before = await here.everything()
    const file = here.shop.write({ name: upgrade, version, gated: true, nodes })
    const struck = await here.strikeAt({ boundary, upgrade, victim }, ['rollout', 'start', file])
    await here.powerAll(struck)
    const { state, id } = await here.untilState(upgrade, 'complete', 'halted')
    if (state === 'halted') {
      await here.ask('rollout', 'resume', id, '--no-wait')
      await here.untilState(upgrade, 'complete')
    }
    await here.untilQuiet()
    const after = await here.everything()
    expect(after).toEqual({ ...before, software: after.software, versions: after.versions })
    expect(here.shop.versions().slice(0, upgraded.length)).toEqual(upgraded.map(() => version))
    expect(after.versions).toEqual(
      before.versions.map((one) =>
        upgraded.includes(one.node) ? { node: one.node, version, state: 'validated' } : one,
      ),
    )
    if (victim === 'the client') expect(state).toBe('complete')
  })
})

test.each(casesOf(forward, ways.abort))(
  '%s, %s is lost: one abort leaves what was before',
  async (boundary, victim) => {
    await tried(caseName(boundary, victim, ways.abort), async ({ lab: here, upgrade, version }) => {
      const before = await here.everything()
      const file = here.shop.write({ name: upgrade, version, gated: true, nodes, more: { 'confirm-within': '1h' } })
      const struck = await here.strikeAt({ boundary, upgrade, victim }, ['rollout', 'start', file])
      const returned = here.powerAll(struck)
      await here.lab.until('abort is heard', async () => await isHeard(here, upgrade), 60_000)
      await returned
      await here.untilState(upgrade, 'aborted')
      await here.untilQuiet()
      expect(await here.everything()).toEqual(before)
    })
  },
)

test.each(casesOf(back, ways.back))(
  '%s, %s is lost on the way back: it leaves what was before',
  async (boundary, victim) => {
    await tried(caseName(boundary, victim, ways.back), async ({ lab: here, upgrade, version }) => {
      const before = await here.everything()
      const file = here.shop.write({ name: upgrade, version, nodes, more: { 'confirm-within': '1h' } })
      await here.ask('rollout', 'start', file, '--no-wait')
      const { id } = await here.untilState(upgrade, 'unconfirmed')
      const struck = await here.strikeAt({ boundary, upgrade, victim }, ['rollout', 'abort', id])
      await here.powerAll(struck)
      const { state } = await here.untilState(upgrade, 'aborted', 'halted')
      if (state === 'halted') {
        await here.ask('rollout', 'abort', id, '--no-wait')
        await here.untilState(upgrade, 'aborted')
      }
      await here.untilQuiet()
      expect(await here.everything()).toEqual(before)
    })
  },
)

/** Somebody says it as soon as a node answers, with others still away. */
async function isHeard(here: BoundaryLab, upgrade: string): Promise<boolean> {
  const rollout = await here.rollout(upgrade)
  if (rollout === undefined) return false
  await here.ask('rollout', 'abort', rollout.id, '--no-wait')
  return true
}
