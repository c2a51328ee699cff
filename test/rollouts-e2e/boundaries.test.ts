import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { back, forward } from './boundaries.ts'
import { BoundaryLab, type Victim, victims } from './boundary-lab.ts'
import { struckInTurn } from './boundary-rounds.ts'
import { caseName, chosen, inRounds, logsFolder, note, timeIsUp, nodesUpgraded as upgraded } from './choice.ts'

/**
 * A rollout is struck at every boundary between its steps: the machine of the DC, that of the node at work, the client, or everything at once. Whoever was
 * there comes back; then one `resume` completes it, or one `abort` leaves what was before. `-t n2/check` runs some of them, `npm run boundaries` those that
 * were not done before, with three nodes or five.
 */
let lab: BoundaryLab | undefined
/** After a case that failed the next one gets nodes of its own. */
let isSound = false
let number = 1
/** A round strikes a dozen times, and takes minutes on a busy machine. */
const manyRoundsMs = 7_200_000

beforeEach(async ({ skip }) => {
  if (timeIsUp()) skip()
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

/** Those that are struck by themselves. */
const singles = (cases: readonly Case[]): readonly Case[] =>
  inRounds ? cases.filter(([boundary]) => boundary.endsWith('/install/middle')) : cases

/** Those that one rollout is struck at as often as it can be, for each victim. */
const rounds = (cases: readonly Case[]): readonly (readonly [victim: Victim, left: readonly string[]])[] =>
  victims
    .map((victim) => {
      const left = cases.filter(([boundary, one]) => one === victim && !boundary.endsWith('/install/middle'))
      return [victim, left.map(([boundary]) => boundary)] as const
    })
    .filter(([, left]) => inRounds && left.length > 0)

/** One case, or a round of them, on nodes that are as they were before. It answers the names of the cases. */
async function tried(run: (tried: Tried) => Promise<readonly string[]>): Promise<void> {
  if (!lab) throw new Error('The nodes are not there.')
  isSound = false
  number++
  await lab.untilQuiet()
  const begun = Date.now()
  const names = await run({ lab, upgrade: `u${number}`, version: String(number) })
  isSound = true
  const gap = lab.client?.longestGapMs(begun) ?? 0
  const seconds = (Date.now() - begun) / 1000
  console.log(`${names.join('; ')}: ${seconds.toFixed(0)} s, the shop was away for ${gap} ms at most`)
  for (const name of names) note(name, seconds / names.length, gap)
}

/** Round after round, each a rollout from its beginning to its end, until every boundary was struck once. */
async function inTurn(
  { victim, left, way }: { readonly victim: Victim; readonly left: readonly string[]; readonly way: string },
  run: (tried: Tried, left: ReadonlySet<string>) => Promise<readonly string[]>,
): Promise<void> {
  const open = new Set(left)
  while (open.size > 0 && !timeIsUp())
    await tried(async (here) => {
      const struck = await run(here, open)
      expect(struck, `no strike at ${[...open].join(' ')}`).not.toEqual([])
      for (const boundary of struck) open.delete(boundary)
      return struck.map((boundary) => caseName(boundary, victim, way))
    })
}

const nodes = [{ name: upgraded }]

/** All that the rollout may change is as it was, but for the new version. */
async function expectUpgraded(
  { lab: here, version }: Tried,
  before: Awaited<ReturnType<BoundaryLab['everything']>>,
): Promise<void> {
  await here.untilQuiet()
  const after = await here.everything()
  expect(after).toEqual({ ...before, software: after.software, versions: after.versions })
  expect(here.shop.versions().slice(0, upgraded.length)).toEqual(upgraded.map(() => version))
  expect(after.versions).toEqual(
    before.versions.map((one) => (upgraded.includes(one.node) ? { node: one.node, version, state: 'validated' } : one)),
  )
}

const toResume = casesOf(forward, ways.resume)
test.each(singles(toResume))('%s, %s is lost: one resume completes it', async (boundary, victim) => {
  await tried(async (own) => {
    const { lab: here, upgrade, version } = own
    const before = await here.everything()
    const file = here.shop.write({ name: upgrade, version, gated: true, nodes })
    const struck = await here.strikeAt({ boundary, upgrade, victim }, ['rollout', 'start', file])
    await here.powerAll(struck)
    const { state, id } = await here.untilState(upgrade, 'complete', 'halted')
    if (state === 'halted') {
      await here.ask('rollout', 'resume', id, '--no-wait')
      await here.untilState(upgrade, 'complete')
    }
    await expectUpgraded(own, before)
    if (victim === 'the client') expect(state).toBe('complete')
    return [caseName(boundary, victim, ways.resume)]
  })
})

test.each(rounds(toResume))(
  '%s is lost, again and again: each time one resume goes on, and it is complete',
  async (victim, left) => {
    await inTurn({ victim, left, way: ways.resume }, async (own, open) => {
      const { lab: here, upgrade, version } = own
      const before = await here.everything()
      const file = here.shop.write({ name: upgrade, version, gated: true, nodes })
      const round = { upgrade, victim, left: open, word: 'resume', ends: 'complete' } as const
      const struck = await struckInTurn(here, round, ['rollout', 'start', file])
      await expectUpgraded(own, before)
      return struck
    })
  },
  manyRoundsMs,
)

test.each(casesOf(forward, ways.abort))(
  '%s, %s is lost: one abort leaves what was before',
  async (boundary, victim) => {
    await tried(async ({ lab: here, upgrade, version }) => {
      const before = await here.everything()
      const file = here.shop.write({ name: upgrade, version, gated: true, nodes, more: { 'confirm-within': '1h' } })
      const struck = await here.strikeAt({ boundary, upgrade, victim }, ['rollout', 'start', file])
      const returned = here.powerAll(struck)
      await here.lab.until('abort is heard', async () => await isHeard(here, upgrade), 60_000)
      await returned
      await here.untilState(upgrade, 'aborted')
      await here.untilQuiet()
      expect(await here.everything()).toEqual(before)
      return [caseName(boundary, victim, ways.abort)]
    })
  },
)

const onTheWayBack = casesOf(back, ways.back)
/** A rollout that is done, and waits to be confirmed: it can be put back. */
async function unconfirmed({ lab: here, upgrade, version }: Tried): Promise<string> {
  const file = here.shop.write({ name: upgrade, version, nodes, more: { 'confirm-within': '1h' } })
  await here.ask('rollout', 'start', file, '--no-wait')
  const { id } = await here.untilState(upgrade, 'unconfirmed')
  return id
}

test.each(singles(onTheWayBack))(
  '%s, %s is lost on the way back: it leaves what was before',
  async (boundary, victim) => {
    await tried(async (own) => {
      const { lab: here, upgrade } = own
      const before = await here.everything()
      const id = await unconfirmed(own)
      const struck = await here.strikeAt({ boundary, upgrade, victim }, ['rollout', 'abort', id])
      await here.powerAll(struck)
      const { state } = await here.untilState(upgrade, 'aborted', 'halted')
      if (state === 'halted') {
        await here.ask('rollout', 'abort', id, '--no-wait')
        await here.untilState(upgrade, 'aborted')
      }
      await here.untilQuiet()
      expect(await here.everything()).toEqual(before)
      return [caseName(boundary, victim, ways.back)]
    })
  },
)

test.each(rounds(onTheWayBack))(
  '%s is lost on the way back, again and again: it leaves what was before',
  async (victim, left) => {
    await inTurn({ victim, left, way: ways.back }, async (own, open) => {
      const { lab: here, upgrade } = own
      const before = await here.everything()
      const id = await unconfirmed(own)
      const round = { upgrade, victim, left: open, word: 'abort', ends: 'aborted' } as const
      const struck = await struckInTurn(here, round, ['rollout', 'abort', id])
      await here.untilQuiet()
      expect(await here.everything()).toEqual(before)
      return struck
    })
  },
  manyRoundsMs,
)

/** Somebody says it as soon as a node answers, with others still away. */
async function isHeard(here: BoundaryLab, upgrade: string): Promise<boolean> {
  const rollout = await here.rollout(upgrade)
  if (rollout === undefined) return false
  await here.ask('rollout', 'abort', rollout.id, '--no-wait')
  return true
}
