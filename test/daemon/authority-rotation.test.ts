/** Which step comes next while the authority is replaced, by how the members are. */
import { beforeAll, expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import type { AuthorityRecord } from '../../src/daemon/nodes/authority-keeper.ts'
import { AuthorityRotation, nextRotationStep, type RotationPorts } from '../../src/daemon/nodes/authority-rotation.ts'
import { authorityHash, createAuthority, type NodePki } from '../../src/rpc/index.ts'

let before: string
let next: string
beforeAll(async () => {
  before = (await createAuthority('prod')).certificate
  next = (await createAuthority('prod')).certificate
})

type Phase = 'trust' | 'certify' | 'distrust'
interface Seen {
  readonly trusts: readonly ('before' | 'next')[]
  readonly by: 'before' | 'next'
  readonly storeTrusts?: boolean
}

const start: Seen = { trusts: ['before'], by: 'before' }
const both: Seen = { trusts: ['before', 'next'], by: 'before' }
const certified: Seen = { trusts: ['next', 'before'], by: 'next' }
const finished: Seen = { trusts: ['next'], by: 'next' }

const cases: readonly {
  readonly name: string
  readonly phase: Phase
  readonly members: Readonly<Record<string, Seen | undefined>>
  readonly step: string
}[] = [
  { name: 'the first member believes both first', phase: 'trust', members: { n2: start, n1: start }, step: 'order n2' },
  {
    name: 'the next one waits for the store of the first',
    phase: 'trust',
    members: { n2: { ...both, storeTrusts: false }, n1: start },
    step: 'wait',
  },
  { name: 'then it follows', phase: 'trust', members: { n2: both, n1: start }, step: 'order n1' },
  {
    name: 'nobody is asked while one is not heard',
    phase: 'trust',
    members: { n2: undefined, n1: start },
    step: 'wait',
  },
  {
    name: 'nobody shows the new one before all believe it',
    phase: 'trust',
    members: { n2: both, n1: both },
    step: 'phase-done',
  },
  { name: 'each gets a certificate', phase: 'certify', members: { n2: both, n1: both }, step: 'order n2 renew' },
  {
    name: 'one that believes it and still shows the old one gets one, too',
    phase: 'certify',
    members: { n2: { ...certified, by: 'before' }, n1: both },
    step: 'order n2 renew',
  },
  {
    name: 'the old one is believed until all have one',
    phase: 'certify',
    members: { n2: certified, n1: both },
    step: 'order n1 renew',
  },
  { name: 'when all have one', phase: 'certify', members: { n2: certified, n1: certified }, step: 'phase-done' },
  {
    name: 'the old one is forgotten member by member',
    phase: 'distrust',
    members: { n2: finished, n1: certified },
    step: 'order n1',
  },
  {
    name: 'the end waits for the store',
    phase: 'distrust',
    members: { n2: finished, n1: { ...finished, storeTrusts: false } },
    step: 'wait',
  },
  { name: 'the end', phase: 'distrust', members: { n2: finished, n1: finished }, step: 'phase-done' },
]

for (const { name, phase, members, step } of cases)
  test(`${phase}: ${name}`, () => {
    const hash = { before: authorityHash(before), next: authorityHash(next) }
    const seen = Object.entries(members).map(([member, one]) => ({
      name: member,
      pki:
        one &&
        ({
          node: member,
          trusts: one.trusts.map((which) => hash[which]),
          certifiedBy: hash[one.by],
          storeTrusts: one.storeTrusts ?? true,
        } as unknown as NodePki),
    }))
    const found = nextRotationStep({ phase, before, next }, seen)
    const text =
      found.kind === 'order' ? `order ${found.step.member}${found.step.order.renew ? ' renew' : ''}` : found.kind
    expect(text).toBe(step)
    if (found.kind === 'order')
      expect(found.step.order.trust).toEqual(
        { trust: [before, next], certify: [next, before], distrust: [next] }[phase],
      )
  })

test('a node that was added and has not joined holds nothing up', async () => {
  const rotation = { phase: 'trust', before, next } as const
  const record = { number: 1, generation: '1-a', threshold: 2, authority: authorityHash(next), holders: [], rotation }
  const asked: string[] = []
  const nodes = [
    { name: 'n1', id: '1', keys: ['one'] },
    { name: 'n2', id: '2', keys: ['two'] },
    { name: 'n3', id: '3', keys: [] },
  ]
  const pki = { trusts: [before, next].map(authorityHash), certifiedBy: authorityHash(before), storeTrusts: true }
  const commit = vi.fn(async () => undefined)
  const work = new AuthorityRotation({
    self: nodeName('n1'),
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    leads: () => true,
    file: () => ({ nodes }),
    record: () => record,
    commit,
    pkiOf: async (member: string) => {
      asked.push(member)
      return await (member === 'n3' ? Promise.reject(new Error('no daemon')) : Promise.resolve(pki))
    },
  } as unknown as RotationPorts)
  work.look()
  await vi.waitFor(() => expect(commit).toHaveBeenCalled())
  work.close()
  expect(asked.sort()).toEqual(['n1', 'n2'])
  expect(commit).toHaveBeenCalledWith({ ...record, rotation: { ...rotation, phase: 'certify' } }, record)
})

for (const { what, left, begins } of [
  { what: 'the one that is left of two', left: ['n1'], begins: true },
  { what: 'two who are both there', left: ['n1', 'n2'], begins: false },
])
  test(`while the authority is replaced, ${what} ${begins ? 'begins with another one' : 'may not begin again'}`, async () => {
    const rotation = { phase: 'certify', before, next } as const
    const holders = ['n1', 'n2'].map((name, index) => ({ name, id: String(index + 1) }))
    const record = { number: 4, generation: '4-a', threshold: 2, authority: authorityHash(next), holders, rotation }
    const nodes = holders.filter(({ name }) => left.includes(name)).map((node) => ({ ...node, keys: ['one'] }))
    const commit = vi.fn(async (_record: AuthorityRecord, _madeFrom: AuthorityRecord | undefined) => undefined)
    const keep = vi.fn(async () => undefined)
    const work = new AuthorityRotation({
      self: nodeName('n1'),
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      file: () => ({ clusterName: 'prod', nodes }),
      view: () => ({ ...emptyView, members: new Map(left.map((name) => [name, { knowsShares: true }])) }),
      isUp: () => true,
      record: () => record,
      authority: () => next,
      otherHosts: () => [],
      keep,
      commit,
    } as unknown as RotationPorts)
    const begun = work.begin()
    if (!begins) return await expect(begun).rejects.toThrow(/being replaced already/)
    await begun
    const [made, madeFrom] = commit.mock.calls[0] ?? []
    expect(madeFrom).toBe(record)
    // By what its own certificate is signed, it is believed meanwhile.
    expect(made).toMatchObject({ number: 5, threshold: 1, rotation: { phase: 'trust', before: next } })
    expect(made?.authority).not.toBe(record.authority)
    expect(keep).toHaveBeenCalledTimes(2)
  })
