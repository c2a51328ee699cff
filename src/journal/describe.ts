/** Events and incidents in words. */
import { assertNever } from '../base/index.ts'
import type { Happening } from './event.ts'
import type { Away, Incident } from './incidents.ts'

export function describeHappening(what: Happening): string {
  switch (what.kind) {
    case 'begun':
      return 'the journal begins'
    case 'node':
      return nodeWords[what.became](what.node)
    case 'dc':
      return `${what.node} is the DC`
    case 'quorum':
      return `${what.node} ${what.quorate ? 'has' : 'lost'} quorum`
    case 'configuration':
      return `version ${what.version} of the configuration`
    case 'fencing':
      return describeFencing(what)
    case 'operation':
      return describeOperation(what)
    case 'transition':
      return `transition ${what.transition}: ${what.done} ${what.done === 1 ? 'action' : 'actions'} in ${seconds(what.tookMs)}`
    case 'decision':
      return describeDecision(what)
    case 'call':
      return `${what.user} at ${what.from}${what.certificate === undefined ? '' : ` (certificate ${what.certificate})`}: ${what.command ?? inWords(what.call)}`
    default:
      return assertNever(what)
  }
}

function describeDecision({ number, doing, blocked }: Extract<Happening, { kind: 'decision' }>): string {
  if (blocked !== undefined) return `transition ${number} is blocked: ${blocked.join('; ')}`
  const others = doing.length - mostNamed
  return `transition ${number}: ${doing.slice(0, mostNamed).join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

/** `fenceNode` is a name of ours. */
const inWords = (call: string): string => call.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const nodeWords = {
  member: (node: string) => `${node} joined`,
  left: (node: string) => `${node} left`,
  lost: (node: string) => `${node} was lost`,
} as const

function describeFencing(what: Extract<Happening, { kind: 'fencing' }>): string {
  const { target, action, outcome, client, runner, message } = what
  const how = `fencing (${action}) of ${target}${client === undefined ? '' : ` for ${client}`}`
  if (outcome === 'pending') return `${how} began`
  const by = runner === undefined ? '' : ` by ${runner}`
  return outcome === 'succeeded'
    ? `${how} succeeded${by}`
    : `${how} failed${message === undefined ? '' : `: ${message}`}`
}

function describeOperation(what: Extract<Happening, { kind: 'operation' }>): string {
  const { resource, node, operation, intervalMs, rc, expected, status, result, reason, execMs } = what
  const name = intervalMs > 0 ? `${operation} every ${intervalMs / 1000} s` : operation
  const told = reason === undefined ? '' : `: ${reason}`
  if (status === 0 && rc === expected) return `${resource}: ${name} on ${node}: ${result}, ${seconds(execMs)}`
  return `${resource}: ${name} on ${node} failed with '${result}' (${rc})${told}`
}

/** One line: what happened first, what was done about it, and what it meant for services. */
export function describeIncident(incident: Incident): string {
  const { cause, events, away, after } = incident
  const parts = [describeHappening(cause.what)]
  const target = cause.what.kind === 'node' ? cause.what.node : undefined
  for (const { what, at } of events) {
    if (what.kind !== 'fencing' || what === cause.what || what.outcome === 'pending') continue
    if (target !== undefined && what.target !== target) continue
    const spent = seconds(at - cause.at)
    parts.push(
      what.outcome === 'succeeded'
        ? `${what.target} was fenced (${what.action}) after ${spent}`
        : describeHappening(what),
    )
  }
  const quorum = events.find(({ what }) => what.kind === 'quorum' && !what.quorate && what !== cause.what)
  if (quorum) parts.push(describeHappening(quorum.what))
  parts.push(...describeAway(away))
  const before = after === undefined ? '' : ` (just after version ${after} of the configuration)`
  return `${parts.join('; ')}${before}`
}

const mostNamed = 3

function describeAway(away: readonly Away[]): readonly string[] {
  const worst = byResource(away).sort((a, b) => Number(b.still) - Number(a.still) || b.ms - a.ms)
  const named = worst.slice(0, mostNamed).map(describeOne)
  const others = worst.length - named.length
  if (others === 0) return named
  return [...named, others === 1 ? '1 more resource was away' : `${others} more resources were away`]
}

const describeOne = ({ resource, ms, still, times }: AllAway): string => {
  if (still) return `${resource} is away`
  return times === 1
    ? `${resource} was away for ${seconds(ms)}`
    : `${resource} was away ${times} times, ${seconds(ms)} in all`
}

interface AllAway extends Away {
  readonly times: number
}

/** A resource that went away several times is one line. */
function byResource(away: readonly Away[]): AllAway[] {
  const all = new Map<string, AllAway>()
  for (const { resource, ms, still } of away) {
    const before = all.get(resource)
    all.set(resource, {
      resource,
      ms: ms + (before?.ms ?? 0),
      still: still || before?.still === true,
      times: 1 + (before?.times ?? 0),
    })
  }
  return [...all.values()]
}

export const seconds = (ms: number): string =>
  ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`

/** How long after the beginning, or before it: the clocks of two nodes differ. */
export const sinceBegin = (ms: number): string => `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1000).toFixed(3)} s`
