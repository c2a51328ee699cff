/** What a status holds besides nodes and resources, as crm_simulate and crm_mon print it: attributes, fail counts, failures. */
import { describeOperationStatus, hiddenValue, isSecretName } from '../../cib/index.ts'
import { type ClusterStatus, describeExitCode, type FailedOperation, type StatusInput } from '../../status/index.ts'

/** Attributes that the cluster keeps for itself, or that the node list tells already. */
const hidden = /^(fail-count-|last-failure-|standby$|terminate$|shutdown$|#)/

/** Nothing where no node that is online has any. */
export function printAttributes({ nodes }: ClusterStatus): readonly string[] {
  const told = nodes.flatMap(({ name, online, attributes }) => {
    const shown = [...attributes].filter(([attribute]) => !hidden.test(attribute)).sort(byName)
    if (!online || shown.length === 0) return []
    const lines = shown.map(
      ([attribute, value]) =>
        `      * ${attribute.padEnd(32)}\t: ${(isSecretName(attribute) ? hiddenValue : value).padEnd(10)}`,
    )
    return [`    * Node: ${name}:`, ...lines]
  })
  return told.length === 0 ? [] : ['  * Node Attributes:', ...told]
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1)

export function printFailCounts(
  { nodes, primitivesById }: ClusterStatus,
  utcOffsetAt: StatusInput['utcOffsetAt'],
): readonly string[] {
  const failed = [...primitivesById.values()]
  return [
    '  * Migration Summary:',
    ...nodes.flatMap(({ name }) => {
      const lines = failed.flatMap(({ id, configuredId, instance, meta, state }) => {
        const found = state.failCounts.get(name)
        if (found === undefined || found.own === 0) return []
        const last =
          found.lastFailure === undefined ? '' : ` last-failure='${longTime(found.lastFailure, utcOffsetAt)}'`
        const called = instance?.unique === false ? configuredId : id
        return [`      * ${called}: migration-threshold=${meta.migrationThreshold} fail-count=${found.own}${last}`]
      })
      return lines.length === 0 ? [] : [`    * Node: ${name}:`, ...new Set(lines)]
    }),
  ]
}

export function printFailures(status: ClusterStatus, utcOffsetAt: StatusInput['utcOffsetAt']): readonly string[] {
  const lines = status.failures.map((failure) => `    * ${describeFailed(status, failure, utcOffsetAt)}`)
  return ['  * Failed Resource Actions:', ...lines]
}

function describeFailed(
  { primitivesById }: ClusterStatus,
  failure: FailedOperation,
  utcOffsetAt: StatusInput['utcOffsetAt'],
): string {
  const { key, node, exitCode, exitReason, lastChange } = failure
  const entry = [...primitivesById.values()]
    .flatMap(({ state }) => state.history.get(node) ?? [])
    .find((recorded) => recorded.key === key && recorded.exitCode === exitCode)
  const time = (name: string): string => entry?.attributes[name] ?? '0'
  return [
    `${key} on ${node} '${describeExitCode(exitCode)}' (${exitCode}): call=${entry?.callId ?? 'none'}`,
    `status='${describeOperationStatus(failure.status) ?? failure.status}'`,
    ...(exitReason === '' ? [] : [`exitreason='${exitReason}'`]),
    ...(lastChange === undefined
      ? []
      : [
          `last-rc-change='${longTime(lastChange, utcOffsetAt)}'`,
          `queued=${time('queue-time')}ms`,
          `exec=${time('exec-time')}ms`,
        ]),
  ].join(', ')
}

/** `Fri Nov 20 13:00:00 2026`, in the zone of rules without one. */
function longTime(seconds: number, utcOffsetAt: StatusInput['utcOffsetAt']): string {
  const local = new Date((seconds + (utcOffsetAt?.(seconds) ?? 0)) * 1000).toUTCString()
  const [, weekday, day = '', month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(local) ?? []
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`
}
