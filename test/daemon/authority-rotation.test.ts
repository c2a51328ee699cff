/** Which step comes next while the authority is replaced, by how the members are. */
import { beforeAll, expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import type { AuthorityRecord } from '../../src/daemon/pki/authority-keeper.ts'
import { AuthorityRotation, type RotationPorts } from '../../src/daemon/pki/authority-rotation.ts'
import {
  nextRotationStep,
  type Participant,
  remoteParticipants,
  whoHoldsItUp,
} from '../../src/daemon/pki/rotation-step.ts'
import { authorityHash, createAuthority, type HostPki } from '../../src/rpc/index.ts'

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
  readonly problem?: string
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
  {
    name: 'the witness comes after the members',
    phase: 'certify',
    members: { n2: certified, n1: certified, w: both },
    step: 'order w renew',
  },
  {
    name: 'a witness that is not heard is waited for',
    phase: 'trust',
    members: { n1: both, w: undefined },
    step: 'wait',
  },
  {
    name: 'a remote node gets no order, and is waited for',
    phase: 'certify',
    members: { n1: certified, r1: both },
    step: 'wait',
  },
  {
    name: 'a remote node that is away holds up nobody but the next phase',
    phase: 'trust',
    members: { n1: start, r1: undefined },
    step: 'order n1',
  },
  { name: 'and that one it holds up', phase: 'trust', members: { n1: both, r1: undefined }, step: 'wait' },
  { name: 'until it has followed', phase: 'certify', members: { n1: certified, r1: certified }, step: 'phase-done' },
  { name: 'the end', phase: 'distrust', members: { n2: finished, n1: finished }, step: 'phase-done' },
]

const kindOf = (name: string): Participant['kind'] =>
  name.startsWith('n') ? 'member' : name === 'w' ? 'witness' : 'remote'

for (const { name, phase, members, step } of cases)
  test(`${phase}: ${name}`, () => {
    const hash = { before: authorityHash(before), next: authorityHash(next) }
    const seen = Object.entries(members).map(
      ([name, one]): Participant => ({
        name,
        kind: kindOf(name),
        pki: one && {
          trusts: one.trusts.map((which) => hash[which]),
          certifiedBy: hash[one.by],
          storeTrusts: one.storeTrusts ?? true,
        },
      }),
    )
    const found = nextRotationStep({ phase, before, next }, seen)
    const text =
      found.kind === 'order' ? `order ${found.step.host.name}${found.step.order.renew ? ' renew' : ''}` : found.kind
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
    view: () => emptyView,
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
      pkiOf: async () => ({ hosts: [], bringsHosts: true }),
      keep,
      commit,
    } as unknown as RotationPorts)
    const begun = work.begin()
    if (!begins) return await expect(begun).rejects.toThrow(/already being replaced/)
    await begun
    const [made, madeFrom] = commit.mock.calls[0] ?? []
    expect(madeFrom).toBe(record)
    // By what its own certificate is signed, it is believed meanwhile.
    expect(made).toMatchObject({ number: 5, threshold: 1, rotation: { phase: 'trust', before: next } })
    expect(made?.authority).not.toBe(record.authority)
    expect(keep).toHaveBeenCalledTimes(2)
  })

const cib = parseXml(`<cib><configuration><crm_config/><nodes/><resources>
  <bundle id="web"><podman image="i" replicas="2"/><primitive id="httpd" class="ocf" provider="heartbeat" type="apache"/></bundle>
  <primitive id="east" class="ocf" provider="pacemaker" type="remote"/>
  <primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain"><meta_attributes id="m"><nvpair id="n" name="remote-node" value="guest"/></meta_attributes></primitive>
</resources><constraints/></configuration><status/></cib>`)
if (!cib.ok) throw new Error('the CIB is not well-formed')
const configuration = { version: 1, cib: cib.value, typed: readConfiguration(cib.value) }
const heard = (name: string, problem?: string): HostPki => ({
  name,
  trusts: [],
  certifiedBy: '',
  storeTrusts: true,
  ...(problem === undefined ? {} : { problem }),
})
const up = (name: string) => [nodeName(name), { node: nodeName(name), inCcm: true } as never] as const

for (const { what, hosts, without, isUp, waits } of [
  {
    what: 'nobody is connected: remote nodes and guests are missed, replicas without a container are not',
    hosts: [],
    waits: ['east', 'guest'],
  },
  {
    what: 'a replica that is up and not connected is missed',
    hosts: [heard('east'), heard('guest')],
    isUp: 'web-1',
    waits: ['web-1'],
  },
  { what: 'a remote node that is left behind is not missed', hosts: [heard('guest')], without: ['east'], waits: [] },
  { what: 'one that cannot follow says why', hosts: [heard('east', 'too old'), heard('guest')], waits: ['east'] },
] as const)
  test(`remote nodes: ${what}`, () => {
    const nodeStates = new Map(isUp === undefined ? [] : [up(isUp)])
    const participants = remoteParticipants({ configuration, nodeStates }, hosts, without ?? [])
    const sentences = whoHoldsItUp({ phase: 'trust', before, next }, participants)
    expect(sentences.map((sentence) => sentence.split(',')[0])).toEqual(waits)
    for (const [index, name] of waits.entries()) expect(sentences[index]).toContain(`pki rotate --without=${name}`)
  })

const rotating = (parts: Partial<RotationPorts>): RotationPorts =>
  ({
    self: nodeName('n1'),
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    file: () => ({ clusterName: 'prod', nodes: [{ name: 'n1', id: '1', keys: ['one'] }] }),
    view: () => ({ ...emptyView, configuration, members: new Map([['n1', { knowsShares: true }]]) }),
    isUp: () => true,
    record: () => undefined,
    authority: () => before,
    keep: async () => undefined,
    commit: async () => undefined,
    ...parts,
  }) as unknown as RotationPorts

for (const { what, without, members = ['n1'], pki, says } of [
  {
    what: 'while a guest is away',
    without: ['east'],
    pki: { hosts: [], bringsHosts: true },
    says: /guest, a remote node: no member is connected.*--without=guest/s,
  },
  {
    what: 'while a member is too old to bring remote nodes along',
    without: [],
    pki: { hosts: [heard('east'), heard('guest')], bringsHosts: false },
    says: /version of Systole on n1 .* Upgrade it first\./,
  },
  {
    what: 'while several members are',
    without: [],
    members: ['n1', 'n2', 'n3'],
    pki: { hosts: [heard('east'), heard('guest')], bringsHosts: false },
    says: /version of Systole on n2, n3, n1 .* Upgrade them first\./,
  },
  { what: 'without a member', without: ['n1'], pki: { hosts: [], bringsHosts: true }, says: /n1 is not a remote node/ },
])
  test(`the authority is not replaced ${what}`, async () => {
    const commit = vi.fn(async () => undefined)
    const nodes = members.map((name, index) => ({ name, id: String(index + 1), keys: ['one'] }))
    const work = new AuthorityRotation(
      rotating({
        pkiOf: async () => pki as never,
        commit,
        file: () => ({ clusterName: 'prod', nodes }) as never,
        view: () =>
          ({
            ...emptyView,
            configuration,
            members: new Map(members.map((one) => [one, { knowsShares: true }])),
          }) as never,
      }),
    )
    const refusal = await work.begin(without).then(
      () => [],
      (error: { readonly sentences: readonly string[] }) => error.sentences,
    )
    expect(refusal.join(' ')).toMatch(says)
    expect(commit).not.toHaveBeenCalled()
  })

test('a remote node that went away meanwhile can be left behind', async () => {
  const rotation = { phase: 'trust', before, next } as const
  const holders = [{ name: 'n1', id: '1' }]
  const record = { number: 1, generation: '1-a', threshold: 1, authority: authorityHash(next), holders, rotation }
  const commit = vi.fn(async () => undefined)
  await new AuthorityRotation(rotating({ record: () => record, commit })).begin(['east'])
  expect(commit).toHaveBeenCalledWith({ ...record, rotation: { ...rotation, without: ['east'] } }, record)
})

for (const { what, isUp, settled, orders } of [
  { what: 'all are there and who should vote does', isUp: true, settled: true, orders: 1 },
  { what: 'another one is away', isUp: false, settled: true, orders: 0 },
  { what: 'another one copies the store still', isUp: true, settled: false, orders: 0 },
])
  test(`a host follows, and is away for a moment, ${orders === 1 ? 'when' : 'and not while'} ${what}`, async () => {
    const rotation = { phase: 'trust', before, next } as const
    const nodes = ['n1', 'n2'].map((name, index) => ({ name, id: String(index + 1), keys: ['one'] }))
    const record = {
      number: 1,
      generation: '1-a',
      threshold: 2,
      authority: authorityHash(next),
      holders: nodes,
      rotation,
    }
    const bring = vi.fn(async () => undefined)
    let looked: () => void = () => undefined
    const done = new Promise<void>((resolve) => {
      looked = resolve
    })
    const work = new AuthorityRotation(
      rotating({
        leads: () => true,
        file: () => ({ clusterName: 'prod', nodes }) as never,
        view: () => emptyView,
        record: () => record,
        isUp: () => isUp,
        pkiOf: async () =>
          ({
            trusts: [authorityHash(before)],
            certifiedBy: authorityHash(before),
            storeTrusts: true,
            hosts: [],
          }) as never,
        votesSettled: async () => {
          setTimeout(looked)
          return settled
        },
        bring,
      }),
    )
    work.look()
    if (isUp) await done
    else await new Promise((resolve) => setTimeout(resolve, 100))
    work.close()
    expect(bring).toHaveBeenCalledTimes(orders)
  })
