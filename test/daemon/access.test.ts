import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type AclPermission, parseXml, printXml, readConfiguration, type XmlElement } from '../../src/cib/index.ts'
import { GuardedCib } from '../../src/daemon/access/guarded-cib.ts'
import { HostUsers } from '../../src/daemon/access/host-users.ts'
import { type AccessSources, type Rights, rightsOf } from '../../src/daemon/access/rights.ts'
import { Selector, SlowPermissionsError } from '../../src/daemon/access/selector.ts'
import { visibleState } from '../../src/daemon/access/visible-state.ts'
import { AgentToolsWorld } from '../../src/daemon/agent-tools/agent-tools.ts'
import { LimitedToolsWorld } from '../../src/daemon/agent-tools/limited-tools-world.ts'
import { limitedHandlers } from '../../src/daemon/api/limited-api.ts'
import { guardLocal, localNeeds } from '../../src/daemon/api/local-calls.ts'
import { stoppedState } from '../../src/daemon/cluster-state/cluster-state.ts'
import type { Daemon } from '../../src/daemon/lifecycle/daemon.ts'
import {
  type CallContext,
  type CallerIdentity,
  type ClusterState,
  type Handlers,
  localService,
  PeerCredentials,
  refuseWhoMayNot,
} from '../../src/rpc/index.ts'
import { localHandlers } from '../support/local-client.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-access-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function cibOf(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  return parsed.value
}

const cibWith = (enabled: boolean): XmlElement =>
  cibOf(`<cib><configuration><crm_config><cluster_property_set id="cib-bootstrap-options">
    <nvpair id="e" name="enable-acl" value="${enabled}"/></cluster_property_set></crm_config>
    <acls><acl_role id="r"><acl_permission id="p" kind="read" xpath="/cib"/></acl_role>
    <acl_target id="alice"><role id="r"/></acl_target></acls></configuration></cib>`)

const user = (uid: number): CallerIdentity => ({ kind: 'user', uid, gid: 0, pid: 1 })

describe('what a local user may do', () => {
  const names: Readonly<Record<number, string>> = { 1: 'alice', 2: 'bob', 3: 'hacluster', 9: 'daemon-user' }
  const sources = (cib: XmlElement | undefined, wasOn = false): AccessSources => ({
    users: {
      byId: async (uid) => {
        const name = names[uid]
        return await Promise.resolve(name === undefined ? undefined : { name, groups: ['haclient'] })
      },
      knownByName: async () => await Promise.resolve(undefined),
      byName: async () => await Promise.resolve(undefined),
    },
    ownUid: 9,
    configuration: () => cib && { cib, typed: readConfiguration(cib) },
    wasOn: () => wasOn,
  })
  const cases: readonly {
    readonly name: string
    readonly uid: number
    readonly cib: XmlElement | undefined
    readonly wasOn?: boolean
    readonly rights: string
  }[] = [
    { name: 'root may do all', uid: 0, cib: cibWith(true), rights: 'all as root' },
    { name: 'hacluster may do all', uid: 3, cib: cibWith(true), rights: 'all as hacluster' },
    { name: 'the user of the daemon may do all', uid: 9, cib: cibWith(true), rights: 'all as daemon-user' },
    { name: 'without access control whoever is let in may do all', uid: 2, cib: cibWith(false), rights: 'all as bob' },
    { name: 'also somebody without a name', uid: 77, cib: cibWith(false), rights: 'all as the user number 77' },
    { name: 'with it, what the roles permit', uid: 1, cib: cibWith(true), rights: 'limited to p' },
    { name: 'with it, nothing without a role', uid: 2, cib: cibWith(true), rights: 'no-role' },
    { name: 'with it, nothing without a name', uid: 77, cib: cibWith(true), rights: 'no-such-user' },
    { name: 'a host without a configuration has no access control', uid: 2, cib: undefined, rights: 'all as bob' },
    { name: 'where it was on, it stays on', uid: 1, cib: undefined, wasOn: true, rights: 'roles-unknown' },
    { name: 'root needs no roles there', uid: 0, cib: undefined, wasOn: true, rights: 'all as root' },
    { name: 'what is configured now counts', uid: 2, cib: cibWith(false), wasOn: true, rights: 'all as bob' },
  ]
  for (const { name, uid, cib, wasOn, rights } of cases)
    test(name, async () => {
      const found = await rightsOf(user(uid), sources(cib, wasOn)).then(
        (one) =>
          one.kind === 'all' ? `all as ${one.user}` : `limited to ${one.permissions.map(({ id }) => id).join(' ')}`,
        (error: { readonly code?: string }) => error.code,
      )
      expect(found).toBe(rights)
    })

  test('a caller whom the socket does not tell may do nothing', async () => {
    await expect(rightsOf({ kind: 'unknown' }, sources(cibWith(false)))).rejects.toThrow('cannot identify the caller')
  })
})

describe('users of the host', () => {
  const etc = (files: Readonly<Record<string, string>>): HostUsers => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return new HostUsers(folder)
  }

  test('have their name, the group of their entry and those that name them', async () => {
    const users = etc({
      passwd: 'root:x:0:0::/root:/bin/sh\nalice:x:70001:105::/:/bin/sh\n',
      group: 'root:x:0:\nhaclient:x:105:bob\nops:x:106:bob,alice\nothers:x:107:alice2\n',
      'nsswitch.conf': 'passwd: files systemd\ngroup: files [SUCCESS=merge] systemd\n',
    })
    expect(await users.byId(70001)).toEqual({ name: 'alice', groups: ['haclient', 'ops'] })
  })

  test('that nobody knows have no name', async () => {
    expect(await etc({ passwd: '', group: '' }).byId(4_000_000_001)).toBeUndefined()
  })

  test('that the file does not know are asked of the directory', async () => {
    // The host itself is the directory here: it knows root, whom this file leaves out.
    expect(await etc({ passwd: '', group: 'root:x:0:\n' }).byId(0)).toEqual({
      name: 'root',
      groups: ['root'],
      isRoot: true,
    })
  })
})

test('the kernel tells who has connected to a Unix socket', async () => {
  const credentials = PeerCredentials.open()
  const path = join(folder, 'socket')
  const server = createServer()
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const script = `require('node:net').connect(process.argv[1]); setTimeout(() => undefined, 60000)`
  const child = spawn(process.execPath, ['-e', script, path], { stdio: 'ignore' })
  try {
    const socket = await connected
    const uid = process.getuid?.() ?? -1
    expect(credentials?.of(socket)).toEqual({ kind: 'user', pid: child.pid, uid, gid: process.getgid?.() })
    socket.destroy()
    expect(credentials?.of(socket)).toBeUndefined()
  } finally {
    child.kill('SIGKILL')
    server.close()
  }
})

test('a connection that is no Unix socket has no user', async () => {
  const server = createServer()
  const connected = new Promise<Socket>((resolve) => server.once('connection', resolve))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const client = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
  const found = PeerCredentials.open()?.of(await connected)
  // The kernel answers with nobody: no user of this host has that number.
  expect(found === undefined || found.uid === 0xffff_ffff).toBe(true)
  client.destroy()
  server.close()
})

describe('the XPaths of permissions', () => {
  const permissions: readonly AclPermission[] = [
    { id: 'p', role: 'r', kind: 'read', on: { by: 'xpath', xpath: '//b' } },
    { id: 'q', role: 'r', kind: 'read', on: { by: 'xpath', xpath: '//c[' } },
  ]
  const cib = cibOf('<a><b id="1"/><x><b id="2"/></x></a>')

  test('that take too long end with their thread, and the next question has another', async () => {
    const texts = [
      'while (true) {}',
      `const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => parentPort.postMessage([[1, 3], undefined]))`,
    ]
    const selector = new Selector(() => new Worker(texts.shift() ?? '', { eval: true }), 3000)
    const slow = selector.select(cib, permissions, { user: 'alice' })
    const next = selector.select(cib, permissions, { user: 'alice' })
    await expect(slow).rejects.toThrow(SlowPermissionsError)
    const select = await next
    expect(select(cib, '//b')?.map(({ attributes }) => attributes.id)).toEqual(['1', '2'])
    expect(select(cib, '//c[')).toBeUndefined()
    selector.close()
  })

  test('a thread that fails answers with its error', async () => {
    const selector = new Selector(() => new Worker('throw new Error("no memory")', { eval: true }), 10_000)
    await expect(selector.select(cib, permissions, { user: 'alice' })).rejects.toThrow('no memory')
  })
})

test('every call of the local API says what it needs', () => {
  expect(Object.keys(localNeeds).sort()).toEqual(Object.keys(localService).sort())
})

test('a user with roles has an answer of his own to all that commands see and do', () => {
  const open = ['constructor', 'quorate', 'now', 'nodes', 'witness', 'settled', 'dc', 'controllerState']
  const methods = Object.getOwnPropertyNames(AgentToolsWorld.prototype).filter((name) => !open.includes(name))
  const limited = Object.getOwnPropertyNames(LimitedToolsWorld.prototype)
  expect(methods.filter((name) => !limited.includes(name))).toEqual([])
})

test('a user with roles gets what was counted of resources that the user may read, and of none where nothing is known', async () => {
  const cib = cibOf(
    '<cib><configuration><resources><primitive id="db"/><clone id="pings"><primitive id="ping"/></clone><primitive id="secret"/></resources></configuration></cib>',
  )
  const permissions = ['db', 'pings'].map((id) => ({ id, role: 'r', kind: 'read', on: { by: 'element', id } }) as const)
  const counted = ['db', 'ping:1', 'secret', 'secret:0'].map((resource) => ({ value: 1, labels: { resource } }))
  const json = JSON.stringify([{ name: 'm', values: [...counted, { value: 2, labels: {} }] }])
  const handlers = localHandlers({ getMetrics: async () => await Promise.resolve({ json }) })
  const limited = { kind: 'limited', user: 'alice', permissions } as const
  const shown = async (configuration: { readonly cib: XmlElement } | undefined): Promise<unknown> => {
    const guardedFor = () => new GuardedCib(limited, new Selector())
    const daemon = { configuration, access: { guardedFor } } as unknown as Daemon
    const context: CallContext = { caller: user(1), signal: AbortSignal.abort() }
    const answer = await limitedHandlers(daemon, handlers, limited).getMetrics({}, context)
    const [{ values } = { values: [] }] = JSON.parse(answer.json) as readonly { readonly values: typeof counted }[]
    return values.map(({ labels }) => labels.resource)
  }
  expect(await shown({ cib })).toEqual(['db', 'ping:1', undefined])
  expect(await shown(undefined)).toEqual([undefined])
})

describe('a user with roles who watches', () => {
  const rights = { kind: 'limited' as const, user: 'alice', permissions: [] }
  const stateNo = (revision: number): ClusterState => ({ ...stoppedState(undefined, 'n1', true), revision })
  const contextOf = (signal: AbortSignal): CallContext => ({ caller: user(1), signal })
  /** What is to be watched, as long as the signal says; `rightsOf` may take its time, or refuse. */
  const watching = (rightsOf: () => Promise<Rights>) => {
    let show: (state: ClusterState) => void = () => undefined
    const handlers = localHandlers({
      watchState: async (_asked: unknown, send: typeof show, { signal }: CallContext) => {
        show = send
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      },
    })
    const daemon = { configuration: undefined, access: { rightsOf, guardedFor: () => undefined } } as unknown as Daemon
    return { watch: limitedHandlers(daemon, handlers, rights).watchState, show: (state: ClusterState) => show(state) }
  }

  test('and is gone before it began leaves nothing behind', async () => {
    const { watch } = watching(async () => await Promise.resolve(rights))
    await watch({}, () => undefined, contextOf(AbortSignal.abort()))
  })

  test('is shown the newest state, and not all that came while permissions were looked up', async () => {
    let found: () => void = () => undefined
    const { watch, show } = watching(async () => {
      await new Promise<void>((resolve) => {
        found = resolve
      })
      return rights
    })
    const seen: (number | undefined)[] = []
    const gone = new AbortController()
    const over = watch({}, ({ revision }) => void seen.push(revision), contextOf(gone.signal))
    for (const revision of [1, 2, 3, 4]) show(stateNo(revision))
    for (const count of [1, 2])
      await vi.waitFor(() => {
        found()
        expect(seen).toHaveLength(count)
      })
    expect(seen).toEqual([1, 4])
    gone.abort()
    await over
  })

  test('and loses the last role sees no more', async () => {
    const { watch, show } = watching(async () => await Promise.reject(new Error('no role')))
    const over = watch({}, () => undefined, contextOf(new AbortController().signal))
    show(stateNo(1))
    await expect(over).rejects.toThrow('no role')
  })
})

describe('a change of what was shown', () => {
  const whole = cibOf(`<cib epoch="4" have-quorum="1"><configuration><crm_config/><nodes><node id="1" uname="n1">
    <instance_attributes id="na"/></node></nodes><resources><primitive id="db" class="ocf" provider="pacemaker" type="Dummy">
    <instance_attributes id="dbp"><nvpair id="pw" name="fake" value="Ohgh8ees"/><nvpair id="port" name="state" value="/s"/></instance_attributes>
    </primitive></resources><constraints/></configuration></cib>`)
  const may = (kind: AclPermission['kind'], id: string): AclPermission => ({
    id,
    role: 'r',
    kind,
    on: { by: 'element', id },
  })
  const permissions = [may('read', 'db'), may('write', 'na'), may('deny', 'pw')]
  const push = async (text: (xml: string) => string): Promise<XmlElement> => {
    const guarded = new GuardedCib({ kind: 'limited', user: 'alice', permissions }, new Selector())
    const shown = await guarded.see(whole)
    return await guarded.changed(whole, shown, cibOf(text(printXml(shown.cib))))
  }

  test('where the journal is sent is chosen by whoever may read all of the CIB', async () => {
    const before = cibOf(
      '<cib><configuration><crm_config/><nodes/><resources/><constraints/></configuration><status/></cib>',
    )
    const after = (value: string): XmlElement =>
      cibOf(
        printXml(before).replace(
          '<crm_config/>',
          `<crm_config><cluster_property_set id="o"><nvpair id="t" name="trace-collector" value="${value}"/></cluster_property_set></crm_config>`,
        ),
      )
    const all = { id: 'a', role: 'r', kind: 'read', on: { by: 'element', name: 'cib' } } as const
    const options = { id: 'o', role: 'r', kind: 'write', on: { by: 'element', name: 'crm_config' } } as const
    const check = async (permissions: readonly AclPermission[], value: string): Promise<void> => {
      const guarded = new GuardedCib({ kind: 'limited', user: 'alice', permissions }, new Selector())
      await guarded.check(before, after(value))
    }
    await expect(check([options], 'http://192.0.2.66:4318')).rejects.toThrow('trace-collector may be set with')
    await check([options], '')
    await check([options, all], 'http://192.0.2.66:4318')
  })

  test('also the score of a set decides where the journal is sent', async () => {
    const withScores = (own: number): XmlElement =>
      cibOf(
        `<cib><configuration><crm_config>${[
          ['a', 10, 'http://192.0.2.1:4318'],
          ['b', own, 'http://192.0.2.66:4318'],
        ]
          .map(
            ([id, score, value]) =>
              `<cluster_property_set id="${id}" score="${score}"><nvpair id="${id}-t" name="trace-collector" value="${value}"/></cluster_property_set>`,
          )
          .join('')}</crm_config><nodes/><resources/><constraints/></configuration><status/></cib>`,
      )
    const options = { id: 'o', role: 'r', kind: 'write', on: { by: 'element', name: 'crm_config' } } as const
    const guarded = new GuardedCib({ kind: 'limited', user: 'alice', permissions: [options] }, new Selector())
    await guarded.check(withScores(1), withScores(2))
    await expect(guarded.check(withScores(1), withScores(20))).rejects.toThrow('trace-collector may be set with')
  })

  test('without a difference it is no change, whatever it says of what the cluster itself writes', async () => {
    expect(await push((xml) => xml)).toBe(whole)
    expect(
      await push((xml) => xml.replace('<cib', '<cib no-quorum-panic="1" execution-date="1" have-quorum="0"')),
    ).toBe(whole)
  })

  test('is checked in steps, between which the main thread does other work', async () => {
    const guarded = new GuardedCib({ kind: 'limited', user: 'alice', permissions }, new Selector())
    const shown = await guarded.see(whole)
    const pushed = cibOf(
      printXml(shown.cib).replace(
        '<instance_attributes id="na"/>',
        '<instance_attributes id="na"><nvpair id="x" name="x" value="y"/></instance_attributes>',
      ),
    )
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await guarded.changed(whole, shown, pushed)
    isDone = true
    // The merge, its permissions, references, and the mistakes of both, which are looked for in nine steps each.
    expect(turns).toBeGreaterThanOrEqual(5 + 2 * 8)
  })

  test('must not refer to what its author may not read', async () => {
    const pair = (reference: string) => (xml: string) =>
      xml.replace(
        '<instance_attributes id="na"/>',
        `<instance_attributes id="na"><nvpair id-ref="${reference}" name="mine"/></instance_attributes>`,
      )
    await expect(push(pair('pw'))).rejects.toThrow("Permission denied: alice may not refer to 'pw'")
    // All of it comes with a reference to what encloses it.
    await expect(push(pair('dbp'))).rejects.toThrow("alice may not refer to 'dbp'")
    expect(printXml(await push(pair('port')))).toContain('id-ref="port"')
  })
})

test('access control that is turned on ends what somebody watches who has no role', async () => {
  let isOn = false
  const access = {
    rightsOf: async () => {
      if (isOn) throw new Error('bob has no role')
      return await Promise.resolve({ kind: 'all', user: 'bob', mayNameAnother: false })
    },
  }
  const state = stoppedState(undefined, 'n1', true)
  const changes = new EventEmitter()
  const watchState: Handlers<typeof localService>['watchState'] = async (_, send, { signal }) => {
    changes.on('change', () => send(state))
    send(state)
    await once(signal, 'abort')
  }
  const handlers = guardLocal({ access } as unknown as Daemon, localHandlers({ watchState }))
  const sent: unknown[] = []
  const context = { signal: new AbortController().signal, caller: user(2) }
  const watching = handlers.watchState({}, (one) => sent.push(one), context as never)
  await vi.waitFor(() => expect(sent).toHaveLength(1))
  isOn = true
  changes.emit('change')
  await expect(watching).rejects.toThrow('bob has no role')
  expect(sent).toHaveLength(1)
})

test('what names a resource that may not be read is left out of the state', () => {
  const cib = cibOf(
    '<cib><configuration><resources><primitive id="db"/><primitive id="web"/></resources></configuration></cib>',
  )
  const state = {
    ...stoppedState(undefined, 'n1', true),
    transition: {
      ...stoppedState(undefined, 'n1', true).transition,
      pending: ['db_start_0 on n1', 'web_start_0 on n1'],
      blockedResources: ['db', 'web'],
    },
    fencing: [
      { id: 'f', target: 'n2', action: 'off', device: 'db', begun: '', outcome: 'failed', message: 'x' },
    ] as const,
    notes: ['db is odd', 'n2 is odd'],
  }
  const access = {
    of: ({ attributes }: XmlElement) => (attributes.id === 'db' ? ('deny' as const) : ('read' as const)),
  }
  const seen = visibleState(state, cib, access)
  expect(seen.transition.pending).toEqual(['web_start_0 on n1'])
  expect(seen.transition.blockedResources).toEqual(['web'])
  expect(seen.fencing).toEqual([{ id: 'f', target: 'n2', action: 'off', begun: '', outcome: 'failed' }])
  expect(seen.notes).toEqual(['n2 is odd'])
  expect(visibleState(state, cib, { of: () => 'read' })).toBe(state)
})

/** Handlers for whoever has these rights, and what they were asked with. */
function actingAs(rights: Rights) {
  const access = {
    rightsOf: async () => await Promise.resolve(rights),
    guardedFor: () => ({ administers: async () => await Promise.resolve(true) }),
  }
  const names: string[] = []
  const seen: unknown[] = []
  const node = {
    seesOwnWrites: async <T>(act: () => Promise<T>): Promise<T> => {
      const answer = await act()
      seen.push([...names])
      return answer
    },
  }
  const acquireLock = async (request: { readonly user: string }) => {
    names.push(request.user)
    return await Promise.resolve({ outcome: 'acquired' })
  }
  const addApiClient: Handlers<typeof localService>['addApiClient'] = async (client) => {
    names.push(client.user)
    return await Promise.resolve({ client, subject: '', fingerprint: '', validUntil: '', createdBy: '' })
  }
  const daemon = { access, running: true, node, configuration: { cib: cibWith(true) } } as unknown as Daemon
  const handlers = guardLocal(daemon, localHandlers({ acquireLock, addApiClient }))
  const context = { signal: new AbortController().signal, caller: user(1) }
  return { handlers, context: context as never, names, seen }
}

test('a user with roles acts under his own name, whatever his request says', async () => {
  const { handlers, context, names, seen } = actingAs({ kind: 'limited', user: 'alice', permissions: [] })
  await handlers.acquireLock({ user: 'root' } as never, context)
  expect(names).toEqual(['alice'])
  // And is answered when the node sees what was written for him.
  expect(seen).toEqual([['alice']])
})

test.each<Rights>([
  { kind: 'all', user: 'root', mayNameAnother: true },
  { kind: 'all', user: 'bob', mayNameAnother: false },
  { kind: 'limited', user: 'alice', permissions: [] },
])('whose a client certificate is, is what was typed, and not who typed it: $user', async (rights) => {
  const { handlers, context, names } = actingAs(rights)
  for (const named of ['mallory', '']) await handlers.addApiClient({ user: named } as never, context)
  expect(names).toEqual(['mallory', ''])
})

test('whether a call may be made is asked without making it, and refused in the words of the call', async () => {
  const asking = (rights: Rights) => {
    const access = {
      rightsOf: async () => await Promise.resolve(rights),
      guardedFor: () => ({ administers: async () => await Promise.resolve(false) }),
    }
    const getPermission = async () => await Promise.resolve({})
    const daemon = { access, running: false, configuration: { cib: cibWith(true) } }
    const handlers = guardLocal(daemon as never, localHandlers({ getPermission }))
    const context = { signal: new AbortController().signal, caller: user(1) }
    return { getPermission: async (asked: object) => await handlers.getPermission(asked as never, context as never) }
  }
  const fence = { target: 'n1', action: 'reboot' }
  const alice = asking({ kind: 'limited', user: 'alice', permissions: [] })
  await expect(refuseWhoMayNot(alice, 'fence', fence)).rejects.toThrow(
    "'fence' changes more than the CIB and requires the permission 'write' on all of /cib/configuration, which alice does not have.",
  )
  await expect(refuseWhoMayNot(alice, 'cancelJob', { id: 'j1', user: '' })).rejects.toThrow('alice may not')
  // Handlers of localHandlers refuse whatever they are asked: none was.
  const bob = asking({ kind: 'all', user: 'bob', mayNameAnother: false })
  await refuseWhoMayNot(bob, 'fence', fence)
  await refuseWhoMayNot(bob, 'setTicket', { id: 'T', forget: false, attributes: {} })
  await expect(refuseWhoMayNot(bob, 'cancelJob', { id: 'j1', user: '' })).rejects.toThrow('bob may not')
  await refuseWhoMayNot(asking({ kind: 'all', user: 'root', mayNameAnother: true }), 'cancelJob', {
    id: 'j1',
    user: '',
  })
  await expect(refuseWhoMayNot(bob, 'openSession', { user: 'bob', password: 'x' })).rejects.toThrow(
    "There is no call 'openSession'",
  )
  await expect(bob.getPermission({ call: 'fence', request: 'AAAA' })).rejects.toThrow(
    "This is not a request of 'fence'.",
  )
})

test('settings for scripts may be passwords: who may not run jobs does not read those', async () => {
  const settings = [
    { kind: 'config_state', scope: 'global', key: 'db_password', value: 'geheim' },
    { kind: 'config_state', scope: 'global', key: 'site_code', value: 'geheim' },
    { kind: 'config_state', scope: 'global', key: 'enable_update', value: 'True' },
  ]
  const getLifecycle = async () => await Promise.resolve({ known: JSON.stringify({ versions: [], settings }) })
  const job = { id: 'p', role: 'r', kind: 'write', on: { by: 'element', name: 'job' } }
  const cib = cibOf(
    '<cib><configuration><crm_config><cluster_property_set id="o"><nvpair id="s" name="secret-names" value="site_*"/></cluster_property_set></crm_config></configuration></cib>',
  )
  const ask = async (rights: object | undefined): Promise<readonly string[]> => {
    const access = {
      rightsOf: async () => await (rights ? Promise.resolve(rights) : Promise.reject(new Error('bob has no role'))),
      guardedFor: () => ({}),
    }
    const handlers = guardLocal(
      { access, configuration: { cib } } as unknown as Daemon,
      localHandlers({ getLifecycle }),
    )
    const context = { signal: new AbortController().signal, caller: user(1) }
    const { known } = await handlers.getLifecycle({}, context as never)
    return (JSON.parse(known) as { settings: { value: string }[] }).settings.map(({ value }) => value)
  }
  expect(await ask({ kind: 'limited', user: 'alice', permissions: [] })).toEqual(['******', '******', 'True'])
  expect(await ask({ kind: 'limited', user: 'alice', permissions: [job] })).toEqual(['geheim', 'geheim', 'True'])
  expect(await ask({ kind: 'all', user: 'bob', mayNameAnother: false })).toEqual(['geheim', 'geheim', 'True'])
  await expect(ask(undefined)).rejects.toThrow('no role')
})

test('commands as root on nodes, by jobs, plays and rollouts, are for those whom docs/security.md says', () => {
  const security = readFileSync(resolve(import.meta.dirname, '../../docs/security.md'), 'utf8')
  const row = security.split('\n').find((line) => line.includes('on the object type `job`, by that name')) ?? ''
  const documented = [...(row.split('|')[1] ?? '').matchAll(/`(\w)(\w+)`/g)].map(
    ([, first = '', rest = '']) => `${first.toLowerCase()}${rest}`,
  )
  const needed = Object.entries(localNeeds).flatMap(([name, need]) => (need === 'job' ? [name] : []))
  expect(documented.sort()).toEqual(needed.sort())
  expect(needed).toEqual(expect.arrayContaining(['runJob', 'copyFile', 'startPlay', 'changePlay', 'listPlays']))
})
