/** The start graph for Graphviz, as SVG, and as lines of text. */
import { formatScore } from '../../cib/index.ts'
import { boxesAsSvg, quoted } from '../../plays/index.ts'
import type { StartGraph } from './start-graph.ts'
import type { Start, Wait } from './start-tree.ts'

/** Groups and bundles are frames; what is placed together is a broken line, as it makes nothing wait. */
export function startGraphAsDot(graph: StartGraph): string {
  const frames = grouped(graph.starts, ({ within }) => within)
  const boxes = [...frames].flatMap(([within, starts]) => {
    const lines = starts.map((start) => `${quoted(start.id)} [label=${label(start)}];`)
    if (within === undefined) return lines.map((line) => `  ${line}`)
    return [
      `  subgraph ${quoted(`cluster_${within}`)} {`,
      `    label=${quoted(within)};`,
      ...lines.map((line) => `    ${line}`),
      '  }',
    ]
  })
  const arrows = graph.waits.map((wait) => {
    const note = noteOf(wait)
    const style = wait.optional ? ' style=dotted' : ''
    return `  ${quoted(wait.first)} -> ${quoted(wait.next)}${note === '' && style === '' ? '' : ` [label=${quoted(note)}${style}]`};`
  })
  const links = linksOf(graph).map(
    ([from, to, score]) =>
      `  ${quoted(from)} -> ${quoted(to)} [label=${quoted(score)} style=dashed dir=none constraint=false];`,
  )
  return `digraph start {\n  rankdir=LR;\n  node [shape=box];\n${[...boxes, ...arrows, ...links].join('\n')}\n}\n`
}

const label = (start: Start): string =>
  start.wave === undefined ? quoted(start.id) : `${quoted(start.id).slice(0, -1)}\\n${noteOfStart(start)}"`

const noteOfStart = ({ wave, kind, within }: Start): string =>
  [wave === undefined ? 'in a loop' : `wave ${wave}`, kind === 'primitive' ? [] : kind, within ?? []].flat().join(', ')

export function startGraphAsSvg(graph: StartGraph): string {
  const requires = grouped(graph.waits, ({ next }) => next)
  return boxesAsSvg(
    graph.starts.map((start) => ({
      id: start.id,
      note: noteOfStart(start),
      requires: (requires.get(start.id) ?? []).map(({ first }) => first),
    })),
    linksOf(graph).map(([from, to]) => [from, to]),
  )
}

/** Between boxes: a group or clone in a colocation is drawn at the first of its parts. */
function linksOf({ together, starts }: StartGraph): readonly (readonly [string, string, string])[] {
  const boxOf = (id: string): string =>
    starts.find((start) => start.id === id)?.id ?? starts.find(({ within }) => within === id)?.id ?? id
  const known = new Set(starts.map(({ id }) => id))
  return together
    .map(({ dependent, primary, score }) => [boxOf(dependent), boxOf(primary), formatScore(score)] as const)
    .filter(([from, to]) => known.has(from) && known.has(to))
}

export function printStartGraph(graph: StartGraph): string {
  const waves = graph.waves.map((ids, index) => `  ${String(index + 1).padStart(2)}  ${ids.join(', ')}`)
  const waits = [...grouped(graph.waits, ({ next }) => next)].map(
    ([next, before]) => `  ${next} waits for ${before.map((wait) => `${wait.first}${inBrackets(wait)}`).join(', ')}`,
  )
  const together = graph.together.map(
    ({ dependent, primary, score, constraint }) =>
      `  ${dependent} with ${primary} (${formatScore(score)}, ${constraint})`,
  )
  const loops = graph.loops.map((ids) => `  ${[...ids, ids[0]].join(' -> ')}`)
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `${title}:\n${lines.join('\n')}\n`
  return [
    waves.length === 0 && loops.length === 0 ? 'There is nothing to start.\n' : section('Start waves', waves),
    section('Order', waits),
    section('Together', together),
    section('Loops, in which each waits for the one before it', loops),
    section(
      'Order constraints that delay no start',
      graph.others.map((id) => `  ${id}`),
    ),
  ].join('')
}

function inBrackets(wait: Wait): string {
  const note = noteOf(wait)
  return note === '' ? '' : ` (${note})`
}

function noteOf({ because, constraint, optional, any, needs }: Wait): string {
  if (needs !== undefined) return `gate: ${needs.min} of ${needs.service}`
  if (because !== 'order') return because === 'promotion' ? '' : because
  return [constraint ?? [], optional ? 'optional' : [], any ? 'any of them' : []].flat().join(', ')
}

function grouped<One, Key>(all: readonly One[], keyOf: (one: One) => Key): ReadonlyMap<Key, readonly One[]> {
  const groups = new Map<Key, One[]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group) group.push(one)
    else groups.set(keyOf(one), [one])
  }
  return groups
}
