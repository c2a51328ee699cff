/** What `status --json` calls attention to: each with a sentence and a command, most urgent first. */
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { attentionIn } from '../../src/cli/commands/status/attention.ts'
import type { ClusterState } from '../../src/rpc/index.ts'
import { statusOfCib } from '../../src/status/index.ts'

const now = Date.UTC(2026, 10, 27, 3, 0, 0) / 1000

function seen(nodeStates: string, options = '', resources = '') {
  const xml = `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1"><configuration><crm_config><cluster_property_set id="o">${options}</cluster_property_set></crm_config><nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes><resources>${resources}</resources><constraints/></configuration><status>${nodeStates}</status></cib>`
  const parsed = parseXml(xml)
  if (!parsed.ok) throw new Error('not read')
  const cib = parsed.value
  return { cib, read: statusOfCib({ cib, now, utcOffsetAt: undefined }), stopped: [] }
}

const online = (id: number): string =>
  `<node_state id="${id}" uname="n${id}" in_ccm="true" crmd="online" join="member" expected="member"/>`
const lost = '<node_state id="2" uname="n2" in_ccm="false" crmd="offline" join="down" expected="member"/>'

const state: ClusterState = {
  configured: true,
  started: true,
  clusterName: 'c',
  localNode: 'n1',
  quorate: true,
  votes: { present: 2, expected: 2, needed: 2 },
  members: [],
  transition: { state: 'idle', number: 1, computedVersion: 1, pending: [], blockedBy: [], blockedResources: [] },
  fencing: [],
  store: { kind: 'etcd', healthy: true },
  configVersion: 1,
  revision: 1,
  notes: [],
  enabled: true,
}

test('a cluster that is well needs none', () => {
  expect(attentionIn({ ...seen(online(1) + online(2)), state })).toEqual([])
})

test('an unclean node and fencing that fails come before what was switched off, notes come last', () => {
  const found = attentionIn({
    ...seen(online(1) + lost, '<nvpair id="m" name="maintenance-mode" value="true"/>'),
    state: {
      ...state,
      notes: ['Something.'],
      fencing: [
        { id: '1', target: 'n2', action: 'reboot', begun: '2026-11-27T02:59:00Z', outcome: 'failed', message: 'no' },
      ],
    },
  })
  expect(found.map(({ level, next }) => [level, next[0]])).toEqual([
    ['critical', 'systole why --fence n2'],
    ['critical', 'systole why n2'],
    ['warning', 'systole property set maintenance-mode=false'],
    ['note', undefined],
  ])
  expect(found[1]).toMatchObject({ text: 'n2 is unclean: it must be fenced.', nodes: ['n2'] })
})

test('without quorum, other nodes are not judged: only that it is missing is said', () => {
  const members = [{ node: 'n2', address: '', state: 'lost' as const, votes: true, links: [], sbdDisks: [] }]
  const found = attentionIn({ ...seen(online(1) + lost), state: { ...state, quorate: false, members } })
  expect(found.map(({ text, next }) => [text, next])).toEqual([
    [
      'This node has no quorum; n2 is not heard. It stops what it runs, and starts nothing (no-quorum-policy=stop). This is the last known state.',
      ['systole quorum status'],
    ],
  ])
  const store = { kind: 'etcd' as const, healthy: false, message: 'No majority.' }
  const policy = '<nvpair id="q" name="no-quorum-policy" value="freeze"/>'
  const frozen = attentionIn({ ...seen(online(1) + lost, policy), state: { ...state, quorate: false, members, store } })
  // The store needs the same majority: that it has none is no second trouble.
  expect(frozen.map(({ level, text }) => [level, text])).toEqual([
    ['critical', expect.stringContaining('It goes on with what it runs, and starts nothing') as unknown],
    ['note', 'The store is not healthy: No majority.'],
  ])
})

test('a node that is unclean is named with what cannot start elsewhere until it is fenced', () => {
  const dummy = (id: string) => `<primitive id="${id}" class="ocf" provider="pacemaker" type="Dummy"/>`
  const ran = (id: string) =>
    `<lrm_resource id="${id}" class="ocf" provider="pacemaker" type="Dummy"><lrm_rsc_op id="${id}_last_0" operation="start" operation_key="${id}_start_0" call-id="1" rc-code="0" op-status="0" interval="0" transition-key="1:1:0:x" transition-magic="0:0;1:1:0:x"/></lrm_resource>`
  const resources = `<group id="shop">${dummy('fs')}${dummy('app')}</group>${dummy('vm')}<clone id="all">${dummy('agent')}</clone>`
  const history = `<lrm id="2"><lrm_resources>${['fs', 'app', 'vm', 'agent'].map(ran).join('')}</lrm_resources></lrm>`
  const found = attentionIn({
    ...seen(online(1) + lost.replace('/>', `>${history}</node_state>`), '', resources),
    state,
  })
  expect(found[0]?.text).toBe('n2 is unclean: it must be fenced. Until then shop, vm start nowhere else.')
})

test('fencing that failed is no longer critical once its node is back, and the command that forgets it is named', () => {
  const failed = { target: 'n2', action: 'reboot', outcome: 'failed' as const, message: 'no' }
  const fencing = [{ id: '1', begun: '2026-11-27T02:59:00Z', ...failed }]
  const levels = (nodeStates: string) =>
    attentionIn({ ...seen(nodeStates), state: { ...state, fencing } }).map(({ level, next }) => [level, next])
  expect(levels(online(1) + online(2))).toEqual([
    ['warning', ['systole why --fence n2', 'systole stonith history cleanup n2']],
  ])
  expect(levels(online(1) + lost)[0]).toEqual(['critical', ['systole why --fence n2']])
})

test('a link that is down is named with its node', () => {
  const link = { number: 1, address: '10.1.0.2', priority: 1, state: 'down' as const }
  const members = [{ node: 'n2', address: '', state: 'member' as const, votes: true, links: [link], sbdDisks: [] }]
  const found = attentionIn({ ...seen(online(1) + online(2)), state: { ...state, members } })
  expect(found).toMatchObject([{ level: 'warning', text: 'Link 1 of n2 is down.', next: ['systole cluster status'] }])
})
