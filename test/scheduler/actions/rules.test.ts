import { expect, test } from 'vitest'
import { consequences, type Party } from '../../../src/scheduler/actions/apply-orderings/rules.ts'
import type { ActionState, PlannedAction } from '../../../src/scheduler/actions/draft/action.ts'
import type { PlannedPrimitive } from '../../../src/scheduler/actions/draft/planned-resource.ts'
import { rule } from '../../../src/scheduler/actions/draft/relation.ts'
import { settingOf } from '../../../src/scheduler/actions/draft/setting.ts'
import { place, type SmallCluster } from '../assignment/small-cluster.ts'

/** `needed` and `optional`, `possible` and `impossible`, and more where it matters: as a sentence would say it. */
type Word = 'needed' | 'optional' | 'possible' | 'impossible' | 'migrating' | 'pseudo'
type Words = readonly Word[]

interface Case {
  readonly name: string
  readonly rule: keyof typeof rule
  readonly first: Words
  readonly follower: Words
  /** What is different afterwards; nothing where nothing changes. */
  readonly after: { readonly first?: Words; readonly follower?: Words }
  readonly tasks?: readonly [string, string]
  readonly sameResource?: boolean
}

const cases: readonly Case[] = [
  {
    name: 'what implies what follows makes it necessary',
    rule: 'firstImpliesThen',
    first: ['needed', 'possible'],
    follower: ['optional', 'possible'],
    after: { follower: ['needed', 'possible'] },
  },
  {
    name: 'what may be left out implies nothing',
    rule: 'firstImpliesThen',
    first: ['optional', 'possible'],
    follower: ['optional', 'possible'],
    after: {},
  },
  {
    name: 'a live migration in place of a start does not restart what depends on it',
    rule: 'firstImpliesThen',
    first: ['needed', 'possible', 'migrating'],
    follower: ['optional', 'possible'],
    after: {},
  },
  {
    name: 'without the first there is no second',
    rule: 'unrunnableFirstBlocks',
    first: ['needed', 'impossible'],
    follower: ['needed', 'possible'],
    after: { follower: ['needed', 'impossible'] },
  },
  {
    name: 'what cannot run after its first does not migrate either',
    rule: 'unrunnableFirstBlocks',
    first: ['optional', 'impossible'],
    follower: ['needed', 'possible', 'migrating'],
    after: { follower: ['needed', 'impossible'] },
  },
  {
    name: 'a first that can run blocks nothing',
    rule: 'unrunnableFirstBlocks',
    first: ['needed', 'possible'],
    follower: ['needed', 'possible'],
    after: {},
  },
  {
    name: 'on the way down, what is needed as a real stop keeps the first from migrating',
    rule: 'thenImpliesFirst',
    first: ['optional', 'possible', 'migrating'],
    follower: ['needed', 'possible'],
    after: { first: ['optional', 'possible'] },
  },
  {
    name: 'on the way down, what migrates lets the first migrate',
    rule: 'thenImpliesFirst',
    first: ['optional', 'possible', 'migrating'],
    follower: ['needed', 'possible', 'migrating'],
    after: {},
  },
  {
    name: 'a start that is needed needs the stop before it',
    rule: 'restart',
    first: ['optional', 'possible'],
    follower: ['needed', 'possible'],
    after: { first: ['needed', 'possible'] },
    tasks: ['stop', 'start'],
    sameResource: true,
  },
  {
    name: 'what may stay as it is does not stop',
    rule: 'restart',
    first: ['optional', 'possible'],
    follower: ['optional', 'possible'],
    after: {},
    tasks: ['stop', 'start'],
    sameResource: true,
  },
  {
    name: 'what cannot start again is stopped all the same',
    rule: 'restart',
    first: ['optional', 'possible'],
    follower: ['optional', 'impossible'],
    after: { first: ['needed', 'possible'] },
    tasks: ['stop', 'start'],
    sameResource: true,
  },
  {
    name: 'another resource that cannot start stops nobody',
    rule: 'restart',
    first: ['optional', 'possible'],
    follower: ['optional', 'impossible'],
    after: {},
    tasks: ['stop', 'start'],
  },
  {
    name: 'a stop that is needed and cannot be keeps it from starting again',
    rule: 'restart',
    first: ['optional', 'impossible'],
    follower: ['needed', 'possible'],
    after: { first: ['needed', 'impossible'], follower: ['needed', 'impossible'] },
    tasks: ['stop', 'start'],
    sameResource: true,
  },
  {
    name: 'the first half of a migration is pointless without the second',
    rule: 'unmigratableThenBlocks',
    first: ['optional', 'possible', 'migrating'],
    follower: ['optional', 'impossible', 'migrating'],
    after: { first: ['optional', 'impossible', 'migrating'] },
    tasks: ['migrate_to', 'migrate_from'],
  },
  {
    name: 'the second half of a migration needs the first',
    rule: 'unmigratableThenBlocks',
    first: ['optional', 'possible', 'migrating'],
    follower: ['needed', 'possible', 'migrating'],
    after: { first: ['needed', 'possible', 'migrating'] },
    tasks: ['migrate_to', 'migrate_from'],
  },
  {
    name: 'a start that a migration was to replace is a real one where the migration cannot be',
    rule: 'firstElseThen',
    first: ['needed', 'impossible', 'migrating'],
    follower: ['needed', 'possible', 'migrating', 'pseudo'],
    after: { follower: ['needed', 'possible'] },
    tasks: ['migrate_from', 'start'],
  },
  {
    name: 'a start that a migration replaces stays a point in the order',
    rule: 'firstElseThen',
    first: ['needed', 'possible', 'migrating'],
    follower: ['needed', 'possible', 'migrating', 'pseudo'],
    after: {},
    tasks: ['migrate_from', 'start'],
  },
  {
    name: 'a mere order changes nothing',
    rule: 'ordered',
    first: ['needed', 'impossible'],
    follower: ['optional', 'possible'],
    after: {},
  },
  {
    name: 'an asymmetric order keeps a start from happening whose first cannot',
    rule: 'asymmetric',
    first: ['needed', 'impossible'],
    follower: ['needed', 'possible'],
    after: { follower: ['needed', 'impossible'] },
  },
  {
    name: 'an asymmetric order leaves alone what runs where it shall be',
    rule: 'asymmetric',
    first: ['needed', 'impossible'],
    follower: ['optional', 'possible'],
    after: {},
  },
  {
    name: 'an asymmetric order whose first can run says nothing',
    rule: 'asymmetric',
    first: ['optional', 'possible'],
    follower: ['optional', 'possible'],
    after: {},
  },
]

const cluster: SmallCluster = { nodes: ['n1', 'n2'], dummies: ['db', 'web'], running: { db: 'n1', web: 'n1' } }

function stateOf(words: Words): ActionState {
  return {
    optional: words.includes('optional'),
    runnable: words.includes('possible'),
    migratable: words.includes('migrating'),
    pseudo: words.includes('pseudo'),
    alwaysInGraph: false,
    reason: undefined,
    cause: undefined,
  }
}

function wordsOf({ optional, runnable, migratable, pseudo }: ActionState): Words {
  return [
    optional ? 'optional' : 'needed',
    runnable ? 'possible' : 'impossible',
    ...(migratable ? ['migrating' as const] : []),
    ...(pseudo ? ['pseudo' as const] : []),
  ]
}

const { status, assignment } = place(cluster)
const setting = settingOf({ status, assignment, md5: () => '', isSanitized: false })

function party(resource: string, task: string, words: Words): Party {
  const rsc = setting.tree.byId.get(resource) as PlannedPrimitive
  const action: PlannedAction = {
    id: 1,
    rsc,
    key: `${resource}_${task}_0`,
    task,
    cancels: undefined,
    intervalMs: 0,
    node: setting.nodeList[0],
    abortsMigration: false,
    onDc: false,
    minRunnable: undefined,
    priority: 0,
    expectedRc: undefined,
    migration: undefined,
    meta: new Map(),
    before: [],
    after: [],
  }
  return { action, state: stateOf(words) }
}

for (const { name, rule: named, first, follower, after, tasks = ['start', 'start'], sameResource = false } of cases) {
  test(`${named}: ${name}`, () => {
    const consequence = consequences.find((row) => row.rule === rule[named])
    const one = party(sameResource ? 'web' : 'db', tasks[0], first)
    const other = party('web', tasks[1], follower)
    consequence?.apply({ first: one, follower: other, counted: one.state })
    expect({ first: wordsOf(one.state), follower: wordsOf(other.state) }).toEqual({
      first: after.first ?? first,
      follower: after.follower ?? follower,
    })
  })
}

test('the first loss that another resource causes is the reason that is shown', () => {
  const db = party('db', 'start', ['needed', 'impossible'])
  const web = party('web', 'start', ['needed', 'possible'])
  const blocks = consequences.find((row) => row.rule === rule.unrunnableFirstBlocks)
  const implies = consequences.find((row) => row.rule === rule.firstImpliesThen)
  blocks?.apply({ first: db, follower: web, counted: db.state })
  web.state.optional = true
  implies?.apply({ first: db, follower: web, counted: db.state })
  expect(web.state.reason).toBe('unrunnable db start')
})
