/**
 * Runs agents as child processes: the one real adapter of `AgentRunner`; simulations have a scripted one. The result says
 * what is known, and a timeout means that nothing is.
 */
import { mkdirSync } from 'node:fs'
import { isShortage } from '../base/index.ts'
import type { Agent } from '../cib/index.ts'
import { exitReasonIn } from './captured-output.ts'
import { type AgentCall, type AgentHost, agentEnvironment } from './environment.ts'
import { agentName, findAgent } from './find.ts'
import { type AgentOutcome, isOcfExitCode, lsbStatusAsMonitor, notRun, ocfExitCodes } from './outcome.ts'
import { describeStartFailure, type ProgramEnd, runProgram } from './process-group.ts'
import { forgetRunning, type LeftAgent, machineMs, noteRunning, notesFolder, OutputFile } from './running-agents.ts'

export interface AgentRunner {
  run(call: AgentCall): RunningAgent
}

export interface RunningAgent {
  readonly finished: Promise<AgentOutcome>
  /** Ends it with everything it started; `finished` then says so. */
  kill(): void
}

/** Waits for the file of a talkative agent no longer than this before looking at its length. */
const trimEveryMs = 100
/**
 * An agent that somebody is copying into place is waited for, and so is room for another process or file: the failure of a stop would be
 * a reason to fence the node.
 */
const startsWithinMs = 2000
const lookAgainMs = 50

export function childProcessRunner(host: AgentHost): AgentRunner {
  const notes = notesFolder(host.runFolder)
  mkdirSync(notes, { recursive: true, mode: 0o700 })
  return {
    run(call) {
      const found = findAgent(call.agent, host)
      if (found.kind === 'missing') return finishedWith(notRun('not-installed', found.message))
      if (found.kind === 'unsupported') return finishedWith(notRun('not-supported', found.message))
      if (found.kind === 'unit')
        return finishedWith(notRun('not-supported', `${agentName(call.agent)} is run by systemd.`))
      if (found.standard === 'fencing')
        return finishedWith(notRun('not-supported', `${agentName(call.agent)} is run by the fencer.`))
      return startWhenPossible(call, () => start(call, found.path, host, notes))
    },
  }
}

function startWhenPossible(call: AgentCall, begin: () => StartedAgent): RunningAgent {
  let current = begin()
  let wanted = true
  const finished = (async () => {
    const giveUpAt = machineMs() + Math.min(call.timeoutMs, startsWithinMs)
    while (wanted && passes(await current.failure) && machineMs() < giveUpAt) {
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs))
      if (wanted) current = begin()
    }
    return await current.finished
  })()
  return {
    finished,
    kill: () => {
      wanted = false
      current.kill()
    },
  }
}

const passes = (failure: string | undefined): boolean =>
  failure !== undefined && (failure === 'ETXTBSY' || isShortage(failure))

interface StartedAgent extends RunningAgent {
  /** The code of the error that kept it from starting. */
  readonly failure: Promise<string | undefined>
}

function finishedWith(outcome: AgentOutcome): RunningAgent {
  return { finished: Promise.resolve(outcome), kill: () => undefined }
}

function start(call: AgentCall, path: string, host: AgentHost, notes: string): StartedAgent {
  const output = beside(() => new OutputFile(notes, call.resource))
  const run = runProgram({
    path,
    arguments: [isLsb(call.agent, path) && call.operation === 'monitor' ? 'status' : call.operation],
    environment: agentEnvironment(call, host),
    stdio: ['ignore', output?.descriptor ?? 'ignore', output?.descriptor ?? 'ignore'],
    timeoutMs: call.timeoutMs,
  })
  const { processGroup } = run
  if (processGroup !== undefined) beside(() => noteRunning(notes, noteOf(call, processGroup)))
  const trimming = setInterval(() => beside(() => output?.trim()), trimEveryMs)
  const finished = run.ended.then((end) => {
    clearInterval(trimming)
    beside(() => forgetRunning(notes, call.resource))
    return outcomeOf(call, path, end, beside(() => output?.finish()) ?? '')
  })
  const failure =
    run.processGroup === undefined ? run.ended.then((end) => end.failure?.code) : Promise.resolve(undefined)
  return { finished, failure, kill: run.kill }
}

function noteOf({ resource, operation, timeoutMs }: AgentCall, processGroup: number): Omit<LeftAgent, 'processStart'> {
  return { resource, operation, processGroup, killAtMs: machineMs() + timeoutMs }
}

/**
 * Without room for what it prints, or for a note for the next daemon, an agent does its work all the same: a monitor that does not run
 * would have a service recovered that works, and a stop that does not run its node fenced.
 */
function beside<T>(keep: () => T): T | undefined {
  try {
    return keep()
  } catch {
    return undefined
  }
}

function outcomeOf(call: AgentCall, path: string, end: ProgramEnd, output: string): AgentOutcome {
  const { execTimeMs } = end
  const failure = (exitReason: string, status: AgentOutcome['status'] = 'error'): AgentOutcome => ({
    status,
    exitCode: ocfExitCodes.error,
    exitReason,
    output,
    execTimeMs,
  })
  if (end.failure) {
    const tooLong = end.failure.code === 'E2BIG'
    return {
      ...failure(`${path} could not be started: ${describeStartFailure(end.failure)}`),
      ...(tooLong && { tooLong }),
    }
  }
  const killed = end.stubborn ? ', ignored SIGTERM and was killed' : ''
  if (end.timedOut)
    return failure(`${call.operation} did not complete within ${describeMs(call.timeoutMs)}${killed}`, 'timeout')
  if (end.killed) return failure(`${call.operation} was interrupted`, 'cancelled')
  if (end.exitCode === undefined) return failure(`${call.operation} was ended by ${end.signal ?? 'a signal'}`)
  const exitReason = exitReasonIn(output) ?? undefinedCode(end.exitCode)
  return {
    status: 'done',
    exitCode: isLsb(call.agent, path) && call.operation === 'monitor' ? lsbStatusAsMonitor(end.exitCode) : end.exitCode,
    output,
    execTimeMs,
    ...(exitReason === undefined ? {} : { exitReason }),
  }
}

function undefinedCode(exitCode: number): string | undefined {
  return isOcfExitCode(exitCode) ? undefined : `${exitCode} is not an exit code defined by OCF`
}

function isLsb(agent: Agent, path: string): boolean {
  return agent.class === 'lsb' || (agent.class === 'service' && path.startsWith('/etc/init.d/'))
}

function describeMs(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}
