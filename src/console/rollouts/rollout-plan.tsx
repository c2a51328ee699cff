/** What a rollout would do, by its plan: waves, what moves, interruptions, and what speaks against it. */
import type { FleetPlan, RolloutPlan } from '../../cli/index.ts'

export type Plan = RolloutPlan | FleetPlan

export const isOverClusters = (plan: Plan): plan is FleetPlan => 'clusters' in plan

export function PlanOfRollout({ plan }: { readonly plan: Plan }) {
  const { definition, refusals } = plan
  return (
    <div class={refusals.length > 0 ? 'effects refusal' : 'effects'} role={refusals.length > 0 ? 'alert' : 'status'}>
      <h3>
        {definition.name} {definition.version}
      </h3>
      {refusals.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {isOverClusters(plan) ? <Clusters plan={plan} /> : <Waves plan={plan} />}
    </div>
  )
}

const seconds = (ms: number, isUnknown: boolean): string =>
  `${isUnknown ? 'more than ' : ''}${(ms / 1000).toFixed(1)} s`

function Waves({ plan }: { readonly plan: RolloutPlan }) {
  const { waves, already, interruptions, notes, definition } = plan
  return (
    <>
      {already.length > 0 && (
        <p>
          {definition.version} already: {already.join(', ')}
        </p>
      )}
      {waves.map(({ role, groups, waiting }, at) => (
        <section key={at}>
          <h4>
            Wave {at + 1}
            {role !== undefined && ` (role ${role})`}
          </h4>
          <ul>
            {groups.map(({ nodes, held, released }) => (
              <li key={nodes.join(' ')}>
                {nodes.join(', ')}: {[...held, ...released].map(({ text }) => text).join('; ') || 'nothing moves'}
              </li>
            ))}
            {waiting.map(({ node, why }) => (
              <li key={node}>
                {node} waits: {why}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p>
        {interruptions.length === 0
          ? 'No resource is interrupted.'
          : `Interrupted, by recorded times: ${interruptions
              .map(
                ({ resource, times, longestMs, isUnknown }) =>
                  `${resource} ${times === 1 ? 'once' : `${times} times`}, longest ${seconds(longestMs, isUnknown)}`,
              )
              .join('; ')}.`}
      </p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  )
}

function Clusters({ plan: { clusters } }: { readonly plan: FleetPlan }) {
  return (
    <ul>
      {clusters.map(({ cluster, wave, answer }) => (
        <li key={cluster}>
          Wave {wave + 1}: {cluster},{' '}
          {answer.kind === 'failed'
            ? answer.why
            : answer.plan.waves
                .map(({ groups }) => groups.map((nodes) => nodes.join(' and ')).join(', then '))
                .join('; ')}
        </li>
      ))}
    </ul>
  )
}
