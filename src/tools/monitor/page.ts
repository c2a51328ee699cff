/** crm_mon as a page: the sections of the text, with the elements and classes that Pacemaker's page has, for style sheets and for scripts that look for them. */
import type { NodeStatus } from '../../status/index.ts'
import { featureSetOf, type MonitorFacts, runningOn } from './facts.ts'
import { itemsOf, type PageSection, plainItem, span, spansItem, titled } from './html.ts'
import { narrowed } from './narrowed.ts'
import type { Shown } from './sections.ts'
import { linesOfNode, monitorText, nodeName } from './text.ts'

export function pageSections(whole: MonitorFacts, shown: Shown): readonly PageSection[] {
  const facts = narrowed(whole, shown)
  return monitorText(whole, shown).map(({ title, lines }) => {
    switch (title) {
      case 'Cluster Summary':
        return { title, items: lines.filter((line) => line.startsWith('* ')).map((line) => summaryItem(line.slice(2))) }
      case 'Node List':
        return { title, items: facts.status.nodes.map((node) => nodeItem(facts, node, shown)) }
      case 'Node Attributes':
        return { title, items: itemsOf(lines, { item: attributeItem, title: ofNode }) }
      case 'Operations':
        return { title, items: itemsOf(lines, { item: plainItem, title: historyTitle }) }
      default:
        return { title, items: itemsOf(lines, { item: resourceItem, title: withoutColon }) }
    }
  })
}

const ofNode = (text: string): string => text.replace(/^Node: /, '')
const withoutColon = (text: string): string => text.replace(/:$/, '')
const historyTitle = (text: string): string => (text.startsWith('Node: ') ? ofNode(text) : withoutColon(text))

function summaryItem(line: string): string {
  const [, title, rest = ''] = /^(Stack|Current DC|Last updated|Last change): *(.*)$/.exec(line) ?? []
  if (title === 'Current DC') return dcItem(rest)
  if (title !== undefined) return spansItem(span(`${title}: `, 'bold'), span(rest))
  const parts = line.split(/(DISABLED|BLOCKED)/)
  return spansItem(...parts.map((part, at) => span(part, at % 2 === 1 ? 'bold' : undefined)))
}

function dcItem(rest: string): string {
  const [, name, mixed, quorum] = /^(.* -) (MIXED-VERSION )?partition (with|WITHOUT) quorum$/.exec(rest) ?? []
  const title = span('Current DC: ', 'bold')
  if (name === undefined) return spansItem(title, span(rest, 'warning'))
  const warned = mixed === undefined ? [] : [span(' MIXED-VERSION', 'warning')]
  const has = quorum === 'WITHOUT' ? span(' WITHOUT', 'warning') : span(' with')
  return spansItem(title, span(name), ...warned, span(' partition'), has, span(' quorum'))
}

function nodeItem(facts: MonitorFacts, node: NodeStatus, shown: Shown): string {
  const name = `${nodeName(facts.status, node, shown.detail)}:`
  const state = stateSpans(facts, node, shown)
  if (!shown.byNode) return spansItem(span(name, 'bold'), ...state)
  const status = spansItem(span('Status:'), ...state)
  const lines = linesOfNode(facts, node, shown)
  const below =
    lines.length === 0 ? [] : [titled('Resources', itemsOf(lines, { item: resourceItem, title: withoutColon }))]
  return titled(name, [status, ...below])
}

function stateSpans({ status, cib }: MonitorFacts, node: NodeStatus, { detail }: Shown): readonly string[] {
  const version = detail ? featureSetOf(node) : undefined
  const isBusy = node.standby && node.online && runningOn(status, cib, node).length > 0
  return [
    ...(node.pending ? [span(' pending')] : node.online ? [span(' online', 'online')] : [span(' OFFLINE', 'offline')]),
    ...(node.standby ? [span(isBusy ? ' (in standby, with active resources)' : ' (in standby)', 'standby')] : []),
    ...(node.maintenance ? [span(' (in maintenance mode)', 'maint')] : []),
    ...(node.health === 'green' ? [] : [span(` (health is ${node.health.toUpperCase()})`, `health_${node.health}`)]),
    ...(version === undefined ? [] : [span(`, feature set ${version}`)]),
  ]
}

function attributeItem(text: string): string {
  const [, name = '', value = '', how = ''] = /^(.*?)\s*\t: (\S*)\s*(?::\s*(.*))?$/.exec(text) ?? []
  if (how === '') return plainItem(`${name}: ${value}`)
  return spansItem(span(`${name}: ${value}`), span(`(${how.charAt(0).toLowerCase()}${how.slice(1)})`, 'bold'))
}

/** The line of a resource has its state after a tab; lists of nodes and counts have none. */
function resourceItem(text: string): string {
  const [, state] = /^[^\t]*\t\([^\t]*\):\t (.*)$/.exec(text) ?? []
  return state === undefined ? plainItem(text) : spansItem(span(text, classOf(state)))
}

function classOf(state: string): string {
  if (/\(.*(?:unmanaged|maintenance)/.test(state)) return 'rsc-managed'
  if (/^(?:ORPHANED )?(?:FAILED|Stopped)/.test(state)) return 'rsc-failed'
  if (/\[ .* \]/.test(state)) return 'rsc-multiple'
  return /failure ignored/.test(state) ? 'rsc-failure-ignored' : 'rsc-ok'
}
