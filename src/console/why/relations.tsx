/** What a resource depends on, and what depends on it: drawn, and in words. */
import { useMemo } from 'preact/hooks'
import type { Neighbourhood } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { Graph } from '../graph/graph.tsx'
import type { Line, Vertex } from '../graph/layout.ts'

const kinds = { order: 'order', colocation: 'colocation', contains: 'contains' } as const

export function Relations({ api, name, after }: { readonly api: Api; readonly name: string; readonly after: unknown }) {
  const { answer, refusal } = useAsked<{ readonly graph: Neighbourhood }>(
    api,
    { path: '/resource/relations', query: [['word', name]] },
    after,
  )
  const drawn = useMemo(() => (answer === undefined ? undefined : drawingOf(answer.graph, name)), [answer, name])
  if (refusal !== undefined) return <p class="refusal">{refusal}</p>
  if (answer === undefined || drawn === undefined) return <p class="muted">Reading the constraints …</p>
  const { edges, omitted } = answer.graph
  if (edges.length === 0) return <p class="muted">No constraint and no group ties {name} to another resource.</p>
  return (
    <>
      <Graph name={`Ties of ${name}`} vertices={drawn.vertices} lines={drawn.lines} />
      <p class="muted">
        Solid: order, the arrow goes to what comes later. Dashed: colocation, to where it is placed. Dotted: what is in
        it.
      </p>
      {omitted > 0 && <p class="muted">{omitted} more resources are tied to these, and are not drawn.</p>}
      <ul>
        {[...new Set(edges.map(({ text }) => text))].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  )
}

function drawingOf(
  { resources, edges }: Neighbourhood,
  name: string,
): { readonly vertices: readonly Vertex[]; readonly lines: readonly Line[] } {
  return {
    vertices: resources.map((id) => ({ id, text: id, kind: id === name ? 'own' : 'resource' })),
    lines: edges.map(({ from, to, kind, text }) => ({ from, to, kind: kinds[kind], title: text })),
  }
}
