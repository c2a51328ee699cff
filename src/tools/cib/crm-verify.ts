/** crm_verify: what is wrong with a configuration (crm_verify(8)). 78 where the cluster could not work with it. */
import { utcOffsetAt } from '../../base/index.ts'
import {
  type CibReport,
  configurationElement,
  describeCibReport,
  parseXml,
  printXml,
  schemaMistakes,
  validateCib,
  type XmlElement,
} from '../../cib/index.ts'
import { type ClusterStatus, statusOfCib } from '../../status/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, hasOption, optionValue, valued } from '../options.ts'
import { refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import { schemaName } from '../version.ts'
import type { ToolWorld } from '../world.ts'
import { isSchemaName, namesInTag } from './conforming.ts'
import { type Finding, schedulerFindings } from './scheduler-findings.ts'

export const crmVerify: Tool = {
  name: 'crm_verify',
  exits: { noInput: exitCodes.configuration },
  summary: 'Check a configuration',
  options: [
    flag('live-check,L', 'The configuration of the running cluster'),
    { ...valued('xml-file,x', 'FILE', 'The configuration in a file'), file: 'read' },
    flag('xml-pipe,p', 'The configuration from standard input'),
    valued('xml-text,X', 'XML', 'The configuration as text'),
    { ...valued('save-xml,S', 'FILE', 'Save what was checked'), file: 'written' },
    flag('verbose,V', 'Also report likely mistakes'),
    flag('quiet,q', 'Leave out the last line, which says that it is invalid'),
  ],
  printsXml: true,
  runsHere: true,
  needsNoCib: (given) => !hasOption(given, 'live-check'),
  run,
}

function run(call: ParsedCall, world: ToolWorld): ToolReply {
  const cib = read(call, world)
  if ('exitCode' in cib) return cib
  const { errors, warnings, remarks } = judged(cib, world)
  const save = optionValue(call.given, 'save-xml')
  if (save !== undefined) call.files?.write(save, printXml(cib))
  const verbose = hasOption(call.given, 'verbose')
  const told = [...errors, ...(verbose ? [...warnings, ...remarks] : [])]
  const isValid = errors.length === 0 && warnings.length === 0
  const kind = errors.length > 0 ? 'errors' : 'warnings'
  const last =
    isValid || hasOption(call.given, 'quiet')
      ? []
      : [`Configuration invalid (with ${kind})${verbose ? '' : ' (-V may provide more detail)'}`]
  return {
    exitCode: isValid ? exitCodes.ok : exitCodes.configuration,
    output: '',
    errors: [...told, ...last].map((line) => `${line}\n`).join(''),
    xml: [],
  }
}

interface Judgement {
  /** They begin with `error:`. */
  readonly errors: readonly string[]
  /** Pacemaker refuses a configuration with these as well. They begin with `warning:`, as remarks do. */
  readonly warnings: readonly string[]
  /** Said, and no reason to refuse it. */
  readonly remarks: readonly string[]
}

export function judged(cib: XmlElement, world: ToolWorld): Judgement {
  // Pacemaker's own answer: that Systole does without an option, or knows none of that name, is `systole verify`'s to tell.
  const reports = validateCib(cib).filter(
    ({ code, severity }) =>
      code !== 'without-effect' && code !== 'unknown-option' && !(code === 'bad-value' && severity === 'warning'),
  )
  const inSchema = schemaFindings(cib)
  const status = statusOfCib({ cib, now: world.now(), utcOffsetAt })
  const found = schedulerFindings(status, cib)
  const lines = (severity: Finding['severity']): readonly string[] =>
    [...inSchema, ...found].flatMap((one) =>
      one.severity === severity ? [`${severity === 'error' ? 'error' : 'warning'}: ${one.text}`] : [],
    )
  return {
    errors: [
      ...reports.flatMap((report) => mistakeOf(report) ?? []),
      ...lines('error'),
      ...fencingMistakes(cib, status),
    ],
    warnings: lines('warning'),
    remarks: [
      ...lines('remark'),
      ...reports
        .filter((report) => mistakeOf(report) === undefined)
        .map((report) => `warning: ${describeCibReport(report)}`),
    ],
  }
}

/** What `validate-with` names, and what that does not allow. */
function schemaFindings(cib: XmlElement): readonly Finding[] {
  const schema = cib.attributes['validate-with']
  if (schema === 'none')
    return [
      {
        severity: 'warning',
        text: "Support for validate-with='none' is deprecated and will be removed in a future release without the possibility of upgrades (manually edit to use a supported schema)",
      },
    ]
  if (schema === undefined || !isSchemaName(schema))
    return [
      {
        severity: 'error',
        text: `Cannot validate CIB with ${schema === undefined ? 'missing' : 'unknown'} validate-with (manually edit to use a known schema, such as ${schemaName})`,
      },
    ]
  return schemaMistakes(cib).map((text) => ({ severity: 'error', text }))
}

function read(call: ParsedCall, world: ToolWorld): XmlElement | ToolReply {
  const { given } = call
  const file = optionValue(given, 'xml-file')
  const text =
    optionValue(given, 'xml-text') ??
    (file === undefined ? undefined : call.files?.read(file)) ??
    (hasOption(given, 'xml-pipe') ? call.files?.input() : undefined)
  if (text === undefined && hasOption(given, 'live-check')) return world.cib()
  if (text === undefined) return refused(exitCodes.error, 'crm_verify: No input specified')
  const parsed = parseXml(text)
  if (parsed.ok && parsed.value.name === 'cib') return parsed.value
  if (parsed.ok)
    return refused(
      exitCodes.configuration,
      `Input is not a CIB (outermost element is ${parsed.value.name} not cib)\nConfiguration invalid`,
    )
  const [report] = parsed.reports
  return refused(
    exitCodes.configuration,
    `crm_verify: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
  )
}

/** A cluster that may fence and has nothing to fence with starts nothing. */
function fencingMistakes(cib: XmlElement, status: ClusterStatus): readonly string[] {
  if (configurationElement(cib).children.length === 0) return []
  const devices = [...status.primitivesById.values()].some(({ agent }) => agent.class === 'stonith')
  if (!status.options.fencingEnabled || devices || status.options.haveWatchdog) return []
  return [
    'error: Resource start-up disabled since no STONITH resources have been defined',
    'error: Either configure some or disable STONITH with the stonith-enabled option',
    'error: NOTE: Clusters with shared data need STONITH to ensure data integrity',
  ]
}

/** As Pacemaker says it; two operations of one name and one interval are an error there. */
function mistakeOf(report: CibReport): string | undefined {
  if (report.code === 'same-operation')
    return `error: Operation ${report.id} is duplicate of ${report.first} (do not use same name and interval combination more than once per resource)`
  if (isReadOver(report)) return undefined
  return report.severity === 'error' ? `error: ${describeCibReport(report)}` : undefined
}

/** Of meta-attributes, these must be words that the scheduler knows. */
const strictMeta = new Set([
  'multiple-active',
  'on-fail',
  'migration-threshold',
  'priority',
  'requires',
  'resource-stickiness',
  'target-role',
])

/** Pacemaker goes on with a default or without, and has no word for it: loops of orders, wrong durations and booleans of resources, wrong numbers for placement. */
function isReadOver(report: CibReport): boolean {
  if (report.code === 'order-loop' || namesInTag(report)) return true
  if (report.code !== 'bad-value') return false
  const { path, name, value } = report
  if (path.includes('/utilization[')) return true
  if (path.includes('/meta_attributes[')) return !strictMeta.has(name)
  if (name === 'batch-limit') return /^-\d+$/.test(value)
  return name === 'fencing-watchdog-timeout' || (name === 'interval' && /\/op\[[^/]*$/.test(path))
}
