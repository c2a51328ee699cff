import { describe, expect, test } from 'vitest'
import { type Mutation, type SimulationOptions, type SimulationReport, simulate } from './world.ts'

const seeds = 200
const twoNodeSeeds = 60
const witnessSeeds = 30

const describeViolations = (report: SimulationReport): string =>
  report.violations
    .map(
      ({ invariant, at, details }) => `seed ${report.seed} at ${at.toFixed(0)} ms: not kept: ${invariant}: ${details}`,
    )
    .join('\n')

/** Nothing goes wrong but that nodes do not tell what they have done. */
const untold = { fencing: true, watchdogs: false, rich: true, faults: ['mute'], faultsLastMs: 240_000 } as const

/** A delay of the fence device, as two nodes should have one, and daemons that stand still for shorter and for longer. */
const delayed = {
  fencing: true,
  witness: false,
  watchdogs: false,
  fencingDelay: '5s',
  faults: ['pause', 'short pause'],
} as const

/** Nothing else goes wrong, and there is a fence device that works. */
const lossOfOne = { singleLoss: true, fencing: true, watchdogs: false, rich: false } as const

/** Machines and daemons go and come, and are rebooted by off and on. */
const rebooted = {
  fencing: true,
  nodes: 3,
  watchdogs: false,
  rich: false,
  splitReboot: true,
  faults: ['power', 'daemon', 'pause'],
} as const

describe('a cluster in which hosts, networks, agents and fence devices fail', () => {
  test(`keeps every invariant and settles, in ${seeds} made-up histories`, { timeout: 600_000 }, () => {
    const reports = Array.from({ length: seeds }, (_, index) => simulate({ seed: index + 1 }))
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
    // The runs were not idle: otherwise the invariants would hold for nothing.
    const sum = (of: (report: SimulationReport) => number) => reports.reduce((total, report) => total + of(report), 0)
    expect(sum(({ counts }) => counts.faults)).toBeGreaterThan(seeds * 5)
    expect(sum(({ counts }) => counts.starts)).toBeGreaterThan(seeds * 5)
    expect(sum(({ counts }) => counts.fencings)).toBeGreaterThan(seeds)
    expect(sum(({ counts }) => counts.terms)).toBeGreaterThan(seeds * 1.5)
    expect(sum(({ counts }) => counts.promotions)).toBeGreaterThan(seeds / 2)
    expect(sum(({ counts }) => counts.migrations)).toBeGreaterThan(seeds / 4)
    expect(sum(({ counts }) => counts.beside)).toBeGreaterThan(seeds / 2)
    // In a quarter of them nodes come and go.
    expect(sum(({ counts }) => counts.added)).toBeGreaterThan(seeds / 4)
    expect(sum(({ counts }) => counts.removed)).toBeGreaterThan(seeds / 4)
    expect(sum(({ counts }) => counts.cancelled)).toBeGreaterThan(0)
  })

  test(`of two nodes without a witness does so too, in ${twoNodeSeeds} histories`, { timeout: 600_000 }, () => {
    const reports = Array.from({ length: twoNodeSeeds }, (_, index) =>
      simulate({ seed: index + 1, nodes: 2, witness: false }),
    )
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
    expect(reports.reduce((total, { counts }) => total + counts.alone, 0)).toBeGreaterThan(twoNodeSeeds)
  })

  test(`of two nodes with a witness does so too, in ${witnessSeeds} histories`, { timeout: 600_000 }, () => {
    const reports = Array.from({ length: witnessSeeds }, (_, index) =>
      simulate({ seed: index + 1, nodes: 2, witness: true }),
    )
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
  })

  test('goes on after any single loss while one node is added, removed or replaced', { timeout: 600_000 }, () => {
    const reports = [2, 3].flatMap((nodes) =>
      Array.from({ length: 20 }, (_, index) => simulate({ seed: index + 1, nodes, ...lossOfOne })),
    )
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
    expect(reports.reduce((total, { counts }) => total + counts.losses, 0)).toBeGreaterThan(25)
  })

  test('does so where machines lose power again and again, and copies of the store fall behind', {
    timeout: 600_000,
  }, () => {
    const faults = ['power', 'daemon', 'partition', 'blackout', 'edit', 'leave']
    const reports = [
      ...Array.from({ length: 20 }, (_, index) =>
        simulate({ seed: index + 1, nodes: 2, boots: true, fencing: true, faults }),
      ),
      ...Array.from({ length: 12 }, (_, index) => simulate({ seed: index + 1, boots: true })),
    ]
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
  })

  test('fences no majority away because results are missing', { timeout: 600_000 }, () => {
    const reports = Array.from({ length: 12 }, (_, index) => simulate({ seed: index + 1, ...untold }))
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
    expect(reports.reduce((total, { counts }) => total + counts.fencedForAnswers, 0)).toBeGreaterThan(5)
  })

  test('fences nobody without whom there is no majority while it may wait, and leaves nobody switched off', {
    timeout: 600_000,
  }, () => {
    const reports = Array.from({ length: 20 }, (_, index) => simulate({ seed: index + 21, ...rebooted }))
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
    expect(reports.reduce((total, { counts }) => total + counts.fencings, 0)).toBeGreaterThan(40)
  })

  test('fences nobody who is heard again before the end of a delay, and nobody twice for one silence', {
    timeout: 600_000,
  }, () => {
    const reports = [2, 3].flatMap((nodes) =>
      Array.from({ length: 20 }, (_, index) => simulate({ seed: index + 1, nodes, ...delayed })),
    )
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
  })

  test('is blamed for nothing that the made-up world did (seeds that once failed)', () => {
    const reports = [
      // It was heard while it had no vote; its daemon was killed then.
      { seed: 7300017, nodes: 2, witness: false },
      // The host of a witness that was just taken out joined by the list that was about to change.
      { seed: 8400028, nodes: 2, witness: true },
      // A DC that lost its majority wrote the result of a fencing for ever, and switched nobody on.
      { seed: 5217, nodes: 2 },
      // A node lost the answer of the device that it had run itself.
      { seed: 5252, nodes: 2 },
      // A word to go on alone that others had overtaken kept them from joining.
      { seed: 5312, nodes: 2 },
      // What had died with its machine was stopped there by the machine's next life.
      { seed: 1108 },
      // One that had gone on alone and booted was kept waiting by the rules for two: the daemon ends that first.
      { seed: 30632 },
    ].map((options) => simulate(options))
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
  })

  test('finds what was sent away by a node that stopped it and left (seeds that once failed)', () => {
    const reports = [simulate({ seed: 8100334 }), simulate({ seed: 8600080, fencing: true, rich: true })]
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
  })

  test('lets nobody be fenced by what a former DC still had in its line (a seed that once failed)', () => {
    expect(describeViolations(simulate({ seed: 8700131, nodes: 5 }))).toBe('')
  })

  test('holds no node up that is the only voter and boots while the other has only been added (seeds that once failed)', () => {
    expect([1672, 42548].map((seed) => describeViolations(simulate({ seed })))).toEqual(['', ''])
  })

  test('sends nobody a message through disks who is here again before the store was told (a seed that once failed)', () => {
    expect(describeViolations(simulate({ seed: 41209, boots: true }))).toBe('')
  })

  test('keeps no record of a removed node where a write of the DC was repeated after it (a seed that once failed)', () => {
    expect(describeViolations(simulate({ seed: 1880 }))).toBe('')
  })

  test('fences nodes by their watchdogs in some histories', { timeout: 600_000 }, () => {
    const reports = Array.from({ length: 30 }, (_, index) =>
      simulate({ seed: 401 + index, watchdogs: true, fencing: true }),
    )
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
    expect(reports.reduce((total, { counts }) => total + counts.fencedByWatchdog, 0)).toBeGreaterThan(0)
  })

  test('fences nodes through disks of SBD, which fail as well', { timeout: 600_000 }, () => {
    const reports = Array.from({ length: 15 }, (_, index) => simulate({ seed: 101 + index, disks: true }))
    expect(reports.map(describeViolations).filter((text) => text !== '')).toEqual([])
    expect(reports.reduce((total, { counts }) => total + counts.fencedThroughDisks, 0)).toBeGreaterThan(10)
  })

  test('is the same cluster each time for the same seed', () => {
    const [once, again] = [1, 2].map(() => simulate({ seed: 7, keepLog: true }).log)
    expect(once).toEqual(again)
    expect(once?.length).toBeGreaterThan(50)
  })
})

describe('the checkers notice a product that is broken on purpose', () => {
  const cases: readonly (Omit<SimulationOptions, 'seed' | 'mutations'> & {
    readonly mutation: Mutation
    readonly invariant: string
    /** Where the search begins: at the first that showed it, so that what is not changed is found at once. */
    readonly from?: number
  })[] = [
    { mutation: 'lose-all-who-owe', invariant: 'missing answers cost no majority', ...untold },
    { mutation: 'fence-needed-voters', invariant: 'fencing costs no majority', from: 52, ...rebooted },
    { mutation: 'leave-off', invariant: 'when faults stop, the cluster settles', from: 121, ...rebooted },
    { mutation: 'fence-who-is-heard', invariant: 'who is heard again is not fenced', nodes: 2, from: 86, ...delayed },
    { mutation: 'fence-who-is-heard', invariant: 'who is heard again is not fenced', nodes: 3, ...delayed },
    { mutation: 'ignore-terms', invariant: 'an old term is never obeyed', from: 56 },
    {
      mutation: 'ignore-own-decisions',
      invariant: 'orders are kept',
      fencing: true,
      nodes: 3,
      watchdogs: false,
      rich: true,
      from: 1218,
    },
    {
      mutation: 'ignore-own-history',
      invariant: 'a node that counts as reset was reset',
      fencing: true,
      nodes: 5,
      watchdogs: true,
      rich: false,
      faults: ['upgrade', 'service'],
      from: 2023,
    },
    {
      mutation: 'start-before-fencing',
      invariant: 'a lost node is fenced before its resources start elsewhere',
      fencing: true,
    },
    {
      mutation: 'start-before-fencing',
      invariant: 'a primitive is never active on two nodes',
      fencing: true,
      nodes: 2,
      witness: false,
    },
    {
      mutation: 'ignore-witness',
      invariant: 'whoever goes on alone leaves no majority behind',
      fencing: true,
      nodes: 2,
      witness: true,
    },
    { mutation: 'ignore-quorum', invariant: 'a primitive is never active on two nodes', fencing: false, from: 55 },
    {
      mutation: 'write-no-disk-word',
      invariant: 'a node that counts as reset was reset',
      disks: true,
      fencing: true,
      rich: true,
      faults: ['mute', 'disk access'],
      faultsLastMs: 200_000,
    },
    {
      mutation: 'feed-always',
      invariant: 'a node that counts as reset was reset',
      fencing: true,
      watchdogs: true,
      from: 554,
    },
  ]
  for (const { mutation, invariant, from, ...options } of cases)
    test(`${mutation}${options.nodes === undefined ? '' : ` of ${options.nodes} nodes`}: not kept: ${invariant}`, {
      timeout: 300_000,
    }, () => {
      const found = firstSeedThat({ ...options, mutations: [mutation] }, invariant, from)
      expect(found, 'a seed that shows it').toBeDefined()
    })
})

function firstSeedThat(options: Omit<SimulationOptions, 'seed'>, invariant: string, from = 1): number | undefined {
  for (let seed = from; seed < from + 150; seed++) {
    const report = simulate({ seed, ...options })
    if (report.violations.some((violation) => violation.invariant === invariant)) return seed
  }
  return undefined
}
