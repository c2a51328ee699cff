import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServiceLab } from './service-lab.ts'

/**
 * The contract between the cluster and an agent, on running nodes: an agent that writes down each call with its environment and answers
 * what the test wants. What must be there is from the OCF Resource Agent API 1.1 and from Pacemaker Administration, "Resource Agents".
 */
const lab = new ServiceLab([])
const { folder } = lab.lab
const installed = join(folder, 'systole')

interface Call {
  readonly node: string
  readonly action: string
  readonly variables: Readonly<Record<string, string>>
}

/** All calls of a resource's agent on all nodes that are on, in the order of each node. */
async function callsOf(resource: string): Promise<readonly Call[]> {
  const texts = await Promise.all(
    lab.nodes.map((node) => lab.lab.inNode(node, 'sh', '-c', `cat /run/witness/${resource}.calls 2>/dev/null || true`)),
  )
  return texts.flatMap((text, index) =>
    text
      .split('\x1e')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const pairs = entry.split('\0').filter((line) => line.includes('='))
        const variables = Object.fromEntries(
          pairs.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
        )
        return { node: lab.nodes[index] ?? '', action: variables.WITNESS_ACTION ?? '', variables }
      }),
  )
}

const meta = ({ variables }: Call, name: string): string | undefined => variables[`OCF_RESKEY_CRM_meta_${name}`]

/** What an action of the agent shall answer on all nodes from now on; without a code, what is true. */
async function answer(resource: string, action: string, code?: number): Promise<void> {
  const file = `/run/witness/${resource}.${action}`
  const script = code === undefined ? `rm -f ${file}` : `mkdir -p /run/witness; echo ${code} >${file}`
  for (const node of lab.nodes) await lab.lab.inNode(node, 'sh', '-c', script)
}

const create = (resource: string, rest: string) => lab.line(`resource create ${resource} ocf:lab:witness ${rest}`)

/** The last result of an operation on any node, from the cluster's history. */
async function results(resource: string, operation: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const text = await lab.lab.inNode(await lab.member(), `${installed}/shims/cibadmin`, '-Q', '-o', 'status')
  return [...text.matchAll(/<lrm_rsc_op ([^>]*?)\/?>/g)]
    .map(([, found = '']) =>
      Object.fromEntries([...found.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value])),
    )
    .filter((each) => each.id?.startsWith(`${resource}_`) && each.operation === operation)
}

beforeAll(async () => {
  await lab.start()
  const agents = join(installed, 'agents/ocf/lab')
  mkdirSync(agents)
  cpSync(join(import.meta.dirname, 'witness.sh'), join(agents, 'witness'))
  chmodSync(join(agents, 'witness'), 0o755)
}, 300_000)

afterAll(() => lab.close(), 60_000)

describe('what every call is told', () => {
  test('the variables of OCF, the parameters, and what belongs to the operation', async () => {
    await create('plain', 'colour=red op monitor interval=3s timeout=7s OCF_CHECK_LEVEL=10')
    await lab.untilActive('plain', 'Started', 1)
    await lab.lab.until('it is monitored', async () =>
      (await callsOf('plain')).some((call) => call.action === 'monitor' && meta(call, 'interval') === '3000'),
    )
    const calls = await callsOf('plain')
    const [node = ''] = await lab.active('plain', 'Started')
    const common = {
      OCF_ROOT: '/usr/lib/ocf',
      OCF_RA_VERSION_MAJOR: '1',
      OCF_RA_VERSION_MINOR: '1',
      OCF_RESOURCE_INSTANCE: 'plain',
      OCF_RESOURCE_TYPE: 'witness',
      OCF_RESOURCE_PROVIDER: 'lab',
      OCF_RESKEY_colour: 'red',
      OCF_RESKEY_CRM_meta_on_node: node,
      HA_SBIN_DIR: `${installed}/shims`,
    }
    const start = calls.find(({ action }) => action === 'start')
    expect(start?.variables).toMatchObject({ ...common, OCF_RESKEY_CRM_meta_timeout: '20000' })
    expect(start?.variables.OCF_RESKEY_CRM_meta_on_node_uuid).toBeDefined()
    expect(start?.variables.OCF_RESKEY_crm_feature_set).toMatch(/^3\./)
    const monitor = calls.find((call) => call.action === 'monitor' && meta(call, 'interval') === '3000')
    expect(monitor?.variables).toMatchObject({ ...common, OCF_CHECK_LEVEL: '10', OCF_RESKEY_CRM_meta_timeout: '7000' })
    const probe = calls.find((call) => call.action === 'monitor')
    expect([meta(probe as Call, 'interval') ?? '0', probe?.variables.OCF_CHECK_LEVEL]).toEqual(['0', undefined])
  })

  test('a change of a parameter that may be reloaded calls reload-agent with the new value, and nothing else', async () => {
    const before = (await callsOf('plain')).filter(({ action }) => action !== 'monitor').length
    await lab.line('resource update plain colour=blue')
    await lab.lab.until('it was told', async () =>
      (await callsOf('plain')).some(({ action }) => action === 'reload-agent'),
    )
    const since = (await callsOf('plain')).filter(({ action }) => action !== 'monitor').slice(before)
    expect(since.map(({ action, variables }) => [action, variables.OCF_RESKEY_colour])).toEqual([
      ['reload-agent', 'blue'],
    ])
    await lab.lab.until('monitors know it too', async () =>
      (await callsOf('plain')).some(
        ({ action, variables }) => action === 'monitor' && variables.OCF_RESKEY_colour === 'blue',
      ),
    )
  })

  test('a change of one that may not be restarts it', async () => {
    const before = (await callsOf('plain')).filter(({ action }) => action !== 'monitor').length
    await lab.line('resource update plain size=2')
    await lab.lab.until('it was restarted', async () =>
      (await callsOf('plain')).some(({ action, variables }) => action === 'start' && variables.OCF_RESKEY_size === '2'),
    )
    const since = (await callsOf('plain')).filter(({ action }) => action !== 'monitor').slice(before)
    expect(since.map(({ action }) => action)).toEqual(['stop', 'start'])
  })
})

describe('a live migration', () => {
  test('both sides are told of each other, and nothing stops before it runs there', async () => {
    await lab.line('resource meta plain allow-migrate=true')
    await lab.untilSettled()
    const [from = ''] = await lab.active('plain', 'Started')
    const to = lab.nodes.find((node) => node !== from) ?? ''
    const before = (await callsOf('plain')).filter(({ action }) => action !== 'monitor')
    await lab.line(`resource move plain ${to}`)
    await lab.lab.until('it has moved', async () => (await lab.active('plain', 'Started')).join() === to)
    await lab.untilSettled()
    const after = (await callsOf('plain')).filter(({ action }) => action !== 'monitor')
    const on = (node: string) =>
      after.filter((call) => call.node === node).slice(before.filter((call) => call.node === node).length)
    expect(on(from).map(({ action }) => action)).toEqual(['migrate_to', 'stop'])
    expect(on(to).map(({ action }) => action)).toEqual(['migrate_from'])
    for (const call of [...on(from), ...on(to)].filter(({ action }) => action !== 'stop'))
      expect([meta(call, 'migrate_source'), meta(call, 'migrate_target')]).toEqual([from, to])
    await lab.line('resource delete plain')
  })
})

describe('notifications', () => {
  /** Pacemaker Administration, "Clone Resource Agent Requirements": what every notify action is told, whatever happens. */
  const always = [
    'notify_type',
    'notify_operation',
    ...['start', 'stop', 'active', 'promote', 'demote', 'promoted', 'unpromoted', 'master', 'slave'].flatMap((name) => [
      `notify_${name}_resource`,
      `notify_${name}_uname`,
    ]),
    'notify_inactive_resource',
    'notify_available_uname',
  ]
  const words = (call: Call | undefined, name: string): readonly string[] =>
    (call === undefined ? '' : (meta(call, name) ?? '')).split(/\s+/).filter((word) => word !== '')

  test('before and after each start and promotion every instance is told who does what, and where', async () => {
    await create(
      'many',
      'colour=red op monitor interval=5s op monitor interval=4s role=Promoted promotable notify=true',
    )
    await lab.untilActive('many', 'Promoted', 1)
    await lab.untilActive('many', 'Unpromoted', 2)
    await lab.untilSettled()
    const [promoted = ''] = await lab.active('many', 'Promoted')
    const told = (await callsOf('many')).filter(({ action }) => action === 'notify')
    for (const call of told) expect(always.filter((name) => meta(call, name) === undefined)).toEqual([])

    const afterStart = told.filter(
      (call) => meta(call, 'notify_type') === 'post' && meta(call, 'notify_operation') === 'start',
    )
    expect(new Set(afterStart.map(({ node }) => node)).size).toBe(3)
    expect(words(afterStart[0], 'notify_start_uname').toSorted()).toEqual(lab.nodes)
    expect(words(afterStart[0], 'notify_start_resource')).toHaveLength(3)
    expect(words(afterStart[0], 'notify_available_uname').toSorted()).toEqual(lab.nodes)

    for (const type of ['pre', 'post']) {
      const calls = told.filter(
        (call) => meta(call, 'notify_type') === type && meta(call, 'notify_operation') === 'promote',
      )
      expect(calls.map(({ node }) => node).toSorted()).toEqual(lab.nodes)
      for (const call of calls) {
        expect(words(call, 'notify_promote_uname')).toEqual([promoted])
        expect(words(call, 'notify_unpromoted_uname').toSorted()).toEqual(lab.nodes)
        expect(words(call, 'notify_slave_uname')).toEqual(words(call, 'notify_unpromoted_uname'))
        expect(words(call, 'notify_promoted_uname')).toEqual([])
      }
    }
    const clone = (await callsOf('many')).find(({ action }) => action === 'promote')
    expect([
      meta(clone as Call, 'clone_max'),
      meta(clone as Call, 'promoted_max'),
      meta(clone as Call, 'notify'),
    ]).toEqual(['3', '1', 'true'])
  })

  test('a demotion and a stop are told before and after, with who is promoted at that time', async () => {
    const [promoted = ''] = await lab.active('many', 'Promoted')
    await lab.line(`node standby ${promoted}`)
    await lab.lab.until('another is promoted', async () => {
      const [now] = await lab.active('many', 'Promoted')
      return now !== undefined && now !== promoted
    })
    await lab.untilSettled()
    const told = (await callsOf('many')).filter(({ action }) => action === 'notify')
    const of = (type: string, operation: string) =>
      told.filter((call) => meta(call, 'notify_type') === type && meta(call, 'notify_operation') === operation)
    const before = of('pre', 'demote')
    expect(before.map(({ node }) => node).toSorted()).toEqual(lab.nodes)
    expect(
      before.map((call) => [
        words(call, 'notify_demote_uname'),
        words(call, 'notify_promoted_uname'),
        words(call, 'notify_master_uname'),
      ]),
    ).toEqual(before.map(() => [[promoted], [promoted], [promoted]]))
    const rest = lab.nodes.filter((node) => node !== promoted)
    expect(
      of('pre', 'stop')
        .map(({ node }) => node)
        .toSorted(),
    ).toEqual(lab.nodes)
    // One that has stopped hears no more.
    expect(
      of('post', 'stop')
        .map(({ node }) => node)
        .toSorted(),
    ).toEqual(rest)
    expect(words(of('post', 'stop')[0], 'notify_stop_uname')).toEqual([promoted])
    await lab.line(`node unstandby ${promoted}`)
    await lab.untilActive('many', 'Unpromoted', 2)
    await lab.line('resource delete many-clone')
  })
})

describe('exit codes', () => {
  /** What the cluster makes of a code of a start: Pacemaker Administration, "How OCF Return Codes Are Interpreted". */
  const starts = [
    { code: 1, name: 'error', outcome: 'it starts on another node' },
    { code: 2, name: 'bad arguments', outcome: 'it starts on another node' },
    { code: 3, name: 'unimplemented', outcome: 'it starts on another node' },
    { code: 4, name: 'insufficient privileges', outcome: 'it starts on another node' },
    { code: 5, name: 'not installed', outcome: 'it starts on another node' },
    { code: 6, name: 'not configured', outcome: 'it starts nowhere' },
  ] as const
  for (const { code, name, outcome } of starts)
    test(`a start that answers ${code}, ${name}: ${outcome}, and the reason is kept`, async () => {
      const [first = ''] = lab.nodes
      await lab.lab.inNode(first, 'sh', '-c', `mkdir -p /run/witness; echo ${code} >/run/witness/coded.start`)
      await create('coded', 'meta target-role=Stopped')
      await lab.line(`constraint location coded prefers ${first}=100`)
      await lab.line('resource enable coded')
      await lab.lab.until('the result is known', async () =>
        (await results('coded', 'start')).some((result) => result['rc-code'] === String(code)),
      )
      if (outcome === 'it starts nowhere') {
        await lab.untilSettled()
        expect(await lab.active('coded', 'Started')).toEqual([])
      } else {
        await lab.untilActive('coded', 'Started', 1)
        expect(await lab.active('coded', 'Started')).not.toContain(first)
      }
      expect(
        (await results('coded', 'start')).find((result) => result['rc-code'] === String(code))?.['exit-reason'],
      ).toBe(`start answers ${code}`)
      await answer('coded', 'start')
      await lab.line('resource delete coded')
    })

  const monitors = [
    { code: 1, name: 'error', recovered: true },
    { code: 7, name: 'not running', recovered: true },
    { code: 8, name: 'promoted', recovered: true },
    { code: 9, name: 'promoted and failed', recovered: true },
    { code: 190, name: 'degraded', recovered: false },
    { code: 191, name: 'promoted and degraded', recovered: false },
  ] as const
  for (const { code, name, recovered } of monitors)
    test(`a monitor that answers ${code}, ${name}: ${recovered ? 'it is recovered' : 'nothing is done, and it is shown'}`, async () => {
      const promoted = code === 191
      await create(
        'watched',
        promoted
          ? 'op monitor interval=2s op monitor interval=1s role=Promoted promotable promoted-max=1'
          : 'op monitor interval=1s',
      )
      if (promoted) await lab.untilActive('watched', 'Promoted', 1)
      else await lab.untilActive('watched', 'Started', 1)
      const [node = ''] = await lab.active('watched', promoted ? 'Promoted' : 'Started')
      await lab.untilSettled()
      const starts = async () => (await callsOf('watched')).filter(({ action }) => action === 'start').length
      const before = await starts()
      await lab.lab.inNode(node, 'sh', '-c', `echo ${code} >/run/witness/watched.monitor`)
      if (recovered) {
        await lab.lab.until('it was started again', async () => (await starts()) > before)
        expect(await lab.systole('resource', 'failcount', 'watched')).toContain(node)
      } else {
        await lab.lab.until('it is known', async () =>
          (await results('watched', 'monitor')).some((result) => result['rc-code'] === String(code)),
        )
        await lab.untilSettled()
        expect(await starts()).toBe(before)
        expect(await lab.active('watched', promoted ? 'Promoted' : 'Started')).toEqual([node])
      }
      await answer('watched', 'monitor')
      await lab.line(`resource delete ${promoted ? 'watched-clone' : 'watched'}`)
    })
})

describe('what agents tell the cluster', () => {
  test('a promotion score chooses who is promoted, and a higher one moves the promotion', async () => {
    await create('scored', 'op monitor interval=5s op monitor interval=4s role=Promoted promotable')
    await lab.untilActive('scored', 'Promoted', 1)
    const [now = ''] = await lab.active('scored', 'Promoted')
    const other = lab.nodes.find((node) => node !== now) ?? ''
    await lab.lab.inNode(
      other,
      'env',
      'OCF_RESOURCE_INSTANCE=scored',
      `${installed}/shims/crm_attribute`,
      '--promotion',
      '-v',
      '500',
    )
    await lab.lab.until('it is promoted there', async () => (await lab.active('scored', 'Promoted')).join() === other)
    await lab.line('resource delete scored-clone')
  })

  test('an attribute with a dampening counts when it has been quiet for that long', async () => {
    const [node = ''] = lab.nodes
    const tool = `${installed}/shims/attrd_updater`
    const inCib = async () =>
      (await lab.lab.inNode(node, `${installed}/shims/cibadmin`, '-Q', '-o', 'status')).match(
        /name="calm" value="(\d)"/,
      )?.[1]
    await lab.lab.inNode(node, tool, '-n', 'calm', '-B', '1', '-d', '3s')
    const began = Date.now()
    await lab.lab.inNode(node, tool, '-n', 'calm', '-U', '2')
    expect(await inCib()).not.toBe('2')
    await lab.lab.until('it counts', async () => (await inCib()) === '2')
    expect(Date.now() - began).toBeGreaterThan(2500)
    await lab.lab.inNode(node, tool, '-n', 'calm', '-D')
  })
})
