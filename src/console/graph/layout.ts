/** A graph as places and lines: what stands where is computed by dagre (ADR 92). Pure. */
import { graphlib, layout } from '@dagrejs/dagre'

export interface Vertex {
  readonly id: string
  readonly text: string
  /** A style sheet's class. */
  readonly kind: string
}

export interface Line {
  readonly from: string
  readonly to: string
  readonly kind: string
  /** For whoever points at it. */
  readonly title: string
}

export interface Placed {
  readonly width: number
  readonly height: number
  readonly vertices: readonly (Vertex & {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  })[]
  readonly lines: readonly (Line & { readonly path: string })[]
}

const letterWidth = 7
const height = 26
/** Longer texts are cut; the whole stands in the title and in the list beside it. */
const mostLetters = 30

export const shortened = (text: string): string =>
  text.length <= mostLetters ? text : `${text.slice(0, mostLetters - 1)}…`

export function placed(
  vertices: readonly Vertex[],
  lines: readonly Line[],
  direction: 'down' | 'right' = 'down',
): Placed {
  const graph = new graphlib.Graph({ multigraph: true })
  graph.setGraph({ rankdir: direction === 'down' ? 'TB' : 'LR', nodesep: 14, ranksep: 34, marginx: 6, marginy: 6 })
  for (const { id, text } of vertices) graph.setNode(id, { width: shortened(text).length * letterWidth + 22, height })
  const known = lines.filter(({ from, to }) => graph.hasNode(from) && graph.hasNode(to) && from !== to)
  for (const [at, { from, to }] of known.entries()) graph.setEdge(from, to, {}, String(at))
  layout(graph)
  const size = graph.graph() as { readonly width?: number; readonly height?: number }
  return {
    width: Math.ceil(size.width ?? 0),
    height: Math.ceil(size.height ?? 0),
    vertices: vertices.map((vertex) => ({ ...vertex, ...boxOf(graph.node(vertex.id)) })),
    lines: known.map((line, at) => {
      const { points = [] } = graph.edge(line.from, line.to, String(at)) as { readonly points?: readonly Point[] }
      return { ...line, path: pathThrough(points) }
    }),
  }
}

interface Point {
  readonly x: number
  readonly y: number
}

const boxOf = (node: unknown) => {
  const { x = 0, y = 0, width = 0, height: high = 0 } = node as Partial<Point & { width: number; height: number }>
  return { x: x - width / 2, y: y - high / 2, width, height: high }
}

/** Straight at both ends, and bent at the points between. */
function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points
  const last = rest.pop()
  if (first === undefined || last === undefined) return ''
  const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`
  const bends = rest.map((point, index) => {
    const next = rest[index + 1] ?? last
    const middle = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q${at(point)} ${at(index === rest.length - 1 ? next : middle)}`
  })
  return `M${at(first)}${bends.length === 0 ? `L${at(last)}` : bends.join('')}`
}

export interface Step {
  readonly id: number
  readonly after: readonly number[]
  /** A point in the order without anything to do. */
  readonly isPoint: boolean
}

/** Without the points between: what has to be waited for, and nothing that follows from other lines. */
export function linesBetweenSteps(steps: readonly Step[]): readonly (readonly [from: number, to: number])[] {
  const byId = new Map(steps.map((step) => [step.id, step]))
  const known = new Map<number, ReadonlySet<number>>()
  /** The real steps before one, through points. */
  const before = (step: Step, around: ReadonlySet<number>): ReadonlySet<number> => {
    const found = known.get(step.id)
    if (found !== undefined) return found
    const inner = new Set([...around, step.id])
    const made = new Set<number>()
    for (const id of step.after) {
      const one = byId.get(id)
      if (one === undefined || around.has(id)) continue
      if (one.isPoint) for (const each of before(one, inner)) made.add(each)
      else made.add(id)
    }
    known.set(step.id, made)
    return made
  }
  const real = steps.filter(({ isPoint }) => !isPoint)
  const direct = new Map(real.map((step) => [step.id, before(step, new Set())]))
  const reaches = (from: number, to: number, seen: Set<number>): boolean =>
    [...(direct.get(to) ?? [])].some((one) => {
      if (one === from) return true
      if (seen.has(one)) return false
      seen.add(one)
      return reaches(from, one, seen)
    })
  return real.flatMap(({ id }) => {
    const own = [...(direct.get(id) ?? [])]
    return own
      .filter((from) => !own.some((other) => other !== from && reaches(from, other, new Set())))
      .map((from) => [from, id] as const)
  })
}
