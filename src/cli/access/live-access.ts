/** The running cluster, through the daemon of this host. */
import { parseXml, printXml, type XmlElement } from '../../cib/index.ts'
import { connectLocal, type LocalClient, refuseWhoMayNot } from '../../rpc/index.ts'
import type { ClusterAccess, PushedChange } from '../call/access.ts'
import { Refusal } from '../call/command.ts'
import { pushAcrossRestart, readAcrossRestart } from './restarting-daemon.ts'

export const liveAccess = (root: string, user: string): ClusterAccess => accessThrough(connectLocal(root), user)

/** The same for whoever has a connection of his own. */
export function accessThrough(live: LocalClient, user: string): ClusterAccess {
  const requestOf = ({ cib, expectedVersion, command, applied, confirmWithinMs }: PushedChange) => ({
    xml: printXml(withoutStatus(cib)),
    expectedVersion,
    user,
    command,
    ...(applied && { applied }),
    ...(confirmWithinMs !== undefined && { confirmWithinMs }),
  })
  return {
    live,
    close: live.close,
    readCib: async () => {
      const { xml, version } = await readAcrossRestart(live, () => live.getCib({}))
      return { cib: parseAnswer(xml), version }
    },
    refuseWhoMayNotPush: async (change) => {
      // Whoever is limited by no role may.
      if ((await live.whoAmI({})).limited) await refuseWhoMayNot(live, 'pushConfiguration', requestOf(change))
    },
    push: (change) => pushAcrossRestart(live, requestOf(change)),
  }
}

export function parseAnswer(xml: string): XmlElement {
  const parsed = parseXml(xml)
  if (parsed.ok) return parsed.value
  throw new Refusal(`The daemon sent a CIB that cannot be read: ${parsed.reports[0]?.message}. Check the daemon's log.`)
}

function withoutStatus(cib: XmlElement): XmlElement {
  return { ...cib, children: cib.children.filter((child) => child.kind !== 'element' || child.name !== 'status') }
}
