/**
 * A command in the caller's process. With CIB_file it is the whole program. Otherwise it brings the caller's files to the daemon,
 * asks again and again for a live status, or works on the CIB that it gets from the daemon.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseDurationMs, printable } from '../../base/index.ts'
import { parseXml, printXml } from '../../cib/index.ts'
import { asksForAccess } from '../cib/show-access.ts'
import { asksFenceAgents } from '../cluster/fence-agents.ts'
import { findTool, formed, resultElement, runTool } from '../command/run-tool.ts'
import { describeExit, exitCodes } from '../exit-codes.ts'
import { optionsOf } from '../help.ts'
import { isLive } from '../monitor/crm-mon.ts'
import { type GivenOption, hasOption, optionValue, parseOptions } from '../options.ts'
import { refused, type ToolReply } from '../reply.ts'
import { isAboutAgent, runsAgent } from '../resource/agent-actions.ts'
import { asksForAgents } from '../resource/agents.ts'
import { statusPage, type Tool, type ToolCall } from '../tool.ts'
import { CallerFileError } from './caller-file-error.ts'
import { callerFiles } from './caller-files.ts'
import { CibFileError } from './cib-file-error.ts'
import type { Sources } from './external-agent.ts'
import { FileWorld } from './file-world.ts'
import { repeatStatus } from './live-status.ts'
import { shadows } from './shadows.ts'
import { callDaemon, NoDaemonError, SilentDaemonError, silenceMs } from './socket-client.ts'

type Environment = Readonly<Record<string, string | undefined>>

export async function runCommand(tool: string, words: readonly string[], environment: Environment): Promise<number> {
  const { OCF_RESOURCE_INSTANCE: resource, OCF_RESKEY_CRM_meta_on_node: onNode, CIB_user: user } = environment
  const call: ToolCall = {
    tool,
    arguments: words,
    files: callerFiles(environment),
    ...(resource === undefined || resource === '' ? {} : { resource }),
    ...(onNode === undefined || onNode === '' ? {} : { onNode }),
    ...(user === undefined || user === '' ? {} : { user }),
  }
  const given = givenOptions(call)
  const isRepeated =
    tool === 'crm_mon' &&
    isUnderstood(call) &&
    isLive(given) &&
    !hasOption(given, 'help') &&
    !hasOption(given, 'version')
  if (!isRepeated) return print(await replyTo(call, environment))
  try {
    const ask = (): Promise<ToolReply> => answer(call, given, environment)
    return await repeatStatus(call, given, { ask, sources: sourcesOf(call, given, environment) })
  } catch (error) {
    return print(refusal(tool, error))
  }
}

/** What a command answers at once, whatever goes wrong. */
export async function replyTo(call: ToolCall, environment: Environment): Promise<ToolReply> {
  const given = givenOptions(call)
  try {
    return await answer(call, given, environment)
  } catch (error) {
    const reply = refusal(call.tool, error)
    if (call.tool !== 'crm_mon' || !(error instanceof CibFileError)) return formed(call, given, reply)
    // Pacemaker's ends well all the same where it shows a file once.
    const unread = { ...reply, exitCode: exitCodes.ok }
    return optionValue(given, 'output-as') === 'xml'
      ? { ...unread, output: printXml(resultElement(call, unread)), errors: '' }
      : unread
  }
}

function refusal(tool: string, error: unknown): ToolReply {
  if (error instanceof NoDaemonError) return refused(exitCodes.notConnected, `${tool}: ${error.message}`)
  if (error instanceof SilentDaemonError) return refused(exitCodes.timeout, `${tool}: ${error.message}`)
  if (error instanceof CallerFileError) return refused(exitFor(tool, error), `${tool}: ${error.message}`)
  if (error instanceof CibFileError)
    return { ...refused(error.exitCode, plainly(tool, error)), said: [inPacemakersWords(tool, error)] }
  return refused(exitCodes.error, `${tool}: ${error instanceof Error ? error.message : String(error)}`)
}

/** As Pacemaker's own, without what is wrong with the file: crm_verify tells. */
function plainly(tool: string, error: CibFileError): string {
  const why = whyNot(error)
  if (tool === 'cibadmin')
    return `Could not connect to the CIB: ${why}\ncibadmin: Init failed, could not perform requested operations: ${why}`
  if (tool === 'crm_verify') return `Could not connect to the CIB: ${why}\ncrm_verify: Verification failed: ${why}`
  return inPacemakersWords(tool, error)
}

/** In XML. */
function inPacemakersWords(tool: string, error: CibFileError): string {
  const sentence = `Could not connect to the CIB: ${whyNot(error)}`
  if (['crm_rule', 'crm_mon', 'crm_simulate'].includes(tool)) return sentence
  const more = tool === 'crm_resource' ? `\nError performing operation: ${describeExit(error.exitCode)}` : ''
  return `${tool}: ${sentence}${more}`
}

const whyNot = ({ exitCode }: CibFileError): string =>
  exitCode === exitCodes.configuration
    ? 'Update does not conform to the configured schema'
    : 'No such device or address'

const exitFor = (tool: string, { done }: CallerFileError): number =>
  done === 'written'
    ? (findTool(tool)?.exits?.noOutput ?? exitCodes.error)
    : (findTool(tool)?.exits?.noInput ?? exitCodes.noInput)

function sourcesOf(call: ToolCall, given: readonly GivenOption[], environment: Environment): Sources {
  const outputOf = async (tool: string, words: readonly string[]): Promise<string> => {
    const query = { ...call, tool, arguments: words }
    return (await answer(query, givenOptions(query), environment)).output
  }
  return {
    cib: () => outputOf('cibadmin', ['--query']),
    ...(hasOption(given, 'watch-fencing')
      ? { fencing: () => outputOf('stonith_admin', ['--history=*', '--output-as=xml']) }
      : {}),
  }
}

function isUnderstood(call: ToolCall): boolean {
  const tool = findTool(call.tool)
  return tool !== undefined && parseOptions(optionsOf(tool), call.arguments).ok
}

/** Mistakes are told by the command itself. */
function givenOptions(call: ToolCall): readonly GivenOption[] {
  const tool = findTool(call.tool)
  const parsed = tool && parseOptions(optionsOf(tool), call.arguments)
  return parsed?.ok === true ? parsed.value : []
}

async function answer(call: ToolCall, given: readonly GivenOption[], environment: Environment): Promise<ToolReply> {
  if (call.tool === 'crm_shadow') return await answerShadow(call, environment)
  const shown = call.tool === 'crm_mon' ? optionValue(given, 'xml-file') : undefined
  if (shown !== undefined) return await runTool(call, new FileWorld({ path: shown, user: environment.CIB_user }))
  const file = workingFile(environment)
  if (file === undefined && (environment.CIB_shadow ?? '') !== '')
    throw new CibFileError(
      `there is no shadow '${environment.CIB_shadow}': crm_shadow --create makes it, unset CIB_shadow leaves it.`,
      exitCodes.noSuchObject,
    )
  if (file !== undefined && !isKeptByDaemon(file, environment, given))
    return await runTool(call, new FileWorld({ path: file, user: environment.CIB_user }))
  const asksForHelp = hasOption(given, 'help') || hasOption(given, 'version')
  if (
    asksForHelp ||
    asksForAgents(given) ||
    isAboutAgent(given) ||
    (call.tool === 'stonith_admin' && asksFenceAgents(given))
  )
    return await runTool(call, new FileWorld({ read: noCib }))
  const socket = environment.SYSTOLE_TOOLS_SOCKET ?? '/run/systole/tools.sock'
  if (runsAgent(given) || (call.tool === 'cibadmin' && asksForAccess(given)))
    return await runTool(call, await localWorld(socket, call))
  const tool = findTool(call.tool)
  if (tool?.runsHere === true) {
    const cib = isUnderstood(call) && needsCluster(tool, given) ? await clusterCib(socket, call) : undefined
    return await runTool(call, new FileWorld({ read: () => cib ?? noCib() }))
  }
  try {
    return await forwarded(socket, call, given)
  } catch (error) {
    if (!(error instanceof NoDaemonError)) throw error
    return await runTool(call, nowhere(error))
  }
}

/** A world that nothing can be asked of: a call that needs none (a wrong one, an empty CIB) is answered, and any other ends with this error. */
function nowhere(error: NoDaemonError): FileWorld {
  const world = new FileWorld({ read: noCib })
  return new Proxy(world, {
    get: (_, name) => {
      if (name === 'md5') return world.md5
      throw error
    },
  })
}

/** The copy or the file that the caller works on. */
function workingFile(environment: Environment): string | undefined {
  const { CIB_shadow: shadow = '', CIB_file: file = '' } = environment
  const known = shadows(environment)
  if (shadow !== '') return known.exists(shadow) ? known.path(shadow) : undefined
  return file === '' ? undefined : file
}

/**
 * Pacemaker keeps the cluster's CIB in this file, and crmsh reads the nodes there when it collects a report. Where the file is
 * not, because the CIB is in the store, a query of it is answered by the daemon.
 */
function isKeptByDaemon(file: string, environment: Environment, given: readonly GivenOption[]): boolean {
  const kept = join(environment.SYSTOLE_ROOT ?? '/', 'var/lib/pacemaker/cib/cib.xml')
  return resolve(file) === kept && !existsSync(kept) && hasOption(given, 'query')
}

/** The copies are files; what they are copies of, and go back to, is what the caller would work on without one. */
async function answerShadow(call: ToolCall, environment: Environment): Promise<ToolReply> {
  const { CIB_shadow: _, ...outside } = environment
  const cibadmin = async (...words: readonly string[]): Promise<ToolReply> => {
    const asked = { ...call, tool: 'cibadmin', arguments: words }
    return await answer(asked, givenOptions(asked), outside)
  }
  return await runTool({ ...call, cibadmin }, new FileWorld({ read: noCib }))
}

/** A file, a text or the input that is given is enough. */
function needsCluster(tool: Tool, given: readonly GivenOption[]): boolean {
  if (tool.needsNoCib === true || tool.needsNoCib?.(given)) return false
  const sources = [
    'xml-file',
    'xml-text',
    'xml-pipe',
    'original',
    'original-string',
    'stdin',
    'profile',
    'help',
    'version',
  ]
  return !sources.some((name) => hasOption(given, name))
}

function noCib(): never {
  throw new CibFileError('no CIB was given.')
}

/** Whoever says how long a command may take waits no longer for a daemon that says nothing. */
const patienceOf = (call: ToolCall): number =>
  silenceMs(process.env.SYSTOLE_TOOLS_SILENCE, parseDurationMs(optionValue(givenOptions(call), 'timeout') ?? ''))

async function clusterCib(socket: string, call: ToolCall) {
  const reply = await callDaemon(socket, { ...call, tool: 'cibadmin', arguments: ['--query'] }, patienceOf(call))
  const parsed = parseXml(reply.output)
  if (!parsed.ok) throw new CibFileError(`the daemon's CIB cannot be read: ${reply.errors}`)
  return parsed.value
}

/** What the cluster is made of, for what is done on this node. */
async function localWorld(socket: string, call: ToolCall): Promise<FileWorld> {
  const cib = await clusterCib(socket, call)
  const { output } = await callDaemon(socket, { ...call, tool: 'crm_node', arguments: ['--name'] }, patienceOf(call))
  return new FileWorld({ read: () => cib, localNode: output.trim() })
}

/** The daemon gets what the files say, and the file gets what the daemon says. */
async function forwarded(socket: string, call: ToolCall, given: readonly GivenOption[]): Promise<ToolReply> {
  const { files } = call
  const file = optionValue(given, 'xml-file')
  const text = file !== undefined ? files?.read(file) : hasOption(given, 'xml-pipe') ? files?.input() : undefined
  const target = optionValue(given, 'as-html') ?? optionValue(given, 'output-to')
  const local = new Set([
    'xml-file',
    'xml-pipe',
    'as-html',
    'output-to',
    'pid-file',
    'daemonize',
    'external-agent',
    'external-recipient',
  ])
  const kept = given.filter(({ name }) => !local.has(name)).flatMap(wordsOf)
  const isPage = hasOption(given, 'as-html') || optionValue(given, 'output-as') === 'html'
  const more = [
    ...(text === undefined ? [] : [`--xml-text=${text}`]),
    ...(hasOption(given, 'as-html') ? ['--output-as=html'] : []),
    ...(isPage && target !== undefined && !hasOption(given, 'interval') ? ['--interval=5'] : []),
    ...(call.tool === 'crm_mon' && !hasOption(given, 'one-shot') ? ['--one-shot'] : []),
  ]
  const reply = await callDaemon(socket, { ...call, arguments: [...kept, ...more] }, patienceOf(call))
  if (target === undefined || target === '-' || reply.exitCode !== exitCodes.ok) return reply
  files?.write(target, reply.output, call.tool === 'crm_mon' ? statusPage : {})
  return { ...reply, output: '' }
}

function wordsOf({ name, value }: GivenOption): readonly string[] {
  if (name === '') return value === undefined ? [] : [value]
  if (name.length === 1) return value === undefined ? [`-${name}`] : [`-${name}`, value]
  return [value === undefined ? `--${name}` : `--${name}=${value}`]
}

function print({ exitCode, output, errors, isColoured }: ToolReply): number {
  process.stdout.write(isColoured ? output : printable(output))
  process.stderr.write(printable(errors))
  return exitCode
}
