/** crm_simulate: what the cluster would do (crm_simulate(8)). It is the scheduler itself that answers. */
import { childElement, childElements, parseXml, printXml, readConfiguration, type XmlElement } from '../../cib/index.ts'
import {
  momentOf,
  type OperationSpec,
  parseOperationSpec,
  printAllocations,
  questionMistakes,
  simulateCib,
  type WhatIf,
} from '../../scheduler/index.ts'
import { parseMoment, utc } from '../../status/index.ts'
import { isSchemaName, schemaTrouble } from '../cib/conforming.ts'
import { exitCodes } from '../exit-codes.ts'
import { always, flag, type GivenOption, hasOption, notDone, type OptionSpec, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool, Writing } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { profile } from './profile.ts'
import { simulationElements } from './xml.ts'

const written = (option: OptionSpec): OptionSpec => ({ ...option, file: 'written' })

export const crmSimulate: Tool = {
  name: 'crm_simulate',
  summary: 'Show what the cluster would do',
  options: [
    flag('live-check,L', 'From the state of the running cluster'),
    { ...valued('xml-file,x', 'FILE', 'From a CIB in a file'), file: 'read' },
    flag('xml-pipe,p', 'From a CIB on standard input'),
    flag('run,R', 'Show what would be done'),
    flag('simulate,S', 'Show what would be done and the status that it leads to'),
    flag('in-place,X', 'And write that to the file'),
    flag('show-scores,s', 'Show the scores'),
    flag('show-utilization,U', 'Show utilization'),
    flag('show-attrs,A', 'Show node attributes'),
    flag('show-failcounts,c', 'Show fail counts'),
    valued('node-up,u', 'NODE', 'Assume that the node is online'),
    valued('node-down,d', 'NODE', 'Assume that the node has left cleanly'),
    valued('node-fail,f', 'NODE', 'Assume that the node is lost'),
    valued('op-inject,i', 'OPERATION', 'Assume that this operation happened: web_monitor_10000@alpha=7'),
    valued('op-fail,F', 'OPERATION', 'Assume that this operation fails: web_start_0@alpha=1'),
    valued('quorum,q', 'BOOLEAN', 'Assume that the cluster has quorum, or not'),
    valued('watchdog,w', 'BOOLEAN', 'Assume that there is a watchdog, or none'),
    valued('ticket-grant,g', 'TICKET', 'Assume that the ticket is granted'),
    valued('ticket-revoke,r', 'TICKET', 'Assume that the ticket is revoked'),
    valued('ticket-standby,b', 'TICKET', 'Assume that the ticket is in standby'),
    valued('ticket-activate,e', 'TICKET', 'Assume that the ticket is active again'),
    valued('set-datetime,t', 'DATE', 'The moment for which rules are evaluated'),
    written(valued('save-graph,G', 'FILE', 'Write the transition graph as XML')),
    written(valued('save-dotfile,D', 'FILE', 'Write the graph as Graphviz dot')),
    written(valued('save-input,I', 'FILE', 'Write the CIB that it begins with')),
    written(valued('save-output,O', 'FILE', 'Write the CIB that it leads to')),
    valued('profile,P', 'FOLDER', 'How long it takes for each CIB in a folder'),
    valued('repeat,N', 'NUMBER', 'How often each (with --profile); the time is that of all'),
    flag('quiet,Q', 'Show only the requested sections'),
    always('pending,j', 'operations that are under way are shown'),
    notDone('all-actions,a', 'a graph shows what is part of the transition'),
  ],
  runsHere: true,
  printsXml: true,
  tellsErrorsBeside: true,
  exits: { noInput: exitCodes.dataError, format: exitCodes.noSuchObject, noOutput: exitCodes.noSuchObject },
  run: (call, world) => (hasOption(call.given, 'profile') ? profile(call, world) : run(call, world)),
}

async function run(call: ParsedCall, world: ToolWorld): Promise<ToolReply> {
  const { given } = call
  const source = readSource(call, world)
  if ('exitCode' in source) return source
  const { 'validate-with': schema } = source.attributes
  // Without a schema that it knows, it cannot bring the CIB to the newest.
  if (schema === undefined || !isSchemaName(schema))
    return refused(exitCodes.error, `crm_simulate: there is no schema '${schema ?? ''}'`)
  const broken = schemaTrouble(source) ?? withoutConfiguration(source)
  if (broken !== undefined) return refused(exitCodes.configuration, `crm_simulate: ${broken}`)
  const { now, dateLine } = momentAsked(given, source, world)
  const whatIf = readQuestion(given, source)
  const mistakes = [
    ...questionMistakes(source, { ...whatIf, results: [] }, { now }),
    ...(whatIf.results ?? []).flatMap(({ node }) => (isNode(source, node) ? [] : [`There is no node '${node}'.`])),
  ]
  if (mistakes.length > 0) return refused(exitCodes.noSuchObject, `crm_simulate: ${mistakes.join(' ')}`)
  const { read: failures } = operations(given, 'op-fail')
  const { unread: unreadResults } = operations(given, 'op-inject')
  const fails = hasOption(given, 'op-fail')
  const plays = ['simulate', 'in-place', 'save-output'].some((name) => hasOption(given, name)) || fails
  // Only to save what it leads to, the way there is not told.
  const tellsPlay = ['simulate', 'in-place'].some((name) => hasOption(given, name)) || fails
  const plans =
    plays ||
    ['run', 'save-graph', 'save-dotfile', 'show-scores', 'show-utilization'].some((name) => hasOption(given, name))
  const shown = {
    attributes: hasOption(given, 'show-attrs'),
    failCounts: hasOption(given, 'show-failcounts'),
    utilization: hasOption(given, 'show-utilization'),
    scores: hasOption(given, 'show-scores'),
  }
  const texts = simulateCib({
    cib: source,
    now,
    md5: world.md5,
    showScores: shown.scores,
    isSanitized: !hasOption(given, 'live-check'),
    keepsResult: plays,
    failures,
    whatIf,
    planOnly: !tellsPlay,
    ...(dateLine === undefined ? {} : { dateLine }),
    show: shown,
  })
  save(call, texts)
  await playOnShadow(call, world, { texts, isAsked: plays && tellsPlay })
  const errors = unreadResults.map((text) => `${whyUnread(text)}\n`).join('')
  if (optionValue(given, 'output-as') === 'xml') {
    return {
      ...printed('', simulationElements(texts, { cib: source, whatIf }, { ...shown, plans, plays: tellsPlay })),
      errors,
    }
  }
  if (hasOption(given, 'quiet')) return { ...printed(quietAllocations(texts.simulation, shown)), errors }
  // That nothing is validated is no part of what is asked.
  const told = texts.summary.replace(/^Schema validation of configuration is disabled .*\n/, '')
  // Without a word on the transition, the status alone was asked for.
  return { ...printed(plans ? told : (told.split('\nTransition Summary:')[0] ?? '')), errors }
}

/** Scores go without a title, for scripts; utilization alone has its own. */
function quietAllocations(
  simulation: ReturnType<typeof simulateCib>['simulation'],
  shown: { readonly scores: boolean; readonly utilization: boolean },
): string {
  const lines = printAllocations(simulation, shown)
  if (lines.length === 0) return ''
  const listed =
    shown.scores || !shown.utilization ? lines : ['Utilization Information:', ...lines.map((line) => `  * ${line}`)]
  return `${listed.join('\n')}\n`
}

/** A date that is none is told as if it were taken, and the present counts. */
function momentAsked(
  given: readonly GivenOption[],
  source: XmlElement,
  world: ToolWorld,
): { readonly now: number; readonly dateLine?: string } {
  const date = optionValue(given, 'set-datetime')
  if (date !== undefined && parseMoment(date, { now: 0, utcOffsetAt: utc }) === undefined)
    return { now: world.now(), dateLine: `Setting effective cluster time: ${date}` }
  const moment = momentOf(source.attributes['execution-date'], date)
  return moment === undefined ? { now: world.now() } : { now: moment.seconds, dateLine: moment.line }
}

function withoutConfiguration(cib: XmlElement): string | undefined {
  return childElement(cib, 'configuration') === undefined ? 'there is no <configuration>' : undefined
}

function readSource(call: ParsedCall, world: ToolWorld): XmlElement | ToolReply {
  const file = optionValue(call.given, 'xml-file')
  const text =
    (file === undefined ? undefined : call.files?.read(file)) ??
    (hasOption(call.given, 'xml-pipe') ? call.files?.input() : undefined)
  if (text === undefined) return world.cib()
  const parsed = parseXml(text)
  if (parsed.ok && parsed.value.name === 'cib') return parsed.value
  if (parsed.ok)
    return refused(exitCodes.noInput, `crm_simulate: ${file ?? 'the input'} holds <${parsed.value.name}>, not a CIB.`)
  const [report] = parsed.reports
  return refused(
    exitCodes.dataError,
    `crm_simulate: ${file ?? 'the input'}: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
  )
}

function all(given: readonly GivenOption[], name: string): readonly string[] {
  return given.flatMap((option) => (option.name === name && option.value !== undefined ? [option.value] : []))
}

/** What is no operation is passed over, and told. */
function operations(
  given: readonly GivenOption[],
  name: string,
): { readonly read: readonly OperationSpec[]; readonly unread: readonly string[] } {
  const texts = all(given, name)
  return {
    read: texts.flatMap((text) => parseOperationSpec(text) ?? []),
    unread: texts.filter((text) => parseOperationSpec(text) === undefined),
  }
}

/** `OPERATION@NODE=RESULT`, as far as it can be read. A failure that cannot be read is passed over in silence. */
function whyUnread(text: string): string {
  const [, operation, node, result] = /^([^@]+)(?:@([^=]+)(?:=([-+]?\d+))?)?/.exec(text) ?? []
  const found = text === '' ? -1 : [operation, node, result].filter((field) => field !== undefined).length
  if (found < 3) return `Invalid operation spec: ${text}.  Only found ${found} fields`
  return 'Invalid resource name: (null)'
}

const isNode = (cib: XmlElement, name: string): boolean =>
  readConfiguration(cib).nodes.some((node) => node.name === name) || knownElsewhere(cib).includes(name)

function readQuestion(given: readonly GivenOption[], cib: XmlElement): WhatIf {
  const { read: results, unread } = operations(given, 'op-inject')
  const quorum = optionValue(given, 'quorum')
  const watchdog = optionValue(given, 'watchdog')
  // A quorum counts only where something else is supposed too.
  const others = questionsAsked(given).some((name) => name !== 'quorum')
  return {
    nodesMade: all(given, 'node-up').filter((name) => !isNode(cib, name)),
    nodesUp: all(given, 'node-up').filter((name) => isNode(cib, name)),
    nodesDown: all(given, 'node-down'),
    nodesFailed: all(given, 'node-fail'),
    ticketsGranted: all(given, 'ticket-grant'),
    ticketsRevoked: all(given, 'ticket-revoke'),
    ticketsOnStandby: all(given, 'ticket-standby'),
    ticketsActive: all(given, 'ticket-activate'),
    results,
    ...(unread.length === 0 ? {} : { resultsUnread: unread }),
    ...(quorum === undefined || !others ? {} : { quorate: quorum }),
    ...(watchdog === undefined ? {} : { watchdog }),
  }
}

/** What of a question is given. */
function questionsAsked(given: readonly GivenOption[]): readonly string[] {
  return given.flatMap(({ name }) => (/^(?:node-|op-inject|ticket-|watchdog|quorum)/.test(name) ? [name] : []))
}

/** Nodes that only their state tells of, remote ones and guests. */
function knownElsewhere(cib: XmlElement): readonly string[] {
  const status = childElement(cib, 'status')
  return (status === undefined ? [] : childElements(status, 'node_state')).flatMap(
    ({ attributes }) => attributes.uname ?? [],
  )
}

/**
 * On a shadow (CIB_shadow) what is supposed and what is played happens in the shadow itself, as each is a change that is sent to it. A CIB in
 * a file and the cluster's own stay as they are.
 */
async function playOnShadow(
  { given, files }: ParsedCall,
  world: ToolWorld,
  { texts, isAsked }: { readonly texts: ReturnType<typeof simulateCib>; readonly isAsked: boolean },
): Promise<void> {
  const isShadow = (files?.environment.CIB_shadow ?? '') !== ''
  if (!hasOption(given, 'live-check') || !isShadow || world.isCluster) return
  const after = isAsked ? texts.simulation.result() : texts.input
  await world.edit(() => after, { command: 'crm_simulate', counts: 'made' })
}

function save({ given, files }: ParsedCall, texts: ReturnType<typeof simulateCib>): void {
  const to = (option: string, text: () => string, how: Writing = {}): void => {
    const path = optionValue(given, option)
    if (path !== undefined) files?.write(path, text(), how)
  }
  to('save-graph', texts.graph)
  to('save-dotfile', () => texts.drawn().dot, { anybodyMayRead: true })
  to('save-input', () => printXml(texts.input))
  to('save-output', () => printXml(texts.simulation.result()))
  if (hasOption(given, 'in-place')) to('xml-file', () => printXml(texts.simulation.result()))
}
