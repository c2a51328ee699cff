/** The executor of this node with its adapters: agents as child processes or units of systemd, results to the store. */
import type { NodeName } from '../../base/index.ts'
import type { OperationRecord } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { Executor } from '../../executor/index.ts'
import { type AgentRunner, metadataReader } from '../../resource-agents/index.ts'
import { isConnectionAgent } from '../../status/index.ts'
import type { Store } from '../../store/index.ts'
import { agentHost, bundledFenceAgents, hostAgents } from '../host/agent-host.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { OperationsFile } from '../journal/operations-file.ts'
import type { WithAuthority } from '../pki/authority.ts'
import { keys } from '../records/keys.ts'
import { nextCallId, resultStore } from '../records/result-store.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { bundleContainers } from '../remote/bundle-containers.ts'

export function openExecutor(parts: {
  readonly node: NodeName
  readonly store: Store
  readonly view: () => ClusterView
  readonly paths: Paths
  readonly log: Log
  readonly fenceDevices: AgentRunner
  readonly connections: AgentRunner
  /** A result that is about to be written: whether the store takes it now or later, it is news here. */
  readonly alertFor: (records: readonly OperationRecord[]) => void
  readonly withAuthority: WithAuthority
  /** Counts what is run. */
  readonly measure: (runner: AgentRunner) => AgentRunner
}): Executor {
  const { node, store, view, paths, log, fenceDevices, connections, alertFor, withAuthority, measure } = parts
  const host = agentHost(paths)
  const agents = bundleContainers(
    hostAgents(host, (resource) => executor.notice(resource)),
    { paths, view, store: () => store, withAuthority },
  )
  const runner = measure({
    run(call) {
      if (call.agent.class === 'stonith') return fenceDevices.run(call)
      return (isConnectionAgent(call) ? connections : agents).run(call)
    },
  })
  const results = resultStore({
    store,
    node,
    attributes: () => [...view().attributes.values()],
    mayBegin: [{ kind: 'present', key: keys.member(node) }],
  })
  const executor = new Executor({
    node,
    runner,
    metadata: metadataReader(host, bundledFenceAgents()),
    store: {
      ...results,
      record: async (records, failure, arrival) => {
        alertFor(records)
        return await results.record(records, failure, arrival)
      },
    },
    log,
    runFolder: paths.run,
    firstCallId: nextCallId(view().operations.values(), node),
    secretNames: () => secretsOfView(view()),
    onOutput: new OperationsFile(node, paths.operations, log).note,
    earlier: [...view().operations.values()].filter((record) => record.node === node),
  })
  return executor
}
