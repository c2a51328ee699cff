/** The calls that read and change the configuration and its history. */
import { printXml } from '../../cib/index.ts'
import { cibOfView } from '../../controller/index.ts'
import { type Handlers, type localService, refuse } from '../../rpc/index.ts'
import { readApplied } from '../configuration/applied.ts'
import { readConfigVersion } from '../configuration/config-history.ts'
import { readConfigurationToPush, saveConfiguration } from '../configuration/configuration-edit.ts'
import { confirmChanges, versionsWithWaiting } from '../configuration/unconfirmed.ts'
import type { AnsweringDaemon } from './configured-file.ts'

type LocalHandlers = Handlers<typeof localService>

export function configurationHandlers(
  daemon: AnsweringDaemon,
): Pick<
  LocalHandlers,
  'getCib' | 'pushConfiguration' | 'listConfigVersions' | 'getConfigVersion' | 'confirmChange' | 'getApplied'
> {
  return {
    getCib: async () => {
      const { view, quorate } = daemon.node
      const cib = cibOfView(view, quorate)
      if (!cib) throw refuse('no-configuration', 'The cluster has no quorum yet, so its configuration is unknown.')
      return { xml: printXml(cib), version: view.configuration?.version ?? 0 }
    },
    pushConfiguration: async ({ xml, expectedVersion, user, command, applied, confirmWithinMs, changeId }) =>
      await saveConfiguration(daemon.node, {
        ...readConfigurationToPush(xml),
        expectedVersion,
        user,
        command,
        applied,
        confirmWithinMs,
        changeId,
      }),
    getApplied: async ({ name }) => {
      const found = await readApplied(daemon.node.store, name)
      return found ? { found: true, ...found } : { found: false, xml: '', version: 0, time: '', user: '' }
    },
    listConfigVersions: async () => ({ versions: await versionsWithWaiting(daemon.node.store) }),
    confirmChange: async ({ version, also }) => {
      await confirmChanges(daemon.node, [version, ...also])
      return {}
    },
    getConfigVersion: async ({ version }) => {
      const found = await readConfigVersion(daemon.node.store, version)
      if (!found) return { found: false, entry: { version, time: '', node: '', user: '', command: '' }, xml: '' }
      return { found: true, entry: found, xml: found.xml }
    },
  }
}
