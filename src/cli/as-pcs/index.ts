/**
 * Where the program is called as pcs it refuses what pcs 0.12 refuses, or with PCS_COMPAT=0.11 what that refused, even where
 * the cluster would understand it. By our own name, or with the words of pcs 0.9 or 0.10, it stays forgiving.
 */
import type { Call } from '../call/command.ts'
import { refuseAlertValues } from './alerts.ts'
import { refuseBundleCall, refuseBundleValues } from './bundles.ts'
import { refuseCall } from './calls.ts'
import { refuseRoles, refuseScores, refuseStandIns } from './constraints.ts'
import { refuseWait } from './early-wait.ts'
import { refuseNotThere } from './not-there.ts'
import { judgesAsPcs } from './speech.ts'

export { type Known, refuseOptions, refuseUnreadable } from './options.ts'
export { judgesAsPcs } from './speech.ts'

export async function refuseAsPcs(call: Call): Promise<void> {
  if (!judgesAsPcs(call.speech)) return
  const name = call.command.path.join(' ')
  refuseWait(call, name)
  await refuseCall(call, name)
  await refuseNotThere(call, name)
  if (name.startsWith('constraint ')) {
    refuseRoles(call, name)
    await refuseStandIns(call, name)
    refuseScores(call, name)
  }
  if (name.startsWith('alert ')) await refuseAlertValues(call, name)
  if (name.startsWith('resource bundle ')) {
    await refuseBundleCall(call, name)
    refuseBundleValues(call, name)
  }
}
