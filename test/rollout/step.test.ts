import { describe, expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import {
  meantNodes,
  type NodeSeen,
  newRecord,
  type RolloutEffect,
  type RolloutInput,
  type RolloutRecord,
  readRollout,
  resolveNodes,
  rolloutStep,
  rolloutWord,
  type TaskSeen,
  whyWaiting,
} from '../../src/rollout/index.ts'

const [n1, n2, n3] = [nodeName('n1'), nodeName('n2'), nodeName('n3')]
const seen: NodeSeen = { online: true, standby: false, maintenance: false, empty: true, bootId: 'b1', votes: 1 }

interface Given {
  readonly nodes?: Readonly<Record<string, Partial<NodeSeen>>>
  readonly tasks?: Readonly<Record<string, TaskSeen>>
  readonly settled?: boolean
  readonly clock?: RolloutInput['clock']
  readonly removed?: readonly NodeName[]
  readonly roles?: Readonly<Record<string, number>>
  readonly services?: Readonly<Record<string, number>>
  /** Where somebody else has released the hold. */
  readonly released?: readonly NodeName[]
  readonly dc?: NodeName
}

const input = ({
  nodes = {},
  tasks = {},
  settled = true,
  clock = { day: 1, minutes: 0 },
  removed = [],
  roles = {},
  services = {},
  released = [],
  dc,
}: Given = {}): RolloutInput => ({
  ...(dc !== undefined && { dc }),
  nodes: new Map([n1, n2, n3].map((name) => [name, { ...seen, ...nodes[name] }])),
  tasks: new Map(Object.entries(tasks)),
  removed: new Set(removed),
  roles: new Map(Object.entries(roles)),
  services: new Map(Object.entries(services)),
  held: new Set([n1, n2, n3].filter((name) => !released.includes(name))),
  settled,
  majority: 2,
  otherVotes: 0,
  clock,
})

const action = { name: 'install', run: ['install'], undo: ['remove'], timeout: '10s' }

function rollout(more: object = {}, steps: object = {}): RolloutRecord {
  const read = readRollout({
    rollout: 'shop',
    version: '2',
    nodes: 'all',
    steps: { actions: [action], ...steps },
    ...more,
  })
  if (!read.ok) throw new Error(JSON.stringify(read.reports))
  const facts = [n1, n2, n3].map((name, at) => ({ name, attributes: new Map(at === 0 ? [['db-role', 'true']] : []) }))
  const { waves, limits } = resolveNodes(read.value, facts)
  return newRecord({ id: 'r1', definition: read.value, waves, limits, user: 'root', from: n1, before: new Map() }, 0)
}

const phases = ({ nodes }: RolloutRecord): readonly string[] => nodes.map(({ phase }) => phase)
const tasksIn = (effects: readonly RolloutEffect[]): readonly string[] =>
  effects.flatMap((effect) => (effect.kind === 'put-task' ? [effect.argv.join(' ')] : []))

/** Steps until nothing changes. Commands that are begun meanwhile wait for their nodes, unless it is given what comes of them. */
function run(
  record: RolloutRecord,
  given: Given,
  now: number,
): { readonly state: RolloutRecord; readonly effects: readonly RolloutEffect[] } {
  let state = record
  const effects: RolloutEffect[] = []
  const fresh: Record<string, TaskSeen> = {}
  for (let round = 0; round < 30; round++) {
    const next = rolloutStep(state, input({ ...given, tasks: { ...fresh, ...given.tasks } }), now)
    effects.push(...next.effects)
    if (next.state === state) break
    state = next.state
    for (const effect of next.effects)
      if (effect.kind === 'put-task') fresh[effect.id] = { state: 'ready', began: false }
  }
  return { state, effects }
}

const done: TaskSeen = { state: 'done', began: true, exitCode: 0 }
const failed: TaskSeen = { state: 'done', began: true, exitCode: 1 }
const said = (record: RolloutRecord, word: 'pause' | 'resume' | 'abort' | 'confirm', now = 100): RolloutRecord => {
  const heard = rolloutWord(record, { word, by: 'root' }, now)
  if ('refused' in heard) throw new Error(heard.refused)
  return heard.state
}

describe('who may begin', () => {
  const table: readonly (readonly [string, object, Given, readonly string[], string])[] = [
    [
      'one at a time',
      {},
      {},
      ['working', 'waiting', 'waiting'],
      'max-unavailable of all nodes is 1, and n1 is unavailable',
    ],
    [
      'two at a time',
      { waves: { 'max-unavailable': 2 } },
      {},
      ['working', 'working', 'waiting'],
      'and n1, n2 are unavailable',
    ],
    [
      'a node that is down counts',
      {},
      { nodes: { n3: { online: false } } },
      ['waiting', 'waiting', 'waiting'],
      'it is offline',
    ],
    [
      'a node in standby counts, and may go first',
      {},
      { nodes: { n3: { standby: true } } },
      ['waiting', 'waiting', 'working'],
      '',
    ],
    [
      'a node in maintenance counts, and is left alone',
      {},
      { nodes: { n3: { maintenance: true } } },
      ['waiting', 'waiting', 'waiting'],
      'it is in maintenance',
    ],
    [
      '0 is a freeze',
      { waves: { 'max-unavailable': 0 } },
      {},
      ['waiting', 'waiting', 'waiting'],
      'max-unavailable of all nodes is 0',
    ],
    [
      'a limit of a role',
      { waves: { 'max-unavailable': 3, limits: [{ role: 'db', 'max-unavailable': 0 }] } },
      {},
      ['waiting', 'working', 'working'],
      'max-unavailable of role db is 0',
    ],
    [
      'an order of roles',
      { waves: { 'max-unavailable': 3, order: ['db'] } },
      {},
      ['working', 'waiting', 'waiting'],
      'wave 1 is not complete',
    ],
    [
      'a cluster that has not settled',
      {},
      { settled: false },
      ['waiting', 'waiting', 'waiting'],
      'the cluster has not settled',
    ],
    [
      'outside the window',
      { window: { from: '22:00', to: '05:00', days: ['fri'] } },
      { clock: { day: 5, minutes: 600 } },
      ['waiting', 'waiting', 'waiting'],
      'outside the maintenance window',
    ],
    [
      'at the end of the window',
      { window: { from: '01:00', to: '05:00', days: ['fri'] } },
      { clock: { day: 5, minutes: 300 } },
      ['waiting', 'waiting', 'waiting'],
      'outside the maintenance window',
    ],
    [
      'in the window after midnight',
      { window: { from: '22:00', to: '05:00', days: ['fri'] } },
      { clock: { day: 6, minutes: 200 } },
      ['working', 'waiting', 'waiting'],
      '',
    ],
    [
      'another day in the small hours',
      { window: { from: '22:00', to: '05:00', days: ['fri'] } },
      { clock: { day: 5, minutes: 200 } },
      ['waiting', 'waiting', 'waiting'],
      'outside',
    ],
    [
      'fewer nodes of a role than are required',
      {
        requires: [
          { role: 'web', min: 1 },
          { role: 'db', min: 2 },
        ],
      },
      { roles: { web: 3, db: 1 } },
      ['waiting', 'waiting', 'waiting'],
      'waiting for db (1 of 2)',
    ],
    [
      'as many nodes of a role as are required',
      { requires: [{ role: 'db', min: 2 }] },
      { roles: { db: 2 } },
      ['working', 'waiting', 'waiting'],
      '',
    ],
    [
      'fewer healthy members of a service than are required',
      { requires: [{ service: 'db', min: 2 }] },
      { roles: { db: 5 }, services: { db: 1 } },
      ['waiting', 'waiting', 'waiting'],
      'waiting for the service db (1 of 2)',
    ],
    [
      'as many members of a service as are required',
      { requires: [{ service: 'db', min: 2 }] },
      { services: { db: 2 } },
      ['working', 'waiting', 'waiting'],
      '',
    ],
    [
      'another rollout on the node',
      {},
      { nodes: { n1: { rollout: 'r0' } } },
      ['waiting', 'working', 'waiting'],
      'rollout r0 has not ended there',
    ],
  ]
  for (const [name, more, given, expected, why] of table)
    test(name, () => {
      const { state } = run(rollout(more), given, 1)
      expect(phases(state)).toEqual(expected)
      expect([...whyWaiting(state, input(given)).values()].join('; ')).toContain(why)
    })

  test('as many as quorum can spare, where commands reboot their nodes', () => {
    const reboots = { actions: [{ run: ['reboot'], reboots: true }] }
    expect(phases(run(rollout({ waves: { 'max-unavailable': 3 } }, reboots), {}, 1).state)).toEqual([
      'working',
      'waiting',
      'waiting',
    ])
    const away = { nodes: { n3: { online: false } } }
    expect(phases(run(rollout({ waves: { 'max-unavailable': 3 } }, reboots), away, 1).state)).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ])
  })
})

test('a node of a limit that is not in the cluster counts as unavailable', () => {
  const n9 = nodeName('n9')
  const record = rollout()
  const limits = record.limits.map((limit) => ({ ...limit, nodes: [...limit.nodes, n9] }))
  const waiting = run({ ...record, limits }, {}, 1).state
  expect(phases(waiting)).toEqual(['waiting', 'waiting', 'waiting'])
  expect(whyWaiting(waiting, input()).get(n1)).toContain('and n9 is unavailable')
})

describe('a command', () => {
  const begun = (steps: object = {}, more: object = {}): RolloutRecord => run(rollout(more, steps), {}, 1).state
  const afterTask = (record: RolloutRecord, task: TaskSeen, now = 2): RolloutRecord =>
    run(record, { tasks: { 'r1-1-1': task } }, now).state
  const first = ({ nodes: [node] }: RolloutRecord) => ({ phase: node?.phase, why: node?.why, task: node?.task })

  test('begins only on a node that is drained, in a settled cluster', () => {
    expect(run(rollout(), { nodes: { n1: { empty: false } } }, 1).state.nodes[0]?.phase).toBe('holding')
    const holding = run(rollout(), { nodes: { n1: { empty: false } } }, 1).state
    expect(rolloutStep(holding, input({ settled: false }), 1).state).toBe(holding)
    expect(first(run(holding, {}, 2).state)).toMatchObject({ phase: 'working', task: 'r1-1-1' })
  })

  test('the last one done, its node is released, and is done once the cluster has settled', () => {
    const released = run(begun(), { tasks: { 'r1-1-1': done }, settled: false }, 2).state
    expect(first(released).phase).toBe('releasing')
    expect(first(run(released, { settled: false }, 3).state).phase).toBe('releasing')
    expect(first(run(released, { nodes: { n1: { online: false } } }, 3).state).phase).toBe('releasing')
    expect(first(run(released, {}, 4).state).phase).toBe('done')
  })

  test('exit codes mean what the file says', () => {
    const mapped = begun({ actions: [{ ...action, retries: 3, 'exit-codes': { '2': 'ok', '4': 'failed' } }] })
    expect(first(afterTask(mapped, { ...done, exitCode: 2 })).phase).toBe('done')
    expect(first(afterTask(mapped, { ...done, exitCode: 4 }))).toMatchObject({
      phase: 'failed',
      why: 'install ended with 4',
    })
    expect(first(afterTask(mapped, failed))).toMatchObject({ phase: 'working', task: undefined })
  })

  test('is tried again after its delay, as often as the file says', () => {
    const retried = begun({ actions: [{ ...action, retries: 1, 'retry-delay': '5s' }] })
    const waits = afterTask(retried, failed, 1000)
    expect(first(run(waits, {}, 5999).state).task).toBeUndefined()
    const again = run(waits, {}, 6000).state
    expect(first(again).task).toBe('r1-1-2')
    expect(run(again, { tasks: { 'r1-1-2': failed } }, 6001).state).toMatchObject({
      state: 'halted',
      why: 'n1: install ended with 1',
    })
  })

  test('that reboots its node is done when the node is back in another boot', () => {
    const rebooting = begun({ actions: [{ run: ['reboot'], reboots: true, timeout: '100s' }] })
    const phaseAfter = (nodes: Given['nodes'], task: TaskSeen): unknown =>
      run(rebooting, { nodes: nodes ?? {}, tasks: { 'r1-1-1': task } }, 5).state.nodes[0]?.phase
    const lost: TaskSeen = { state: 'lost', began: true }
    expect(phaseAfter({}, done)).toBe('working')
    expect(phaseAfter({ n1: { online: false } }, lost)).toBe('working')
    expect(phaseAfter({ n1: { bootId: 'b2' } }, lost)).toBe('done')
    expect(phaseAfter({ n1: { bootId: 'b2' } }, done)).toBe('done')
  })

  test('that reboots a remote node runs once that has left, which a cluster node and an undo need not', () => {
    const reboot = {
      name: 'boot',
      run: ['reboot'],
      undo: ['undo'],
      reboots: true,
      timeout: '100s',
      'exit-codes': { '7': 'ok' },
    }
    const begin = (nodes: Given['nodes']): ReturnType<typeof run> =>
      run(rollout({}, { actions: [reboot] }), { nodes: nodes ?? {} }, 1)
    const remote = { n1: { isRemote: true as const, votes: 0 } }
    expect(tasksIn(begin({}).effects)).toEqual(['reboot'])
    const { state, effects } = begin(remote)
    const [leaving = ''] = tasksIn(effects)
    expect(leaving).toMatch(
      /^\/bin\/sh -c guard=.*\ntrap : TERM\nsystoled --remote --leave \|\| \{ kill "\$guard" 2>\/dev\/null; exit 1; \}\n/,
    )
    expect(leaving).toMatch(
      /\ncase " 0 7 " in [\s\S]*sleep 160; systemctl start systoled-remote[\s\S]* systole-rollout-boot reboot$/,
    )
    const back = { nodes: remote, tasks: { 'r1-1-1': failed } }
    expect(tasksIn(run(said(state, 'abort'), back, 200).effects)).toEqual(['undo'])
  })

  test('that is lost has failed, where it does not reboot', () =>
    expect(first(afterTask(begun(), { state: 'lost', began: true }))).toMatchObject({
      phase: 'failed',
      why: 'install was lost when n1 went down',
    }))

  test('of a node that does not come back fails after its time, is cancelled, and does not begin a second time beside the first', () => {
    const running: TaskSeen = { state: 'running', began: true }
    const away = { nodes: { n1: { online: false } }, tasks: { 'r1-1-1': running } }
    const begunOnce = begun()
    expect(run(begunOnce, away, 60_000).state.nodes[0]?.phase).toBe('working')
    const late = run(begunOnce, away, 80_000)
    expect(late.state.nodes[0]).toMatchObject({ phase: 'failed', why: 'install: n1 does not answer' })
    expect(late.effects).toContainEqual({ kind: 'cancel-task', id: 'r1-1-1' })
    const resumed = said(late.state, 'resume', 80_001)
    expect(tasksIn(run(resumed, { tasks: { 'r1-1-1': running } }, 80_002).effects)).toEqual([])
    const over = { tasks: { 'r1-1-1': { state: 'cancelled', began: true } } } as const
    expect(tasksIn(run(resumed, over, 80_003).effects)).toEqual(['install'])
    const aborted = said(late.state, 'abort', 80_001)
    expect(tasksIn(run(aborted, { tasks: { 'r1-1-1': running } }, 80_002).effects)).toEqual([])
    expect(tasksIn(run(aborted, over, 80_003).effects)).toEqual(['remove'])
  })

  test('that stops the cluster starts it again however it ends', () => {
    const { effects } = run(rollout({}, { actions: [{ run: ['upgrade', 'now'], 'stops-cluster': true }] }), {}, 1)
    expect(tasksIn(effects)).toEqual([
      expect.stringMatching(
        /"\$@"\ncode=\$\?\nsystole cluster start\nkill "\$guard" 2>\/dev\/null\nexit \$code systole-rollout upgrade now$/,
      ),
    ])
  })
})

describe('a failure', () => {
  const failing = (policy: string): RolloutRecord => {
    const waves = { 'max-unavailable': 2 }
    const both = run(rollout({ waves, 'on-failure': policy }), {}, 1).state
    return rolloutStep(both, input({ tasks: { 'r1-1-1': failed, 'r1-2-1': { state: 'running', began: true } } }), 2)
      .state
  }

  test('halts: whoever has begun is finished, nobody begins, and resume goes on where it failed', () => {
    const halted = failing('halt')
    const finished = run(halted, { tasks: { 'r1-1-1': failed, 'r1-2-1': done } }, 3).state
    expect(phases(finished)).toEqual(['failed', 'done', 'waiting'])
    expect(tasksIn(run(said(finished, 'resume'), {}, 101).effects)[0]).toBe('install')
    const resumed = rolloutWord(finished, { word: 'resume', by: 'anna' }, 100)
    expect('effects' in resumed && resumed.effects.flatMap((one) => (one.kind === 'journal' ? [one] : []))).toEqual([
      { kind: 'journal', line: finished.lines, text: 'resume by anna' },
      { kind: 'journal', line: finished.lines + 1, text: 'actions: install runs again', node: 'n1' },
    ])
  })

  test('of the validation of a wave lets no node of the next wave begin', () => {
    const gated = rollout({ waves: { order: ['db'] } }, { validate: [{ name: 'check', run: ['check'] }] })
    const checked = run(run(gated, {}, 1).state, { tasks: { 'r1-1-1': done, 'r1-1-2': failed } }, 2)
    expect(checked.state).toMatchObject({ state: 'halted', why: 'n1: check ended with 1' })
    expect(phases(checked.state)).toEqual(['failed', 'waiting', 'waiting'])
    const resumed = run(
      said(checked.state, 'resume', 3),
      { tasks: { 'r1-1-1': done, 'r1-1-2': failed, 'r1-1-3': done } },
      4,
    )
    expect(phases(resumed.state)).toEqual(['done', 'working', 'waiting'])
  })

  test('puts the node back', () => {
    const { state, effects } = run(
      failing('node-back'),
      { tasks: { 'r1-1-1': failed, 'r1-2-1': done, 'r1-1-2': done } },
      3,
    )
    expect(phases(state)).toEqual(['back', 'done', 'waiting'])
    expect(tasksIn(effects)).toEqual(['remove'])
    expect(phases(run(said(state, 'resume'), {}, 101).state)).toEqual(['working', 'done', 'working'])
  })

  test('puts the wave back', () => {
    const tasks = { 'r1-1-1': failed, 'r1-2-1': done, 'r1-1-2': done, 'r1-2-2': done }
    expect(phases(run(failing('wave-back'), { tasks }, 3).state)).toEqual(['back', 'back', 'waiting'])
  })
})

describe('words of an operator', () => {
  const at = (state: RolloutRecord['state']): RolloutRecord => ({ ...rollout(), state })
  const refused = (record: RolloutRecord, word: 'pause' | 'resume' | 'abort' | 'confirm'): unknown =>
    rolloutWord(record, { word, by: 'root' }, 1)

  test('are refused where they make no sense', () => {
    expect(refused(at('complete'), 'abort')).toEqual({ refused: 'The rollout r1 has ended: it is complete.' })
    expect(refused(at('halted'), 'pause')).toMatchObject({ refused: /cannot be paused/ })
    expect(refused(at('aborting'), 'resume')).toMatchObject({ refused: /being put back/ })
    expect(refused(at('running'), 'confirm')).toMatchObject({ refused: /cannot be confirmed/ })
    expect(refused(at('unconfirmed'), 'resume')).toMatchObject({ refused: /waits to be confirmed/ })
  })

  test('twice is once', () => {
    expect(said(said(rollout(), 'pause'), 'pause').state).toBe('paused')
    const running = rollout()
    expect(said(running, 'resume')).toBe(running)
  })

  test('an undo that fails halts, and the next abort goes on with it', () => {
    const begun = run(rollout(), {}, 1).state
    const aborting = said(begun, 'abort')
    const undone = run(aborting, { tasks: { 'r1-1-1': done, 'r1-1-2': failed } }, 101).state
    expect(undone).toMatchObject({ state: 'halted', why: 'n1 could not be put back: undo of install ended with 1' })
    const again = run(said(undone, 'abort'), { tasks: { 'r1-1-1': done, 'r1-1-2': failed, 'r1-1-3': done } }, 102).state
    expect(again.state).toBe('aborted')
  })

  test('an undo means its exit code as it is, whatever the file says of the command', () => {
    const mapped = run(rollout({}, { actions: [{ ...action, 'exit-codes': { '2': 'ok' } }] }), {}, 1).state
    const tasks = { 'r1-1-1': done, 'r1-1-2': { ...done, exitCode: 2 } }
    expect(run(said(mapped, 'abort'), { tasks }, 101).state).toMatchObject({ state: 'halted' })
  })

  test('after one node could not be put back, no other goes down', () => {
    const three = { waves: { 'max-unavailable': 2 } }
    const all = { 'r1-1-1': done, 'r1-2-1': done }
    const begun = run(rollout(three), { tasks: all }, 1).state
    expect(phases(begun)).toEqual(['done', 'done', 'working'])
    const ends = { ...all, 'r1-3-1': done, 'r1-3-2': failed }
    const back = run(said(begun, 'abort'), { tasks: ends, settled: false }, 101)
    const end = run(back.state, { tasks: ends }, 102).state
    expect(phases(end)).toEqual(['done', 'done', 'undo-failed'])
  })

  test('an undo that does not answer must be over before the next abort or resume begins a command', () => {
    const running: TaskSeen = { state: 'running', began: true }
    const aborting = run(said(run(rollout(), {}, 1).state, 'abort'), { tasks: { 'r1-1-1': done } }, 101).state
    const away = { nodes: { n1: { online: false } }, tasks: { 'r1-1-1': done, 'r1-1-2': running } }
    const late = run(aborting, away, 90_000).state
    expect(late.nodes[0]).toMatchObject({ phase: 'undo-failed', why: 'undo of install: n1 does not answer' })
    const still = { tasks: { 'r1-1-1': done, 'r1-1-2': running } }
    const over = { tasks: { 'r1-1-1': done, 'r1-1-2': { state: 'cancelled', began: true } } } as const
    const aborted = said(late, 'abort', 90_001)
    expect(tasksIn(run(aborted, still, 90_002).effects)).toEqual([])
    expect(tasksIn(run(aborted, over, 90_003).effects)).toEqual(['remove'])
    const resumed = said(late, 'resume', 90_001)
    expect(tasksIn(run(resumed, still, 90_002).effects)).toEqual([])
    expect(tasksIn(run(resumed, over, 90_003).effects)).toEqual(['install'])
  })

  test('what nobody confirms in time is put back', () => {
    const tasks = { 'r1-1-1': done, 'r1-1-2': done }
    const one = rollout({ nodes: [{ name: 'n1' }], 'confirm-within': '60s' })
    const unconfirmed = run(one, { tasks }, 1000).state
    expect(unconfirmed).toMatchObject({ state: 'unconfirmed', confirmBy: 61_000 })
    expect(said(unconfirmed, 'confirm').state).toBe('complete')
    const late = run(unconfirmed, { tasks }, 61_001)
    expect(late.state).toMatchObject({ state: 'aborted', why: 'nobody has confirmed it in time' })
    expect(tasksIn(late.effects)).toEqual(['remove'])
  })
})

test('a node that does not become empty within hold-timeout has failed', () => {
  const busy = { nodes: { n1: { empty: false } } }
  const holding = run(rollout(), busy, 1).state
  const { holdTimeoutMs } = holding.definition
  expect(run(holding, busy, 1 + holdTimeoutMs).state.nodes[0]?.phase).toBe('holding')
  expect(run(holding, busy, 2 + holdTimeoutMs).state.nodes[0]).toMatchObject({ phase: 'failed', failedIn: 'holding' })
})

test('an abort waits for the command that is under way, and undoes none that never began', () => {
  const aborting = said(run(rollout(), {}, 1).state, 'abort')
  const undone = (task: TaskSeen): readonly string[] =>
    tasksIn(run(aborting, { tasks: { 'r1-1-1': task } }, 101).effects)
  expect(undone({ state: 'running', began: true })).toEqual([])
  expect(undone(done)).toEqual(['remove'])
  expect(undone({ state: 'cancelled', began: true })).toEqual(['remove'])
  expect(undone({ state: 'cancelled', began: false })).toEqual([])
})

describe('a node that is removed from the cluster', () => {
  const running: TaskSeen = { state: 'running', began: true }
  const two = { waves: { 'max-unavailable': 2 } }

  test('is left out of an abort that would wait for it, and its hold and its command end', () => {
    const begun = run(rollout(), {}, 1).state
    const away = { nodes: { n1: { online: false } }, tasks: { 'r1-1-1': running } }
    const late = said(run(begun, away, 80_000).state, 'abort', 80_001)
    expect(run(late, away, 80_002).state.state).toBe('aborting')
    const ended = run(late, { ...away, removed: [n1] }, 80_003)
    expect(ended.state).toMatchObject({ state: 'aborted', nodes: [{ phase: 'waiting', held: false }, {}, {}] })
    expect(meantNodes(ended.state).map(({ node }) => node)).toEqual([n2, n3])
    expect(ended.effects).toContainEqual({ kind: 'delete-hold', node: n1 })
    expect(ended.effects.at(-1)).toMatchObject({ text: 'aborted: the nodes that are left are as they were' })
    const never = run(begun, { tasks: { 'r1-1-1': { state: 'ready', began: false } }, removed: [n1] }, 2)
    expect(never.effects).toContainEqual({ kind: 'cancel-task', id: 'r1-1-1' })
  })

  test('does not count as unavailable: the others begin, are put back, and the rollout is complete', () => {
    const gone = { nodes: { n3: { online: false } }, removed: [n3] }
    const first = run(rollout({ nodes: [{ name: ['n1', 'n2', 'n3'] }] }), gone, 1).state
    expect(phases(first)).toEqual(['working', 'waiting', 'waiting'])
    expect(whyWaiting(first, input(gone)).get(n3)).toBe('it is not in the cluster')
    expect(meantNodes(first).map(({ node }) => node)).toEqual([n1, n2])
    const tasks = { 'r1-1-1': done, 'r1-2-1': done }
    expect(run(first, { ...gone, tasks }, 2).state).toMatchObject({ state: 'complete' })
    const one = run(first, { ...gone, tasks: { 'r1-1-1': done, 'r1-2-1': running } }, 2).state
    const back = { ...tasks, 'r1-1-2': done, 'r1-2-2': done }
    expect(run(said(one, 'abort'), { ...gone, tasks: back }, 101).state).toMatchObject({ state: 'aborted' })
  })

  test('lets a wave that waits for it go on, once a failure of it is resumed', () => {
    const both = run(rollout({ ...two }, {}), { nodes: { n3: { online: false } } }, 1).state
    const late = run(both, { nodes: { n1: { online: false } }, tasks: { 'r1-1-1': running } }, 80_000).state
    expect(late.state).toBe('halted')
    const gone = {
      removed: [n1],
      tasks: { 'r1-1-1': { state: 'lost', began: true }, 'r1-2-1': done, 'r1-3-1': done },
    } as const
    expect(run(said(run(late, gone, 80_001).state, 'resume', 80_002), gone, 80_003).state.state).toBe('complete')
  })

  test('stays done if it was', () => {
    const first = run(rollout(), { tasks: { 'r1-1-1': done } }, 1).state
    const left = run(first, { tasks: { 'r1-1-1': done }, removed: [n1] }, 2).state
    expect(left.nodes[0]?.phase).toBe('done')
    expect(left.nodes[0]?.leftOut).toBeUndefined()
  })

  test('begins from the start if it is added again', () => {
    const begun = run(rollout(), {}, 1).state
    const left = run(begun, { tasks: { 'r1-1-1': running }, removed: [n1] }, 2).state
    const back = run(left, { tasks: { 'r1-2-1': done, 'r1-1-1': { state: 'lost', began: true } } }, 3)
    expect(tasksIn(back.effects)).toContain('install')
    expect(back.state.nodes[0]).toMatchObject({ phase: 'working', task: 'r1-1-2' })
    expect(back.state.nodes[0]?.leftOut).toBeUndefined()
  })
})

describe('the version of a node', () => {
  const two = { actions: [action], validate: [{ name: 'check', run: ['check'] }] }
  const versions = (effects: readonly RolloutEffect[]): readonly unknown[] =>
    effects.flatMap((effect) => (effect.kind === 'version' && effect.node === n1 ? [effect.version] : []))
  const heard = (record: RolloutRecord, word: 'resume' | 'abort'): readonly unknown[] => {
    const said = rolloutWord(record, { word, by: 'root' }, 3)
    if ('refused' in said) throw new Error(said.refused)
    return versions(said.effects)
  }

  test('has failed no more once somebody resumes: it is configured, or validated, again', () => {
    const one = rollout({ nodes: [{ name: 'n1' }] }, two)
    const installing = run(run(one, {}, 1).state, { tasks: { 'r1-1-1': failed } }, 2).state
    expect(heard(installing, 'resume')).toEqual([{ version: '2', state: 'configuring' }])
    const checking = run(run(one, {}, 1).state, { tasks: { 'r1-1-1': done, 'r1-1-2': failed } }, 2).state
    expect(heard(checking, 'resume')).toEqual([{ version: '2', state: 'validating' }])
    const checked = { 'r1-1-1': done, 'r1-1-2': done }
    const away = { tasks: checked, nodes: { n1: { online: false } } }
    const late = run(run(run(one, {}, 1).state, away, 2).state, away, 9_000_000).state
    expect(late.nodes[0]).toMatchObject({ phase: 'failed', failedIn: 'releasing' })
    expect(heard(late, 'resume')).toEqual([{ version: '2', state: 'validated' }])
  })

  test('is not the new one any more while its commands are undone', () => {
    const one = rollout({ nodes: [{ name: 'n1' }], 'confirm-within': '1h' }, two)
    const tasks = { 'r1-1-1': done, 'r1-1-2': done }
    const back = run(said(run(one, { tasks }, 1).state, 'abort'), { tasks: { ...tasks, 'r1-1-3': done } }, 101)
    expect(versions(back.effects)).toEqual([{ state: 'configuring' }, { state: 'provisioned' }])
    const working = run(said(run(one, {}, 1).state, 'abort'), { tasks: { 'r1-1-1': failed, 'r1-1-2': done } }, 101)
    expect(versions(working.effects)).toEqual([{ state: 'configuring' }, { state: 'provisioned' }])
  })
})

describe('a hold that somebody else has released', () => {
  const steps = { actions: [action, { name: 'restart', run: ['restart'], undo: ['unrestart'] }] }
  const begun = (): RolloutRecord => run(rollout({}, steps), {}, 1).state

  test('halts before the next command, and resume holds the node again and goes on with that command', () => {
    const lost = run(begun(), { tasks: { 'r1-1-1': done }, released: [n1] }, 2)
    expect(tasksIn(lost.effects)).toEqual([])
    expect(lost.state).toMatchObject({ state: 'halted', why: 'n1: its hold was released by force' })
    const heard = rolloutWord(lost.state, { word: 'resume', by: 'root' }, 3)
    if ('refused' in heard) throw new Error(heard.refused)
    expect(heard.effects).toContainEqual({ kind: 'put-hold', node: n1 })
    expect(tasksIn(run(heard.state, { nodes: { n1: { empty: false } } }, 4).effects)).toEqual([])
    expect(tasksIn(run(heard.state, {}, 4).effects)[0]).toBe('restart')
  })

  test('halts before a command is tried again, and while the node is drained', () => {
    const retried = run(rollout({}, { actions: [{ ...action, retries: 1 }] }), {}, 1).state
    const waits = run(retried, { tasks: { 'r1-1-1': failed } }, 2).state
    expect(run(waits, { released: [n1] }, 10_000).state).toMatchObject({ state: 'halted' })
    const holding = run(rollout({}, steps), { nodes: { n1: { empty: false } } }, 1).state
    expect(run(holding, { released: [n1] }, 2).state).toMatchObject({ state: 'halted' })
  })

  test('does not concern a node whose last command has ended, nor one that needs no hold', () => {
    expect(
      run(run(rollout(), {}, 1).state, { tasks: { 'r1-1-1': done }, released: [n1] }, 2).state.nodes[0]?.phase,
    ).toBe('done')
    const free = run(rollout({}, { hold: 'none', ...steps }), { released: [n1, n2, n3] }, 1).state
    expect(tasksIn(run(free, { tasks: { 'r1-1-1': done }, released: [n1, n2, n3] }, 2).effects)).toEqual(['restart'])
  })

  test('is put in force again before anything is undone', () => {
    const working = run(begun(), { tasks: { 'r1-1-1': done } }, 2).state
    const tasks = { 'r1-1-2': done }
    const aborting = rolloutStep(said(working, 'abort'), input({ tasks, released: [n1] }), 101)
    expect(aborting.effects).toContainEqual({ kind: 'put-hold', node: n1 })
    expect(tasksIn(aborting.effects)).toEqual([])
    const undoing = run(aborting.state, { tasks }, 102)
    expect(tasksIn(undoing.effects)).toEqual(['unrestart'])
    const again = run(undoing.state, { tasks: { ...tasks, 'r1-1-3': done }, released: [n1] }, 103)
    expect(tasksIn(again.effects)).toEqual([])
    expect(again.state).toMatchObject({ state: 'halted', nodes: [{ phase: 'undo-failed', held: false }, {}, {}] })
    const last = run(said(again.state, 'abort'), { tasks: { ...tasks, 'r1-1-4': done } }, 104)
    expect(last.effects).toContainEqual({ kind: 'put-hold', node: n1 })
    expect(tasksIn(last.effects)).toEqual(['remove'])
    expect(last.state.state).toBe('aborted')
  })
})

describe('the end of the window', () => {
  const window = { from: '22:00', to: '23:00' }
  /** n1 is done, and took that long. */
  const having = (minutes: number): RolloutRecord => {
    const record = rollout({ window })
    const [first, ...others] = record.nodes
    if (first === undefined) throw new Error('no node')
    return { ...record, nodes: [{ ...first, phase: 'done', begun: 0, ended: minutes * 60_000 }, ...others] }
  }
  const at = (minutes: number) => input({ clock: { day: 1, minutes: 22 * 60 + minutes } })

  test.each([
    [20, 39, 'holding', undefined],
    [20, 41, 'waiting', 'the maintenance window ends in 19 min, and a node has taken 20 min'],
    // No window would be long enough for it.
    [90, 41, 'holding', undefined],
  ])('a node has taken %i min, and %i min of the hour are over: the next is %s', (took, minutes, phase, why) => {
    const record = having(took)
    expect(whyWaiting(record, at(minutes)).get('n2')).toBe(why)
    expect(rolloutStep(record, at(minutes), 0).state.nodes[1]?.phase).toBe(phase)
  })

  test('a window over midnight ends after midnight', () => {
    const record = { ...having(20), definition: rollout({ window: { from: '22:00', to: '01:00' } }).definition }
    expect(whyWaiting(record, at(100)).get('n2')).toBeUndefined()
    expect(whyWaiting(record, input({ clock: { day: 2, minutes: 45 } })).get('n2')).toMatch(/ends in 15 min/)
  })
})

describe('remote nodes', () => {
  const none = new Map<string, string>()
  const compute = new Map([['compute-role', 'true']])
  const [r1, r2] = [nodeName('r1'), nodeName('r2')]
  const facts = [
    { name: n1, attributes: new Map([['db-role', 'true']]) },
    { name: n2, attributes: new Map([['db-role', 'true']]) },
    { name: r1, attributes: compute, isRemote: true as const },
    { name: r2, attributes: new Map([...compute, ['db-role', 'true']]), isRemote: true as const },
    { name: n3, attributes: none },
  ]
  const resolved = (nodes: unknown, more: object = {}, waves: object = {}): ReturnType<typeof resolveNodes> => {
    const { hold, known = facts, ...command } = more as { readonly hold?: string; readonly known?: typeof facts }
    const steps = { actions: [{ ...action, ...command }], ...(hold !== undefined && { hold }) }
    // As a file has it: what is undefined is not there.
    const read = readRollout(JSON.parse(JSON.stringify({ rollout: 'a', version: '2', nodes, waves, steps })))
    if (!read.ok) throw new Error(JSON.stringify(read.reports))
    return resolveNodes(read.value, known)
  }

  test('are concerned where a name, a role or an expression means them, in the waves of their roles', () => {
    expect(resolved([{ name: ['n1', 'r1'] }])).toMatchObject({ problems: [], waves: [{ nodes: [n1, r1] }] })
    expect(resolved([{ role: 'compute' }])).toMatchObject({ problems: [], waves: [{ nodes: [r1, r2] }], remotes: [] })
    expect(
      resolved([{ role: 'db' }, { where: 'compute-role eq true' }], {}, { order: ['db', 'compute'] }),
    ).toMatchObject({
      waves: [
        { role: 'db', nodes: [n1, n2, r2] },
        { role: 'compute', nodes: [r1] },
      ],
    })
  })

  test("are not meant by 'all', which names them", () => {
    expect(resolved('all')).toMatchObject({
      problems: [],
      waves: [{ nodes: [n1, n2, n3] }],
      limits: [{ nodes: [n1, n2, n3] }],
      remotes: [r1, r2],
    })
  })

  test('are counted by the limit of all nodes where they are concerned, and by each limit that means them', () => {
    const limits = [{ role: 'compute', 'max-unavailable': 1 }]
    expect(resolved([{ name: 'r1' }], {}, { limits })).toMatchObject({
      limits: [{ nodes: [n1, n2, n3, r1] }, { nodes: [r1, r2] }],
    })
  })

  test('boot only where they come back by themselves, and take no command that stops the cluster', () => {
    expect(resolved([{ name: ['n1', 'r1'] }], { reboots: true }).problems).toEqual([
      "r1 is a remote node without reconnect_interval, and would not come back after 'install' with reboots. Run `systole resource update r1 reconnect_interval=60`.",
    ])
    expect(resolved([{ role: 'compute' }], { 'stops-cluster': true }).problems).toEqual([
      "r1, r2 are remote nodes: 'install' with stops-cluster can run on cluster nodes only.",
    ])
    expect(resolved('all', { reboots: true }).problems).toEqual([])
    const known = facts.map((one) => (one.name === r1 ? { ...one, reconnects: true as const } : one))
    expect(resolved([{ name: ['n1', 'r1'] }], { reboots: true, known }).problems).toEqual([])
    expect(resolved([{ name: 'r1' }], { reboots: true, known, hold: 'maintenance' }).problems).toEqual([
      "r1 is a remote node: 'install' with reboots needs another hold than maintenance there. A remote node leaves the cluster before it boots, and what is in maintenance does not stop.",
    ])
    const played = {
      reboots: true,
      known,
      run: undefined,
      undo: undefined,
      playbook: '/srv/a.yml',
      'playbook-on': 'dc',
    }
    expect(resolved([{ name: 'r1' }], played).problems).toEqual([
      "r1 is a remote node: 'install' with reboots must run on the node itself there, not on the DC.",
    ])
    const guests = facts.map((one) => (one.name === r2 ? { ...one, isGuest: true as const } : one))
    expect(resolved([{ name: 'r2' }], { reboots: true, known: guests }).problems).toEqual([
      "r2 is a guest node: 'install' with reboots can run on cluster nodes and remote nodes only. A guest node boots with its resource.",
    ])
  })
})

describe('a playbook on the DC', () => {
  const play = { name: 'play', playbook: '/srv/site.yml', 'playbook-on': 'dc', retries: 1, 'retry-delay': '1s' }
  const begun = (): RolloutRecord => run(rollout({}, { actions: [play] }), { dc: n3 }, 1).state

  test('is a task of the DC for the node that is upgraded', () => {
    const { effects } = run(rollout({}, { actions: [play] }), { dc: n3 }, 1)
    expect(effects).toContainEqual(
      expect.objectContaining({
        kind: 'put-task',
        node: n3,
        env: expect.objectContaining({ SYSTOLE_ROLLOUT_NODE: 'n1' }) as unknown,
      }),
    )
  })

  test('that is lost with the DC runs again on the next one', () => {
    const lost = run(begun(), { dc: n2, tasks: { 'r1-1-1': { state: 'lost', began: true } } }, 2)
    const again = run(lost.state, { dc: n2, tasks: { 'r1-1-1': { state: 'lost', began: true } } }, 4000)
    expect(again.effects).toContainEqual(expect.objectContaining({ kind: 'put-task', id: 'r1-1-2', node: n2 }))
  })
})

test('nodes that run the version are left out, and names that are not there are told', () => {
  const read = readRollout({
    rollout: 'a',
    version: '2',
    nodes: [{ name: ['n1', 'n22'] }],
    steps: { actions: [action] },
  })
  const facts = [n1, n2].map((name: NodeName) => ({ name, attributes: new Map<string, string>(), version: '2' }))
  expect(read.ok && resolveNodes(read.value, facts)).toMatchObject({
    waves: [],
    already: ['n1'],
    problems: ["There is no node 'n22'. Did you mean 'n2'?"],
  })
})

test('a node that reports another version before it begins goes back to that one', () => {
  const version = { version: '1.9', state: 'configured' } as const
  const first = run(rollout({ nodes: [{ name: 'n1' }] }), { nodes: { n1: { version } } }, 10).state
  const aborted = run(said(first, 'abort'), { tasks: { 'r1-1-1': { ...done }, 'r1-1-2': { ...done } } }, 200)
  expect(aborted.state.state).toBe('aborted')
  expect(aborted.effects.findLast(({ kind }) => kind === 'version')).toMatchObject({ node: n1, version })
})
