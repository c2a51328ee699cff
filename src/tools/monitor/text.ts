/** crm_mon as text: the titles, and below each its lines with two blanks for each level. */
import { INFINITY_SCORE } from '../../cib/index.ts'
import {
  type ClusterStatus,
  isActive,
  isConnectionAgent,
  type NodeStatus,
  nodeKind,
  nodeState,
  primitivesIn,
  printNodeList,
  printPrimitive,
  printResourceList,
  type Resource,
} from '../../status/index.ts'
import { describeExit } from '../exit-codes.ts'
import { knownTickets } from '../status-of.ts'
import { bansOf } from './bans.ts'
import { briefLines, briefLinesOn } from './brief.ts'
import {
  attributesOf,
  countedPrimitives,
  dcOf,
  featureSetOf,
  historyOf,
  isDisabled,
  isMixed,
  type MonitorFacts,
  type ResourceHistory,
  recordingNodes,
  runningOn,
  stackOf,
  taskOf,
  toldFailures,
  versionOf,
} from './facts.ts'
import { failedFencing } from './failed-fencing.ts'
import { failureDetails, failureLine } from './failure-lines.ts'
import { narrowed } from './narrowed.ts'
import type { Shown } from './sections.ts'
import { ctime } from './times.ts'

export interface TextSection {
  readonly title: string
  /** Lines with `* ` and two blanks for each level below the title. */
  readonly lines: readonly string[]
}

export function printText(sections: readonly TextSection[]): string {
  return sections
    .map(({ title, lines }) => `${title}:\n${lines.map((line) => (line === '' ? '\n' : `  ${line}\n`)).join('')}`)
    .join('\n')
}

const told = { tellsPending: true, tellsInactive: true, hidesNodes: true } as const

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)

export function monitorText(whole: MonitorFacts, shown: Shown): readonly TextSection[] {
  const facts = narrowed(whole, shown)
  const { status } = facts
  const { sections } = shown
  const isRecorded = recordingNodes(facts).length > 0
  const all: readonly (TextSection | undefined)[] = [
    section('Cluster Summary', summary(whole, shown)),
    sections.has('nodes') && status.nodes.length > 0
      ? { title: 'Node List', lines: nodeLines(facts, shown) }
      : undefined,
    sections.has('resources') ? resourceSection(facts, shown) : undefined,
    sections.has('attributes') ? section('Node Attributes', attributeLines(facts, shown)) : undefined,
    // Their titles stand there even where there is nothing to tell of the nodes that are online.
    isRecorded && sections.has('operations') ? { title: 'Operations', lines: historyLines(facts, shown) } : undefined,
    isRecorded && sections.has('failcounts') && !sections.has('operations')
      ? { title: 'Migration Summary', lines: failCountLines(facts, shown) }
      : undefined,
    sections.has('failures')
      ? section(
          'Failed Resource Actions',
          toldFailures(facts).map((one) => (shown.detail ? failureDetails(facts, one) : failureLine(facts, one))),
        )
      : undefined,
    sections.has('fencing') ? section('Failed Fencing Actions', fencingLines(facts)) : undefined,
    sections.has('tickets') ? section('Tickets', ticketLines(status)) : undefined,
    sections.has('bans') ? section('Negative Location Constraints', banLines(whole, shown)) : undefined,
  ]
  return all.flatMap((one) => (one === undefined ? [] : [one]))
}

function section(title: string, lines: readonly string[]): TextSection | undefined {
  return lines.length === 0 ? undefined : { title, lines }
}

function summary(facts: MonitorFacts, { sections, detail }: Shown): readonly string[] {
  const { status, cib } = facts
  const mixed = isMixed(status) ? 'MIXED-VERSION ' : ''
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
    // That there is none is told whatever was asked for.
    ...(dc === undefined
      ? ['* Current DC: NONE']
      : sections.has('dc')
        ? [
            `* Current DC: ${nodeName(status, dc, detail)} (version ${versionOf(facts) ?? 'unknown'}) - ${mixed}partition ${quorum}`,
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
    ...(sections.has('management') ? managementLines(status) : []),
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
    `* STONITH of failed nodes ${options.fencingEnabled ? 'enabled' : 'disabled'}`,
    `* Cluster is ${options.symmetricCluster ? 'symmetric' : 'asymmetric'}`,
    `* No quorum policy: ${quorum[options.noQuorumPolicy]}`,
  ]
}

/** In crm_mon's words, at its margins. */
function managementLines({ options }: ClusterStatus): readonly string[] {
  const title = '*** Resource management is DISABLED ***'
  if (options.maintenanceMode)
    return ['', `            ${title}`, 'The cluster will not attempt to start, stop or recover services']
  return options.stopAllResources ? ['', `  ${title}`, 'The cluster will keep all resources stopped'] : []
}

function nodesWithResources(facts: MonitorFacts, shown: Shown): readonly string[] {
  return facts.status.nodes.flatMap((node) => {
    const lines = linesOfNode(facts, node, shown)
    const title = `* ${nodeTitle(facts.status, node, shown.detail)}:`
    if (shown.brief && lines.length === 0) return []
    return [title, ...indented(['* Resources:', ...indented(lines)])]
  })
}

/** What runs on a node. */
export function linesOfNode(facts: MonitorFacts, node: NodeStatus, shown: Shown): readonly string[] {
  const { status, cib, descriptions, isTold = () => true } = facts
  const running = runningOn(status, cib, node).filter(isTold)
  if (shown.brief) return briefLinesOn(running.filter((one) => isActive(status, one)))
  const how = { ...status, ...told, ...(shown.described ? { descriptions } : {}) }
  return running
    .filter((one) => shown.detail || !(one.implicit && isConnectionAgent(one)))
    .map((one) => `* ${printPrimitive(how, one)}`)
}

/** `Node alpha: online`, with details `Node alpha (1): online, feature set 3.19.0`. */
function nodeTitle(status: ClusterStatus, node: NodeStatus, detail: boolean): string {
  const version = detail ? featureSetOf(node) : undefined
  const suffix = version === undefined ? '' : `, feature set ${version}`
  return `${nodeKind(node)} ${nodeName(status, node, detail)}: ${nodeState(status, node)}${suffix}`
}

/** With details its id, and of a guest node where its container is. */
export function nodeName(status: ClusterStatus, { name, id, container }: NodeStatus, detail: boolean): string {
  if (!detail) return name
  const host = container === undefined ? undefined : status.primitivesById.get(container)?.state.active[0]?.node
  const place = container === undefined ? '' : `@${host ?? ''}`
  return `${name}${place}${id === String(name) ? '' : ` (${id})`}`
}

function nodeLines(facts: MonitorFacts, shown: Shown): readonly string[] {
  const { status } = facts
  if (shown.byNode) return nodesWithResources(facts, shown)
  return shown.detail ? status.nodes.map((node) => `* ${nodeTitle(status, node, true)}`) : printNodeList(status)
}

function resourceSection(facts: MonitorFacts, shown: Shown): TextSection | undefined {
  const lines = resourceLines(facts, shown)
  if (shown.byNode && !shown.inactive) return undefined
  const title = shown.byNode ? 'Inactive Resources' : shown.inactive ? 'Full List of Resources' : 'Active Resources'
  const none = shown.byNode ? 'inactive ' : shown.inactive ? '' : 'active '
  return { title, lines: lines.length === 0 ? [`* No ${none}resources`] : lines }
}

function resourceLines(facts: MonitorFacts, shown: Shown): readonly string[] {
  const { status, onlyOn, descriptions, isTold = () => true } = facts
  const asked = {
    ...status,
    tellsPending: true,
    tellsInactive: shown.inactive,
    tellsInstances: shown.detail,
    isTold,
    ...(shown.described ? { descriptions } : {}),
    ...(onlyOn === undefined ? {} : { onlyOn }),
  }
  const isShown = (resource: Resource): boolean =>
    primitivesIn(resource).some(isTold) && !(shown.byNode && isFullyActive(status, resource))
  if (!shown.brief) return printResourceList(asked, isShown)
  // Below the nodes resources have lines of their own; the members of a group are counted there, too.
  const alone = shown.byNode ? [] : status.resources.filter((one) => one.kind === 'primitive')
  return [
    ...briefLines(status, alone.filter(isShown), { withTotals: shown.inactive }),
    ...status.resources.filter(isShown).flatMap((resource) => {
      if (resource.kind === 'primitive' && !shown.byNode) return []
      const lines = printResourceList(asked, (one) => one === resource)
      if (resource.kind !== 'group' || lines.length === 0) return lines
      return [...lines.slice(0, 1), ...indented(briefLines(status, resource.members, { withTotals: true }))]
    }),
  ]
}

function isFullyActive(status: ClusterStatus, resource: Resource): boolean {
  return primitivesIn(resource).every((one) => isActive(status, one))
}

function attributeLines(facts: MonitorFacts, { detail }: Shown): readonly string[] {
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
    return lines.length === 0 ? [] : [`* Node: ${nodeName(facts.status, node, detail)}:`, ...indented(lines)]
  })
}

function resourceLine({ id, resource, failCount, lastFailure }: ResourceHistory): string {
  const threshold = Math.min(resource.meta.migrationThreshold, INFINITY_SCORE)
  const count = failCount === 0 ? '' : ` fail-count=${failCount}`
  const last = lastFailure === undefined || failCount === 0 ? '' : ` last-failure='${ctime(lastFailure)}'`
  return `* ${id}: migration-threshold=${threshold}${count}${last}`
}

function historyLines(facts: MonitorFacts, { timing, detail }: Shown): readonly string[] {
  return historyOf(facts).flatMap(({ node, resources }) => [
    `* Node: ${nodeName(facts.status, node, detail)}:`,
    ...indented(
      resources.flatMap((one) => [
        `${resourceLine(one)}:`,
        ...indented(
          one.operations.map(({ callId, operation, intervalMs, lastChange, exitCode, attributes }) => {
            const took = (name: string): string =>
              attributes[name] === undefined ? '' : ` ${name}="${attributes[name]}ms"`
            const interval = intervalMs === 0 ? '' : ` interval="${intervalMs}ms"`
            const changed = lastChange === undefined ? '' : ` last-rc-change="${ctime(lastChange)}"`
            const times = timing
              ? `${changed}${took('exec-time')}${took('queue-time')} rc=${exitCode} (${describeExit(exitCode)})`
              : ''
            const details = `${interval}${times}`
            return `* (${callId}) ${taskOf({ operation, intervalMs })}${details === '' ? '' : `:${details}`}`
          }),
        ),
      ]),
    ),
  ])
}

function failCountLines(facts: MonitorFacts, { detail }: Shown): readonly string[] {
  return historyOf(facts).flatMap(({ node, resources }) => {
    const failed = resources.filter(({ failCount }) => failCount > 0)
    return failed.length === 0
      ? []
      : [`* Node: ${nodeName(facts.status, node, detail)}:`, ...indented(failed.map(resourceLine))]
  })
}

function fencingLines({ fencing }: MonitorFacts): readonly string[] {
  return failedFencing(fencing).map(
    ({ target, action, client, node, ended, begun }) =>
      `* ${action} of ${target} failed: client=${client}, origin=${node}, completed='${ctime(ended ?? begun)}'`,
  )
}

function ticketLines(status: ClusterStatus): readonly string[] {
  return knownTickets(status).map(({ id, granted, standby, lastGranted }) => {
    const last = lastGranted === undefined ? '' : ` last-granted="${ctime(lastGranted)}"`
    return `* ${id}\t${granted ? 'granted' : 'revoked'}${standby ? ' [standby]' : ''}${last}`
  })
}

function banLines(facts: MonitorFacts, shown: Shown): readonly string[] {
  return bansOf(facts, shown).map(({ id, resource, node, promotedOnly }) => {
    const there = facts.status.nodes.find(({ name }) => name === node)
    const where = there === undefined ? node : nodeName(facts.status, there, shown.detail)
    return `* ${id}\tprevents ${resource} from ${promotedOnly ? 'being promoted' : 'running'} on ${where}`
  })
}
