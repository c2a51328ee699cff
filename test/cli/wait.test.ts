import { expect, test } from 'vitest'
import { type Concerned, verdict } from '../../src/cli/wait.ts'
import type { ClusterState } from '../../src/rpc/index.ts'

const web = 'web is blocked after a failure on alpha until `systole resource cleanup web`'
const fencing = 'fencing of gamma failed once: no power'

type Transition = ClusterState['transition']

const transition = (state: Transition['state'], some: Partial<Transition> = {}): Transition => ({
  state,
  number: 1,
  computedVersion: 1,
  pending: [],
  blockedBy: [],
  blockedResources: [],
  ...some,
})

const blockedWeb = transition('blocked', { blockedBy: [web], blockedResources: ['web:1'] })

const cases: readonly {
  readonly name: string
  readonly transition: Transition
  readonly concerned: Concerned
  readonly settled: boolean | undefined
  readonly names?: string
}[] = [
  { name: 'an idle cluster has settled', transition: transition('idle'), concerned: new Set(['db']), settled: true },
  { name: 'one that is at work has not yet', transition: transition('running'), concerned: 'all', settled: undefined },
  {
    name: 'an old failure of another resource is named and fails nothing',
    transition: blockedWeb,
    concerned: new Set(['db']),
    settled: true,
    names: web,
  },
  {
    name: 'a failure of the resource itself, or of an instance of it, fails the command',
    transition: blockedWeb,
    concerned: new Set(['web']),
    settled: false,
    names: web,
  },
  {
    name: 'a command about the whole cluster fails by any',
    transition: blockedWeb,
    concerned: 'all',
    settled: false,
    names: web,
  },
  {
    name: 'what holds up the whole cluster fails every command',
    transition: transition('blocked', { blockedBy: [fencing, web], blockedResources: ['web'] }),
    concerned: new Set(['db']),
    settled: false,
    names: fencing,
  },
]
for (const { name, transition: seen, concerned, settled, names = '' } of cases)
  test(name, () => {
    const answer = verdict(seen, concerned)
    expect(answer?.settled).toBe(settled)
    expect(answer?.message ?? '').toContain(names)
  })
