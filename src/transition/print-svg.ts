/**
 * The graph as a drawing: actions in columns by their depth, so that all arrows point to the right. No claim to beauty;
 * it needs nothing but a browser.
 */
import type { ActionId, GraphAction, TransitionGraph } from './graph.ts'

const boxHeight = 28
const rowHeight = 44
const columnGap = 60
const letterWidth = 7.2
const margin = 20

interface Box {
  readonly action: GraphAction
  readonly text: string
  readonly x: number
  readonly y: number
  readonly width: number
}

export function printSvg(graph: TransitionGraph): string {
  const boxes = layOut(graph)
  const width = margin + Math.max(0, ...[...boxes.values()].map((box) => box.x + box.width))
  const height = margin + Math.max(0, ...[...boxes.values()].map((box) => box.y + boxHeight))
  const arrows = graph.actions.flatMap((action) =>
    action.inputs.map((id) => arrow(boxes.get(id), boxes.get(action.id))),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.ceil(width)}" height="${Math.ceil(height)}" font-family="monospace" font-size="12">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    ...arrows,
    ...[...boxes.values()].map(rectangle),
    '</svg>',
    '',
  ].join('\n')
}

function layOut(graph: TransitionGraph): ReadonlyMap<ActionId, Box> {
  const columns = new Map<number, GraphAction[]>()
  const depths = depthsOf(graph)
  for (const action of graph.actions) {
    const depth = depths.get(action.id) ?? 0
    const column = columns.get(depth)
    if (column) column.push(action)
    else columns.set(depth, [action])
  }
  const boxes = new Map<ActionId, Box>()
  let x = margin
  for (const [, actions] of [...columns].sort(([a], [b]) => a - b)) {
    const texts = actions.map((action) => `${action.key}${action.node === undefined ? '' : ` ${action.node}`}`)
    const widest = Math.max(...texts.map(({ length }) => length)) * letterWidth + 16
    actions.forEach((action, row) => {
      const text = texts[row] ?? action.key
      boxes.set(action.id, { action, text, x, y: margin + row * rowHeight, width: text.length * letterWidth + 16 })
    })
    x += widest + columnGap
  }
  return boxes
}

/** One more than the deepest input. An action in a loop stays at the depth that it was first reached with. */
function depthsOf(graph: TransitionGraph): ReadonlyMap<ActionId, number> {
  const followers = new Map<ActionId, GraphAction[]>()
  const waiting = new Map<ActionId, number>()
  for (const action of graph.actions) {
    waiting.set(action.id, action.inputs.length)
    for (const input of action.inputs) {
      const list = followers.get(input)
      if (list) list.push(action)
      else followers.set(input, [action])
    }
  }
  const depths = new Map<ActionId, number>()
  const ready = graph.actions.filter(({ inputs }) => inputs.length === 0)
  for (const action of ready) depths.set(action.id, 0)
  for (let action = ready.shift(); action; action = ready.shift()) {
    const depth = (depths.get(action.id) ?? 0) + 1
    for (const follower of followers.get(action.id) ?? []) {
      depths.set(follower.id, Math.max(depth, depths.get(follower.id) ?? 0))
      const left = (waiting.get(follower.id) ?? 1) - 1
      waiting.set(follower.id, left)
      if (left === 0) ready.push(follower)
    }
  }
  return depths
}

function rectangle({ action, text, x, y, width }: Box): string {
  const fill = action.kind === 'pseudo' ? '#fff3df' : action.kind === 'cluster' ? '#ffe0e0' : '#e2f4e4'
  const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<rect x="${x}" y="${y}" width="${width}" height="${boxHeight}" rx="5" fill="${fill}" stroke="#555"/><text x="${x + 8}" y="${y + 18}">${escaped}</text>`
}

function arrow(from: Box | undefined, to: Box | undefined): string {
  if (!from || !to) return ''
  const startX = from.x + from.width
  const startY = from.y + boxHeight / 2
  const endY = to.y + boxHeight / 2
  const bend = Math.max(20, (to.x - startX) / 2)
  return `<path d="M${startX} ${startY}C${startX + bend} ${startY} ${to.x - bend} ${endY} ${to.x} ${endY}" fill="none" stroke="#888" marker-end="url(#tip)"/>`
}
