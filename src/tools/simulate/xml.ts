/** crm_simulate in XML: the status, what is supposed, scores and utilization, what would be done, and the status that it leads to. */
import { assertNever } from '../../base/index.ts'
import { childElements, element, formatScore, type XmlElement } from '../../cib/index.ts'
import {
  type AllocationLine,
  allocations,
  namesKnownTo,
  playedName,
  type SimulationText,
  scoresByNode,
  type WhatIf,
} from '../../scheduler/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { MonitorFacts } from '../monitor/facts.ts'
import type { Section, Shown } from '../monitor/sections.ts'
import { monitorElements } from '../monitor/xml.ts'

export interface ShownParts {
  readonly attributes: boolean
  readonly failCounts: boolean
  readonly utilization: boolean
  readonly scores: boolean
  /** What would be done is told, and what came of it. */
  readonly plans: boolean
  readonly plays: boolean
}

export function simulationElements(
  texts: SimulationText,
  { cib, whatIf }: { readonly cib: XmlElement; readonly whatIf: WhatIf },
  shown: ShownParts,
): readonly XmlElement[] {
  const { simulation, before } = texts
  const lines = allocations(simulation, shown).map((line) => allocationElement(line, simulation))
  return [
    element('cluster_status', {}, statusElements(before, cib, shown)),
    ...(texts.modifications.length === 0 ? [] : [modifications(texts.modifications, whatIf)]),
    ...(lines.length === 0 ? [] : [element(allocationsName(shown), {}, lines.flat())]),
    ...(shown.plans ? [element('actions', {}, simulation.changes.flatMap(changeElement))] : []),
    ...(shown.plays
      ? [
          element('transition', {}, played(simulation)),
          element('revised_cluster_status', {}, statusElements(texts.after(), simulation.result(), shown)),
        ]
      : []),
  ]
}

function allocationsName({ scores: hasScores, utilization }: ShownParts): string {
  if (hasScores && utilization) return 'allocations_utilizations'
  return utilization ? 'utilizations' : 'allocations'
}

type Simulation = SimulationText['simulation']
type Change = Simulation['changes'][number]
type Action = Simulation['played'][number]['action']

function statusElements(status: ClusterStatus, cib: XmlElement, parts: ShownParts): readonly XmlElement[] {
  const sections = new Set<Section>([
    'nodes',
    'resources',
    ...(parts.attributes ? (['attributes'] as const) : []),
    ...(parts.failCounts ? (['failcounts', 'failures'] as const) : []),
  ])
  const facts: MonitorFacts = {
    // The most important first, as wherever resources are listed.
    status: { ...status, resources: status.resources.toSorted((a, b) => b.meta.priority - a.meta.priority) },
    cib,
    isCluster: false,
    now: status.now,
    transient: () => new Map(),
    fencing: [],
    descriptions: new Map(),
  }
  const shown: Shown = {
    sections,
    inactive: true,
    byNode: false,
    timing: false,
    detail: false,
    brief: false,
    described: false,
  }
  return monitorElements(facts, shown).flatMap((section) => {
    // That no node is the DC is no part of it, nor are resources that have not failed.
    if (section.name === 'summary') return []
    return [section.name === 'node_history' ? element(section.name, {}, failedOnly(section)) : section]
  })
}

function failedOnly(history: XmlElement): readonly XmlElement[] {
  return childElements(history, 'node').flatMap((node) => {
    const failed = childElements(node, 'resource_history').filter(({ attributes }) => attributes['fail-count'])
    return failed.length === 0 ? [] : [element('node', node.attributes, failed)]
  })
}

function modifications(lines: readonly string[], whatIf: WhatIf): XmlElement {
  const nodes = (action: string, names: readonly string[] = []): readonly XmlElement[] =>
    names.map((node) => element('modify_node', { action, node }))
  const tickets = (action: string, names: readonly string[] = []): readonly XmlElement[] =>
    names.map((ticket) => element('modify_ticket', { action, ticket }))
  const { quorate, watchdog } = whatIf
  return element(
    'modifications',
    {
      ...(quorate === undefined ? {} : { quorum: String(quorate) }),
      ...(watchdog === undefined ? {} : { watchdog: String(watchdog) }),
    },
    [
      ...nodes('Online', [...(whatIf.nodesMade ?? []), ...(whatIf.nodesUp ?? [])]),
      ...nodes('Offline', whatIf.nodesDown),
      ...nodes('Failing', whatIf.nodesFailed),
      ...tickets('Granting', whatIf.ticketsGranted),
      ...tickets('Revoking', whatIf.ticketsRevoked),
      ...tickets('Standby', whatIf.ticketsOnStandby),
      ...tickets('Activating', whatIf.ticketsActive),
      ...lines.flatMap(injection),
    ],
  )
}

/** What is supposed of operations is told line by line, the counters of failures among it. */
function injection(line: string): readonly XmlElement[] {
  const [, spec] = /^Injecting (\S+) into the configuration$/.exec(line) ?? []
  if (spec !== undefined) return [element('inject_spec', { spec })]
  const [, name, value = '', path = '', node = ''] =
    /^Injecting attribute ([^=]+)=(\S+) into (\S+) '(.*)'$/.exec(line) ?? []
  return name === undefined ? [] : [element('inject_attr', { name, value, node_path: path, cib_node: node })]
}

function allocationElement(line: AllocationLine, { status }: Simulation): readonly XmlElement[] {
  switch (line.kind) {
    case 'capacity':
      return [element('capacity', { node: line.node, comment: line.title }, amounts(line.has))]
    case 'load': {
      const { resource, node, takes } = line
      return [element('utilization', { resource, node, function: 'pcmk__assign_resource' }, amounts(takes))]
    }
    case 'promotion':
      return [
        element('promotion_score', {
          id: line.resource,
          score: formatScore(line.score),
          ...(line.node === undefined ? {} : { node: line.node }),
        }),
      ]
    case 'scores':
      return scoresByNode(line, status.nodes).map(({ node, score }) =>
        element('node_weight', {
          function: `pcmk__${line.by}_assign`,
          node,
          score: formatScore(score),
          id: line.resource,
        }),
      )
    default:
      return assertNever(line)
  }
}

function amounts(of: ReadonlyMap<string, number>): readonly XmlElement[] {
  return [...of].map(([name, amount]) => element(name, {}, [{ kind: 'text', text: String(amount) }]))
}

function changeElement({ what, subject, details, place, reason, blocked }: Change): readonly XmlElement[] {
  const why = { ...(reason === undefined ? {} : { reason }), ...(blocked ? { blocked: 'true' } : {}) }
  if (place !== undefined)
    return [element('rsc_action', { action: what.toLowerCase(), resource: subject, ...placeAttributes(place), ...why })]
  // As in text: what happens to a node is listed with its reason or not at all.
  if (details === undefined && reason === undefined) return []
  // The fencing of a guest node is its container's recovery, which is told of that.
  if (details !== undefined) return []
  return [element('node_action', { task: what, node: subject, ...(reason === undefined ? {} : { reason }) })]
}

function placeAttributes({ from, to, roles }: NonNullable<Change['place']>): Readonly<Record<string, string>> {
  const now = roles === undefined ? {} : { role: roles.now }
  const both = roles === undefined ? {} : { role: roles.now, 'next-role': roles.next }
  const keepsRole = roles === undefined || roles.now === roles.next
  if (from === undefined) return roles === undefined ? { node: to ?? '' } : { ...both, dest: to ?? '' }
  if (to === undefined) return { ...now, node: from }
  if (keepsRole) return from === to ? { ...now, source: from } : { source: from, dest: to, ...now }
  return from === to ? { ...both, source: from } : { ...both, source: from, dest: to }
}

function played({ played: actions, status }: Simulation): readonly XmlElement[] {
  const names = namesKnownTo(status)
  return actions.map(({ action }) => actionElement(action, names))
}

function actionElement(action: Action, names: ReadonlySet<string>): XmlElement {
  const { operation, attributes, node = '' } = action
  switch (action.kind) {
    case 'pseudo':
      return element('pseudo_action', { task: action.key, ...(operation === 'stonith' ? { node } : {}) })
    case 'cluster':
      if (operation === 'stonith')
        return element('fencing_action', { target: node, op: attributes.CRM_meta_stonith_action ?? '' })
      return element('cluster_action', {
        task: operation,
        node,
        ...(action.resource === undefined ? {} : { id: action.resource }),
      })
    case 'resource':
      return element('rsc_action', {
        resource: playedName(action, names),
        op: operation,
        node,
        ...(action.intervalMs > 0 && operation !== 'delete' ? { interval: String(action.intervalMs) } : {}),
      })
  }
}
