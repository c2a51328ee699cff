/** What the command line asks about other clusters. */
import type { Handlers, localService } from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'

export function fleetHandlers(
  daemon: Daemon,
): Pick<Handlers<typeof localService>, 'addFleetCluster' | 'removeFleetCluster' | 'getFleet'> {
  return {
    addFleetCluster: async (asked, { caller }) => {
      refuseWhereStopped(daemon)
      return await daemon.dcKeepers.fleet.add(asked, (await daemon.access.rightsOf(caller)).user)
    },
    removeFleetCluster: async ({ name }, { caller }) => {
      refuseWhereStopped(daemon)
      await daemon.dcKeepers.fleet.remove(name, (await daemon.access.rightsOf(caller)).user)
      return {}
    },
    getFleet: async () => {
      refuseWhereStopped(daemon)
      return await Promise.resolve(daemon.dcKeepers.fleet.state())
    },
  }
}

/** `node` refuses with the sentence that fits. */
const refuseWhereStopped = (daemon: Daemon): void => void daemon.node
