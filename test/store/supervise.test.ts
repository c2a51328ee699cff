import { describe, expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { describeRefusal, type Refusal, refusalIn } from '../../src/store/etcd/member/refusal.ts'
import { initialSupervisor, type SupervisorInput, supervise } from '../../src/store/etcd/member/supervise.ts'

/** Runs inputs, each a second after the last, and tells the effects and phases in words. */
function tell(inputs: readonly SupervisorInput[], options = { hasOthers: true }, everyMs = 1000): readonly string[] {
  const begin = initialSupervisor(options)
  let state = begin.state
  const told = begin.effects.map(({ kind }) => kind as string)
  inputs.forEach((input, i) => {
    const step = supervise(state, input, monotonicMs((i + 1) * everyMs))
    state = step.state
    told.push(...step.effects.map(({ kind }) => kind), `(${state.phase.kind})`)
  })
  return told
}

const exited = (kind: 'died' | 'damaged' | 'data-missing' | 'disk-full' | 'removed'): SupervisorInput => ({
  kind: 'exited',
  refusal: kind === 'died' || kind === 'damaged' ? { kind, detail: 'x' } : { kind },
})
const healthy: SupervisorInput = { kind: 'probed', found: 'answers', storeFull: false }
const full: SupervisorInput = { kind: 'probed', found: 'answers', storeFull: true }
const silent: SupervisorInput = { kind: 'probed', found: 'silent', storeFull: false }
const leaderless: SupervisorInput = { kind: 'probed', found: 'no-leader', storeFull: false }

const cases: readonly {
  readonly name: string
  readonly inputs: readonly SupervisorInput[]
  readonly hasOthers?: boolean
  readonly told: string
}[] = [
  {
    name: 'a member that runs already is adopted',
    inputs: [{ kind: 'found', pid: 7 }, healthy],
    told: 'look (running) (running)',
  },
  {
    name: 'one that does not run is started',
    inputs: [{ kind: 'nothing-found' }, { kind: 'started', pid: 7 }],
    told: 'look start (starting) (running)',
  },
  {
    name: 'one that died is started again after a pause',
    inputs: [{ kind: 'found', pid: 7 }, exited('died'), { kind: 'tick' }, { kind: 'nothing-found' }],
    told: 'look (running) report (waiting) look (looking) start (starting)',
  },
  {
    name: 'one with damaged data is replaced through the others',
    inputs: [
      { kind: 'nothing-found' },
      exited('damaged'),
      { kind: 'replaced', succeeded: true },
      { kind: 'found', pid: 8 },
    ],
    told: 'look start (starting) report replace (replacing) look (looking) (running)',
  },
  {
    name: 'a replacement that did not succeed is tried again',
    inputs: [
      { kind: 'nothing-found' },
      exited('data-missing'),
      { kind: 'replaced', succeeded: false },
      { kind: 'tick' },
      { kind: 'tick' },
      { kind: 'tick' },
      { kind: 'tick' },
      { kind: 'tick' },
    ],
    told: 'look start (starting) report replace (replacing) (waiting) (waiting) (waiting) (waiting) look (looking) (looking)',
  },
  {
    name: 'alone, damaged data is left for a person',
    inputs: [{ kind: 'nothing-found' }, exited('damaged'), { kind: 'tick' }],
    hasOthers: false,
    told: 'look start (starting) report (given-up) (given-up)',
  },
  {
    name: 'a removed member is left alone until somebody asks',
    inputs: [{ kind: 'found', pid: 7 }, exited('removed'), { kind: 'tick' }, { kind: 'start-asked' }],
    told: 'look (running) report (given-up) (given-up) look (looking)',
  },
  {
    name: 'a full store is given room once, not with every look',
    inputs: [{ kind: 'found', pid: 7 }, full, full, { kind: 'space-freed' }, full],
    told: 'look (running) report free-space (running) (running) (running) (running)',
  },
  {
    name: 'asked to stop, it ends the process and is then stopped',
    inputs: [{ kind: 'found', pid: 7 }, { kind: 'stop-asked' }, exited('died'), { kind: 'tick' }],
    told: 'look (running) terminate (stopping) (stopped) (stopped)',
  },
  {
    name: 'asked to stop while it starts, it ends what arrives',
    inputs: [{ kind: 'nothing-found' }, { kind: 'stop-asked' }, { kind: 'started', pid: 7 }, exited('died')],
    told: 'look start (starting) (stopped) terminate (stopping) (stopped)',
  },
]
for (const { name, inputs, hasOthers = true, told } of cases)
  test(`the supervisor: ${name}`, () => expect(tell(inputs, { hasOthers }).join(' ')).toBe(told))

test('one that runs and is silent is told once, one that only has no leader is not', () => {
  const found: SupervisorInput = { kind: 'found', pid: 7 }
  const four = (input: SupervisorInput) => Array.from({ length: 4 }, () => input)
  const reports = (inputs: readonly SupervisorInput[]) =>
    tell(inputs, { hasOthers: true }, 5000).filter((word) => word === 'report').length
  expect(reports([found, healthy, silent, silent])).toBe(0)
  expect(reports([found, healthy, ...four(silent), ...four(silent)])).toBe(1)
  expect(reports([found, healthy, ...four(silent), healthy, ...four(silent)])).toBe(2)
  expect(reports([found, healthy, ...four(leaderless)])).toBe(0)
})

test('of a line for which the disk had no room, what there is of it is told', () => {
  const torn = '{"level":"fatal","ts":"2026-11-22T19:20:37.595Z","msg":"failed to commit tx","error":"'
  expect(refusalIn(torn)).toEqual({ kind: 'died', detail: 'failed to commit tx' })
})

test('a member that dies again and again is started more and more slowly, and at once again after it has run well', () => {
  let { state } = initialSupervisor({ hasOthers: true })
  let now = 0
  const pauses: number[] = []
  const take = (input: SupervisorInput) => {
    state = supervise(state, input, monotonicMs(now)).state
  }
  const die = () => {
    take({ kind: 'found', pid: 7 })
    take(exited('died'))
    if (state.phase.kind === 'waiting') pauses.push(state.phase.until - now)
  }
  for (let i = 0; i < 10; i++) die()
  take({ kind: 'found', pid: 7 })
  now += 60_000
  take(exited('died'))
  if (state.phase.kind === 'waiting') pauses.push(state.phase.until - now)
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000, 100])
})

describe('why etcd ended is read from its log', () => {
  const line = (level: string, msg: string, error: string) => JSON.stringify({ level, msg, error })
  const logs: readonly { readonly log: string; readonly kind: Refusal['kind'] }[] = [
    { log: line('fatal', 'failed to read WAL, cannot be repaired', 'walpb: crc mismatch'), kind: 'damaged' },
    { log: line('fatal', 'discovery failed', 'member node2 has already been bootstrapped'), kind: 'damaged' },
    {
      log: line('fatal', 'failed to commit tx', 'write data/member/snap/db: no space left on device'),
      kind: 'disk-full',
    },
    {
      log: line('fatal', 'failed to commit tx', 'open data/member/wal/0.tmp: read-only file system'),
      kind: 'disk-read-only',
    },
    { log: line('warn', 'server error', 'the member has been permanently removed from the cluster'), kind: 'removed' },
    {
      log: line('fatal', 'discovery failed', 'listen tcp 127.0.0.1:7702: bind: address already in use'),
      kind: 'port-taken',
    },
    {
      log: line('fatal', 'discovery failed', 'open /etc/systole/pki/ca.pem: no such file or directory'),
      kind: 'certificate',
    },
    { log: line('warn', 'rejected connection', 'tls: bad certificate'), kind: 'died' },
    { log: '', kind: 'died' },
    { log: line('fatal', 'discovery failed', 'proto: Record: wiretype end group for non-group'), kind: 'damaged' },
    {
      log: 'panic: page 7 already freed\n\ngoroutine 1 [running]:\ngo.etcd.io/bbolt.(*freelist).free(0x0)',
      kind: 'damaged',
    },
    { log: 'panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()', kind: 'died' },
  ]
  for (const { log, kind } of logs)
    test(`${kind}: ${log.slice(0, 90)}`, () => {
      const refusal = refusalIn(`${line('warn', 'slow fdatasync', 'none')}\n${log}\n`)
      expect(refusal.kind).toBe(kind)
      expect(describeRefusal(refusal, '/var/lib/systole/etcd')).toMatch(/^[A-Zae].*\.$/)
    })
})
