/** The score of each node, and where it comes from: what the scheduler has added up. */
import type { ResourceExplanation } from '../../cli/index.ts'

type Instance = ResourceExplanation['instances'][number]

export function Scores({ instances }: { readonly instances: readonly Instance[] }) {
  const scored = instances.filter(({ nodes }) => nodes.length > 0)
  if (scored.length === 0) return null
  return (
    <details open>
      <summary>Scores</summary>
      {scored.map((instance) => (
        <ScoreTable key={instance.id} instance={instance} isOne={scored.length === 1} />
      ))}
    </details>
  )
}

function ScoreTable({
  instance: { id, nodes, next },
  isOne,
}: {
  readonly instance: Instance
  readonly isOne: boolean
}) {
  return (
    <table class="scores">
      <caption class={isOne ? 'sr' : ''}>Scores of {id}</caption>
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col" class="number">
            Score
          </th>
          <th scope="col">Sources</th>
        </tr>
      </thead>
      <tbody>
        {nodes.map(({ node, score, unavailable, contributions }) => (
          <tr key={node}>
            <th scope="row">
              {node}
              {node === next.node && <span class="good"> ✓ chosen</span>}
              {unavailable !== undefined && <span class="critical"> {unavailable}</span>}
            </th>
            <td class="number">{score === undefined ? 'not allowed' : scoreText(score)}</td>
            <td>
              {contributions.length === 0 && <span class="muted">none</span>}
              <ul>
                {contributions.map(({ text }) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const infinity = 1_000_000

const scoreText = (score: number): string =>
  score >= infinity ? 'INFINITY' : score <= -infinity ? '-INFINITY' : String(score)
