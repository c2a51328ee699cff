/** A graph for people: as text for Graphviz, and drawn in layers as SVG. */
import type { PlayStep } from './graph.ts'

type Drawn = Pick<PlayStep, 'id' | 'requires' | 'nodes' | 'once'>

export function graphAsDot(steps: readonly Drawn[]): string {
  const lines = steps.flatMap((step) => [
    `  ${quoted(step.id)} [label=${quoted(`${step.id}\n${nodesOf(step)}`).replaceAll('\n', '\\n')}];`,
    ...step.requires.map((id) => `  ${quoted(id)} -> ${quoted(step.id)};`),
  ])
  return `digraph play {\n  rankdir=LR;\n  node [shape=box];\n${lines.join('\n')}\n}\n`
}

/** A name in Graphviz's language. */
export const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

const nodesOf = ({ nodes, once }: Drawn): string => `${once ? 'one of ' : ''}${nodes.join(', ')}`

/** How many steps stand before it, at least. In the order of `steps`, which need not be that of the graph. */
export function layersOf(steps: readonly Pick<Drawn, 'id' | 'requires'>[]): ReadonlyMap<string, number> {
  const layers = new Map<string, number>()
  const byId = new Map(steps.map((step) => [step.id, step]))
  let open = [...steps]
  while (open.length > 0) {
    const ready = open.filter(({ requires }) => requires.every((id) => layers.has(id) || !byId.has(id)))
    if (ready.length === 0) break
    for (const { id, requires } of ready)
      layers.set(id, Math.max(-1, ...requires.map((one) => layers.get(one) ?? -1)) + 1)
    open = open.filter((step) => !ready.includes(step))
  }
  return layers
}

const [width, height, gapX, gapY, margin] = [220, 44, 60, 16, 12]

/** A box with its name and a line below it; arrows come from those that it requires. */
export interface DrawnBox {
  readonly id: string
  readonly requires: readonly string[]
  readonly note: string
}

export const graphAsSvg = (steps: readonly Drawn[]): string =>
  boxesAsSvg(steps.map((step) => ({ id: step.id, requires: step.requires, note: nodesOf(step) })))

/** `links` are drawn as broken lines without a direction. */
export function boxesAsSvg(boxes: readonly DrawnBox[], links: readonly (readonly [string, string])[] = []): string {
  const layers = layersOf(boxes)
  const counts = new Map<number, number>()
  const places: Places = new Map(
    boxes.map(({ id }) => {
      const layer = layers.get(id) ?? 0
      const row = counts.get(layer) ?? 0
      counts.set(layer, row + 1)
      return [id, { x: margin + layer * (width + gapX), y: margin + row * (height + gapY) }] as const
    }),
  )
  const arrows = boxes.flatMap(({ id, requires }) =>
    requires.flatMap((from) => curve(places.get(from), places.get(id), 'marker-end="url(#arrow)"')),
  )
  const broken = links.flatMap(([one, other]) => curve(...inDrawnOrder(places, one, other), 'stroke-dasharray="4 3"'))
  const columns = Math.max(0, ...layers.values()) + 1
  const rows = Math.max(1, ...counts.values())
  const size = [2 * margin + columns * width + (columns - 1) * gapX, 2 * margin + rows * (height + gapY)]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" font-family="sans-serif" font-size="12">
<defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="6" refY="4" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>
<g fill="none" stroke="#777">${[...arrows, ...broken].join('\n')}</g>
<g fill="#eef" stroke="#336">${boxes
    .map((box) => rectangle(box, places))
    .join('\n')
    .replaceAll('<text', '<text fill="#000" stroke="none"')}</g>
</svg>
`
}

interface Corner {
  readonly x: number
  readonly y: number
}
type Places = ReadonlyMap<string, Corner>

function rectangle({ id, note }: DrawnBox, places: Places): string {
  const { x, y } = places.get(id) ?? { x: 0, y: 0 }
  return `<g><title>${escaped(`${id}: ${note}`)}</title><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/><text x="${x + 8}" y="${y + 18}" font-weight="bold">${escaped(cut(id))}</text><text x="${x + 8}" y="${y + 35}">${escaped(cut(note))}</text></g>`
}

/** From the right side of one to the left side of the other; of boxes in one column, from below to above. */
function curve(from: Corner | undefined, to: Corner | undefined, style: string): readonly string[] {
  if (from === undefined || to === undefined) return []
  if (from.x === to.x) {
    const x = from.x + width / 2
    return [`<path d="M${x} ${from.y + height} L${x} ${to.y}" ${style}/>`]
  }
  const [x1, y1, x2, y2] = [from.x + width, from.y + height / 2, to.x - 4, to.y + height / 2]
  return [`<path d="M${x1} ${y1} C${x1 + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2} ${y2}" ${style}/>`]
}

function inDrawnOrder(places: Places, one: string, other: string): [Corner | undefined, Corner | undefined] {
  const [a, b] = [places.get(one), places.get(other)]
  if (a === undefined || b === undefined) return [a, b]
  return a.x < b.x || (a.x === b.x && a.y <= b.y) ? [a, b] : [b, a]
}

const cut = (text: string): string => (text.length > 30 ? `${text.slice(0, 29)}…` : text)
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
