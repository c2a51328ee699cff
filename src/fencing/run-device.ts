/**
 * Runs a fence agent: options on its standard input, one `name=value` a line, so that no secret is ever among a process's
 * arguments or in its environment (fence agents' API). What the agent prints is told without the device's secrets.
 */
import { type IsSecret, isSecretName, textWithoutSecrets } from '../cib/index.ts'
import {
  type AgentHost,
  type AgentOutcome,
  type AgentRunner,
  baseEnvironment,
  describeStartFailure,
  findAgent,
  notRun,
  OutputTail,
  ocfExitCodes,
  type ProgramEnd,
  plainLine,
  runProgram,
} from '../resource-agents/index.ts'
import { type DeviceAction, type FenceDevice, plugOf } from './device.ts'
import type { DeviceAnswer } from './state.ts'
import { offThroughDisks } from './through-disks.ts'

export interface DeviceCall {
  readonly device: FenceDevice
  readonly action: DeviceAction
  /** None for `monitor` and `list`. */
  readonly target?: string
  readonly timeoutMs: number
}

export interface FenceHost
  extends Pick<AgentHost, 'ocfRoot' | 'moreAgentFolders' | 'toolsFolder' | 'toolsSocket' | 'runFolder'> {
  /** Folders with fence agents, searched before the system's. */
  readonly fenceFolders: readonly string[]
  /** What this cluster calls secret; where left out, what names alone say. */
  readonly isSecret?: IsSecret
}

/** Exit code of `status` for a device that is off (fence agents' API). */
const statusOff = 2
/** What is kept for messages; a list of hosts may be long. */
const keptOutput = 256 * 1024
const lateOutputMs = 100

export async function runDevice(call: DeviceCall, host: FenceHost): Promise<DeviceAnswer> {
  const agent = { class: 'stonith', type: call.device.agent }
  const found = findAgent(agent, host, host.fenceFolders)
  if (found.kind === 'unit') return failure(`${call.device.agent} is not a fence agent.`)
  if (found.kind !== 'program') return failure(found.message)
  const options = optionLines(call)
  if (options === undefined) return failure('a parameter has more than one line, which fence agents cannot read')
  const plug = call.target === undefined ? undefined : plugOf(call.device, call.target)
  const program = offThroughDisks(call.device, call.action, plug) ?? { path: found.path, arguments: [] }
  const run = runProgram({
    path: program.path,
    arguments: program.arguments,
    environment: { ...baseEnvironment(host), PYTHONWARNINGS: 'ignore' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeoutMs: call.timeoutMs,
  })
  const output = new OutputTail(keptOutput)
  const errors = new OutputTail()
  run.child?.stdout?.on('data', (chunk: Buffer) => output.add(chunk))
  run.child?.stderr?.on('data', (chunk: Buffer) => errors.add(chunk))
  // An agent that ends without reading its options has its own reason, which its exit code tells.
  run.child?.stdin?.on('error', () => undefined)
  run.child?.stdin?.end(options)
  const read = new Promise((resolve) => run.child?.stdout?.once('end', resolve))
  const end = await run.ended
  // What is in the pipe belongs to the answer; a child that keeps it open is not waited for.
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, lateOutputMs).unref())])
  return answerOf(call, host, { end, output: output.text, errors: errors.text })
}

function answerOf(
  call: DeviceCall,
  host: FenceHost,
  { end, output, errors }: { readonly end: ProgramEnd; readonly output: string; readonly errors: string },
): DeviceAnswer {
  if (end.failure) return failure(`the agent could not be started: ${describeStartFailure(end.failure)}`)
  if (end.timedOut) return { ...failure(`no answer within ${call.timeoutMs / 1000}s`), timedOut: true }
  if (end.exitCode === undefined) return failure(`the agent was killed by ${end.signal ?? 'a signal'}`)
  const isStatus = call.action === 'status'
  const power = isStatus ? powerOf(end.exitCode) : undefined
  const succeeded = end.exitCode === 0 || (isStatus && end.exitCode === statusOff)
  return {
    succeeded,
    timedOut: false,
    output,
    message: succeeded
      ? ''
      : publicText(call.device, host, lastLine(errors) ?? lastLine(output) ?? exitText(end.exitCode)),
    ...(power === undefined ? {} : { power }),
  }
}

function powerOf(exitCode: number): 'on' | 'off' | undefined {
  if (exitCode === 0) return 'on'
  return exitCode === statusOff ? 'off' : undefined
}

function exitText(exitCode: number): string {
  return `exit code ${exitCode}`
}

function failure(message: string): DeviceAnswer {
  return { succeeded: false, timedOut: false, output: '', message }
}

/** Undefined where a value would become an option of its own. */
function optionLines({ device, action, target }: DeviceCall): string | undefined {
  // Its delay was waited for before (`fencingDelayMs`).
  const { delay: _waitedFor, ...parameters } = device.parameters
  const options: Record<string, string> = { ...parameters, action: device.actions[action].name }
  if (target !== undefined) {
    options.nodename = target
    if (device.plugParameter !== undefined) options[device.plugParameter] = plugOf(device, target)
  }
  const entries = Object.entries(options)
  if (entries.some(([name, value]) => /[\n\r]/.test(name + value))) return undefined
  return entries.map(([name, value]) => `${name}=${value}\n`).join('')
}

/** Agents put the reason last; time stamps and levels of their logging are cut off. */
function lastLine(text: string): string | undefined {
  const line = text
    .split('\n')
    .map((candidate) => candidate.replace(/^[\d-]+ [\d:,.]+ (ERROR|WARNING|INFO): /, '').trim())
    .filter((candidate) => candidate !== '' && !candidate.startsWith('Please use'))
    .at(-1)
  return line === undefined ? undefined : plainLine(line)
}

/** What an agent prints, without the values that its device was given in secret. */
function publicText({ parameters }: FenceDevice, { isSecret = isSecretName }: FenceHost, text: string): string {
  const values = Object.entries(parameters).flatMap(([name, value]) => (isSecret(name) && value !== '' ? [value] : []))
  return textWithoutSecrets(text, isSecret, values)
}

/**
 * Fence devices as resources: `start` and `monitor` ask the agent whether the device answers. A device can be used wherever it
 * is started; what is started on this node only this daemon knows.
 */
export function fenceDeviceRunner(deviceById: (id: string) => FenceDevice | undefined, host: FenceHost): AgentRunner {
  const started = new Set<string>()
  return {
    run({ resource, operation, timeoutMs, attributes }) {
      const isProbe = operation === 'monitor' && Number(attributes.CRM_meta_interval ?? 0) === 0
      const finished = isProbe
        ? Promise.resolve(done(started.has(resource) ? ocfExitCodes.ok : ocfExitCodes.notRunning))
        : operate(deviceById(resource), { id: resource, operation, timeoutMs }, host)
      if (operation === 'stop') started.delete(resource)
      void finished.then(({ exitCode }) => operation === 'start' && exitCode === 0 && started.add(resource))
      return { finished, kill: () => undefined }
    },
  }
}

async function operate(
  device: FenceDevice | undefined,
  { id, operation, timeoutMs }: { readonly id: string; readonly operation: string; readonly timeoutMs: number },
  host: FenceHost,
): Promise<AgentOutcome> {
  if (operation === 'stop') return done(ocfExitCodes.ok)
  if (operation !== 'start' && operation !== 'monitor')
    return notRun('not-supported', `A fence device has no ${operation}.`)
  if (!device) return notRun('error', `There is no fence device ${id}.`)
  const began = performance.now()
  const answer = await runDevice({ device, action: 'monitor', timeoutMs }, host)
  const execTimeMs = Math.round(performance.now() - began)
  if (answer.succeeded) return done(ocfExitCodes.ok, execTimeMs)
  return {
    status: answer.timedOut ? 'timeout' : 'done',
    exitCode: ocfExitCodes.error,
    exitReason: answer.message,
    output: '',
    execTimeMs,
  }
}

function done(exitCode: number, execTimeMs = 0): AgentOutcome {
  return { status: 'done', exitCode, output: '', execTimeMs }
}
