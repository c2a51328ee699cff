/** What a run found, as a table for people and as facts for `--json`; and which of the facts are not as they must be. */
import { failuresDespiteOneRetry, type Gap, longestGapMs, type ServiceAnswer } from './gaps.ts'
import { type Account, services } from './load.ts'
import type { Scenario, Service } from './scenarios.ts'
import type { Happening } from './timeline-svg.ts'

export interface Run {
  readonly scenario: Scenario
  readonly window: Gap
  readonly happenings: readonly Happening[]
}

export interface Report {
  readonly scenarios: readonly {
    readonly name: string
    readonly title: string
    readonly services: readonly {
      readonly service: Service
      readonly tries: number
      readonly longestGapMs: number
      readonly boundMs: number
      /** Failures of two tries in a row. */
      readonly failuresDespiteOneRetry: number
    }[]
  }[]
  readonly acknowledged: Account
  /** What is not as it must be, a sentence each. */
  readonly violations: readonly string[]
}

export function report(runs: readonly Run[], answers: readonly ServiceAnswer[], account: Account): Report {
  const found = runs.map(({ scenario, window }) => ({
    name: scenario.name,
    title: scenario.title,
    services: services.map((service) => {
      const own = answers.filter((answer) => answer.service === service)
      return {
        service,
        tries: own.filter(({ asked }) => asked >= window.from && asked < window.to).length,
        longestGapMs: longestGapMs(own, window),
        boundMs: scenario.boundsS[service] * 1000,
        failuresDespiteOneRetry: failuresDespiteOneRetry(own, window),
      }
    }),
  }))
  const tooLong = found.flatMap((each) =>
    each.services
      .filter(({ longestGapMs: gap, boundMs }) => gap > boundMs)
      .map(
        ({ service, longestGapMs: gap, boundMs }) =>
          `'${service}' was away for ${seconds(gap)} when ${each.title}; it may be for ${seconds(boundMs)}.`,
      ),
  )
  const mustStay = (['tokens', 'rows', 'messages'] as const).filter(
    (kind) => kind !== 'messages' || runs.every(({ scenario }) => scenario.keepsMessages),
  )
  const lost = mustStay
    .filter((kind) => account[kind].lost > 0)
    .map((kind) => `${account[kind].lost} of ${account[kind].acknowledged} acknowledged ${kind} are lost.`)
  const never = mustStay
    .filter((kind) => account[kind].acknowledged === 0)
    .map((kind) => `No client ever got any ${kind}: nothing was measured.`)
  return { scenarios: found, acknowledged: account, violations: [...tooLong, ...lost, ...never] }
}

export function printReport({ scenarios, acknowledged, violations }: Report): string {
  const first = Math.max(...services.map(({ length }) => length))
  const head = ['longest gap'.padEnd(first), ...scenarios.map(({ name }) => name.padStart(16))].join('  ')
  const rows = services.map((service) =>
    [
      service.padEnd(first),
      ...scenarios.map((each) => {
        const found = each.services.find((one) => one.service === service)
        if (!found) return ''.padStart(16)
        const { longestGapMs: gap, failuresDespiteOneRetry: errors } = found
        return `${seconds(gap)}${errors === 0 ? '' : ` (${errors})`}`.padStart(16)
      }),
    ].join('  '),
  )
  const kept = Object.entries(acknowledged).map(
    ([kind, { acknowledged: count, lost }]) => `${kind}: ${count} acknowledged, ${lost} lost`,
  )
  const verdict =
    violations.length === 0 ? ['Everything is as it must be.'] : violations.map((each) => `WRONG: ${each}`)
  const note = '(in brackets: tries that failed although the one before had failed too)'
  return [head, ...rows, note, '', ...kept, '', ...verdict, ''].join('\n')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
