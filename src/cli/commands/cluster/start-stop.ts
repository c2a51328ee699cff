import type { NodeAnswer } from '../../../rpc/index.ts'
import { type Call, type Command, done, type Outcome, Refusal, refused } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { waitUntilSettled } from '../../change/wait.ts'
import { quorumLostBy } from './keeps-quorum.ts'

export const clusterStart: Command = {
  path: ['cluster', 'start'],
  usage: '[--all | <node>...] [--wait[=<seconds>]]',
  summary: 'Start the cluster on this node, on some nodes, or on all',
  flags: [
    { name: 'all', summary: 'On every node of the cluster' },
    { name: 'wait', value: '[seconds]', summary: 'Wait until they are online and the cluster has settled' },
  ],
  completes: ['node'],
  run: async (call) => {
    const { answers } = await liveCluster(call).startCluster({ nodes: await targets(call) })
    const outcome = report(answers, 'started')
    const wait = call.flags.get('wait')
    if (outcome.kind === 'refused' || wait === undefined) return outcome
    const members = answers.map(({ node }) => node)
    const settled = await waitUntilSettled(call, { wait, version: 0, concerned: new Set(), members })
    return done(
      `${outcome.text}${settled.message}\n`,
      { nodes: answers, settled: settled.settled },
      settled.settled ? 0 : 1,
    )
  },
}

export const clusterStop: Command = {
  path: ['cluster', 'stop'],
  usage: '[--all | <node>...] [--force]',
  summary: 'Stop the cluster on this node, on some nodes, or on all; resources stop first, in order',
  details:
    'A node leaves only after its resources have stopped or moved, so no node is fenced. The daemon keeps running and can start the cluster again. If the remaining nodes would lose quorum, --force is required; resources still stop in order.',
  flags: [
    { name: 'all', summary: 'On every node of the cluster' },
    { name: 'force', summary: 'Stop even if the remaining nodes lose quorum' },
  ],
  completes: ['node'],
  run: async (call) => {
    const live = liveCluster(call)
    const nodes = await targets(call)
    const lost = nodes.length === 0 ? undefined : quorumLostBy(await live.getState({ askStore: true }), new Set(nodes))
    if (lost !== undefined && !call.flags.has('force')) throw new Refusal(lost)
    call.terminal.progress('Stopping: resources first …')
    const { answers } = await live.stopCluster({ nodes })
    return report(answers, 'stopped')
  },
}

export const clusterEnable = enabling(true)
export const clusterDisable = enabling(false)

function enabling(enabled: boolean): Command {
  const verb = enabled ? 'enable' : 'disable'
  return {
    path: ['cluster', verb],
    usage: '[--all | <node>...]',
    summary: enabled
      ? 'Start the cluster on nodes when they boot (the default)'
      : 'Do not start the cluster on nodes when they boot',
    details:
      "A killed daemon always rejoins the cluster because its resources still run. A node stopped with 'cluster stop' stays stopped.",
    flags: [{ name: 'all', summary: 'Every node of the cluster' }],
    completes: ['node'],
    run: async (call) => {
      const { answers } = await liveCluster(call).enableCluster({ nodes: await targets(call), enabled })
      return report(answers, `${verb}d`)
    },
  }
}

/** No nodes mean all of them to the daemon, and this one to the person who types the command. */
async function targets(call: Call): Promise<readonly string[]> {
  if (call.flags.has('all')) return []
  return call.words.length > 0 ? call.words : [(await liveCluster(call).getState({})).localNode]
}

function report(answers: readonly NodeAnswer[], what: string): Outcome {
  const wrong = answers.filter(({ ok }) => !ok)
  if (wrong.length > 0) return refused(...wrong.map(({ node, message }) => `${node}: ${message}`))
  return done(answers.map(({ node }) => `${node}: cluster ${what}\n`).join(''), { nodes: answers })
}
