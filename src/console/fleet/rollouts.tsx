/** Rollouts over clusters that this cluster coordinates: those under way, or else the last one. */
import type { FleetRolloutsFacts } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { Command } from '../base/command.tsx'

type Over = FleetRolloutsFacts['fleet'][number]

export function Rollouts({ api, turn }: { readonly api: Api; readonly turn: number }) {
  const { answer } = useAsked<FleetRolloutsFacts>(api, { path: '/rollout/status' }, turn)
  const fleet = answer?.fleet ?? []
  if (fleet.length === 0) return null
  return (
    <section class="rollouts" aria-labelledby="rollouts-title">
      <h2 id="rollouts-title">Rollouts over clusters</h2>
      {fleet.map((one) => (
        <Rollout key={one.id} rollout={one} />
      ))}
    </section>
  )
}

function Rollout({ rollout: { id, name, version, state, why, clusters } }: { readonly rollout: Over }) {
  return (
    <article>
      <h3>
        {id} {name} {version}: {state}
      </h3>
      {why !== undefined && <p>{why}</p>}
      <table>
        <thead>
          <tr>
            {['Wave', 'Cluster', 'State', 'Done', 'Why'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clusters.map((one) => (
            <tr key={one.cluster}>
              <td>{one.wave}</td>
              <th scope="row">{one.cluster}</th>
              <td>{one.state}</td>
              <td>{one.nodes}</td>
              <td>{one.why}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <NextStep id={id} state={state} />
    </article>
  )
}

function NextStep({ id, state }: Pick<Over, 'id' | 'state'>) {
  if (state === 'unconfirmed') return <Command text={`systole rollout confirm ${id}`} />
  if (state !== 'halted' && state !== 'paused') return null
  return (
    <p class="next">
      <Command text={`systole rollout resume ${id}`} /> <Command text={`systole rollout abort ${id}`} />
    </p>
  )
}
