/** What an administrator asks of the alerts of this node. */
import type { Handlers, localService } from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'

export function alertHandlers(daemon: Daemon): Pick<Handlers<typeof localService>, 'testAlert'> {
  return {
    testAlert: async (asked, { caller }) => {
      const { node } = daemon
      const { user } = await daemon.access.rightsOf(caller)
      daemon.log.info('an alert is tested', { alert: asked.alert, user })
      return await node.tryAlert(asked)
    },
  }
}
