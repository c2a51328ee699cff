/**
 * Where the program is called as pcs and nobody asked for other words, it refuses values that pcs 0.12 refuses, even those that
 * the cluster would read. By our own name, or with --compat or PCS_COMPAT, it stays forgiving.
 */
import type { Call } from '../command.ts'
import { refuseAlertValues } from './alerts.ts'
import { refuseBundleCall, refuseBundleValues } from './bundles.ts'
import { refuseCall } from './calls.ts'
import { refuseRoles, refuseStandIns } from './constraints.ts'
import { judgesAsPcs } from './speech.ts'

export { refuseOptions } from './options.ts'
export { judgesAsPcs } from './speech.ts'

export async function refuseAsPcs(call: Call): Promise<void> {
  if (!judgesAsPcs(call.speech)) return
  const name = call.command.path.join(' ')
  await refuseCall(call, name)
  if (name.startsWith('constraint ')) {
    refuseRoles(call, name)
    await refuseStandIns(call, name)
  }
  if (name.startsWith('alert ')) await refuseAlertValues(call, name)
  if (name.startsWith('resource bundle ')) {
    await refuseBundleCall(call, name)
    refuseBundleValues(call, name)
  }
}
