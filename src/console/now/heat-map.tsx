/** Remote nodes by the hundred: a tile for each, by its state. */
import type { NodeFacts, StatusFacts } from '../../cli/index.ts'
import { Shape } from '../base/mark.tsx'
import { linkTo } from '../base/route.ts'
import { stateOfNode } from './picture.ts'

export function HeatMap({
  nodes,
  status,
  selected,
}: {
  readonly nodes: readonly NodeFacts[]
  readonly status: StatusFacts
  readonly selected: string | undefined
}) {
  const counts = new Map<string, number>()
  const states = nodes.map((node) => ({ node, state: stateOfNode(node, status.fencing, status) }))
  for (const { state } of states) counts.set(state.word, (counts.get(state.word) ?? 0) + 1)
  const running = new Map<string, number>()
  for (const { nodes: places } of status.resources)
    for (const place of places) running.set(place, (running.get(place) ?? 0) + 1)
  return (
    <section aria-labelledby="remote-title">
      <div class="section-head">
        <h2 id="remote-title">Remote nodes</h2>
        <span class="muted">{[...counts].map(([word, count]) => `${count} ${word}`).join(', ')}</span>
      </div>
      <ul class="heat">
        {states.map(({ node, state }) => {
          const told = `${node.name}: ${state.word}, ${running.get(node.name) ?? 0} resources`
          return (
            <li key={node.name}>
              <a
                href={linkTo('now', node.name)}
                class={`tile is-${state.mark} ${node.name === selected ? 'selected' : ''}`}
                title={told}
                aria-label={told}
              >
                <Shape mark={state.mark} />
              </a>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
