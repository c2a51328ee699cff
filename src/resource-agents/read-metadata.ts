/** Asks agents for their metadata, once as long as the agent's file stays the same. */
import { readFileSync, statSync } from 'node:fs'
import { failed, ok, type Result, resourceId } from '../base/index.ts'
import type { Agent } from '../cib/index.ts'
import { OutputTail, plainLine } from './captured-output.ts'
import { type AgentHost, agentEnvironment, baseEnvironment } from './environment.ts'
import { agentName, findAgent } from './find.ts'
import { type AgentMetadata, type AgentMetadataReport, parseAgentMetadata } from './metadata.ts'
import { describeStartFailure, type ProgramEnd, runProgram } from './process-group.ts'
import { scriptMetadata, unitMetadata } from './service-metadata.ts'
import { describeUnit } from './unit-files.ts'

export type ReadMetadata = (agent: Agent) => Promise<Result<AgentMetadata, AgentMetadataReport>>

const metadataTimeoutMs = 30_000
const longestMetadata = 4 * 1024 * 1024
const retryFailedMs = 60_000
/** What an agent that has ended has written is there at once. */
const lateOutputMs = 200

export function metadataReader(host: AgentHost, fenceFolders: readonly string[] = []): ReadMetadata {
  interface Known {
    readonly version: string
    readonly answer: ReturnType<ReadMetadata>
    failedAt?: number
  }
  const known = new Map<string, Known>()
  return (agent) => {
    const name = agentName(agent)
    const found = findAgent(agent, host, fenceFolders)
    if (found.kind === 'unit') return Promise.resolve(ok(unitMetadata(name, describeUnit(found.path))))
    if (found.kind !== 'program')
      return Promise.resolve(failed({ code: 'agent-metadata', agent: name, message: found.message }))
    const version = fileVersion(found.path)
    const before = known.get(name)
    if (before?.version === version && !mayTryAgain(before.failedAt)) return before.answer
    const asked: Known = { version, answer: ask(agent, found.path, found.standard, host) }
    known.set(name, asked)
    void asked.answer.then((result) => {
      if (!result.ok) asked.failedAt = Date.now()
    })
    return asked.answer
  }
}

/** A failure may be of the moment, but an agent that has no metadata is not run for it all the time. */
function mayTryAgain(failedAt: number | undefined): boolean {
  return failedAt !== undefined && Date.now() - failedAt > retryFailedMs
}

async function ask(
  agent: Agent,
  path: string,
  standard: 'ocf' | 'lsb' | 'fencing',
  host: AgentHost,
): ReturnType<ReadMetadata> {
  const name = agentName(agent)
  if (standard === 'lsb') return ok(scriptMetadata(name, readFileSync(path, 'utf8')))
  const fencing = standard === 'fencing'
  const call = { agent, resource: resourceId(agent.type), operation: 'meta-data', attributes: {}, timeoutMs: 0 }
  const run = runProgram({
    path,
    arguments: fencing ? ['-o', 'metadata'] : ['meta-data'],
    environment: fencing ? baseEnvironment(host) : agentEnvironment(call, host),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeoutMs: metadataTimeoutMs,
  })
  const output = new OutputTail(longestMetadata)
  const errors = new OutputTail(1024)
  run.child?.stdout?.on('data', (chunk: Buffer) => output.add(chunk))
  run.child?.stderr?.on('data', (chunk: Buffer) => errors.add(chunk))
  const read = closed(run.child?.stdout)
  const end = await run.ended
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, lateOutputMs).unref())])
  if (end.failure || end.exitCode !== 0) {
    const message = `${howItEnded(path, end)}. ${plainLine(errors.text)}`.trim()
    return failed({ code: 'agent-metadata', agent: name, message })
  }
  return parseAgentMetadata(name, output.text)
}

function howItEnded(path: string, { failure, timedOut, exitCode, signal }: ProgramEnd): string {
  if (failure) return `${path} could not be started: ${describeStartFailure(failure)}`
  if (timedOut) return `the agent did not answer within ${metadataTimeoutMs / 1000}s`
  return exitCode === undefined ? `the agent was killed by ${signal}` : `the agent exited with ${exitCode}`
}

function closed(stream: NodeJS.ReadableStream | null | undefined): Promise<void> {
  return !stream ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve()))
}

function fileVersion(path: string): string {
  const { mtimeMs, size, ino } = statSync(path)
  return `${mtimeMs}:${size}:${ino}`
}
