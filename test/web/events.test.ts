/** What has changed between two states, and the streams of it. */
import { afterEach, expect, test, vi } from 'vitest'
import { changesBetween } from '../../src/web/changes.ts'
import { EventHub, type StreamEvent } from '../../src/web/events.ts'

const web = (role: string) => ({ id: 'web', role })

test('nodes and resources change by name, everything else as a whole', () => {
  const before = {
    dc: 'n1',
    nodes: [
      { name: 'n1', online: true },
      { name: 'n2', online: true },
    ],
    resources: [web('Started')],
    notes: [],
  }
  const after = {
    dc: 'n2',
    nodes: [{ name: 'n2', online: true }],
    resources: [web('Stopped'), { id: 'db' }],
    notes: [],
  }
  expect(changesBetween(before, after)).toEqual([
    { part: 'dc', value: 'n2' },
    { part: 'nodes', key: 'n1', value: null },
    { part: 'resources', key: 'web', value: web('Stopped') },
    { part: 'resources', key: 'db', value: { id: 'db' } },
  ])
  expect(changesBetween(after, after)).toEqual([])
})

test('instances of a clone that share a name are told together', () => {
  const before = {
    resources: [
      { id: 'p', on: 1 },
      { id: 'p', on: 2 },
    ],
  }
  const after = {
    resources: [
      { id: 'p', on: 1 },
      { id: 'p', on: 3 },
    ],
  }
  expect(changesBetween(before, after)).toEqual([{ part: 'resources', key: 'p', value: after.resources }])
  expect(changesBetween(before, { resources: null })).toEqual([{ part: 'resources', value: null }])
})

const hubs: EventHub[] = []
afterEach(() => {
  for (const hub of hubs.splice(0)) hub.close(undefined)
})

/** A cluster whose status is `state.facts`; `change` sets it and says so. */
function source() {
  const state: {
    facts: Readonly<Record<string, unknown>>
    tell: () => void
    refuse: (error: unknown) => void
    reads: number
  } = {
    facts: { dc: 'n0' },
    tell: () => undefined,
    refuse: () => undefined,
    reads: 0,
  }
  let idle = 0
  const hub = new EventHub(
    {
      status: async () => {
        state.reads += 1
        return await Promise.resolve(state.facts)
      },
      watch: async (onChange, signal) => {
        state.tell = onChange
        await new Promise<void>((resolve, reject) => {
          state.refuse = reject
          signal.addEventListener('abort', () => resolve())
        })
      },
    },
    () => {
      idle += 1
    },
  )
  hubs.push(hub)
  const change = (dc: string): void => {
    state.facts = { dc }
    state.tell()
  }
  return { hub, state, change, idle: () => idle }
}

function listener() {
  const events: StreamEvent[] = []
  let ended: unknown = 'open'
  return {
    events,
    send: (event: StreamEvent) => void events.push(event),
    end: (why: unknown) => {
      ended = why
    },
    ended: () => ended,
  }
}

test('a stream begins with the whole status, and goes on with what changes', async () => {
  const { hub, change } = source()
  const one = listener()
  await hub.join(one, undefined)
  change('n1')
  await vi.waitFor(() => expect(one.events).toHaveLength(2))
  expect(one.events.map(({ event, data }) => [event, data])).toEqual([
    ['snapshot', { dc: 'n0' }],
    ['change', { part: 'dc', value: 'n1' }],
  ])
})

test('whoever was cut off gets what was missed by the last number, and the whole where that is not known', async () => {
  const { hub, change } = source()
  const one = listener()
  const leave = await hub.join(one, undefined)
  change('n1')
  await vi.waitFor(() => expect(one.events).toHaveLength(2))
  leave()
  change('n2')
  const first = one.events[1]?.id
  const again = listener()
  await vi.waitFor(async () => {
    const probe = listener()
    ;(await hub.join(probe, first))()
    expect(probe.events).toHaveLength(1)
  })
  await hub.join(again, first)
  expect(again.events.map(({ data }) => data)).toEqual([{ part: 'dc', value: 'n2' }])
  for (const id of ['other-1', 'x', `${first}9`]) {
    const late = listener()
    await hub.join(late, id)
    expect(late.events[0]?.event).toBe('snapshot')
  }
})

test('so many changes that nobody can keep them all make a snapshot of the rest', async () => {
  const { hub, change, state } = source()
  const one = listener()
  await hub.join(one, undefined)
  const first = one.events[0]?.id
  for (let number = 1; number <= 600; number++) {
    change(`m${number}`)
    await vi.waitFor(() => expect(state.reads).toBe(number + 1))
  }
  await vi.waitFor(() => expect(one.events).toHaveLength(601))
  const late = listener()
  await hub.join(late, first)
  expect(late.events.map(({ event }) => event)).toEqual(['snapshot'])
})

test('changes that come while the status is read are looked at once more, and not each', async () => {
  const { hub, change, state } = source()
  const one = listener()
  await hub.join(one, undefined)
  for (let number = 1; number <= 50; number++) change(`m${number}`)
  await vi.waitFor(() => expect(one.events.at(-1)?.data).toEqual({ part: 'dc', value: 'm50' }))
  expect(state.reads).toBeLessThan(10)
})

test('a token that is revoked ends its streams', async () => {
  const { hub, state, idle } = source()
  const one = listener()
  await hub.join(one, undefined)
  state.refuse(new Error('revoked'))
  await vi.waitFor(() => expect(one.ended()).toEqual(new Error('revoked')))
  expect(idle()).toBe(1)
  await expect(hub.join(listener(), undefined)).rejects.toThrow('revoked')
})
