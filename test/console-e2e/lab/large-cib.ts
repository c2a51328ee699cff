/** CIBs of large clusters in which everything runs, as the scheduler's own simulation leaves them. */
import { createHash } from 'node:crypto'
import { utcOffsetAt } from '../../../src/base/index.ts'
import { parseXml, printXml } from '../../../src/cib/index.ts'
import { simulate } from '../../../src/scheduler/index.ts'

export { frozenToken } from './frozen-cluster.ts'

const nodes = Array.from({ length: 16 }, (_, at) => `node-${String(at + 1).padStart(2, '0')}`)

export const largeMembers = nodes.map((node) => ({
  node,
  address: '10.0.0.1',
  state: 'member' as const,
  votes: true,
  links: [{ number: 0, address: '10.0.0.1', priority: 1, state: 'up' as const }],
  sbdDisks: [],
}))

const primitive = (id: string, type = 'Dummy'): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="${type}"/>`

const clone = (id: string, meta: Readonly<Record<string, string>>, type?: string): string =>
  `<clone id="${id}-clone"><meta_attributes id="${id}-meta">${Object.entries(meta)
    .map(([name, value]) => `<nvpair id="${id}-${name}" name="${name}" value="${value}"/>`)
    .join('')}</meta_attributes>${primitive(id, type)}</clone>`

const times = (count: number, make: (at: string) => string): string =>
  Array.from({ length: count }, (_, at) => make(String(at).padStart(2, '0'))).join('')

/** 60 groups of 5, 6 clones on all nodes, 4 promotable clones of 3, and 92 resources: 500. */
const resources =
  times(
    60,
    (at) =>
      `<group id="shop-${at}">${['fs', 'ip', 'db', 'app', 'log'].map((part) => primitive(`${part}-${at}`)).join('')}</group>`,
  ) +
  times(6, (at) => clone(`agent-${at}`, { interleave: 'true' })) +
  times(4, (at) => clone(`sql-${at}`, { promotable: 'true', 'clone-max': '3' }, 'Stateful')) +
  times(92, (at) => primitive(`vm-${at}`))

function cibOf(members: readonly string[], inside: string): string {
  const states = members.map(
    (name, at) =>
      `<node_state id="${at + 1}" uname="${name}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${at + 1}"><lrm_resources/></lrm></node_state>`,
  )
  return `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1"><configuration><crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config><nodes>${members
    .map((name, at) => `<node id="${at + 1}" uname="${name}"/>`)
    .join(
      '',
    )}</nodes><resources>${inside}</resources><constraints/></configuration><status>${states.join('')}</status></cib>`
}

export const largeCib = (): string => running(cibOf(nodes, resources))

/** Three members with a group on each, and a clone. */
export const smallCib = (): string =>
  running(
    cibOf(
      nodes.slice(0, 3),
      times(3, (at) => `<group id="shop-${at}">${primitive(`fs-${at}`)}${primitive(`app-${at}`)}</group>`) +
        clone('ping', { interleave: 'true' }),
    ),
  )

/** Probes first, then what they allow. */
function running(xml: string): string {
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const parsed = parseXml(xml)
  if (!parsed.ok) throw new Error('The CIB of the picture cannot be read.')
  const question = { now: Math.floor(Date.now() / 1000), md5, utcOffsetAt, showScores: false, keepsResult: true }
  return printXml(simulate({ ...question, cib: simulate({ ...question, cib: parsed.value }).result() }).result())
}

/** Three members and remote nodes that nobody is connected to. */
export function withRemotes(count: number): string {
  const remotes = Array.from({ length: count }, (_, at) => `edge-${String(at).padStart(3, '0')}`)
  return cibOf(
    nodes.slice(0, 3),
    remotes.map((name) => `<primitive id="${name}" class="ocf" provider="pacemaker" type="remote"/>`).join(''),
  )
}
