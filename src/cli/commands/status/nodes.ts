import { secretNames } from '../../../cib/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { nodeFacts } from '../../facts/status-facts.ts'
import { activeOn, statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

export const statusNodes: Command = {
  path: ['status', 'nodes'],
  usage: '[corosync | both | config]',
  summary: 'Show nodes by state: online, standby, maintenance, offline',
  details: 'corosync and both show the membership; config the nodes that are configured.',
  completes: [{ words: ['corosync', 'both', 'config'] }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'status nodes [corosync | both | config]' })
    const [which] = call.words
    if (which !== undefined && !['corosync', 'both', 'config'].includes(which))
      throw new Refusal(`'${which}' is not a node list. Specify corosync, both or config.`)
    const { cib } = await call.cluster.readCib()
    const state = await call.cluster.live?.getState({})
    const status = statusOf(call, cib)
    const busy = new Set(status.resources.flatMap(activeOn))
    const members = state?.members ?? []
    const here = members.filter(({ state: membership }) => membership === 'member').map(({ node }) => node)
    const away = members.map(({ node }) => node).filter((node) => !here.includes(node))
    const membership = list('Corosync Nodes:', [
      ['Online', here],
      ['Offline', away],
    ])
    const configured = status.nodes.filter(({ kind }) => kind === 'member').map(({ name }) => String(name))
    const lists = list('Corosync Nodes:', [['', configured]]) + list('Pacemaker Nodes:', [['', configured]])
    const cluster =
      byState(
        'Pacemaker Nodes:',
        status.nodes.filter(({ kind }) => kind === 'member'),
        busy,
      ) +
      byState(
        'Pacemaker Remote Nodes:',
        status.nodes.filter(({ kind }) => kind !== 'member'),
        busy,
      )
    return done(
      which === 'corosync'
        ? membership
        : which === 'both'
          ? membership + cluster
          : which === 'config'
            ? lists
            : cluster,
      status.nodes.map((node) => nodeFacts(node, state, secretNames(cib))),
    )
  },
}

function byState(title: string, nodes: readonly NodeStatus[], busy: ReadonlySet<string>): string {
  const names = (is: (node: NodeStatus) => boolean): readonly string[] =>
    nodes.filter(is).map(({ name }) => String(name))
  const standby = ({ online, standby: isStandby, standbyOnFail }: NodeStatus): boolean =>
    online && (isStandby || standbyOnFail)
  return list(title, [
    ['Online', names((node) => node.online && !standby(node) && !node.maintenance)],
    ['Standby', names((node) => standby(node) && !node.maintenance && !busy.has(node.name))],
    ['Standby with resource(s) running', names((node) => standby(node) && !node.maintenance && busy.has(node.name))],
    ['Maintenance', names((node) => node.online && node.maintenance)],
    ['Offline', names(({ online }) => !online)],
  ])
}

function list(title: string, rows: readonly (readonly [string, readonly string[]])[]): string {
  const lines = rows.map(
    ([name, nodes]) => `${name === '' ? '' : ` ${name}:`}${nodes.map((node) => ` ${node}`).join('')}\n`,
  )
  return `${title}\n${lines.join('')}`
}
