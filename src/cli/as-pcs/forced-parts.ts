/** What pcs still warns of where --force takes it: sets and tickets of what is inside a clone or bundle, and unknown options of a bundle. */
import { type EditReport, partsOfClones } from '../../cib/index.ts'
import type { Call } from '../call/command.ts'
import { judgesAsPcs } from './speech.ts'

export async function tellForcedParts(call: Call, resources: readonly string[]): Promise<void> {
  if (!judgesAsPcs(call.speech) || !call.flags.has('force')) return
  const { cib } = await call.cluster.readCib()
  tellForced(call, partsOfClones(cib, [...new Set(resources)]))
}

/** The reports by which a change would be refused without --force; those of an older name are told where it is read. */
export function tellForcedOptions(call: Call, reports: readonly EditReport[]): void {
  if (!judgesAsPcs(call.speech) || !call.flags.has('force')) return
  tellForced(
    call,
    reports.filter((report) => report.code === 'unknown-option' && report.name !== 'masters'),
  )
}

function tellForced(call: Call, reports: readonly EditReport[]): void {
  if (reports.length > 0) call.tell({ code: 'forced', messages: reports.map((about) => ({ own: '', about })) })
}
