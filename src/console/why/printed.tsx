/** How the last operations of a resource ended on each node, and what the agents printed. */
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { clock, dayOf } from '../base/time.ts'

interface Ended {
  readonly at: string
  readonly node: string
  readonly resource: string
  readonly operation: string
  readonly intervalMs: number
  readonly status: string
  readonly rc: number
  /** What the exit code means. */
  readonly result: string
  readonly execMs: number
  readonly reason?: string
  readonly output: string
  readonly failed: boolean
}

const failureOf = ({ status, rc, result }: Ended): string =>
  status === 'done' ? `failed with '${result}' (${rc})` : `failed (${status})`

/** Asked once it is opened: all nodes are asked for it. */
export function Printed({ api, name }: { readonly api: Api; readonly name: string }) {
  const { answer, refusal, isAsking } = useAsked<{
    readonly operations: readonly Ended[]
    readonly missing: readonly string[]
    readonly remote: readonly string[]
  }>(api, { path: '/resource/history', query: [['word', name]] })
  return (
    <>
      {refusal !== undefined && <p class="refusal">{refusal}</p>}
      {answer === undefined && isAsking && <p class="muted">Asking the nodes …</p>}
      {answer?.operations.length === 0 && <p class="muted">No operations of {name} are recorded.</p>}
      <ul class="past">
        {[...(answer?.operations ?? [])].reverse().map((one) => (
          <li key={`${one.at} ${one.node} ${one.resource} ${one.operation}`} class={one.failed ? 'critical' : ''}>
            {dayOf(Date.parse(one.at))} {clock(Date.parse(one.at))} {one.failed && <span aria-hidden="true">✕ </span>}
            {one.operation} {one.resource} on {one.node}: {one.failed ? failureOf(one) : 'as expected'} in{' '}
            {(one.execMs / 1000).toFixed(1)} s{one.reason !== undefined && `: ${one.reason}`}
            {one.output.trim() !== '' && (
              <details open={one.failed}>
                <summary>What the agent printed</summary>
                {/* It can be wider than the panel, and is scrolled by keys as well. */}
                <section class="printed" tabindex={0} aria-label={`Output of ${one.operation} on ${one.node}`}>
                  <pre>{one.output.trimEnd()}</pre>
                </section>
              </details>
            )}
          </li>
        ))}
      </ul>
      {answer !== undefined && answer.remote.length > 0 && (
        <p class="muted">The output of the agent on {answer.remote.join(', ')} is in the log of the daemon there.</p>
      )}
      {answer !== undefined && answer.missing.length > 0 && (
        <p class="muted">Without {answer.missing.join(', ')}, which did not answer.</p>
      )}
    </>
  )
}
