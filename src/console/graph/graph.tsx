/** A drawing of a graph. What it says stands beside it in words, for whoever does not see it. */
import { useMemo } from 'preact/hooks'
import { type Line, placed, shortened, type Vertex } from './layout.ts'

export function Graph({
  name,
  vertices,
  lines,
  direction = 'down',
}: {
  readonly name: string
  readonly vertices: readonly Vertex[]
  readonly lines: readonly Line[]
  readonly direction?: 'down' | 'right'
}) {
  const drawing = useMemo(() => placed(vertices, lines, direction), [vertices, lines, direction])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled by the keyboard, too.
    <section class="graph" tabIndex={0} aria-label={name}>
      <svg
        width={drawing.width}
        height={drawing.height}
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        role="img"
        aria-label={`${name}: ${vertices.length} boxes, ${lines.length} lines`}
      >
        <defs>
          <marker
            id="tip"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8Z" />
          </marker>
        </defs>
        {drawing.lines.map((line, at) => (
          <path key={at} class={`edge is-${line.kind}`} d={line.path} marker-end="url(#tip)">
            <title>{line.title}</title>
          </path>
        ))}
        {drawing.vertices.map(({ id, text, kind, x, y, width, height }) => (
          <g key={id} class={`vertex is-${kind}`} transform={`translate(${x} ${y})`}>
            <title>{text}</title>
            <rect width={width} height={height} rx="4" />
            <text x={width / 2} y={height / 2 + 4} text-anchor="middle">
              {shortened(text)}
            </text>
          </g>
        ))}
      </svg>
    </section>
  )
}
