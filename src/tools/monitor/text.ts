/** crm_mon as text: the titles, and below each its lines with two blanks for each level. */
import { formatScore, INFINITY_SCORE } from '../../cib/index.ts'
import {
  type ClusterStatus,
  type FailedOperation,
  printNodeList,
  printPrimitive,
  printResourceList,
} from '../../status/index.ts'
import {
  attributesOf,
  bansOf,
  countedPrimitives,
  dcOf,
  exitWord,
  failedEntry,
  historyOf,
  isDisabled,
  type MonitorFacts,
  narrowed,
  type ResourceHistory,
  runningOn,
  stackOf,
  statusWord,
  versionOf,
} from './facts.ts'
import type { Shown } from './sections.ts'
import { primitivesIn } from './status-of.ts'
import { ctime } from './times.ts'

export interface TextSection {
  readonly title: string
  /** Lines with `* ` and two blanks for each level below the title. */
  readonly lines: readonly string[]
}

export function printText(sections: readonly TextSection[]): string {
  return sections.map(({ title, lines }) => `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`).join('\n')
}

const told = { tellsPending: true, tellsInactive: true } as const

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)

export function monitorText(whole: MonitorFacts, shown: Shown): readonly TextSection[] {
  const facts = narrowed(whole, shown)
  const { status } = facts
  const { sections } = shown
  const all: readonly (TextSection | undefined)[] = [
    section('Cluster Summary', summary(whole, shown)),
    sections.has('nodes')
      ? section('Node List', shown.byNode ? nodesWithResources(status) : printNodeList(status))
      : undefined,
    sections.has('resources') ? resourceSection(status, shown) : undefined,
    sections.has('attributes') ? section('Node Attributes', attributeLines(facts)) : undefined,
    sections.has('operations') ? section('Operations', historyLines(facts, shown.timing)) : undefined,
    sections.has('failcounts') && !sections.has('operations')
      ? section('Migration Summary', failCountLines(facts))
      : undefined,
    sections.has('failures')
      ? section(
          'Failed Resource Actions',
          status.failures.map((one) => failureLine(facts, one)),
        )
      : undefined,
    sections.has('fencing') ? section('Failed Fencing Actions', fencingLines(facts)) : undefined,
    sections.has('tickets') ? section('Tickets', ticketLines(status)) : undefined,
    sections.has('bans') ? section('Negative Location Constraints', banLines(facts, shown.banPrefix)) : undefined,
  ]
  return all.flatMap((one) => (one === undefined ? [] : [one]))
}

function section(title: string, lines: readonly string[]): TextSection | undefined {
  return lines.length === 0 ? undefined : { title, lines }
}

function summary(facts: MonitorFacts, { sections }: Shown): readonly string[] {
  const { status, cib } = facts
  const dc = dcOf(facts)
  const { attributes } = cib
  const by = [
    attributes['update-user'] === undefined ? '' : ` by ${attributes['update-user']}`,
    attributes['update-client'] === undefined ? '' : ` via ${attributes['update-client']}`,
    attributes['update-origin'] === undefined ? '' : ` on ${attributes['update-origin']}`,
  ].join('')
  const quorum = status.haveQuorum ? 'with quorum' : 'WITHOUT quorum'
  const counted = countedPrimitives(status)
  const disabled = counted.filter(isDisabled).length
  const blocked = counted.filter(({ state }) => state.blocked).length
  const flags = [
    disabled === 0 ? '' : `${disabled} DISABLED`,
    blocked === 0 ? '' : `${blocked} BLOCKED from further action due to failure`,
  ].filter((text) => text !== '')
  return [
    ...(sections.has('stack') ? [`* Stack: ${stackOf(facts)}`] : []),
    ...(sections.has('dc')
      ? [
          dc === undefined
            ? '* Current DC: NONE'
            : `* Current DC: ${dc.name} (version ${versionOf(facts) ?? 'unknown'}) - partition ${quorum}`,
        ]
      : []),
    ...(sections.has('times')
      ? [`* Last updated: ${ctime(facts.now)}`, `* Last change:  ${attributes['cib-last-written'] ?? ''}${by}`]
      : []),
    ...(sections.has('counts')
      ? [
          `* ${counting(status.nodes.length, 'node')} configured`,
          `* ${counting(counted.length, 'resource instance')} configured${flags.length === 0 ? '' : ` (${flags.join(', ')})`}`,
        ]
      : []),
    ...(sections.has('options') ? optionLines(status) : []),
  ]
}

const counting = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

function optionLines({ options }: ClusterStatus): readonly string[] {
  const quorum: Readonly<Record<string, string>> = {
    freeze: 'Freeze resources',
    stop: 'Stop ALL resources',
    ignore: 'Ignore',
    demote: 'Demote promotable resources and stop all other resources',
    fence: 'Suicide',
  }
  return [
    `* STONITH of failed nodes: ${options.fencingEnabled ? 'enabled' : 'disabled'}`,
    `* Cluster is ${options.symmetricCluster ? 'symmetric' : 'asymmetric'}`,
    `* No quorum policy: ${quorum[options.noQuorumPolicy]}`,
    ...(options.maintenanceMode
      ? ['* Resource management: DISABLED (the cluster will not attempt to start, stop, or recover services)']
      : []),
  ]
}

function nodesWithResources(status: ClusterStatus): readonly string[] {
  return status.nodes.flatMap((node) => {
    const state = node.unclean
      ? `UNCLEAN (${node.online ? 'online' : 'offline'})`
      : node.pending
        ? 'pending'
        : !node.online
          ? 'OFFLINE'
          : node.standby
            ? 'standby'
            : node.maintenance
              ? 'maintenance'
              : 'online'
    const kind = node.kind === 'member' ? 'Node' : node.kind === 'remote' ? 'RemoteNode' : 'GuestNode'
    const lines = runningOn(status, node).map(
      (one) => `* ${printPrimitive({ ...status, ...told }, one).replace(` ${node.name}`, '')}`,
    )
    return [`* ${kind} ${node.name}: ${state}:`, ...indented(['* Resources:', ...indented(lines)])]
  })
}

function resourceSection(status: ClusterStatus, shown: Shown): TextSection | undefined {
  const lines = printResourceList(
    { ...status, tellsPending: true, tellsInactive: shown.inactive },
    (resource) => !(shown.byNode && isFullyActive(resource)),
  )
  if (shown.byNode) return shown.inactive ? section('Inactive Resources', lines) : undefined
  if (lines.length > 0) return { title: shown.inactive ? 'Full List of Resources' : 'Active Resources', lines }
  return {
    title: shown.inactive ? 'Full List of Resources' : 'Active Resources',
    lines: [shown.inactive ? '* No resources' : '* No active resources'],
  }
}

function isFullyActive(resource: Parameters<typeof primitivesIn>[0]): boolean {
  return primitivesIn(resource).every(({ state }) => state.active.length > 0)
}

function attributeLines(facts: MonitorFacts): readonly string[] {
  return facts.status.nodes.flatMap((node) => {
    const attributes = node.online ? attributesOf(facts, node) : []
    const lines = attributes.map(({ name, value, expected }) => {
      const number = Number(value)
      const how =
        expected === undefined || expected === 0
          ? ''
          : number <= 0
            ? '\t: Connectivity is lost'
            : number < expected
              ? `\t: Connectivity is degraded (Expected=${expected})`
              : ''
      return `* ${name.padEnd(32)}\t: ${value.padEnd(10)}${how}`
    })
    return lines.length === 0 ? [] : [`* Node: ${node.name}:`, ...indented(lines)]
  })
}

function resourceLine({ id, resource, failCount, lastFailure }: ResourceHistory): string {
  const threshold = Math.min(resource.meta.migrationThreshold, INFINITY_SCORE)
  const count = failCount === 0 ? '' : ` fail-count=${formatScore(failCount)}`
  const last = lastFailure === undefined || failCount === 0 ? '' : ` last-failure='${ctime(lastFailure)}'`
  return `* ${id}:${resource.orphan ? ' orphan' : ''} migration-threshold=${threshold}${count}${last}`
}

function historyLines(facts: MonitorFacts, timing: boolean): readonly string[] {
  return historyOf(facts).flatMap(({ node, resources }) => [
    `* Node: ${node.name}:`,
    ...indented(
      resources.flatMap((one) => [
        `${resourceLine(one)}:`,
        ...indented(
          one.operations.map(({ callId, operation, intervalMs, lastChange, exitCode, attributes }) => {
            const interval = intervalMs === 0 ? '' : ` interval="${intervalMs}ms"`
            const changed = lastChange === undefined ? '' : ` last-rc-change="${ctime(lastChange)}"`
            const times = timing
              ? `${changed} exec-time="${attributes['exec-time']}ms" queue-time="${attributes['queue-time']}ms" rc=${exitCode} (${exitWord(exitCode)})`
              : ''
            const details = `${interval}${times}`
            return `* (${callId}) ${operation}${details === '' ? '' : `:${details}`}`
          }),
        ),
      ]),
    ),
  ])
}

function failCountLines(facts: MonitorFacts): readonly string[] {
  return historyOf(facts).flatMap(({ node, resources }) => {
    const failed = resources.filter(({ failCount }) => failCount > 0)
    return failed.length === 0 ? [] : [`* Node: ${node.name}:`, ...indented(failed.map(resourceLine))]
  })
}

function failureLine(facts: MonitorFacts, failure: FailedOperation): string {
  const entry = failedEntry(facts, failure)
  const interval = failure.intervalMs === 0 ? '' : `${readableInterval(failure.intervalMs)}-interval `
  const { exitReason } = failure
  const could =
    failure.status === '0'
      ? `returned '${exitWord(failure.exitCode)}'${exitReason === '' ? '' : ` (${exitReason})`}`
      : `could not be executed (${[statusWord(failure.status), ...(exitReason === '' ? [] : [exitReason])].join(': ')})`
  const at = failure.lastChange === undefined ? '' : ` at ${ctime(failure.lastChange)}`
  const after =
    entry?.attributes['exec-time'] === undefined
      ? ''
      : ` after ${readableInterval(Number(entry.attributes['exec-time']))}`
  return `* ${failure.resource} ${interval}${failure.operation} on ${failure.node} ${could}${at}${after}`
}

/** `10s`, `1m30s`, `1.5s`, `11ms`. */
function readableInterval(ms: number): string {
  if (ms < 1000) return `${ms}ms`
  const seconds = (ms % 60_000) / 1000
  const minutes = Math.floor(ms / 60_000) % 60
  const hours = Math.floor(ms / 3_600_000)
  return `${hours === 0 ? '' : `${hours}h`}${minutes === 0 ? '' : `${minutes}m`}${seconds === 0 && ms >= 60_000 ? '' : `${seconds}s`}`
}

function fencingLines({ fencing }: MonitorFacts): readonly string[] {
  return fencing
    .filter(({ outcome }) => outcome === 'failed')
    .map(
      ({ target, action, client, node, ended, begun }) =>
        `* ${action} of ${target} failed: client=${client}, origin=${node}, completed='${ctime(ended ?? begun)}'`,
    )
}

function ticketLines({ tickets }: ClusterStatus): readonly string[] {
  return tickets.map(({ id, granted, standby, lastGranted }) => {
    const last = lastGranted === undefined ? '' : ` last-granted="${ctime(lastGranted)}"`
    return `* ${id}: ${granted ? 'granted' : 'revoked'}${standby ? ' [standby]' : ''}${last}`
  })
}

function banLines(facts: MonitorFacts, prefix: string | undefined): readonly string[] {
  return bansOf(facts, prefix).map(
    ({ id, resource, node, promotedOnly }) =>
      `* ${id}\tprevents ${resource} from ${promotedOnly ? 'being promoted' : 'running'} on ${node}`,
  )
}
