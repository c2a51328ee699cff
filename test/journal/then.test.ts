/** The cluster as it was, from what the journals have of it. */
import { describe, expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import {
  aboutOf,
  cibThen,
  describeHappening,
  type Happening,
  type JournalEvent,
  mergeJournals,
  momentIn,
  noCalls,
  noteCall,
  stateThen,
} from '../../src/journal/index.ts'
import { statusOfCib } from '../../src/status/index.ts'

const start = Date.parse('2026-11-27T02:14:00.000Z')
const seen = (revision: number, ms: number, what: Happening, by = 'n1'): JournalEvent => ({
  revision,
  at: start + ms,
  by,
  what,
})
type Operation = Extract<Happening, { kind: 'operation' }>
const ran = (resource: string, node: string, operation: string, more: Partial<Operation> = {}): Happening => ({
  kind: 'operation',
  node,
  resource,
  operation,
  intervalMs: 0,
  rc: 0,
  expected: 0,
  status: 0,
  execMs: 10,
  result: 'ok',
  ...more,
})
const fencing = (outcome: string): Happening => ({ kind: 'fencing', id: 'f', target: 'n2', action: 'reboot', outcome })

const parsed = parseXml(`<cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration>
<crm_config/><nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources>
<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><operations><op id="web-m" name="monitor" interval="10s"/></operations></primitive>
<clone id="ping-clone"><primitive id="ping" class="ocf" provider="pacemaker" type="Dummy"/></clone>
<clone id="db-clone"><meta_attributes id="db-meta"><nvpair id="db-p" name="promotable" value="true"/></meta_attributes>
<primitive id="db" class="ocf" provider="pacemaker" type="Stateful"/></clone>
</resources><constraints/></configuration><status/></cib>`)
if (!parsed.ok) throw new Error('The CIB cannot be read.')
const configuration = parsed.value

const story: readonly JournalEvent[] = [
  seen(1, 0, { kind: 'begun', active: { web: ['n2'], ping: ['n1', 'n2'] }, nodes: ['n1', 'n2'] }),
  seen(5, 100, { kind: 'dc', node: 'n1' }),
  seen(6, 200, { kind: 'configuration', version: 4 }),
  seen(8, 500, ran('db', 'n1', 'promote')),
  seen(10, 5000, { kind: 'node', node: 'n2', became: 'lost' }),
  seen(11, 5100, fencing('pending')),
  seen(12, 5200, { kind: 'decision', number: 7, doing: ['fence n2'] }),
  seen(13, 6200, fencing('succeeded')),
  seen(14, 6500, ran('web', 'n1', 'start')),
  seen(20, 9000, { kind: 'node', node: 'n2', became: 'member' }),
  seen(22, 20_000, ran('web', 'n1', 'monitor', { intervalMs: 10_000, rc: 1, result: 'error', reason: 'no answer' })),
  seen(24, 21_000, ran('web', 'n1', 'stop')),
  seen(25, 22_000, ran('web', 'n1', 'start')),
]

function at(word: string) {
  const then = stateThen(momentIn(story, word) ?? [])
  if (then === undefined) throw new Error(`nothing at ${word}`)
  const status = statusOfCib({
    cib: cibThen(then, configuration),
    now: Math.floor(then.event.at / 1000),
    utcOffsetAt: () => 0,
  })
  const where = [...status.primitivesById.values()].map(
    (one) =>
      `${one.id} ${one.state.active.map(({ node }) => node).join(',')}${one.state.failed ? ' failed' : ''} ${one.state.role}`,
  )
  const nodes = status.nodes.map((one) => `${one.name} ${one.unclean ? 'unclean' : one.online ? 'online' : 'offline'}`)
  return { then, where, nodes, dc: status.nodes.find(({ isDc }) => isDc)?.name }
}

describe('the picture of then', () => {
  test('is what was there when the journals begin, with instances of clones on their nodes', () => {
    const { where, nodes } = at('1')
    expect(nodes).toEqual(['n1 online', 'n2 online'])
    expect(where).toEqual(expect.arrayContaining(['web n2 Started', 'ping:0 n1 Started', 'ping:1 n2 Started']))
  })

  test('has a lost node unclean with what it ran, until it is fenced; and the fencing and decision of then', () => {
    const before = at('12')
    expect(before.nodes).toEqual(['n1 online', 'n2 unclean'])
    expect(before.where).toContain('web n2 Started')
    expect(before.then.fencing.map(describeHappening)).toEqual(['fencing (reboot) of n2 began'])
    expect(before.then.decision && describeHappening(before.then.decision)).toBe('transition 7: fence n2')
    expect([before.then.version, before.dc]).toEqual([4, 'n1'])
    const after = at('13')
    expect(after.nodes).toEqual(['n1 online', 'n2 offline'])
    expect(after.where).toContain('web  Stopped')
    expect(after.then.fencing).toEqual([])
  })

  test('has roles, and failures until the resource is well again', () => {
    expect(at('20').where).toEqual(expect.arrayContaining(['web n1 Started', 'db:0 n1 Promoted']))
    expect(at('20').nodes).toEqual(['n1 online', 'n2 online'])
    expect(at('22').where).toContain('web n1 failed Started')
    expect(at('24').where).toContain('web  Stopped')
    expect(at('25').where).toContain('web n1 Started')
  })

  test('takes a second beginning of a journal for what holds', () => {
    const restarted = [...story, seen(30, 90_000, { kind: 'begun', active: { ping: ['n1'] }, nodes: ['n1'] })]
    const then = stateThen(restarted)
    const status = then && statusOfCib({ cib: cibThen(then, configuration), now: 1, utcOffsetAt: () => 0 })
    const active = [...(status?.primitivesById.values() ?? [])].filter(({ state }) => state.active.length > 0)
    expect(active.map(({ id }) => id)).toEqual(['ping:0'])
    expect(status?.nodes.map(({ online }) => online)).toEqual([true, false])
  })

  test('does not name what the configuration of then does not', () => {
    const then = stateThen([...story, seen(31, 95_000, ran('later', 'n1', 'start'))])
    const status = then && statusOfCib({ cib: cibThen(then, configuration), now: 1, utcOffsetAt: () => 0 })
    expect([...(status?.primitivesById.keys() ?? [])].some((id) => id === 'later')).toBe(false)
  })
})

describe('a moment', () => {
  test('is a revision with all that it wrote, or a time in UTC or in a zone', () => {
    const last = (word: string): number | undefined => momentIn(story, word)?.at(-1)?.revision
    expect(last('13')).toBe(13)
    expect(last('19')).toBe(14)
    expect(last('2026-11-27 02:14:05 UTC')).toBe(10)
    expect(last('2026-11-27 02:14:05')).toBe(10)
    expect(last('2026-11-27T03:14:05.150+01:00')).toBe(11)
    expect(last('2026-11-27')).toBeUndefined()
    expect(momentIn(story, '2026-11-27')).toEqual([])
  })

  test('is nothing else', () => {
    for (const word of ['yesterday', '', '2026-13-45', '12:30', '-5']) expect(momentIn(story, word)).toBeUndefined()
  })
})

test('calls of the API are a node’s own, and one that is said again at once is written once', () => {
  const call = {
    kind: 'call',
    call: 'pushConfiguration',
    user: 'alice',
    from: '10.0.0.1',
    command: 'resource disable web',
  } as const
  expect(describeHappening(call)).toBe('alice at 10.0.0.1: resource disable web')
  expect(describeHappening({ ...call, call: 'fenceNode', command: undefined } as never)).toBe(
    'alice at 10.0.0.1: fence node',
  )
  expect(mergeJournals([seen(5, 0, call, 'n1'), seen(5, 0, call, 'n2')])).toHaveLength(2)
  const first = noteCall(noCalls, call, 1000)
  expect(first.isWritten).toBe(true)
  expect(noteCall(first.noted, call, 2000).isWritten).toBe(false)
  expect(noteCall(first.noted, { ...call, user: 'bob' }, 2000).isWritten).toBe(true)
  expect(noteCall(first.noted, call, 12_000).isWritten).toBe(true)
})

test('who calls without end fills no journal: 60 in a minute are written down', () => {
  let noted = noCalls
  let written = 0
  for (let at = 0; at < 500; at += 1) {
    const made = noteCall(noted, { kind: 'call', call: `call${at}`, user: 'u', from: 'a' }, 60_000 + at)
    noted = made.noted
    if (made.isWritten) written += 1
  }
  expect(written).toBe(60)
  expect(noteCall(noted, { kind: 'call', call: 'next', user: 'u', from: 'a' }, 120_000).isWritten).toBe(true)
})

test('what each event is about is known, but for what is written for readers of the journal', () => {
  expect(story.map(({ what }) => aboutOf(what)?.kind)).toEqual([
    undefined,
    'membership',
    'configuration',
    'operation',
    'membership',
    'fencing',
    'decision',
    'fencing',
    'operation',
    'membership',
    'operation',
    'operation',
    'operation',
  ])
})
