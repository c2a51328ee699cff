/** From the values of a rollout file to its definition: by the schema, and what a schema cannot say. All mistakes are found, each with its field. */
import {
  checkBySchema,
  type FieldPath,
  failed,
  isMap,
  type Mistake,
  ok,
  parseDurationMs,
  type Result,
} from '../base/index.ts'
import {
  type FailurePolicy,
  type HoldKind,
  type Limit,
  type Meaning,
  type Requirement,
  type RolloutCommand,
  type RolloutDefinition,
  type Selector,
  type Stage,
  stages,
  type Window,
  weekdays,
} from './definition.ts'
import { parseExpression } from './expression.ts'
import { playbookOf } from './playbook.ts'
import { rolloutSchema } from './schema.ts'

type Fields = Readonly<Record<string, unknown>>

const day = 24 * 3_600_000
const longestTimeoutMs = 7 * day

export function readRollout(value: unknown): Result<RolloutDefinition, Mistake> {
  const bySchema = checkBySchema(value, rolloutSchema)
  if (bySchema.length > 0 || !isMap(value)) return failed(...bySchema)
  const mistakes: Mistake[] = []
  const definition = definitionOf(value, (path, sentence) => mistakes.push({ path, sentence }))
  return mistakes.length > 0 ? failed(...mistakes) : ok(definition)
}

type Report = (path: FieldPath, sentence: string) => void

function definitionOf(file: Fields, report: Report): RolloutDefinition {
  const waves = fieldsOf(file.waves)
  const steps = fieldsOf(file.steps)
  const window = file.window === undefined ? undefined : windowOf(fieldsOf(file.window), report)
  const order = listOf(waves.order).map(String)
  for (const [at, role] of order.entries())
    if (order.indexOf(role) < at) report(['waves', 'order', at], `The role '${role}' is in the list twice.`)
  return {
    name: String(file.rollout),
    version: String(file.version),
    nodes:
      file.nodes === 'all'
        ? [{ kind: 'all' }]
        : listOf(file.nodes).map((one, at) => selectorOf(fieldsOf(one), ['nodes', at], report)),
    ...(file.clusters !== undefined && { clusters: clustersOf(file.clusters, report) }),
    maxUnavailable: Number(waves['max-unavailable'] ?? 1),
    limits: listOf(waves.limits).map((one, at) => limitOf(fieldsOf(one), ['waves', 'limits', at], report)),
    order,
    ...(file.requires !== undefined && { requires: requirementsOf(file.requires, report) }),
    hold: (steps.hold ?? 'drain') as HoldKind,
    holdTimeoutMs: durationOf(steps['hold-timeout'] ?? '10min', ['steps', 'hold-timeout'], report),
    releaseTimeoutMs: durationOf(steps['release-timeout'] ?? '10min', ['steps', 'release-timeout'], report),
    commands: stages.flatMap((stage) =>
      listOf(steps[stage]).map((one, at) => commandOf({ stage, fields: fieldsOf(one) }, ['steps', stage, at], report)),
    ),
    onFailure: (file['on-failure'] ?? 'halt') as FailurePolicy,
    ...(window && { window }),
    ...(file['confirm-within'] !== undefined && {
      confirmWithinMs: durationOf(file['confirm-within'], ['confirm-within'], report),
    }),
  }
}

const fieldsOf = (value: unknown): Fields => (isMap(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function durationOf(value: unknown, path: FieldPath, report: Report): number {
  const ms = parseDurationMs(String(value)) ?? 0
  if (ms <= 0) report(path, 'The duration is too short.')
  if (ms > longestTimeoutMs) report(path, 'The duration is longer than seven days.')
  return ms
}

function selectorOf(fields: Fields, path: FieldPath, report: Report): Selector {
  if (typeof fields.role === 'string') return { kind: 'role', role: fields.role }
  if (typeof fields.where === 'string') {
    const expression = parseExpression(fields.where)
    if (typeof expression !== 'string') return { kind: 'where', text: fields.where, expression }
    report([...path, 'where'], `'${fields.where}' is not an expression on node attributes: ${expression}.`)
  } else if (fields.name === undefined) report(path, 'Specify one of name, role, where.')
  return { kind: 'names', names: Array.isArray(fields.name) ? fields.name.map(String) : [String(fields.name)] }
}

function clustersOf(value: unknown, report: Report): readonly (readonly string[])[] {
  const waves = listOf(value).map((wave) => (Array.isArray(wave) ? wave.map(String) : [String(wave)]))
  const seen = new Set<string>()
  for (const [at, wave] of waves.entries())
    for (const name of wave) {
      if (seen.has(name)) report(['clusters', at], `The cluster '${name}' is in the list twice.`)
      seen.add(name)
    }
  return waves
}

function requirementsOf(value: unknown, report: Report): readonly Requirement[] {
  const all = listOf(value).map((one): Requirement => {
    const { role, service, min } = fieldsOf(one)
    return service === undefined
      ? { role: String(role), min: Number(min) }
      : { service: String(service), min: Number(min) }
  })
  for (const [at, { role, service }] of all.entries())
    if (all.findIndex((one) => one.role === role && one.service === service) < at)
      report(
        ['requires', at, role === undefined ? 'service' : 'role'],
        `The ${role === undefined ? `service '${service}'` : `role '${role}'`} is in the list twice.`,
      )
  return all
}

function limitOf(fields: Fields, path: FieldPath, report: Report): Limit {
  const selector = selectorOf(fields, path, report)
  return { selector, label: labelOf(selector), maxUnavailable: Number(fields['max-unavailable']) }
}

export function labelOf(selector: Selector): string {
  switch (selector.kind) {
    case 'all':
      return 'all nodes'
    case 'names':
      return selector.names.join(', ')
    case 'role':
      return `role ${selector.role}`
    case 'where':
      return selector.text
  }
}

function commandOf(
  { stage, fields }: { readonly stage: Stage; readonly fields: Fields },
  path: FieldPath,
  report: Report,
): RolloutCommand {
  const played = playbookOf(fields, path, report)
  const argv = argvOf(fields.run)
  if (argv[0] === '') report([...path, 'run'], 'The program has no name.')
  const undo = fields.undo === undefined ? played?.undo : argvOf(fields.undo)
  if (undo?.[0] === '') report([...path, 'undo'], 'The program has no name.')
  const env = fieldsOf(fields.env) as Readonly<Record<string, string>>
  for (const name of Object.keys(env))
    if (name.startsWith('SYSTOLE_')) report([...path, 'env', name], 'Names that begin with SYSTOLE_ are reserved.')
  if (stage === 'validate' && undo !== undefined)
    report(
      [...path, fields.undo === undefined ? 'undo-playbook' : 'undo'],
      'A validation changes nothing and has no undo.',
    )
  return {
    stage,
    name: String(fields.name ?? nameFrom(fields.playbook ?? fields.run)),
    ...(played?.playbook && { playbook: played.playbook }),
    ...(played?.undoPlaybook !== undefined && { undoPlaybook: played.undoPlaybook }),
    argv: played?.argv ?? argv,
    ...(undo && { undo }),
    timeoutMs: durationOf(fields.timeout ?? '10min', [...path, 'timeout'], report),
    retries: Number(fields.retries ?? 0),
    retryDelayMs: durationOf(fields['retry-delay'] ?? '5s', [...path, 'retry-delay'], report),
    exitCodes: { ...played?.exitCodes, ...(fieldsOf(fields['exit-codes']) as Readonly<Record<string, Meaning>>) },
    env,
    reboots: fields.reboots === true,
    stopsCluster: fields['stops-cluster'] === true,
  }
}

const argvOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : ['/bin/sh', '-c', String(value)]

function nameFrom(run: unknown): string {
  const first = Array.isArray(run) ? String(run[0]) : (String(run).trim().split(/\s/)[0] ?? '')
  return first.slice(first.lastIndexOf('/') + 1) || 'command'
}

function windowOf(fields: Fields, report: Report): Window {
  const [from, to] = [minutesOf(fields.from), minutesOf(fields.to)]
  if (from === to) report(['window', 'to'], 'The window ends when it begins.')
  const days = listOf(fields.days).map((name) => (weekdays as readonly unknown[]).indexOf(name))
  return { from, to, days: days.length > 0 ? days : weekdays.map((_, at) => at) }
}

function minutesOf(value: unknown): number {
  const [hours, minutes] = String(value).split(':')
  return Number(hours) * 60 + Number(minutes)
}
