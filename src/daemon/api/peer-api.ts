/** What other daemons ask of this one. Who asks is known from the certificate; whether it may, from its term. */

import { actionForm, checkedJson, type Handlers, type nodeService } from '../../rpc/index.ts'
import type { Daemon } from '../daemon.ts'
import { printClusterFile } from '../nodes/cluster-file.ts'
import { acceptClusterFile } from '../nodes/enrol.ts'
import { linkObstacles } from '../nodes/link-fitness.ts'

export function peerHandlers(daemon: Daemon): Handlers<typeof nodeService> {
  return {
    execute: async ({ term, plannedFrom, transitionKey, timeoutMs, action }) =>
      await daemon.node.takeCommand({
        term,
        plannedFrom,
        transitionKey,
        timeoutMs,
        action: checkedJson(actionForm, 'an action', action),
      }),
    runFenceDevice: async (request) => await daemon.node.fencing.runDevice(request),
    fence: async ({ target, action }) => await daemon.node.fencing.fenceForPeer(target, action),
    startCluster: async () => {
      await daemon.startNode()
      return { node: daemon.name, ok: true, message: 'started' }
    },
    stopCluster: async () => {
      await daemon.stopNode()
      return { node: daemon.name, ok: true, message: 'stopped' }
    },
    enableCluster: async ({ enabled }) => {
      daemon.enableNode(enabled)
      return { node: daemon.name, ok: true, message: enabled ? 'enabled' : 'disabled' }
    },
    updateClusterFile: async ({ json }) => {
      await daemon.takeNodeList(acceptClusterFile(json))
      return {}
    },
    getClusterFile: async () => ({
      json: daemon.file === undefined ? '' : printClusterFile(daemon.file),
      quorate: daemon.running && daemon.node.quorate,
    }),
    checkLinks: async ({ addresses, towards }) => ({
      sentences: await linkObstacles(daemon.name, addresses, towards),
    }),
    forget: async () => {
      // The answer first: this very server is closed with the rest.
      setTimeout(() => daemon.forgetLater('another node has removed this one'), 50)
      return {}
    },
  }
}
