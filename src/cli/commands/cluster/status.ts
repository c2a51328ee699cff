import { secretNames, type XmlElement } from '../../../cib/index.ts'
import type { ClusterState, MemberLink } from '../../../rpc/index.ts'
import type { ClusterStatus } from '../../../status/index.ts'
import type { TextSection } from '../../../tools/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { alignColumns } from '../../call/table.ts'
import { linksOf } from '../../facts/member-links.ts'
import { nodeFacts } from '../../facts/status-facts.ts'
import { nodeLines, statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { monitored, oldSummary, pcsdStatus } from '../status/pcs-layout.ts'

export const clusterStatus: Command = {
  path: ['cluster', 'status'],
  aliases: [
    ['status', 'cluster'],
    ['status', 'corosync'],
  ],
  usage: '',
  summary: 'Show whether the daemon and the cluster run here, and the cluster members',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster status' })
    if (call.speech.program === 'pcs' || !call.cluster.live) return await asPcs(call)
    const live = call.cluster.live
    const state = await live.getState({})
    if (!state.configured)
      return done('The daemon is running. This host does not belong to a cluster yet.\n', {
        configured: false,
        started: false,
      })
    const certificates = await live.getCertificates({})
    const rows = state.members.map((member) => [
      member.node,
      member.state,
      linksOf(member).map(describeLink).join(', '),
      member.daemonVersion ?? '',
    ])
    const { witness } = state
    if (witness)
      rows.push([witness.name, witness.state === 'up' ? 'witness' : `witness, ${witness.state}`, witness.address, ''])
    const facts = alignColumns([
      ['Cluster:', state.clusterName],
      ['This node:', `${state.localNode}, ${state.started ? 'started' : 'not started'}`],
      ['Quorate:', state.quorate ? 'yes' : 'no'],
      ['DC:', state.dc ?? 'none'],
      ['Store:', `${state.store.kind}, ${state.store.healthy ? 'healthy' : (state.store.message ?? 'not healthy')}`],
      ['Certificate:', `valid until ${certificates.validUntil}, renewed automatically at ${certificates.renewsAt}`],
      ['Authority:', `valid until ${certificates.authorityValidUntil}`],
    ])
    return done(`${facts}\n${alignColumns([['Node', 'State', 'Address', 'Version'], ...rows])}`, {
      ...state,
      certificates,
    })
  },
}

const describeLink = ({ address, state }: MemberLink): string => (state === 'down' ? `${address} (down)` : address)

/** Of a CIB in a file there is no more than this. Called as pcs it is what scripts look into, and the exit code tells whether the cluster runs here. */
async function asPcs(call: Call): Promise<Outcome> {
  const state = await call.cluster.live?.getState({})
  if (state && !state.started) throw new Refusal('cluster is not currently running on this node')
  const { cib } = await call.cluster.readCib()
  const status = statusOf(call, cib)
  const daemons = await pcsdStatus(call, state)
  return done(
    [
      'Cluster Status:\n',
      ...(await summarySections(call, { cib, status, state })).map(
        ({ title, lines }) => ` ${title}:\n${lines.map((line) => `   ${line.trimStart()}\n`).join('')}`,
      ),
      ...daemons.map((text) => `\n${text}`),
    ].join(''),
    { ...state, nodes: status.nodes.map((node) => nodeFacts(node, state, secretNames(cib))) },
  )
}

async function summarySections(
  call: Call,
  {
    cib,
    status,
    state,
  }: { readonly cib: XmlElement; readonly status: ClusterStatus; readonly state: ClusterState | undefined },
): Promise<readonly TextSection[]> {
  if (call.speech.dialect === '0.9')
    return [
      { title: 'Cluster Summary', lines: oldSummary(call, status, state).map((line) => `* ${line}`) },
      { title: 'Node List', lines: nodeLines(status, call.speech) },
    ]
  const sections = await monitored(call, { cib, state }, [])
  return sections.filter(({ title }) => title === 'Cluster Summary' || title === 'Node List')
}
