/** crm_verify: what is wrong with a configuration (crm_verify(8)). 78 where the cluster could not work with it. */
import {
  type CibReport,
  configurationElement,
  describeCibReport,
  parseXml,
  printXml,
  readConfiguration,
  validateCib,
  type XmlElement,
} from '../../cib/index.ts'
import { readStatus } from '../../status/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, hasOption, optionValue, valued } from '../options.ts'
import { refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

export const crmVerify: Tool = {
  name: 'crm_verify',
  exits: { noInput: exitCodes.error },
  summary: 'Check a configuration',
  options: [
    flag('live-check,L', 'The configuration of the running cluster'),
    { ...valued('xml-file,x', 'FILE', 'The configuration in a file'), file: 'read' },
    flag('xml-pipe,p', 'The configuration from standard input'),
    valued('xml-text,X', 'XML', 'The configuration as text'),
    { ...valued('save-xml,S', 'FILE', 'Save what was checked'), file: 'written' },
    flag('verbose,V', 'Also tell what may not be meant'),
    { ...flag('quiet,q', 'Nothing'), ignored: true },
  ],
  printsXml: true,
  runsHere: true,
  run,
}

function run(call: ParsedCall, world: ToolWorld): ToolReply {
  const cib = read(call, world)
  if ('exitCode' in cib) return cib
  const { errors, warnings } = judged(cib, world)
  const save = optionValue(call.given, 'save-xml')
  if (save !== undefined) call.files?.write(save, printXml(cib))
  const verbose = hasOption(call.given, 'verbose')
  const told = [...errors, ...(verbose ? warnings : [])]
  if (errors.length === 0)
    return { exitCode: exitCodes.ok, output: '', errors: told.map((line) => `${line}\n`).join(''), xml: [] }
  const last = [
    'crm_verify: Errors found during check: config not valid',
    ...(verbose ? [] : ['-V may provide more details']),
  ]
  return {
    exitCode: exitCodes.configuration,
    output: '',
    errors: [...told, ...last].map((line) => `${line}\n`).join(''),
    xml: [],
  }
}

/** Sentences that begin with `error:` and `warning:`. */
export function judged(
  cib: XmlElement,
  world: ToolWorld,
): { readonly errors: readonly string[]; readonly warnings: readonly string[] } {
  // Pacemaker's own answer: that Systole does without an option is `systole verify`'s to tell.
  const reports = validateCib(cib).filter(({ code }) => code !== 'without-effect')
  return {
    errors: [...reports.flatMap((report) => mistakeOf(report) ?? []), ...fencingMistakes(cib, world)],
    warnings: reports
      .filter((report) => mistakeOf(report) === undefined)
      .map((report) => `warning: ${describeCibReport(report)}`),
  }
}

function read(call: ParsedCall, world: ToolWorld): XmlElement | ToolReply {
  const { given } = call
  if (hasOption(given, 'live-check')) return world.cib()
  const file = optionValue(given, 'xml-file')
  const text =
    optionValue(given, 'xml-text') ??
    (file === undefined ? undefined : call.files?.read(file)) ??
    (hasOption(given, 'xml-pipe') ? call.files?.input() : undefined)
  if (text === undefined)
    return refused(exitCodes.error, 'crm_verify: No configuration source specified.  Use --help for usage information.')
  const parsed = parseXml(text)
  if (parsed.ok && parsed.value.name === 'cib') return parsed.value
  if (parsed.ok)
    return refused(
      exitCodes.protocol,
      'crm_verify: This tool can only check complete configurations (i.e. those starting with <cib>).',
    )
  const [report] = parsed.reports
  return refused(
    hasOption(given, 'xml-pipe') ? exitCodes.error : exitCodes.configuration,
    `crm_verify: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
  )
}

/** A cluster that may fence and has nothing to fence with starts nothing. */
function fencingMistakes(cib: XmlElement, world: ToolWorld): readonly string[] {
  if (configurationElement(cib).children.length === 0) return []
  const status = readStatus({ cib, configuration: readConfiguration(cib), now: world.now() })
  const devices = [...status.primitivesById.values()].some(({ agent }) => agent.class === 'stonith')
  if (!status.options.fencingEnabled || devices || status.options.haveWatchdog) return []
  return [
    'error: Resource start-up disabled since no STONITH resources have been defined',
    'error: Either configure some or disable STONITH with the stonith-enabled option',
    'error: NOTE: Clusters with shared data need STONITH to ensure data integrity',
  ]
}

/** As Debian's says it; two operations of one name and one interval are an error there. */
function mistakeOf(report: CibReport): string | undefined {
  if (report.code === 'same-operation')
    return `error: Operation ${report.id} is duplicate of ${report.first} (do not use same name and interval combination more than once per resource)`
  return report.severity === 'error' ? `error: ${describeCibReport(report)}` : undefined
}
