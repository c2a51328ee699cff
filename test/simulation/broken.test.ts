import { describe, expect, test } from 'vitest'
import { delayed, rebooted, untold } from './situations.ts'
import { type Mutation, type SimulationOptions, simulate } from './world.ts'

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
