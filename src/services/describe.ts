/** Services in words. Reasons come from agents and checks. */
import { printable } from '../base/index.ts'
import type { Service, ServiceInstance } from './catalogue.ts'
import { healthyOf } from './catalogue.ts'
import type { Verified } from './health.ts'

/** `2 of 3 healthy` */
export const countOf = (service: Service): string => `${healthyOf(service).length} of ${service.expected} healthy`

/** `n1: failing (monitor of web has failed: not running)` */
export function describeInstance({ resource, node, state, reason }: ServiceInstance): string {
  return `${node === undefined ? resource : `${resource} on ${node}`}: ${state}${reason === undefined ? '' : ` (${printable(reason)})`}`
}

/** `verified within the last 10 s by its monitor`; a result that is recorded once stands until another one is. */
export function describeVerified({ by, everyMs, since }: Verified, now: number): string {
  const who = by === 'check' ? 'by its check' : by === 'monitor' ? 'by its monitor' : 'by its start'
  if (everyMs !== undefined) return `verified at most ${seconds(everyMs / 1000)} ago ${who}`
  return since === undefined ? `verified ${who}` : `verified ${seconds(Math.max(0, now - since))} ago ${who}`
}

const seconds = (number: number): string => `${Number(number.toFixed(1))} s`

/** How many whoever names no number waits for: all that are expected, and never none. A resource that is disabled has nobody to talk to. */
export const awaitedOf = (service: Service): number => Math.max(1, service.expected)

/** Undefined once that many are healthy; otherwise a sentence, and one for each instance that is missing. */
export function missing(service: Service, min: number): readonly string[] | undefined {
  const healthy = healthyOf(service).length
  if (healthy >= min) return undefined
  const others = service.instances.filter(({ state }) => state !== 'healthy').map((one) => `  ${describeInstance(one)}`)
  const most = service.instances.length
  const few =
    most < min
      ? [`  ${service.definition.resource} has ${most} instance${most === 1 ? '' : 's'}: ${min} can never be healthy`]
      : []
  return [`${service.definition.name}: ${healthy} of ${min} healthy`, ...others, ...few]
}
