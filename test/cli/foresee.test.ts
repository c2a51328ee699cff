/** `--preview` of commands that ask the daemon: what would follow, by the scheduler, and nothing is asked for but to read. */
import { beforeEach, describe, expect, test } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { composeHolds } from '../../src/holds/index.ts'
import { refuse } from '../../src/rpc/index.ts'
import { endpointsOf } from '../../src/web/command-table.ts'
import { hold } from '../holds/hold.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const operation = (resource: string, name: string, { rc = 0, id = `${resource}_last_0`, interval = 0 } = {}) =>
  `<lrm_rsc_op id="${id}" operation_key="${resource}_${name}_${interval}" operation="${name}" transition-key="4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001"
  transition-magic="${rc === 1 ? 4 : 0}:${rc};4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001" call-id="1" rc-code="${rc}" op-status="${rc === 1 ? 4 : 0}" interval="${interval}"
  op-digest="f2317cad3d54cec5d7d7aa7d0bf35cf8"/>`
const history = (resource: string, operations: string) =>
  `<lrm_resource id="${resource}" class="ocf" provider="pacemaker" type="Dummy">${operations}</lrm_resource>`
const device = (operations: string) =>
  `<lrm_resource id="fence" class="stonith" type="fence_ipmilan">${operations}</lrm_resource>`
const state = (id: number, inside: string, more = '', is = 'online') =>
  `<node_state id="${id}" uname="n${id}" in_ccm="${is === 'online'}" crmd="${is}" join="${is === 'online' ? 'member' : 'down'}" expected="${is === 'online' ? 'member' : 'down'}">
  <lrm id="${id}"><lrm_resources>${inside}</lrm_resources></lrm>${more}</node_state>`
const counts = (id: number, name: string) =>
  `<transient_attributes id="${id}"><instance_attributes id="s${id}"><nvpair id="s${id}-f" name="fail-count-${name}#start_0" value="INFINITY"/></instance_attributes></transient_attributes>`
/** web runs on n1; db has failed to start on both; n3 is down. */
const text = `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="5" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-s" name="stonith-enabled" value="true"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/><node id="3" uname="n3"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="db" class="ocf" provider="pacemaker" type="Dummy"/>
<primitive id="site" class="ocf" provider="pacemaker" type="Dummy"/>
<primitive id="fence" class="stonith" type="fence_ipmilan"/></resources>
<constraints><rsc_ticket id="t" rsc="site" ticket="T" loss-policy="stop"/></constraints>
<alerts><alert id="mail" path="/usr/bin/mail"><recipient id="r1" value="ops@example.org"/></alert></alerts></configuration>
<status>${state(1, history('web', operation('web', 'start')) + history('db', operation('db', 'start', { rc: 1, id: 'db_last_failure_0' })) + history('site', operation('site', 'monitor', { rc: 7 })) + device(operation('fence', 'monitor', { rc: 7 })), counts(1, 'db'))}
${state(2, history('db', operation('db', 'start', { rc: 1, id: 'db_last_failure_0' })) + history('web', operation('web', 'monitor', { rc: 7 })) + device(operation('fence', 'start')), counts(2, 'db'))}
${state(3, '', '', 'offline')}</status></cib>`

let cib: XmlElement
let asked: string[]
let isRefused = false

function readText(xml: string): XmlElement {
  const read = parseXml(xml)
  if (!read.ok) throw new Error('not XML')
  return read.value
}

beforeEach(() => {
  cib = readText(text)
  asked = []
  isRefused = false
})

const member = (node: string, name = 'member') => ({
  node,
  address: node,
  state: name,
  votes: true,
  links: [{ number: 1 }],
})
/** What the daemon answers to those who read. */
const answers: Readonly<Record<string, object>> = {
  getState: {
    ...{
      configured: true,
      started: true,
      quorate: true,
      localNode: 'n1',
      dc: 'n1',
      store: { kind: 'etcd', healthy: true },
    },
    members: [member('n1'), member('n2'), member('n3', 'offline')],
    votes: { present: 3, expected: 4, needed: 3 },
    witness: { name: 'w1', address: 'w1', state: 'up', votes: true },
    fencing: [
      {
        id: '1',
        target: 'n2',
        action: 'reboot',
        outcome: 'succeeded',
        begun: '2026-01-01T00:00:00Z',
        ended: '2026-01-01T00:00:01Z',
      },
      { id: '2', target: 'n2', action: 'reboot', outcome: 'pending', begun: '2026-01-01T00:00:00Z' },
    ],
  },
  getPermission: {},
  listLocks: { locks: [{ name: 'backup', owner: 'anna', node: 'n2', since: '2026-01-01T00:00:00Z' }] },
  listApiTokens: { tokens: [{ name: 'prometheus', roles: ['monitor'] }] },
  listApiClients: { clients: [{ client: { name: 'ops' }, subject: 'CN=ops' }] },
  listJoinTokens: {
    tokens: [
      { id: 'a1', state: 'open' },
      { id: 'b2', state: 'used' },
    ],
  },
  getFleet: { clusters: [{ name: 'east' }] },
  getCertificates: { node: 'n1', validUntil: '2027-01-01' },
  getPkiStatus: { nodes: [{ node: 'n1' }, { node: 'n2' }], silent: [] },
  listConfigVersions: { versions: [{ version: 7, confirmUntil: '2026-01-01T00:05:00Z' }, { version: 6 }] },
  getJob: { id: 'j1', state: 'active', nodes: [{ node: 'n2', state: 'started' }], argv: ['x'] },
  listPlays: { known: JSON.stringify([{ id: 'p1', state: 'running', steps: [], created: '' }]) },
  unblockQuorum: { nodes: ['n2', 'n3'] },
}
const drain = hold('drain', { node: 'n1' })

const live = new Proxy(
  {},
  {
    get: (_, name) => {
      if (typeof name === 'symbol' || name === 'then') return undefined
      return async (request: unknown) => {
        asked.push(name)
        if (name === 'unblockQuorum' && (request as { onlyAsk: boolean }).onlyAsk !== true)
          throw new Error('it was done')
        if (name === 'listHolds') return await Promise.resolve({ holds: [{ ...drain, kept: false }] })
        if (name === 'getPermission' && isRefused) throw refuse('denied', 'Permission denied: you may not.')
        const answer = answers[name]
        if (answer === undefined) throw new Error(`'${name}' was asked for`)
        return await Promise.resolve(answer)
      }
    },
  },
)

async function preview(line: string) {
  const printed = await runLine({
    commands: allCommands,
    line: [...line.split(' '), '--preview', '--json'],
    terminal: scriptedTerminal([]),
    openCluster: () => ({
      live: live as never,
      readCib: async () => await Promise.resolve({ cib, version: 5 }),
      push: async () => await Promise.reject(new Error('it was pushed')),
      close: () => undefined,
    }),
  })
  return JSON.parse(printed.standardOutput) as {
    readonly preview?: boolean
    readonly message?: string
    readonly actions?: readonly { readonly text: string }[]
    readonly leftStopped?: readonly { readonly resource: string }[]
    readonly error?: readonly string[]
  }
}

const actionsOf = async (line: string) => (await preview(line)).actions?.map((action) => action.text)

test.each([
  'resource cleanup db',
  'stonith fence n1',
  'node drain n2',
  'ticket grant T --force',
  'token revoke prometheus',
])('what somebody may not do is refused beforehand as well: %s', async (line) => {
  expect((await preview(line)).preview).toBe(true)
  isRefused = true
  expect((await preview(line)).error).toEqual(['Permission denied: you may not.'])
})

describe('the actions are those of the scheduler', () => {
  test('a cleanup lets a resource start where it had failed, and one that runs is not started again', async () => {
    expect(await actionsOf('resource cleanup db')).toEqual(['start db on n2'])
    expect(await actionsOf('resource cleanup')).toEqual(['start db on n2'])
    expect(await actionsOf('resource cleanup web')).toEqual([])
    expect(await actionsOf('resource refresh web')).toEqual([])
    expect((await preview('resource refresh web')).message).toBe(
      'It would forget the recorded operations of web on n1 and web on n2, and probe there again.',
    )
    expect((await preview('resource cleanup nosuch')).error).toEqual(["There is no resource 'nosuch'."])
    expect((await preview('resource cleanup db node=n9')).error?.[0]).toMatch(/^There is no node 'n9'\./)
  })
  test('a cleanup of one operation forgets that alone, and what runs is known to run', async () => {
    cib = readText(
      text.replace(
        operation('web', 'start'),
        operation('web', 'start') + operation('web', 'monitor', { rc: 1, id: 'web_last_failure_0', interval: 10_000 }),
      ),
    )
    const seen = await preview('resource cleanup web operation=monitor interval=10s')
    expect(seen.message).toBe(
      'It would forget the failures of monitor every 10 s of web on n1. The rest of the history stays, and nothing is probed.',
    )
    // The failed monitor was why it would be recovered; its start is still recorded.
    expect(seen.actions?.map((action) => action.text)).toEqual([])
    expect((await preview('resource cleanup web operation=stop')).message).toBe('There are no failures to forget.')
    expect(await actionsOf('resource cleanup db operation=start')).toEqual(['start db on n2'])
    expect((await preview('resource cleanup db operation=monitor')).message).toBe('There are no failures to forget.')
  })
  test('a node that is fenced loses what runs there, and one that is confirmed to be off is recovered', async () => {
    expect(await preview('stonith fence n1')).toMatchObject({
      message: expect.stringMatching(/^It would fence n1: a fence device would reboot it/) as unknown,
      actions: [{ text: 'fence n1' }, { text: 'start web on n2' }],
    })
    expect(await preview('stonith fence n1 --on')).toMatchObject({ actions: [] })
    expect((await preview('stonith fence n9')).error?.[0]).toMatch(/^There is no node 'n9'\./)
    expect((await preview('stonith confirm n1')).error).toEqual([
      'Node n1 is online. Fence it, or stop it, before you confirm that it is off.',
    ])
    expect((await preview('stonith confirm n3')).message).toMatch(/^The cluster would take n3 for off/)
  })
  test('a node that stops gives away what runs there, and is stopped last', async () => {
    expect(await actionsOf('cluster stop n1 --force')).toEqual(['stop the cluster on n1', 'move web from n1 to n2'])
    expect(await actionsOf('cluster node remove n1')).toEqual(['stop the cluster on n1', 'move web from n1 to n2'])
    expect((await preview('cluster start n3')).message).toBe('It would start the cluster on n3.')
    expect((await preview('cluster start n1')).message).toBe('The cluster is started on n1 already.')
  })
  test('a ticket starts what depends on it, and takes it away', async () => {
    expect(await actionsOf('ticket grant T --force')).toEqual(['start site on n2'])
    expect(await actionsOf('ticket standby T')).toEqual([])
    expect((await preview('ticket grant T')).error?.[0]).toMatch(/add --force/)
  })
  test('the end of a drain brings back what prefers the node', async () => {
    cib = composeHolds(cib, [drain])
    expect(await actionsOf('node undrain n1')).toEqual([])
    expect((await preview('hold release drain-n1')).message).toMatch(/^It would end: n1 is drained/)
    expect((await preview('hold release other')).error?.[0]).toMatch(/^There is no hold 'other'/)
  })
  test('the end of a hold by its id moves back what prefers the node', async () => {
    const [one, two] = [operation('web', 'start'), operation('web', 'monitor', { rc: 7 })]
    const onN2 = text.replace(one, 'X').replace(two, one).replace('X', two)
    const prefers = '<rsc_location id="l" rsc="web" node="n1" score="100"/>'
    cib = composeHolds(readText(onN2.replace('<constraints>', `<constraints>${prefers}`)), [drain])
    expect(await actionsOf('hold release drain-n1')).toEqual(['move web from n2 to n1'])
    expect(await actionsOf('node undrain n1')).toEqual(['move web from n2 to n1'])
    expect(asked).not.toContain('releaseHolds')
  })
  test('a transient attribute is not set by a preview', async () => {
    expect(await preview('node attribute n1 standby=on --transient')).toMatchObject({
      actions: [{ text: 'move web from n1 to n2' }],
    })
    expect(asked).not.toContain('setTransientAttribute')
  })
})

const sentences: readonly (readonly [line: string, sentence: string | RegExp])[] = [
  ['cluster enable n1', /^The cluster would start on n1 when its host boots/],
  ['cluster disable --all', /^The cluster would not start on n1, n2 and n3 when their hosts boot/],
  ['cluster node add n4 addr=10.0.0.4', /^It would add n4 \(10\.0\.0\.4\) to the list of nodes/],
  ['cluster link remove 1', 'It would remove link 1. The nodes would talk over link 0 alone.'],
  ['cluster link update 1 options link_priority=2', /^It would change link 1: priority 2\./],
  ['cluster link add n1=10.1.0.1 n2=10.1.0.2 n3=10.1.0.3', /^It would add a link: n1 at 10\.1\.0\.1, /],
  ['cluster certificates renew', /^It would renew the certificate and key of n1/],
  ['cluster token withdraw --all', /^It would withdraw a1: nobody could join with it\.$/],
  ['token revoke prometheus', /^It would revoke the token 'prometheus' with the roles monitor/],
  ['console client remove ops', 'It would stop accepting certificates of CN=ops.'],
  ['fleet remove east', /^It would remove the cluster east from the fleet/],
  ['pki rotate', /^It would replace the cluster's authority, and the keys and certificates of n1 and n2/],
  ['config confirm', /^It would keep version 7 of the configuration/],
  ['lock acquire db', /^It would acquire the lock db for .+, for 600 s\.$/],
  ['lock release backup', /^It would release the lock backup of anna/],
  ['alert test mail', 'It would run /usr/bin/mail once to ops@example.org, with an event that is marked as a test.'],
  ['stonith history cleanup', 'It would delete 1 fencing action from the history.'],
  ['quorum unblock', /^This node would continue without n2 and n3, which would count as off/],
  ['quorum device remove', /^It would remove the vote of the witness w1, and then the witness\. 3 votes/],
  ['quorum device update model host=10.0.0.9', /^It would remove the vote of the witness w1, and add 10\.0\.0\.9/],
  ['job cancel j1', /^It would cancel the job j1\. Its command would get SIGTERM on n2/],
  ['play cancel p1', /^It would cancel the play p1/],
]

test.each(sentences)('%s: nothing is done, and a sentence says what would be', async (line, sentence) => {
  const answer = await preview(line)
  expect(answer.message ?? answer.error).toEqual(
    typeof sentence === 'string' ? sentence : (expect.stringMatching(sentence) as unknown),
  )
  expect(answer.preview).toBe(true)
})

const refused: readonly (readonly [line: string, sentence: string])[] = [
  ['token revoke other', "There is no token 'other'. `systole token list` lists the tokens."],
  ['console client remove other', "There is no client 'other'. `systole console client list` lists the clients."],
  ['fleet remove other', "The fleet has no cluster 'other'. `systole fleet list` lists them."],
  ['cluster link remove 4', 'There is no link 4. The links are link 0, link 1.'],
  ['cluster link remove 0 1', 'The last link cannot be removed: the nodes would not reach each other.'],
  ['cluster node add n2', 'The cluster has a node n2 already.'],
  ['cluster enable n9', "There is no node 'n9'."],
  ['cluster token withdraw b2', "There is no unused join token 'b2'. To see them: systole cluster token list"],
  ['lock acquire backup', 'anna holds the lock backup on n2, since 2026-01-01T00:00:00Z.'],
  ['alert test other', "There is no alert 'other'."],
  ['alert test mail --recipient=x', "The alert 'mail' has no recipient 'x'."],
  ['config confirm 6', 'Version 6 of the configuration does not wait for confirmation.'],
]

test.each(refused)('%s is refused as the daemon would refuse it', async (line, sentence) => {
  expect((await preview(line)).error).toEqual([sentence])
})

test('no command that shows beforehand asks the daemon for anything but to read', async () => {
  const reading = /^(?:get|list|watch|read|whoAmI|unblockQuorum|planFleetRollout)/
  const previewed = endpointsOf(allCommands).filter(({ canPreview, onlyShows }) => canPreview && !onlyShows)
  for (const { command } of previewed)
    for (const words of ['', ' n1', ' web', ' web n2', ' n1 a=1', ' n1 --transient a=1', ' T --force'])
      await preview(`${command.path.join(' ')}${words}`).catch(() => undefined)
  expect(asked.filter((name) => !reading.test(name))).toEqual([])
})
