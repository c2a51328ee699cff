/** Runs a command by its name: reads its options, answers `--help` and `--version`, and gives its result the form that was asked for. */
import { firstNotInXml } from '../../base/index.ts'
import { element, printXml, type XmlElement } from '../../cib/index.ts'
import { describeExit, exitCodes } from '../exit-codes.ts'
import { describeTool, formatsOf, optionsOf } from '../help.ts'
import { pageOptions, plainItem, printHtml, withHeaders } from '../monitor/html.ts'
import { type GivenOption, hasOption, optionValue, parseOptions } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import { statusPage, type Tool, type ToolCall } from '../tool.ts'
import { apiVersion, pacemakerVersion } from '../version.ts'
import type { ToolWorld } from '../world.ts'
import { allTools } from './all-tools.ts'

export function findTool(name: string): Tool | undefined {
  return allTools.find((tool) => tool.name === name)
}

export async function runTool(call: ToolCall, world: ToolWorld): Promise<ToolReply> {
  const tool = findTool(call.tool)
  if (tool === undefined) return refused(exitCodes.unimplemented, `${call.tool}: there is no such command.`)
  // Nothing that holds one could be stored; a node that tried would make the CIB unreadable for the others.
  const forbidden = call.arguments.map(firstNotInXml).find((found) => found !== undefined)
  if (forbidden !== undefined)
    return refused(tool.exits?.usage ?? exitCodes.usage, `${call.tool}: ${holdsNoControl(forbidden)}`)
  const parsed = parseOptions(optionsOf(tool), call.arguments)
  if (!parsed.ok) return refused(tool.exits?.usage ?? exitCodes.usage, `${call.tool}: ${parsed.reports.join('; ')}`)
  const given = parsed.value
  if (hasOption(given, 'help')) return printed(describeTool(tool))
  if (hasOption(given, 'version'))
    return printed(`Pacemaker ${pacemakerVersion}\nThis is Systole, which speaks for it.\n`)
  const format = optionValue(given, 'output-as') ?? 'text'
  if (tool.printsXml && !formatsOf(tool).includes(format))
    return refused(
      tool.exits?.format ?? exitCodes.error,
      `${call.tool}: Error creating output format ${format}: Unknown output format`,
    )
  const isKnownHere = call.installed !== undefined && tool.asksWhatIsInstalled?.(given) === true
  if (call.files === undefined && needsCaller(tool, given) && !isKnownHere) return runHere
  const reply = formed(call, given, await tool.run({ ...call, given }, world))
  return await written(call, given, format === 'none' ? reply : withNotDone(tool, given, reply))
}

/** Whoever asks for something that is not done learns it, out of the way of what scripts read. */
function withNotDone(tool: Tool, given: readonly GivenOption[], reply: ToolReply): ToolReply {
  const told = optionsOf(tool).filter(({ ignored, names }) => ignored === 'told' && hasOption(given, names[0] ?? ''))
  const lines = told.map(
    ({ names: [name = ''], help }) =>
      `${tool.name}: ${name.length === 1 ? '-' : '--'}${name} has no effect here: ${help.replace(/^No effect: /, '')}.\n`,
  )
  return lines.length === 0 ? reply : { ...reply, errors: lines.join('') + reply.errors }
}

const holdsNoControl = (character: string): string =>
  `An argument holds the control character ${character}, which a CIB cannot hold.`

export const runHere: ToolReply = { exitCode: exitCodes.unimplemented, output: '', errors: '', runHere: true }

/** The options of a call that is understood. */
export function givenOptions({ tool, arguments: words }: ToolCall): readonly GivenOption[] | undefined {
  const known = findTool(tool)
  const parsed = known && parseOptions(optionsOf(known), words)
  return parsed?.ok === true ? parsed.value : undefined
}

/** Whether the caller's own process must run it, by what the call says. */
export function goesOnAtCaller(call: ToolCall): boolean {
  const [tool, given] = [findTool(call.tool), givenOptions(call)]
  if (tool === undefined || given === undefined || hasOption(given, 'help') || hasOption(given, 'version')) return false
  return needsCaller(tool, given)
}

/** Whether the call reads or writes files of the caller, or keeps its terminal. */
export function needsCaller(tool: Tool, given: readonly GivenOption[]): boolean {
  const files = optionsOf(tool).filter(({ file }) => file !== undefined)
  const namesFile = given.some(({ name, value }) => value !== '-' && files.some(({ names }) => names[0] === name))
  return tool.runsHere === true || namesFile || (tool.needsTerminal?.(given) ?? false)
}

/** Every line of the text is one of a list; what goes wrong, too. */
function textPage(call: ToolCall, given: readonly GivenOption[], { output, errors }: ToolReply): string {
  const lines = `${output}${errors}`.split('\n').filter((line) => line.trim() !== '')
  const title = [call.tool, ...call.arguments].join(' ')
  return withHeaders(given, printHtml([{ items: lines.map(plainItem) }], { title, ...pageOptions(given) }))
}

/** In the form that the call asks for, where its tool has more than one. */
export function formed(call: ToolCall, given: readonly GivenOption[], reply: ToolReply): ToolReply {
  if (findTool(call.tool)?.printsXml !== true) return reply
  const format = optionValue(given, 'output-as')
  if (format === 'none') return { ...reply, output: '', errors: '' }
  if (format === 'html') return { ...reply, output: textPage(call, given, reply), errors: '' }
  if (format !== 'xml' || reply.isBare) return reply
  if (findTool(call.tool)?.tellsErrorsBeside)
    return { ...reply, output: printXml(resultElement(call, { ...reply, said: [] })) }
  return { ...reply, output: printXml(resultElement(call, reply)), errors: '' }
}

export function resultElement(call: ToolCall, reply: ToolReply): XmlElement {
  const texts = (reply.said ?? errorsIn(reply.errors)).map((text) => element('error', {}, [{ kind: 'text', text }]))
  const status = element(
    'status',
    { code: String(reply.exitCode), message: describeExit(reply.exitCode) },
    texts.length === 0 ? [] : [element('errors', {}, texts)],
  )
  const request = [call.tool, ...call.arguments.map((word) => (word.includes(' ') ? `'${word}'` : word))].join(' ')
  return element('pacemaker-result', { 'api-version': versionOf(call, reply), request }, [...(reply.xml ?? []), status])
}

/** The oldest version that has what is in it: programs refuse what the schema of the version does not allow, and versions that they do not know. */
function versionOf({ tool }: ToolCall, { xml }: ToolReply): string {
  return findTool(tool)?.xmlVersions?.[xml?.[0]?.name ?? ''] ?? apiVersion
}

/** A line is an error, and goes on in the line that tells what came of it. */
function errorsIn(text: string): readonly string[] {
  return text
    .split(/\n(?!Error performing operation: )/)
    .map((error) => error.trimEnd())
    .filter((error) => error !== '')
}

async function written(call: ToolCall, given: readonly GivenOption[], reply: ToolReply): Promise<ToolReply> {
  const path = optionValue(given, 'output-to')
  if (path === undefined || path === '-' || call.files === undefined) return reply
  call.files.write(path, reply.output, call.tool === 'crm_mon' ? statusPage : {})
  return { ...reply, output: '' }
}
